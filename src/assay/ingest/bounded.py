"""Patterns for what people write: they look at a sentence, and never at more than a person would.

A sentence pattern has choices within choices, and a text made for it keeps one busy for hours. So none looks further
than the length of a long paragraph, nor into a word that no one writes: there the text ends for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from assay.ingest.needed import words_of

LONGEST_TEXT = 2000
#: answers about lines and sentences that are kept: everyone asks the same of each of them
KEPT = 1 << 14
LONGEST_WORD = 300
_UNWRITTEN = re.compile(rf"\S{{{LONGEST_WORD + 1}}}|\s{{9}}")


@lru_cache(maxsize=1024)
def reach(text: str) -> int:
    """How far a pattern may look into a text: to its end, unless it is longer than what people write."""
    if len(text) <= LONGEST_WORD:
        return len(text)
    found = _UNWRITTEN.search(text, 0, LONGEST_TEXT)
    return found.start() if found else min(len(text), LONGEST_TEXT)


@lru_cache(maxsize=1024)
def _lower(text: str) -> str:
    return text[:LONGEST_TEXT].lower()


class Bounded:
    """A compiled pattern that sees only what `reach` allows; for what is written, it is the pattern itself."""

    __slots__ = ("__weakref__", "_compiled", "_needed", "flags", "pattern")

    def __init__(self, pattern: str) -> None:
        self._compiled = re.compile(pattern)
        self.pattern, self.flags = pattern, self._compiled.flags
        self._needed = words_of(pattern, self.flags)

    def search(self, text: str, pos: int = 0, endpos: int = LONGEST_TEXT) -> re.Match[str] | None:
        return self._compiled.search(text, pos, min(endpos, reach(text))) if self._may_match(text) else None

    def match(self, text: str, pos: int = 0) -> re.Match[str] | None:
        return self._compiled.match(text, pos, reach(text))

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """None for a text that goes on where the pattern may not look."""
        return self._compiled.fullmatch(text) if reach(text) == len(text) else None

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        return self._compiled.finditer(text, 0, reach(text)) if self._may_match(text) else iter(())

    def findall(self, text: str) -> list[str]:
        return self._compiled.findall(text, 0, reach(text)) if self._may_match(text) else []

    def _may_match(self, text: str) -> bool:
        """Some word without which it cannot match is there; a plain loop, which is run a million times."""
        if not self._needed:
            return True
        lower = _lower(text)
        for word in self._needed:  # noqa: SIM110
            if word in lower:
                return True
        return False
