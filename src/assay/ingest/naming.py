"""Which system a text names."""

from __future__ import annotations

import re
from functools import cache

from assay import systems


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    """By system: what names it."""
    return {name: re.compile(one.words, re.IGNORECASE) for name, one in systems.every().items() if one.words}


def named(text: str) -> list[str]:
    """Systems that a text names, the one named most first."""
    counts = {name: len(pattern.findall(text)) for name, pattern in _patterns().items()}
    return sorted((name for name, count in counts.items() if count), key=lambda name: -counts[name])
