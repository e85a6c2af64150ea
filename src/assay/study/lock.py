"""One process drives a study at a time; the kernel forgets the lock with the process, however it ends."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.errors import AssayError
from assay.spec import safe_name


def lock_path(runs_dir: Path, study: str) -> Path:
    mark = hashlib.sha256(study.encode()).hexdigest()[:8]
    return runs_dir / f".study-{safe_name(study)[:40]}-{mark}.lock"


@contextmanager
def only_driver(runs_dir: Path, study: str) -> Iterator[None]:
    try:
        runs_dir.mkdir(parents=True, exist_ok=True)
        fd = _open(lock_path(runs_dir, study), os.O_RDWR | os.O_CREAT)
    except OSError as problem:
        raise AssayError(f"cannot write in `{runs_dir}`: {problem.strerror}", "choose another --runs-dir") from None
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            host, pid = holder(runs_dir, study) or ("another host", 0)
            message = f"this study is being run already, by process {pid} on {host}"
            raise AssayError(message, "watch it with --status, end it with --cancel") from None
        os.ftruncate(fd, 0)
        os.pwrite(fd, f"{socket.gethostname()} {os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(fd)


def holder(runs_dir: Path, study: str) -> tuple[str, int] | None:
    """Host and process that drive this study now; None where no one does."""
    try:
        fd = _open(lock_path(runs_dir, study), os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return None
    except OSError:
        words = os.pread(fd, 300, 0).decode(errors="replace").split()
        return (words[0], int(words[1])) if len(words) == 2 and words[1].isdigit() else ("another host", 0)
    finally:
        os.close(fd)


def _open(path: Path, flags: int) -> int:
    """Never through a link: what it leads to would be emptied. No one else may write into it: `cancel` believes it."""
    fd = os.open(path, os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | flags, 0o644)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(errno.EINVAL, "its lock is no file", str(path))
    return fd
