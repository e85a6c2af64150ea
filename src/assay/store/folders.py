"""Which folders of a runs folder may be runs."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from assay.errors import AssayError
from assay.store.files import try_open
from assay.store.notices import notice


def run_folders(runs_dir: Path) -> list[str]:
    """Names of the folders that may be runs. A link to a run elsewhere is refused; one to a run in here is that run."""
    try:
        with os.scandir(runs_dir) as entries:
            found: list[str] = []
            links: list[str] = []
            for entry in entries:
                if not entry.name.startswith("."):
                    (links if entry.is_symlink() else found).append(entry.name)
    except FileNotFoundError:
        return []
    except OSError as problem:
        raise AssayError(f"cannot read `{runs_dir}`: {problem.strerror}") from None
    for name in links:
        _refuse_link(runs_dir / name)
    return found


def _refuse_link(link: Path) -> None:
    inside = os.path.realpath(link.parent)
    target = os.path.realpath(link)
    if os.path.dirname(target) != inside and os.path.lexists(os.path.join(target, "run.json")):
        notice(str(link), f"`{link}` is a link out of the runs folder and was not read (name the run by its real path)")


def is_run(run: Path) -> bool:
    """Whether it has a run.json; a notice reports anything else at that path."""
    try:
        mode = os.lstat(f"{run}/run.json").st_mode
    except OSError:
        return False
    if not stat.S_ISREG(mode):
        try_open(run, "run.json")  # says what it is
    return stat.S_ISREG(mode)
