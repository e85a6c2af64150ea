"""File systems of a fault's own, below its runs. Mounting takes root: without it the disk is as it is."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from faults.case import Case


@contextmanager
def small_disk(case: Case, size_kib: int) -> Iterator[None]:
    """One that is full after so many bytes."""
    with _mounted(case, "-t", "tmpfs", "-o", f"size={size_kib}k", "none"):
        yield


@contextmanager
def failing_disk(case: Case) -> Iterator[Callable[[], None]]:
    """One that turns read-only, under files that are open, when it is told to."""
    image = case.folder / "disk"
    with open(image, "wb") as file:
        file.truncate(16 << 20)
    _done("mkfs.ext4", "-q", "-O", "^has_journal", str(image))

    def fail() -> None:
        device = _done("findmnt", "-no", "SOURCE", str(case.runs)) or "none"
        trigger = Path("/sys/fs/ext4", Path(device).name, "trigger_fs_error")
        if trigger.exists():
            trigger.write_text("a test of faults")

    with _mounted(case, "-o", "loop,errors=remount-ro", str(image)):
        yield fail


@contextmanager
def _mounted(case: Case, *words: str) -> Iterator[None]:
    mounted = _done("mount", *words, str(case.runs)) is not None
    try:
        yield
    finally:
        if mounted:
            subprocess.run(["umount", "-l", case.runs], check=True)


def _done(*words: str) -> str | None:
    """What it printed; None where it failed, or is not here."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, env={"PATH": path})
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None
