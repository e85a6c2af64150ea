"""Signals as data: which one came, and whether the terminal sent it to our whole group or someone to us alone.

A handler learns neither, so on Linux signals are blocked and read from a descriptor (signalfd). A blocked signal goes
to any thread that does not block it, though, and there would end us, or be lost: a library may have started one before
we began. So handlers stand behind the descriptor. What comes by them counts as sent to us alone, as it does everywhere
else.
"""

from __future__ import annotations

import os
import signal
import struct
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import NamedTuple, TypeAlias

_KERNEL = 0x80  # SI_KERNEL
_INFO_BYTES = 128

#: what was done at a signal before we came
Handler: TypeAlias = "Callable[[int, FrameType | None], object] | int | None"


class Signal(NamedTuple):
    number: int
    from_terminal: bool


class Signals:
    """While entered, these signals do nothing by themselves; one of `fds` turns readable and `read` gives them."""

    def __init__(self, numbers: set[signal.Signals]) -> None:
        # those that were ignored when we started (nohup) stay ignored
        self._numbers = {number for number in numbers if signal.getsignal(number) != signal.SIG_IGN}
        self._mask: set[int | signal.Signals] | None = None
        self._before: dict[int, Handler] = {}
        self._seen: list[int] = []
        self._told = self._pipe = -1
        self.fds: tuple[int, ...] = ()

    def __enter__(self) -> Signals:
        if sys.platform == "linux":
            self._mask = signal.pthread_sigmask(signal.SIG_BLOCK, self._numbers)
            self._told = _signalfd(self._numbers)
        self._use_handlers()
        self.fds = tuple(fd for fd in (self._told, self._pipe) if fd >= 0)
        return self

    def __exit__(self, *failure: object) -> None:
        """The command has ended: more presses of Ctrl-C must not prevent the summary."""
        ends = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT} & self._numbers
        for number in ends:
            signal.signal(number, signal.SIG_IGN)
        for other, before in self._before.items():
            if other not in ends:
                signal.signal(other, before)
        os.close(signal.set_wakeup_fd(-1))
        for fd in self.fds:
            os.close(fd)
        if self._mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)

    def for_child(self) -> None:
        """In the child, before it becomes the command: it starts with the mask that we were started with."""
        for number in self._before:
            signal.signal(number, signal.SIG_DFL)
        if self._mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)

    def read(self) -> Iterator[Signal]:
        content = _content(self._told)
        for at in range(0, len(content), _INFO_BYTES):
            number, _, code = struct.unpack_from("=Iii", content, at)
            yield Signal(number, code == _KERNEL)
        _content(self._pipe)
        seen, self._seen[:] = list(self._seen), []
        yield from (Signal(number, False) for number in seen)

    def _use_handlers(self) -> None:
        self._pipe, write_end = os.pipe()
        for end in (self._pipe, write_end):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
        for number in self._numbers:
            self._before[number] = signal.signal(number, lambda number, _: self._seen.append(number))


def _content(fd: int) -> bytes:
    try:
        return os.read(fd, 64 * _INFO_BYTES) if fd >= 0 else b""
    except BlockingIOError:
        return b""


def _signalfd(numbers: set[signal.Signals]) -> int:
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    mask = ctypes.create_string_buffer(128)
    libc.sigemptyset(mask)
    for number in numbers:
        libc.sigaddset(mask, int(number))
    fd: int = libc.signalfd(-1, mask, os.O_NONBLOCK | os.O_CLOEXEC)
    if fd < 0:
        raise OSError(ctypes.get_errno(), "signalfd")
    return fd
