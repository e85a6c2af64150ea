"""What a terminal can show: how wide a text is there, colours where they are wanted, lines drawn over themselves."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from typing import TextIO

#: what is written to a file or a pipe is shown whole
UNLIMITED = 1_000_000
_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}


def columns(otherwise: int = UNLIMITED) -> int:
    """How wide the terminal on stdout is; `otherwise` where there is none."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else otherwise


def colours(stream: TextIO) -> bool:
    """On a terminal that knows them, unless the user wants none (https://no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") not in ("dumb", "unknown")


def painted(text: str, style: str, colour: bool) -> str:
    """`style` is words such as `bold red`."""
    if not (text and style and colour):
        return text
    return f"\x1b[{';'.join(_CODES[word] for word in style.split())}m{text}\x1b[0m"


def width_of(text: str) -> int:
    """In columns: some signs take two, and some none."""
    return len(text) if text.isascii() else sum(map(_width, text))


def _width(sign: str) -> int:
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 0 if unicodedata.combining(sign) else 1


def fitting(text: str, room: int) -> str:
    """As much as fits in so many columns."""
    if text.isascii():
        return text[:room]
    width = 0
    for index, sign in enumerate(text):
        width += _width(sign)
        if width > room:
            return text[:index]
    return text


def wrapped(text: str, room: int) -> list[str]:
    """In lines that fit."""
    return textwrap.wrap(text, max(room, 20), break_on_hyphens=False)


def shortened(text: str, room: int) -> str:
    """The same, with a sign that something is missing."""
    return text if width_of(text) <= room else fitting(text, room - 1) + "…"


class Redrawn:
    """Lines on stderr that take the place of those shown before."""

    def __init__(self) -> None:
        self._height = 0
        self.colour = colours(sys.stderr)

    def room(self) -> tuple[int, int]:
        """(columns, lines) that can be drawn without the terminal scrolling."""
        try:
            size = os.get_terminal_size(2)
        except OSError:
            return 80, 23
        return (size.columns or 80), max(1, (size.lines or 24) - 1)

    def show(self, lines: Sequence[str]) -> None:
        """No line may be wider than there is room."""
        kept = lines[: self.room()[1]]
        up = f"\x1b[{self._height}A" if self._height else ""
        with suppress(OSError):
            sys.stderr.write("\r" + up + "".join(f"{line}\x1b[K\n" for line in kept) + "\x1b[J")
            sys.stderr.flush()
        self._height = len(kept)
