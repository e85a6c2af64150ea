"""Where output goes on to: writing there never blocks, however the place was opened and whoever reads it.

A descriptor that was handed to us must not be made non-blocking, because everyone who shares it, such as the user's
shell, would meet that. So the same place is opened again. A socket cannot be opened again and is asked with each write;
for the rest (a pipe or terminal of another user, a system without /proc) a thread does the blocking.
"""

from __future__ import annotations

import errno
import os
import socket
import stat
import threading
from contextlib import suppress

_CHUNK_BYTES = 1 << 16
_SENDING = getattr(socket, "MSG_DONTWAIT", 0) | getattr(socket, "MSG_NOSIGNAL", 0)


class Sink:
    """`fd` can be written when a selector says so; it needs no selector where `waits` is False."""

    def __init__(self, fd: int) -> None:
        self.fd, self.waits = fd, True
        self._socket: socket.socket | None = None
        self._relay: _Relay | None = None
        mode = os.fstat(fd).st_mode
        if stat.S_ISREG(mode):
            self.waits = False
            return
        try:
            if stat.S_ISSOCK(mode):
                self._socket = socket.socket(fileno=os.dup(fd))
            else:
                self.fd = os.open(f"/proc/self/fd/{fd}", os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        except OSError as problem:
            if problem.errno != errno.ENXIO:  # a pipe that no one reads: writing to it says so at once
                self._relay = _Relay(fd)
                self.fd = self._relay.fd

    def write(self, content: bytes | memoryview) -> int:
        """How much of it was taken; BlockingIOError if that is nothing."""
        if self._socket is not None:
            return self._socket.send(content, _SENDING)
        if self._relay is not None:
            self._relay.begin()
        return os.write(self.fd, content)

    @property
    def relayed(self) -> bool:
        return self._relay is not None

    def is_through(self) -> bool:
        """Whether all of it has got there; nothing more may be written then."""
        return self._relay is None or self._relay.is_through()


class _Relay(threading.Thread):
    """Carries bytes from a pipe of ours to where they go. A fault there closes the pipe: the writer meets it."""

    def __init__(self, to: int) -> None:
        super().__init__(daemon=True, name="assay-relay")
        self._to, self._begun, self._closed = to, False, False
        self._source, self.fd = os.pipe()
        os.set_blocking(self.fd, False)

    def begin(self) -> None:
        """Not before there is something to carry, since processes are forked until then."""
        if not self._begun:
            self._begun = True
            try:
                self.start()
            except RuntimeError:  # no thread is to be had: then writing blocks
                os.dup2(self._to, self.fd, inheritable=False)

    def run(self) -> None:
        with suppress(OSError):
            while content := os.read(self._source, _CHUNK_BYTES):
                while content:
                    content = content[os.write(self._to, content) :]
        os.close(self._source)

    def is_through(self) -> bool:
        if not self._closed:
            self._closed = True
            os.close(self.fd)
        return not self.is_alive()
