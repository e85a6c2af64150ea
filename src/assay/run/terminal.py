"""Keep the real terminal in step with the pseudo-terminal that stands before it: its size, and its modes.

A program that draws on its standard output sets modes there (no echo, keys one by one). They are meant for the terminal
that a person sits at, so every change is made there, too, and taken back at the end.
"""

from __future__ import annotations

import os
import termios
from typing import Any

from assay.run.streams import EXTPROC, Output, copy_size


class Terminal:
    """One output that is a terminal."""

    def __init__(self, output: Output) -> None:
        assert output.write_fd is not None
        self._real, self._master = output.write_fd, output.read_fd
        self.saved = _modes(self._real)
        self._last = _modes(self._master)
        self._changed = False

    def resize(self) -> None:
        copy_size(self._real, self._master)

    def follow(self) -> None:
        """The child has changed the modes: make the same change to the real terminal, if it is ours to change."""
        now = _modes(self._master)
        real = _modes(self._real)
        if now is None or real is None or self._last is None or not _foreground(self._real):
            return
        changed = [a ^ b for a, b in zip(self._last[:4], now[:4], strict=True)]
        changed[3] &= ~EXTPROC
        for index, bits in enumerate(changed):
            real[index] = (real[index] & ~bits) | (now[index] & bits)
        real[6] = [b if a != b else old for a, b, old in zip(self._last[6], now[6], real[6], strict=True)]
        self._last = now
        self._set(real)
        self._changed = True

    def restore(self) -> None:
        if self._changed and self.saved is not None and _foreground(self._real):
            self._set(self.saved)

    def _set(self, modes: list[Any]) -> None:
        try:
            termios.tcsetattr(self._real, termios.TCSANOW, modes)
        except termios.error:
            pass


def _modes(fd: int) -> list[Any] | None:
    try:
        return termios.tcgetattr(fd)
    except termios.error:
        return None


def _foreground(terminal: int) -> bool:
    """Changing a terminal from the background would stop us."""
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return True  # not our controlling terminal: no job control applies
