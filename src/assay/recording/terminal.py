"""Keep the real terminal in step with the pseudo-terminal that stands before it: its size, and its modes.

A program that draws on its standard output sets modes there (no echo, keys one by one). They are meant for the terminal
that a person sits at, so every change is made there, too, and taken back at the end.
"""

from __future__ import annotations

import os
import termios
from typing import Any

from assay.recording.streams import EXTPROC, Output, copy_size


class Terminal:
    """One output that is a terminal."""

    def __init__(self, output: Output) -> None:
        assert output.write_fd is not None
        self._real, self._master = output.write_fd, output.read_fd
        self.saved = _modes(self._real)
        self._first = self._last = _modes(self._master)
        self._changed = False

    def resize(self) -> None:
        copy_size(self._real, self._master)

    def follow(self) -> None:
        """The child has changed the modes: make the same change to the real terminal, if it is ours to change."""
        now = _modes(self._master)
        real = _modes(self._real)
        if now is None or real is None or self._last is None or not foreground(self._real):
            return
        changed = [a ^ b for a, b in zip(self._last[:4], now[:4], strict=True)]
        changed[3] &= ~EXTPROC
        for index, bits in enumerate(changed):
            real[index] = (real[index] & ~bits) | (now[index] & bits)
        real[6] = [b if a != b else old for a, b, old in zip(self._last[6], now[6], real[6], strict=True)]
        if self._first is not None and self.saved is not None and now[1] == self._first[1]:
            real[1] = self.saved[1]  # back to what it found, which is what the conduit has: only the real one processes
        self._last = self._stay_a_conduit(now)
        self._set(self._real, real)
        self._changed = True

    def _stay_a_conduit(self, modes: list[Any]) -> list[Any]:
        """A program that asks for its output to be processed (`less`) gets that from the real terminal, and once."""
        if modes[1] & termios.OPOST or not modes[3] & EXTPROC:
            modes[1] &= ~termios.OPOST
            modes[3] |= EXTPROC
            self._set(self._master, modes)
        return modes

    def restore(self) -> None:
        if self._changed and self.saved is not None and foreground(self._real):
            self._set(self._real, self.saved)

    @staticmethod
    def _set(fd: int, modes: list[Any]) -> None:
        try:
            termios.tcsetattr(fd, termios.TCSANOW, modes)
        except termios.error:
            pass


def _modes(fd: int) -> list[Any] | None:
    try:
        return termios.tcgetattr(fd)
    except termios.error:
        return None


def foreground(terminal: int) -> bool:
    """Changing a terminal from the background would stop us."""
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return True  # not our controlling terminal: no job control applies
