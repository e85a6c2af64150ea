"""Keys for a program that reads them from the terminal behind its output.

Keys are typed at the real terminal, which is the command's own: standard input and /dev/tty are. But `less`, and so
`git log` and `man`, opens the terminal that its error output is called after, which is our conduit, where no one types.
While a program holds the conduit open for reading alone and takes keys one by one, what is typed is carried there.
"""

from __future__ import annotations

import os
import selectors
import termios
from collections.abc import Callable
from contextlib import suppress

from assay.recording.streams import Output
from assay.recording.terminal import foreground


class Keys:
    """From the real terminal to the conduit of one output, as long as someone listens there."""

    def __init__(self, output: Output, living: Callable[[], list[int]]) -> None:
        assert output.write_fd is not None
        self._real, self._conduit, self._device = output.write_fd, output.read_fd, output.device
        self._living = living
        self._fd: int | None = None  # a separate descriptor: epoll takes each only once, and output uses the other

    def attend(self, selector: selectors.BaseSelector) -> None:
        """Modes have changed, or a key was typed: whether keys are to be carried from now on."""
        wanted = self._wanted()
        if wanted and self._fd is None:
            with suppress(OSError):
                self._fd = os.open(f"/proc/self/fd/{self._real}", os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
                selector.register(self._fd, selectors.EVENT_READ, self)
        elif not wanted:
            self._leave(selector)

    def turn(self, selector: selectors.BaseSelector) -> None:
        """Pass typed keys on, unless the program that listened has gone: then they belong to another one."""
        self.attend(selector)
        if self._fd is None:
            return
        try:
            typed = os.read(self._fd, 4096)
            if typed:
                os.write(self._conduit, typed)
            else:
                self._leave(selector)
        except BlockingIOError:
            pass
        except OSError:  # the terminal is gone
            self._leave(selector)

    def _leave(self, selector: selectors.BaseSelector) -> None:
        if self._fd is not None:
            selector.unregister(self._fd)
            os.close(self._fd)
            self._fd = None

    def _wanted(self) -> bool:
        try:
            one_by_one = not termios.tcgetattr(self._conduit)[3] & termios.ICANON
        except termios.error:
            return False
        return one_by_one and foreground(self._real) and any(self._listens(pid) for pid in self._living())

    def _listens(self, pid: int) -> bool:
        """Whether it opened the conduit itself, for reading alone; what it got from us is for writing, too."""
        with suppress(OSError):
            for fd in os.listdir(f"/proc/{pid}/fd"):
                if os.readlink(f"/proc/{pid}/fd/{fd}") == self._device and _access(pid, fd) == os.O_RDONLY:
                    return True
        return False


def _access(pid: int, fd: str) -> int | None:
    with open(f"/proc/{pid}/fdinfo/{fd}", "rb") as file:
        for line in file:
            if line.startswith(b"flags:"):
                return int(line.split()[1], 8) & os.O_ACCMODE
    return None
