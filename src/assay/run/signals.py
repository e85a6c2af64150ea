"""Signals as data: which one came, and whether the terminal sent it to our whole group or someone to us alone.

A handler is told neither, so on Linux signals are blocked and read from a descriptor (signalfd). Elsewhere handlers do,
and every signal counts as sent to us alone.
"""

from __future__ import annotations

import os
import signal
import struct
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

_KERNEL = 0x80  # SI_KERNEL
_INFO_BYTES = 128


class Signal(NamedTuple):
    number: int
    from_terminal: bool


class Signals:
    """While entered, these signals do nothing by themselves; `fd` turns readable and `read` gives them."""

    def __init__(self, numbers: set[signal.Signals]) -> None:
        # those that were ignored when we started (nohup) stay ignored
        self._numbers = {number for number in numbers if signal.getsignal(number) != signal.SIG_IGN}
        self._mask: Any = None
        self._before: dict[int, Any] = {}
        self._pipe: tuple[int, int] | None = None
        self._seen: list[int] = []
        self.fd = -1

    def __enter__(self) -> Signals:
        if sys.platform == "linux":
            self._mask = signal.pthread_sigmask(signal.SIG_BLOCK, self._numbers)
            self.fd = _signalfd(self._numbers)
        else:
            self._use_handlers()
        return self

    def __exit__(self, *failure: object) -> None:
        """The command is over: someone who goes on pressing Ctrl-C must not cost us the summary."""
        ends = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT} & self._numbers
        for number in ends:
            signal.signal(number, signal.SIG_IGN)
        for other, before in self._before.items():
            if other not in ends:
                signal.signal(other, before)
        os.close(self.fd)
        if self._mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)

    def for_child(self) -> None:
        """In the child, before it becomes the command: it starts with the mask that we were started with."""
        if self._mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)

    def read(self) -> Iterator[Signal]:
        if self._pipe is not None:
            yield from self._handled()
            return
        try:
            content = os.read(self.fd, 64 * _INFO_BYTES)
        except BlockingIOError:
            return
        for at in range(0, len(content), _INFO_BYTES):
            number, _, code = struct.unpack_from("=Iii", content, at)
            yield Signal(number, code == _KERNEL)

    def _use_handlers(self) -> None:
        self._pipe = os.pipe()
        self.fd = self._pipe[0]
        for end in self._pipe:
            os.set_blocking(end, False)
        signal.set_wakeup_fd(self._pipe[1], warn_on_full_buffer=False)
        for number in self._numbers:
            self._before[number] = signal.signal(number, lambda number, _: self._seen.append(number))

    def _handled(self) -> Iterator[Signal]:
        try:
            os.read(self.fd, 4096)
        except BlockingIOError:
            pass
        seen, self._seen[:] = list(self._seen), []
        yield from (Signal(number, False) for number in seen)


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
