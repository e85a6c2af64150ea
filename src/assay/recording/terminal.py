"""Keep the real terminal in step with the pseudo-terminal that stands before it: its size, and its modes.

A program that draws on its standard output sets modes there (no echo, keys one by one). They are meant for the terminal
that a person sits at, so every change is made there, too, and taken back at the end.
"""

from __future__ import annotations

import os
import termios

from assay.recording.modes import LOCAL, OUTPUT, Modes, modes_of
from assay.recording.streams import EXTPROC, Output, copy_size


class Terminal:
    """One output that is a terminal."""

    def __init__(self, output: Output) -> None:
        assert output.write_fd is not None
        self._real, self._master = output.write_fd, output.read_fd
        self.saved = modes_of(self._real)
        self._first = self._last = modes_of(self._master)
        self._changed = False

    def resize(self) -> None:
        copy_size(self._real, self._master)

    def follow(self) -> None:
        """The child has changed the modes: make the same change to the real terminal, if it is ours to change."""
        now = modes_of(self._master)
        real = modes_of(self._real)
        if now is None or real is None or self._last is None or not foreground(self._real):
            return
        changed = [a ^ b for a, b in zip(self._last.flags, now.flags, strict=True)]
        changed[LOCAL] &= ~EXTPROC
        for index, bits in enumerate(changed):
            real.flags[index] = (real.flags[index] & ~bits) | (now.flags[index] & bits)
        characters = zip(self._last.characters, now.characters, real.characters, strict=True)
        real.characters = [b if a != b else old for a, b, old in characters]
        if self._first is not None and self.saved is not None and now.flags[OUTPUT] == self._first.flags[OUTPUT]:
            # back to what it found, which is what the conduit has: only the real one processes
            real.flags[OUTPUT] = self.saved.flags[OUTPUT]
        self._last = self._stay_a_conduit(now)
        real.put_on(self._real)
        self._changed = True

    def _stay_a_conduit(self, modes: Modes) -> Modes:
        """A program that asks for its output to be processed (`less`) gets that from the real terminal, and once."""
        if modes.flags[OUTPUT] & termios.OPOST or not modes.flags[LOCAL] & EXTPROC:
            modes.flags[OUTPUT] &= ~termios.OPOST
            modes.flags[LOCAL] |= EXTPROC
            modes.put_on(self._master)
        return modes

    def restore(self) -> None:
        if self._changed and self.saved is not None and foreground(self._real):
            self.saved.put_on(self._real)


def foreground(terminal: int) -> bool:
    """Changing a terminal from the background would stop us."""
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return True  # not our controlling terminal: no job control applies
