"""One process drives a study at a time.

The kernel forgets its lock with the process, however it ends; where a file system has no locks, a file does (lockfile).
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import socket
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from assay.errors import AssayError
from assay.spec import safe_name
from assay.study.lockfile import Held, holder_of, only_one

#: NFS without its lock service, Lustre without `-o flock`, and the like
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP)


def lock_path(runs_dir: Path, study: str) -> Path:
    mark = hashlib.sha256(study.encode()).hexdigest()[:8]
    return runs_dir / f".study-{safe_name(study)[:40]}-{mark}.lock"


@contextmanager
def only_driver(runs_dir: Path, study: str) -> Iterator[None]:
    path = lock_path(runs_dir, study)
    try:
        runs_dir.mkdir(parents=True, exist_ok=True)
        fd = _open(path, os.O_RDWR | os.O_CREAT)
    except OSError as problem:
        raise AssayError(f"cannot write in `{runs_dir}`: {problem.strerror}", "choose another --runs-dir") from None
    try:
        with _locked(fd) if _try(fd, fcntl.LOCK_EX) else _by_file(path):
            yield
    except _Busy:
        host, pid = holder(runs_dir, study) or ("another host", 0)
        message = f"this study is being run already, by process {pid} on {host}"
        raise AssayError(message, "watch it with --status, end it with --cancel") from None
    finally:
        os.close(fd)


def holder(runs_dir: Path, study: str) -> tuple[str, int] | None:
    """Host and process that drive this study now, or None."""
    path = lock_path(runs_dir, study)
    try:
        fd = _open(path, os.O_RDONLY)
    except OSError:
        return None
    try:
        if _try(fd, fcntl.LOCK_SH):
            return None
        found = holder_of(_beside(path))
        return (found.host, found.pid) if found else None
    except _Busy:
        words = os.pread(fd, 300, 0).decode(errors="replace").split()
        return (words[0], int(words[1])) if len(words) == 2 and words[1].isdigit() else ("another host", 0)
    finally:
        os.close(fd)


class _Busy(Exception):
    """Another process has the lock."""


def _try(fd: int, kind: int) -> bool:
    """True where the kernel gave it; False where this file system has no locks at all."""
    try:
        fcntl.flock(fd, kind | fcntl.LOCK_NB)
        return True
    except OSError as problem:
        if problem.errno in _NO_LOCKS:
            return False
        raise _Busy from None


@contextmanager
def _locked(fd: int) -> Iterator[None]:
    os.ftruncate(fd, 0)
    os.pwrite(fd, f"{socket.gethostname()} {os.getpid()}\n".encode(), 0)
    yield


@contextmanager
def _by_file(path: Path) -> Iterator[None]:
    with ExitStack() as stack:
        try:
            stack.enter_context(only_one(_beside(path)))
        except Held:
            raise _Busy from None
        except OSError as problem:
            message = f"cannot write in `{path.parent}`: {problem.strerror}"
            raise AssayError(message, "choose another --runs-dir") from None
        yield


def _beside(path: Path) -> Path:
    return path.with_suffix(".held")


def _open(path: Path, flags: int) -> int:
    """Never through a link: what it leads to would be emptied. No one else may write into it: `cancel` believes it."""
    fd = os.open(path, os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | flags, 0o644)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(errno.EINVAL, "its lock is not a file", str(path))
    return fd
