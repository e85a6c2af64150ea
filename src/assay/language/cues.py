"""Which cues a text holds, and whether two of them stand near each other."""

from __future__ import annotations

from functools import lru_cache

from assay.language.lex import Token, lex
from assay.language.numbers import TIMES


@lru_cache(maxsize=8192)
def cues(text: str) -> frozenset[str]:
    """Every role that a word of it plays, and every term."""
    return frozenset(cue for token in lex(text) for cue in _of(token))


def has(text: str, *wanted: str) -> bool:
    """Whether one of these cues or terms is there."""
    return not cues(text).isdisjoint(wanted)


@lru_cache(maxsize=8192)
def follows(text: str, first: str, then: str, within: int) -> bool:
    """Whether one cue stands so many words at most behind another, with no end of a clause between them."""
    if not {first, then} <= cues(text):
        return False
    left = 0
    for token in lex(text):
        found = _of(token)
        if left and then in found:
            return True
        left = within if first in found else 0 if token.text in (";", ".") else max(0, left - 1)
    return False


def _of(token: Token) -> set[str]:
    """`samples per second` is a rate, and no samples."""
    if token.number is not None and token.number.unit == TIMES:
        return {"factor"}  # `4 times as many`
    if token.term == "rate" or token.term.endswith("_per_s"):
        return {token.term}
    return {*token.roles, token.term} - {""}
