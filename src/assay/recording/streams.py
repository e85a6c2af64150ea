"""How the standard streams of the child are wired, so that it meets what it would meet without us.

Its input is ours. An output that is a terminal stays one: a pseudo-terminal that only carries bytes, while the real one
remains the child's controlling terminal, with its keys, its job control and its Ctrl-C. An output that is a pipe or a
file becomes a pipe. Both outputs go through one where they go to one place, so that their order is kept.
"""

from __future__ import annotations

import fcntl
import os
import struct
import termios
from dataclasses import dataclass

from assay.probes.tree import handed_on

_PIPE_BYTES = 1 << 20
_SET_PIPE_SIZE = getattr(fcntl, "F_SETPIPE_SZ", 1031)
#: makes the kernel notify us when the child changes the modes of its terminal
EXTPROC = 0o200000


@dataclass(frozen=True, kw_only=True)
class Output:
    """One stream of bytes from the child: where we read it, and where it is passed on to (None: nowhere)."""

    read_fd: int
    write_fd: int | None
    is_terminal: bool = False
    device: str = ""  # of the pseudo-terminal, as the child sees it


@dataclass(frozen=True, kw_only=True)
class Streams:
    """`child` are the descriptors for its standard output and error; ours to close once it has started."""

    child: tuple[int, int]
    outputs: tuple[Output, ...]
    handed_on: tuple[int, ...] = ()  # descriptors beyond the standard ones that we were started with

    def close_child_ends(self) -> None:
        for fd in set(self.child):
            os.close(fd)


def connect(closed: frozenset[int] = frozenset()) -> Streams:
    """Wire up for the standard streams that this process has; `closed` are those it was started without."""
    fds = handed_on()
    out = _one(1, closed)
    if 2 not in closed and 1 not in closed and same_place(1, 2):
        return Streams(child=(out[0], out[0]), outputs=(out[1],), handed_on=fds)
    err = _one(2, closed)
    return Streams(child=(out[0], err[0]), outputs=(out[1], err[1]), handed_on=fds)


def _one(fd: int, closed: frozenset[int]) -> tuple[int, Output]:
    """(the child's end, ours)."""
    target = None if fd in closed else fd
    if target is None or not os.isatty(fd):
        read_end, write_end = _pipe()
        return write_end, Output(read_fd=read_end, write_fd=target)
    master, slave = os.openpty()
    _as_conduit(slave, fd)
    return slave, Output(read_fd=master, write_fd=fd, is_terminal=True, device=os.ttyname(slave))


def _pipe() -> tuple[int, int]:
    read_end, write_end = os.pipe()
    try:  # a deep pipe: the child is not held up while we do something else
        fcntl.fcntl(write_end, _SET_PIPE_SIZE, _PIPE_BYTES)
    except OSError:
        pass
    return read_end, write_end


def _as_conduit(slave: int, terminal: int) -> None:
    """The modes and the size of the real terminal, but no processing of output: that is done there, once."""
    try:
        modes = termios.tcgetattr(terminal)
        modes[1] &= ~termios.OPOST
        modes[3] |= EXTPROC
        termios.tcsetattr(slave, termios.TCSANOW, modes)
        copy_size(terminal, slave)
    except (termios.error, OSError):
        pass


def copy_size(source: int, to: int) -> None:
    try:
        fcntl.ioctl(to, termios.TIOCSWINSZ, fcntl.ioctl(source, termios.TIOCGWINSZ, b"\0" * 8))
    except OSError:
        pass


def packet_mode(master: int) -> bool:
    """Every read starts with a byte that says whether data follows or the modes have changed."""
    try:
        fcntl.ioctl(master, termios.TIOCPKT, struct.pack("i", 1))
    except OSError:
        return False
    return True


def payload(content: bytes, *, packets: bool) -> bytes:
    """What the child printed in one read; nothing if the read reports the terminal's state."""
    if not packets:
        return content
    return b"" if content[:1] != b"\0" else content[1:]


def same_place(first: int, second: int) -> bool:
    try:
        a, b = os.fstat(first), os.fstat(second)
    except OSError:
        return False
    return (a.st_dev, a.st_ino, a.st_rdev) == (b.st_dev, b.st_ino, b.st_rdev)


def has_terminal() -> bool:
    """Whether this process has a controlling terminal, whatever its streams are."""
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC))
    except OSError:
        return False
    return True
