"""The words of claims, from lexicon.toml, and the stems that labels and sentences are compared by."""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from importlib import resources
from typing import Any, cast


@lru_cache(maxsize=1)
def _lexicon() -> dict[str, dict[str, Any]]:
    return tomllib.loads(resources.files("assay.checking").joinpath("lexicon.toml").read_text("utf-8"))


@lru_cache(maxsize=64)
def words(name: str) -> frozenset[str]:
    """A list of words: those that suppose, deny, total …"""
    return frozenset(cast("list[str]", _lexicon()["words"][name]))


@lru_cache(maxsize=8)
def table(name: str) -> dict[str, Any]:
    """A table of words with what each says."""
    return _lexicon()[name]


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
    if word in table("numbers"):
        return str(table("numbers")[word])
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
