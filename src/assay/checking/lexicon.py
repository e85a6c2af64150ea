"""The words of claims, from lexicon.toml, and the stems that labels and sentences are compared by."""

from __future__ import annotations

import re
import sys
from functools import lru_cache
from importlib import import_module, resources
from typing import cast


@lru_cache(maxsize=1)
def _lexicon() -> dict[str, dict[str, object]]:
    toml = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    text = resources.files("assay.checking").joinpath("lexicon.toml").read_text("utf-8")
    return cast("dict[str, dict[str, object]]", toml.loads(text))


@lru_cache(maxsize=64)
def words(name: str) -> frozenset[str]:
    """A list of words: those that suppose, deny, total …"""
    return frozenset(cast("list[str]", _lexicon()["words"][name]))


@lru_cache(maxsize=8)
def meanings(name: str) -> dict[str, tuple[str, int]]:
    """What comparatives or superlatives say: the axis, and which way on it, by their stems."""
    found = cast("dict[str, tuple[str, int]]", _lexicon()[name])
    return {stem(word): (axis, sign) for word, (axis, sign) in found.items()}


@lru_cache(maxsize=1)
def moves() -> dict[str, int]:
    """Verbs of a trend: 1 where they rise."""
    return cast("dict[str, int]", _lexicon()["moved"])


@lru_cache(maxsize=1)
def _numerals() -> dict[str, str]:
    return cast("dict[str, str]", _lexicon()["numbers"])


_PIECES = re.compile(r"[^\W\d_]+|\d+(?:\.\d+)?")
_PLAIN = frozenset(("the", "a", "an", "of", "in", "on", "for", "with", "and", "to", "per", "by", "at", "from"))


@lru_cache(maxsize=16384)
def stems(text: str) -> tuple[str, ...]:
    """The words of a label or a sentence in lower case, singular, without articles."""
    return tuple(stem(one) for one, _ in placed(text))


@lru_cache(maxsize=4096)
def placed(text: str) -> tuple[tuple[str, int], ...]:
    """(word, where it ends) for each word that a stem is made of."""
    found = ((one[0].lower(), one.end()) for one in _PIECES.finditer(text))
    return tuple((word, end) for word, end in found if word not in _PLAIN)


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    word = word.lower()
    if word in _numerals():
        return _numerals()[word]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
