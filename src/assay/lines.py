"""From bytes as they come to lines as people see them.

A physical line may hold many frames of a progress bar, separated by carriage returns: each frame is a separate line
here, with the number of the physical one. Escapes are removed, and bytes that are not UTF-8 are replaced.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple


class Line(NamedTuple):
    """One line of text, its number in the source (from 1), and when it arrived, if known."""

    number: int
    text: str
    t: float | None = None


ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])?")
#: what pages and word processors put between words: a space that does not break, marks of no width
_UNSEEN = re.compile("[\u00a0\u202f\u200b\u200c\u200d\u2060\ufeff]")
_LONGEST = 1 << 16
#: no figure has so many digits: what has is a mask or a hash, and nothing that is counted
_LONGEST_NUMBER = 100
_NO_NUMBER = re.compile(rf"\d{{{_LONGEST_NUMBER}}}\d*")
#: a line that never ends is cut into pieces of this size: memory stays flat
LONGEST_BYTES = 1 << 20


def plain(text: str) -> str:
    """Without escape sequences and NULs; no reader needs the end of far too long a line, or of such a number."""
    if "\x1b" in text:
        text = ESCAPES.sub("", text)
    if "\0" in text:
        text = text.replace("\0", "")
    if not text.isascii() and _UNSEEN.search(text):
        text = _UNSEEN.sub(lambda found: " " if found[0].isspace() else "", text)
    text = text[:_LONGEST]
    return _NO_NUMBER.sub("…", text) if len(text) > _LONGEST_NUMBER else text


def frames(raw: bytes, number: int, t: float | None = None) -> Iterator[Line]:
    """The lines of one physical line."""
    text = raw.decode("utf-8", "replace")
    if "\r" not in text:
        yield Line(number, plain(text), t)
        return
    for part in text.rstrip("\r").split("\r"):
        if part.strip():
            yield Line(number, plain(part), t)


class LineFeed:
    """Bytes in any pieces to whole physical lines, numbered; what has no end yet waits for the next piece."""

    def __init__(self) -> None:
        self._rest = b""
        self._number = 0

    def feed(self, content: bytes) -> Iterator[tuple[int, bytes]]:
        *whole, rest = (self._rest + content).split(b"\n")
        for line in whole:
            self._number += 1
            yield self._number, line
        while len(rest) > LONGEST_BYTES:
            yield self._number + 1, rest[:LONGEST_BYTES]
            rest = rest[LONGEST_BYTES:]
        self._rest = rest

    def finish(self) -> Iterator[tuple[int, bytes]]:
        """The last line, if no line end closed it."""
        if self._rest:
            yield self._number + 1, self._rest
            self._rest = b""
