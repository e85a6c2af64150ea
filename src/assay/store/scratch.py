"""Unfinished directories in the runs folder: hidden, named after their process, removed once that has ended."""

from __future__ import annotations

import os
import re
import stat
import time
from contextlib import suppress
from pathlib import Path

from assay.facts.host import boot_id
from assay.probes.tree import alive

_NAME = re.compile(r"\.(?:ingest|begin)-(?:(?P<pid>\d+)-(?P<boot>[0-9a-f]{8})-)?\w+")
#: made on another host or before this boot, and untouched for so long: abandoned
_FORGOTTEN_S = 24 * 3600.0


def prefix(kind: str) -> str:
    """For a name that says whose it is: `.ingest-4711-0a1b2c3d-`."""
    return f".{kind}-{os.getpid()}-{_boot()}-"


def clear(runs_dir: Path) -> None:
    """Remove what processes of this user left there when they were killed; never what one is still at."""
    with suppress(OSError):
        for name in os.listdir(runs_dir):
            if name.startswith((".ingest-", ".begin-")) and _is_left_over(runs_dir / name, name):
                _remove(runs_dir / name)


def _is_left_over(path: Path, name: str) -> bool:
    found = _NAME.fullmatch(name)
    if found is None:
        return False
    try:
        about = path.lstat()
    except OSError:
        return False
    if about.st_uid != os.getuid() or not (stat.S_ISDIR(about.st_mode) or stat.S_ISREG(about.st_mode)):
        return False
    if found["boot"] == _boot():
        return not alive(int(found["pid"]))
    return time.time() - about.st_mtime > _FORGOTTEN_S


def _remove(path: Path) -> None:
    import shutil

    with suppress(OSError):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()


def _boot() -> str:
    return (boot_id() or "").replace("-", "")[:8].rjust(8, "0")
