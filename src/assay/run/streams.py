"""How the three standard streams of the child are wired, so that it meets what it would meet without us.

A stream that is a terminal stays one (a pseudo-terminal in between); one that is a pipe or a file becomes a pipe. Both
outputs go through one pipe where they go to one place, so that their order is kept.
"""

from __future__ import annotations

import fcntl
import os
import termios
from dataclasses import dataclass

_PIPE_BYTES = 1 << 20
_SET_PIPE_SIZE = getattr(fcntl, "F_SETPIPE_SZ", 1031)


@dataclass(frozen=True, kw_only=True)
class Output:
    """One stream of bytes from the child: where we read it, where it goes on to, and whether it is kept."""

    read_fd: int
    write_fd: int | None
    recorded: bool = True


@dataclass(frozen=True, kw_only=True)
class Streams:
    """`child` are the descriptors for its 0, 1 and 2 (None: inherit); ours to close once it has started."""

    child: tuple[int | None, int, int]
    outputs: tuple[Output, ...]
    master: int | None = None  # our end of the pseudo-terminal
    slave: int | None = None
    terminal: int | None = None  # the real one, when there is one
    reads_terminal: bool = False  # the child's standard input is the terminal

    def close_child_ends(self) -> None:
        for fd in {fd for fd in (*self.child, self.slave) if fd is not None}:
            os.close(fd)


def connect() -> Streams:
    """Wire up for the standard streams that this process has now."""
    terminals = [fd for fd in (0, 1, 2) if _is_terminal(fd)]
    if not terminals:
        return _pipes()
    master, slave = os.openpty()
    shown_on = next((fd for fd in terminals if fd > 0), 0)
    _like(slave, terminals[0], cooked=0 not in terminals)
    outputs = [Output(read_fd=master, write_fd=shown_on, recorded=terminals != [0])]
    ends = {1: slave, 2: slave}
    for fd in (1, 2):
        if fd not in terminals:
            read_end, ends[fd] = _pipe()
            outputs.append(Output(read_fd=read_end, write_fd=_open_or_none(fd)))
    return Streams(
        child=(slave if 0 in terminals else None, ends[1], ends[2]),
        outputs=tuple(outputs),
        master=master,
        slave=slave,
        terminal=terminals[0],
        reads_terminal=0 in terminals,
    )


def _pipes() -> Streams:
    read_out, write_out = _pipe()
    out = Output(read_fd=read_out, write_fd=_open_or_none(1))
    if _same_place(1, 2):
        return Streams(child=(None, write_out, write_out), outputs=(out,))
    read_err, write_err = _pipe()
    return Streams(
        child=(None, write_out, write_err), outputs=(out, Output(read_fd=read_err, write_fd=_open_or_none(2)))
    )


def _pipe() -> tuple[int, int]:
    read_end, write_end = os.pipe()
    try:  # a deep pipe: the child is not held up while we do something else
        fcntl.fcntl(write_end, _SET_PIPE_SIZE, _PIPE_BYTES)
    except OSError:
        pass
    return read_end, write_end


def _like(slave: int, terminal: int, *, cooked: bool) -> None:
    """Give the pseudo-terminal the modes and the size of the real one."""
    try:
        modes = termios.tcgetattr(terminal)
        if cooked:  # the real terminal is not put into raw mode then: it turns \n into \r\n itself
            modes[1] &= ~termios.OPOST
        termios.tcsetattr(slave, termios.TCSANOW, modes)
        copy_size(terminal, slave)
    except (termios.error, OSError):
        pass


def copy_size(source: int, to: int) -> None:
    try:
        size = fcntl.ioctl(source, termios.TIOCGWINSZ, b"\0" * 8)
        fcntl.ioctl(to, termios.TIOCSWINSZ, size)
    except OSError:
        pass


def _is_terminal(fd: int) -> bool:
    try:
        return os.isatty(fd)
    except OSError:
        return False


def _open_or_none(fd: int) -> int | None:
    """None where the caller started us with this stream closed."""
    try:
        os.fstat(fd)
    except OSError:
        return None
    return fd


def _same_place(first: int, second: int) -> bool:
    try:
        a, b = os.fstat(first), os.fstat(second)
    except OSError:
        return False
    return (a.st_dev, a.st_ino) == (b.st_dev, b.st_ino)
