"""Who descends from whom: from /proc, else through psutil, which on Linux would read /proc, too."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import suppress

HAVE_PROC = os.path.exists("/proc/self/stat")
#: then only what a parent knows of its own children is known
BLIND = sys.platform == "linux" and not HAVE_PROC


def children(pid: int) -> list[int]:
    """The living children of a process, whichever of its threads started them."""
    if not HAVE_PROC:
        return _psutil_children(pid)
    found: list[int] = []
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return found
    for thread in threads:
        found += _children_of_thread(f"/proc/{pid}/task/{thread}/children")
    return found


def _children_of_thread(file: str) -> list[int]:
    found: list[int] = []
    try:
        fd = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return found
    try:
        while text := os.read(fd, 1 << 16):
            found += map(int, text.split())
    except OSError:  # the thread ended between opening and reading
        pass
    finally:
        os.close(fd)
    return found


def own_children() -> list[int]:
    """Ours: only the main thread starts processes, and what is orphaned comes to it."""
    if not HAVE_PROC:
        return _psutil_children(os.getpid())
    return _children_of_thread(f"/proc/self/task/{os.getpid()}/children")


def ancestors(pid: int) -> list[int]:
    """Who started it, and who started them, the nearest first."""
    found: list[int] = []
    while pid > 1 and len(found) < 64 and (fields := _stat(pid)) is not None:
        pid = int(fields[1])
        found.append(pid)
    return found


def descendants(roots: Iterable[int]) -> list[int]:
    """The roots and everything below them, parents first."""
    found: list[int] = []
    met: set[int] = set()
    todo = list(roots)
    while todo:
        pid = todo.pop(0)
        if pid not in met:
            met.add(pid)
            found.append(pid)
            todo += children(pid)
    return found


def alive(pid: int) -> bool:
    """Whether a process is there and not a zombie."""
    if BLIND:
        return _exists(pid)
    if not HAVE_PROC:
        return _psutil_birth(pid) is not None
    fields = _stat(pid)
    return fields is not None and fields[0] not in (b"Z", b"X")


def birth(pid: int) -> float | None:
    """When a process started, on this boot's own scale: with the id, it names a process for good. None if gone."""
    if not HAVE_PROC:
        return _psutil_birth(pid)
    fields = _stat(pid)
    return None if fields is None else float(fields[19])


def handed_on() -> tuple[int, ...]:
    """Descriptors beyond the standard ones that a child of ours would get: what a shell opened for the command, as
    `<(…)`, `3>file`, a lock, make's jobserver. Python itself opens nothing that a child would inherit."""
    found = []
    with suppress(OSError):
        for fd in map(int, os.listdir("/dev/fd")):
            with suppress(OSError):  # the listing's own
                if fd > 2 and os.get_inheritable(fd):
                    found.append(fd)
    return tuple(sorted(found))


def _stat(pid: int) -> list[bytes] | None:
    """Fields of /proc/PID/stat from the state on; the name before them may hold anything."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            text = file.read(2048)
    except OSError:
        return None
    return text[text.rindex(b")") + 2 :].split() if b")" in text else None


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def _psutil_children(pid: int) -> list[int]:
    if BLIND:
        return []
    import psutil

    try:
        return [child.pid for child in psutil.Process(pid).children()]
    except psutil.Error:
        return []


def _psutil_birth(pid: int) -> float | None:
    if BLIND:
        return None
    import psutil

    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else float(process.create_time())
    except psutil.Error:
        return None
