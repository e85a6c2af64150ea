"""The real terminal while a child has a pseudo-terminal in its place: keys, size changes, Ctrl-C and Ctrl-Z."""

from __future__ import annotations

import os
import signal
import termios
import tty
from typing import Any

from assay.run.stopping import Stopper
from assay.run.streams import Streams, copy_size


class Terminal:
    """Passes keys on unchanged. Raw while the child reads from it and we are in the foreground."""

    def __init__(self, streams: Streams, stopper: Stopper) -> None:
        assert streams.terminal is not None and streams.master is not None
        self._terminal, self._master = streams.terminal, streams.master
        self._reads = streams.reads_terminal
        self._stopper = stopper
        self._saved: list[Any] | None = None
        self.open = True

    @property
    def fd(self) -> int:
        return self._terminal

    @property
    def saved_modes(self) -> list[Any] | None:
        return self._saved

    @property
    def listening(self) -> bool:
        """Whether keys should be read now: never from the background, where reading would stop us."""
        return self._reads and self.open and self._saved is not None

    def enter(self) -> None:
        """Take the terminal, if it is ours to take."""
        copy_size(self._terminal, self._master)
        if self._reads and self._saved is None and _foreground(self._terminal):
            self._saved = termios.tcgetattr(self._terminal)
            tty.setraw(self._terminal, termios.TCSANOW)

    def leave(self) -> None:
        if self._saved is not None:
            try:
                termios.tcsetattr(self._terminal, termios.TCSANOW, self._saved)
            except termios.error:
                pass
            self._saved = None

    def suspend(self) -> None:
        """Ctrl-Z: stop the tree and ourselves; what `fg` or `bg` brings back continues both."""
        self.leave()
        suspend(self._stopper)
        self.enter()

    def resize(self) -> None:
        copy_size(self._terminal, self._master)

    def forward(self) -> None:
        """Keys to the child. Its own line discipline turns Ctrl-C into a signal; we need to know that it did."""
        try:
            keys = os.read(self._terminal, 4096)
        except OSError:
            keys = b""
        if not keys:
            self.open = False
            return
        characters = self._signal_characters()
        for character, number in characters.items():
            if number == signal.SIGTSTP and character in keys:
                keys = keys.replace(character, b"")
                self.suspend()
        try:
            os.write(self._master, keys)
        except OSError:
            self.open = False
        for character, number in characters.items():
            if number != signal.SIGTSTP and character in keys:
                # the line discipline has signalled the group in front; the rest of the tree is ours to tell
                self._stopper.forward(number, except_group=self._foreground_group())

    def _foreground_group(self) -> int | None:
        """The process group that Ctrl-C reaches by itself."""
        try:
            return os.tcgetpgrp(self._master)
        except OSError:
            return None

    def _signal_characters(self) -> dict[bytes, int]:
        """The keys that send a signal now; none while the child takes keys raw, as an editor does."""
        try:
            modes = termios.tcgetattr(self._master)
        except termios.error:
            return {}
        if not modes[3] & termios.ISIG:
            return {}
        keys = {termios.VINTR: signal.SIGINT, termios.VQUIT: signal.SIGQUIT, termios.VSUSP: signal.SIGTSTP}
        return {modes[6][key]: number for key, number in keys.items() if modes[6][key] != b"\0"}


def _foreground(terminal: int) -> bool:
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False


def take_controlling_terminal(slave: int) -> None:
    """In the child, after setsid: make the pseudo-terminal the one that signals come from."""
    import fcntl

    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)


def suspend(stopper: Stopper) -> None:
    """Stop the tree, then ourselves as Ctrl-Z would have: the shell gets its prompt back."""
    stopper.pause()
    before = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGTSTP)
    signal.signal(signal.SIGTSTP, before)
    stopper.resume()
