"""A lock for file systems that have none: a file that only one process can create, with a beat in it.

On this machine the holder itself is looked for. From another one only its beat can be seen, through clocks that may
differ and a network file system that may show what was: it is taken for dead after ten minutes without one.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from assay.facts.host import boot_id
from assay.probes.tree import birth

_BEAT_S = 20.0
_DEAD_S = 600.0
_FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW


@dataclass(frozen=True, kw_only=True)
class Holder:
    """Who holds it, as far as the file says; `beat_t` is the last sign of life."""

    host: str
    pid: int
    boot: str
    born: str
    beat_t: float

    @property
    def lives(self) -> bool:
        if self.boot and self.boot == boot_id() and self.host == socket.gethostname():
            return str(birth(self.pid)) == self.born
        return time.time() - self.beat_t < _DEAD_S


class Held(Exception):
    """Someone else has it."""

    def __init__(self, holder: Holder) -> None:
        super().__init__(holder)
        self.holder = holder


@contextmanager
def only_one(path: Path) -> Iterator[None]:
    """Raises `Held` where another process has it, and OSError where no file can be made."""
    fd = _take(path)
    ended = threading.Event()
    beating = threading.Thread(target=_beat, args=(fd, ended), daemon=True)
    beating.start()
    try:
        yield
    finally:
        ended.set()
        beating.join()
        if _same(fd, path):
            path.unlink(missing_ok=True)
        os.close(fd)


def holder_of(path: Path) -> Holder | None:
    """The living process that holds the lock, or None."""
    found = _read(path)
    return found if found is not None and found.lives else None


def _take(path: Path) -> int:
    try:
        return _create(path)
    except FileExistsError:
        found = holder_of(path)
        if found is not None:
            raise Held(found) from None
    _remove_dead(path)
    try:
        return _create(path)
    except FileExistsError:
        found = _read(path)
        raise Held(found or _unknown(time.time())) from None


def _create(path: Path) -> int:
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | _FLAGS, 0o644)
    _write(fd)
    return fd


def _remove_dead(path: Path) -> None:
    """By one process at a time, which looks again: between two looks another may have taken it rightly."""
    guard = path.with_name(f"{path.name}.removing")
    with suppress(FileNotFoundError):
        if time.time() - os.stat(guard).st_mtime > _DEAD_S:
            guard.unlink(missing_ok=True)  # of one that died within these lines
    try:
        os.close(os.open(guard, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS, 0o644))
    except FileExistsError:
        return
    try:
        if holder_of(path) is None:
            path.unlink(missing_ok=True)
    finally:
        guard.unlink(missing_ok=True)


def _beat(fd: int, ended: threading.Event) -> None:
    while not ended.wait(_BEAT_S):
        _write(fd)


def _write(fd: int) -> None:
    """Of one length, and to the disk at once. Where that is full, the date of the file is the beat."""
    words = f"{socket.gethostname()} {os.getpid()} {boot_id()} {birth(os.getpid())} {time.time():.3f}"
    with suppress(OSError):
        os.pwrite(fd, f"{words:<250}\n".encode(), 0)
        os.fsync(fd)
    with suppress(OSError):
        os.utime(fd)


def _read(path: Path) -> Holder | None:
    """None where there is no such file. It is opened, because only that asks a network file system anew."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | _FLAGS)
    except OSError:
        return None
    try:
        changed_t = os.fstat(fd).st_mtime
        words = os.read(fd, 300).decode(errors="replace").split()
    finally:
        os.close(fd)
    try:
        host, pid, boot, born, beat = words
        return Holder(host=host, pid=int(pid), boot=boot, born=born, beat_t=max(float(beat), changed_t))
    except ValueError:
        return _unknown(changed_t)


def _unknown(t: float) -> Holder:
    return Holder(host="another host", pid=0, boot="", born="", beat_t=t)


def _same(fd: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), os.stat(path, follow_symlinks=False))
    except OSError:
        return False
