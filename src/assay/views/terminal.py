"""What a terminal can show: how wide a text is there, colours where they are wanted, lines drawn over themselves."""

from __future__ import annotations

import os
import sys
import textwrap
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from typing import TextIO

#: what is written to a file or a pipe is shown whole
UNLIMITED = 1_000_000
_TIE = "\u00a0"  # a space at which no line is broken
#: below this a cut in the middle leaves nothing to recognise
_LEAST_CUT = 9
_WIDEST_LABEL = 24
_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}


def columns(otherwise: int = UNLIMITED) -> int:
    """The width of the terminal on stdout; `otherwise` if there is none."""
    if not sys.stdout.isatty():
        return otherwise
    import shutil  # it opens three libraries, and a recorder needs none of them

    return shutil.get_terminal_size().columns


def error_columns() -> int:
    """The same for stderr."""
    try:
        return os.get_terminal_size(2).columns or UNLIMITED
    except (OSError, ValueError):
        return UNLIMITED


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
    return paragraph(text, max(room, 20))


def shortened(text: str, room: int) -> str:
    """The same, with a sign that something is missing."""
    return text if width_of(text) <= room else fitting(text, room - 1) + "…"


def middle_cut(text: str, room: int) -> str:
    """The beginning and the end: names of runs often differ only there."""
    if width_of(text) <= room or room < _LEAST_CUT:
        return shortened(text, room)
    end = (room - 1) // 2
    tail = fitting(text[::-1], end)[::-1]
    return f"{fitting(text, room - 1 - width_of(tail))}…{tail}"


def folded(line: str, room: int, hang: int | None = None) -> list[str]:
    """A line that does not fit is continued in the next, indented to where its text begins; a path or another long
    word stays whole, so that it can be copied."""
    if width_of(line) <= room:
        return [line]
    indent = " " * min(_text_begins(line) if hang is None else hang, room // 2)
    bare = line.lstrip(" ")
    lines, current, fresh = [], line[: len(line) - len(bare)], True
    for word in unbroken(bare).split(" "):
        joined = f"{current}{word}" if fresh else f"{current} {word}"
        if fresh or width_of(joined) <= room:
            current, fresh = joined, fresh and not word
        else:
            lines.append(current.rstrip(" "))
            current, fresh = indent + word, not word
    return [one.replace(_TIE, " ") for one in (*lines, current)]


def unbroken(text: str) -> str:
    """With signs tied to their numbers, so that no line ends between `95` and `%`."""
    return text.replace(" %", f"{_TIE}%").replace(" ×", f"{_TIE}×")


def paragraph(text: str, room: int, hang: int = 0) -> list[str]:
    """A text wrapped to the width; continued lines are indented by `hang` columns."""
    lines = textwrap.wrap(unbroken(text), room, subsequent_indent=" " * hang, break_on_hyphens=False)
    return [one.replace(_TIE, " ") for one in lines] or [""]


def _text_begins(line: str) -> int:
    """Behind the label, where a line has one with two spaces after it; else two further in than the line itself."""
    bare = line.lstrip(" ")
    start = len(line) - len(bare)
    gap = bare.find("  ", 0, _WIDEST_LABEL)
    if gap < 0:
        return start + 2
    return start + gap + len(bare[gap:]) - len(bare[gap:].lstrip(" "))


def folded_text(text: str, room: int) -> str:
    """All lines of a text."""
    if room >= UNLIMITED:
        return text
    return "\n".join(part for line in text.split("\n") for part in folded(line, room))


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
