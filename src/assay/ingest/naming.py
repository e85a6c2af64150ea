"""Which system a text names."""

from __future__ import annotations

import re
from functools import cache

from assay import systems


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    """By system: what names it. A pattern in small letters is looked for in a text of small letters, which is quick."""
    written = {name: one.words for name, one in systems.every().items() if one.words}
    return {name: re.compile(words, 0 if words.islower() else re.IGNORECASE) for name, words in written.items()}


def named(text: str) -> list[str]:
    """Systems that a text names, the one named most first."""
    small = text.lower()
    counts = {name: len(pattern.findall(small)) for name, pattern in _patterns().items()}
    return sorted((name for name, count in counts.items() if count), key=lambda name: -counts[name])
