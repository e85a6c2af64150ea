"""Append to a run: events and output, flushed line by line, surviving a full disk."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from assay.model.event import Event, encode


class Appender:
    """A file that only grows. A failed write is reported once and tried again next time, never raised."""

    def __init__(self, path: Path, warn: Callable[[str], None]) -> None:
        self.path = path
        self.size = 0
        self.lost_bytes = 0
        self._warn = warn
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        self.fd = os.open(path, flags, 0o644)

    def append(self, content: bytes | memoryview) -> bool:
        """Whether all of it was written."""
        written = 0
        try:
            while written < len(content):
                written += os.write(self.fd, content[written:] if written else content)
        except OSError as problem:
            self._fail(len(content) - written, problem)
        self.size += written
        return written == len(content)

    def _fail(self, missing: int, problem: OSError) -> None:
        if not self.lost_bytes:
            self._warn(
                f"cannot write `{self.path}`: {problem.strerror}; the command continues, but its record has gaps"
            )
        self.lost_bytes += missing

    def removed(self) -> bool:
        """Whether the file was deleted under us: writing still succeeds then, into nothing."""
        try:
            return os.fstat(self.fd).st_nlink == 0
        except OSError:
            return True

    def close(self) -> None:
        os.close(self.fd)


class EventWriter:
    """This process's own events file: `<host>-<pid>-<start>.jsonl`, so that no two writers ever share one."""

    def __init__(self, folder: Path, warn: Callable[[str], None], node: tuple[str, int] | None = None) -> None:
        """`node` marks every event of one node of several: its name and its rank."""
        self._mark: dict[str, str | int] = {} if node is None else {"node": node[0], "rank": node[1]}
        name = f"{socket.gethostname()}-{os.getpid()}-{time.time_ns() // 1_000_000}.jsonl"
        self._file = Appender(folder / name, warn)
        self._lock = threading.Lock()
        self._torn = False

    @property
    def path(self) -> Path:
        return self._file.path

    def write(self, event: Event) -> bool:
        """Whether it is in the file now."""
        self.write_all((event,))
        return not self._torn

    def write_all(self, events: Iterable[Event]) -> int:
        """Many at once; how large the file has become."""
        lines = b"".join(encode(event.replace(**self._mark) if self._mark else event) for event in events)
        with self._lock:
            # a line cut short by a full disk is closed first, so that it spoils no line but itself
            self._torn = not self._file.append(b"\n" + lines if self._torn else lines)
        return self._file.size

    def removed(self) -> bool:
        return self._file.removed()

    def close(self) -> None:
        self._file.close()
