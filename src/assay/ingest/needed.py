"""Words without which a pattern cannot match: a text with none of them need not be searched.

Looking for a word is a hundred times cheaper than trying a pattern of thirty alternatives at every place of a sentence.
"""

from __future__ import annotations

import importlib
from typing import Any


def words_of(pattern: str, flags: int) -> tuple[str, ...]:
    """In lower case; none where nothing can be said, and then every text has to be searched."""
    parser = _parser()
    words = _of_sequence(list(parser.parse(pattern, flags))) if parser else None
    return tuple(sorted(words or (), key=lambda word: (-len(word), word)))


def _parser() -> Any:
    """Python's own, which has another name in every few versions; without it, patterns are as slow as they are."""
    for name in ("re._parser", "sre_parse"):
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    return None


def _of_sequence(nodes: list[Any]) -> set[str] | None:
    """Of all that has to be there, the part that says most: the longest word, of several the shortest of them."""
    found: list[set[str]] = []
    run = ""
    for node in [*nodes, None]:
        if node is not None and str(node[0]) == "LITERAL":
            run += chr(node[1]).lower()
            continue
        found += [{run}] if run else []
        run = ""
        words = _of_node(node) if node is not None else None
        found += [words] if words else []
    best = max(found, key=lambda words: min(map(len, words)), default=None)
    return best if best and all(map(_says_something, best)) else None


def _says_something(word: str) -> bool:
    """A letter or a space is in every text."""
    return len(word) > 1 or not (word.isalnum() or word.isspace())


def _of_node(node: Any) -> set[str] | None:
    kind, value = str(node[0]), node[1]
    if kind == "SUBPATTERN":
        return _of_sequence(list(value[3]))
    if kind in ("MAX_REPEAT", "MIN_REPEAT"):
        return _of_sequence(list(value[2])) if value[0] > 0 else None
    if kind != "BRANCH":
        return None
    every: set[str] = set()
    for branch in value[1]:
        words = _of_sequence(list(branch))
        if not words:
            return None
        every |= words
    return every
