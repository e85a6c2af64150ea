"""Which system a text names."""

from __future__ import annotations

import re
from functools import cache

from assay import systems
from assay.ingest.needed import words_of


@cache
def _patterns() -> dict[str, tuple[re.Pattern[str], tuple[str, ...]]]:
    """By system: what names it, and words without which that is not there."""
    known = {name: one.words for name, one in systems.every().items() if one.words}
    return {
        name: (re.compile(pattern, re.IGNORECASE), words_of(pattern, re.IGNORECASE)) for name, pattern in known.items()
    }


def named(text: str) -> list[str]:
    """Systems that a text names, the one named most first."""
    lower = text.lower()
    likely = {name: one for name, (one, words) in _patterns().items() if any(word in lower for word in words)}
    counts = {name: len(pattern.findall(text)) for name, pattern in likely.items()}
    return sorted((name for name, count in counts.items() if count), key=lambda name: -counts[name])
