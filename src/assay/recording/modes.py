"""The modes of a terminal, as termios knows them, under names."""

from __future__ import annotations

import termios
from dataclasses import dataclass

#: where the flags for output and those for lines and signals stand among the four
OUTPUT, LOCAL = 1, 3


@dataclass(kw_only=True)
class Modes:
    """Four sets of flags (input, output, control, local), two speeds, and the control characters."""

    flags: list[int]
    speeds: list[int]
    characters: list[bytes | int]

    def put_on(self, fd: int) -> None:
        try:
            values: list[int | list[bytes | int]] = [*self.flags, *self.speeds, self.characters]
            termios.tcsetattr(fd, termios.TCSANOW, values)
        except termios.error:
            pass  # no terminal any more


def modes_of(fd: int) -> Modes | None:
    try:
        found = termios.tcgetattr(fd)
    except termios.error:
        return None
    return Modes(flags=found[:4], speeds=found[4:6], characters=found[6])
