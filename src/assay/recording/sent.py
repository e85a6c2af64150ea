"""The file to which programs in other languages append JSON lines; its length over time dates the lines.

The kernel reports every write (inotify), so lines a tenth of a second apart get dates that far apart, and an idle file
costs nothing. Without inotify, the file is checked now and then.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from assay.model.event import Seen

_MODIFIED = 0x2  # IN_MODIFY


class Sent:
    """Turns growth of the file into `seen` events. `fd` becomes readable when it grows; None if nothing notifies us."""

    def __init__(self, path: Path, write: Callable[[Seen], object]) -> None:
        self._path, self._write = path, write
        self._lock = threading.Lock()
        self._bytes = 0
        self.fd = _watch(path)

    def turn(self) -> None:
        """The kernel has reported a write."""
        if self.fd is not None:
            with suppress(OSError):
                os.read(self.fd, 1 << 16)
        self.look()

    def look(self) -> None:
        with self._lock:
            try:
                size = self._path.stat().st_size
            except OSError:
                return
            if size > self._bytes:
                self._bytes = size
                self._write(Seen(source="launcher", file=self._path.name, bytes=size))


def _watch(path: Path) -> int | None:
    if sys.platform != "linux":
        return None
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    fd: int = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    if fd < 0:  # the user has too many of them
        return None
    if libc.inotify_add_watch(fd, os.fsencode(path), _MODIFIED) < 0:
        os.close(fd)
        return None
    return fd
