"""The one place that opens the files of a run.

A runs folder may be shared, so its files are read and never trusted: only regular files are opened, without waiting for
anyone, and no link below a runs folder is followed. The runs folder itself may be reached through links: the user
named it.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

from assay.store.notices import notice

#: a description or summary that is larger than this was not written by us
MOST_BYTES = 64 << 20
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
#: without O_NONBLOCK, opening a FIFO waits until someone writes to it
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_KINDS = {
    stat.S_IFLNK: "a link, which is not followed",
    stat.S_IFDIR: "a folder, not a file",
    stat.S_IFIFO: "a FIFO, not a file",
    stat.S_IFSOCK: "a socket, not a file",
    stat.S_IFCHR: "a device, not a file",
    stat.S_IFBLK: "a device, not a file",
}


class Refused(OSError):
    """A path holds something that is not opened, such as a link or a device; `strerror` names it."""


class KeptFile(NamedTuple):
    """A regular file of a run as it was when we looked."""

    name: str
    size_bytes: int
    changed_ns: int


def open_file(run: Path, *parts: str) -> BinaryIO:
    """A regular file below the run's own folder, each part of its path a name; raises `Refused` for anything else."""
    return open(_opened(run, parts)[0], "rb")


def _opened(run: Path, parts: tuple[str, ...]) -> tuple[int, int]:
    """(handle, size in bytes)"""
    folder = _folder(run, parts[:-1])
    try:
        handle = os.open(parts[-1], _FILE, dir_fd=folder)
    except OSError as problem:
        raise _refusal(folder, run, parts, problem) from None
    finally:
        os.close(folder)
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        os.close(handle)
        raise _refused(run, parts, status.st_mode)
    return handle, status.st_size


def try_open(run: Path, *parts: str) -> BinaryIO | None:
    """The file, or None if it cannot be read; a notice reports anything else at its path."""
    try:
        return open_file(run, *parts)
    except Refused as problem:
        _say(run, parts, problem)
    except OSError:
        pass
    return None


def read_file(run: Path, *parts: str) -> bytes:
    """All of a file that is small by nature."""
    handle, size_bytes = _opened(run, parts)
    with open(handle, "rb", buffering=0) as file:
        if size_bytes > MOST_BYTES:
            raise Refused(errno.EFBIG, f"larger than {MOST_BYTES >> 20} MiB", str(run.joinpath(*parts)))
        return file.read()


def try_read(run: Path, *parts: str) -> bytes | None:
    """The same, or None where it cannot be had; a refusal is said."""
    try:
        return read_file(run, *parts)
    except Refused as problem:
        _say(run, parts, problem)
    except OSError:
        pass
    return None


def kept_file(run: Path, *parts: str) -> KeptFile | None:
    """Size and date of a regular file; None for anything else."""
    try:
        folder = _folder(run, parts[:-1])
    except OSError:
        return None
    try:
        status = os.stat(parts[-1], dir_fd=folder, follow_symlinks=False)
    except OSError:
        return None
    finally:
        os.close(folder)
    if not stat.S_ISREG(status.st_mode):
        return None
    return KeptFile(parts[-1], status.st_size, status.st_mtime_ns)


def event_files(run: Path) -> list[KeptFile]:
    """The files of events, by name; a notice reports what has such a name and is not a file."""
    found = []
    for entry in _entries(run, "events"):
        if not entry.name.endswith(".jsonl"):
            continue
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:
            continue
        if stat.S_ISREG(status.st_mode):
            found.append(KeptFile(entry.name, status.st_size, status.st_mtime_ns))
        else:
            _say(run, ("events", entry.name), _refused(run, ("events", entry.name), status.st_mode))
    return sorted(found)


def read_small(run: Path, part: str, files: Iterable[KeptFile], each_bytes: int, all_bytes: int) -> dict[str, bytes]:
    """The content of the small files of a folder, which is opened once for all; those that make it too much, or cannot
    be read this way, are left out."""
    found: dict[str, bytes] = {}
    try:
        folder = _folder(run, (part,))
    except OSError:
        return found
    try:
        for kept in files:
            if kept.size_bytes <= min(each_bytes, all_bytes):
                with suppress(OSError), open(os.open(kept.name, _FILE, dir_fd=folder), "rb", buffering=0) as file:
                    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                        found[kept.name] = file.read(each_bytes)  # it may have grown meanwhile
                        all_bytes -= len(found[kept.name])
    finally:
        os.close(folder)
    return found


def names_in(run: Path, part: str) -> list[str]:
    """The names in a folder of the run; empty if there is no such folder."""
    return [entry.name for entry in _entries(run, part)]


def _entries(run: Path, part: str) -> list[os.DirEntry[str]]:
    try:
        folder = _folder(run, ())
        try:
            handle = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        except OSError as problem:
            raise _refusal(folder, run, (part,), problem) from None
        finally:
            os.close(folder)
        try:
            with os.scandir(handle) as entries:
                return [entry for entry in entries if _is_known(entry)]
        finally:
            os.close(handle)
    except Refused as problem:
        _say(run, (part,), problem)
    except OSError:
        pass
    return []


def _is_known(entry: os.DirEntry[str]) -> bool:
    """Whether the entry still exists; its status is read now, because the folder is closed before anyone asks."""
    try:
        entry.stat(follow_symlinks=False)
    except OSError:
        return False
    return True


def _folder(run: Path, parts: tuple[str, ...]) -> int:
    """A folder of the run, opened name by name, so that no link is followed; the caller closes it."""
    try:
        handle = os.open(run, _FOLDER)
    except OSError as problem:
        if problem.errno in (errno.ELOOP, errno.ENOTDIR) and os.path.islink(run):
            raise Refused(errno.ELOOP, _KINDS[stat.S_IFLNK], str(run)) from None
        raise
    for at, part in enumerate(parts, 1):
        outer = handle
        try:
            handle = os.open(part, _FOLDER, dir_fd=outer)
        except OSError as problem:
            raise _refusal(outer, run, parts[:at], problem) from None
        finally:
            os.close(outer)
    return handle


def _refusal(folder: int, run: Path, parts: tuple[str, ...], problem: OSError) -> OSError:
    """What is at the path instead, if that is why it could not be opened."""
    try:
        mode = os.stat(parts[-1], dir_fd=folder, follow_symlinks=False).st_mode
    except OSError:
        return problem
    expected = problem.errno in (errno.ELOOP, errno.ENOTDIR, errno.ENXIO, errno.ENODEV, errno.EMLINK)
    return _refused(run, parts, mode) if expected and stat.S_IFMT(mode) in _KINDS else problem


def _refused(run: Path, parts: tuple[str, ...], mode: int) -> Refused:
    kind = _KINDS.get(stat.S_IFMT(mode), "not a file")
    return Refused(errno.ELOOP, kind, str(run.joinpath(*parts)))


def _say(run: Path, parts: tuple[str, ...], problem: OSError) -> None:
    path = str(run.joinpath(*parts))
    notice(path, f"`{path}` is {problem.strerror} and was not read")
