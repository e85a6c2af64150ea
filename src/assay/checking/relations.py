"""Ratios, percentages and differences as people write them, and whether two figures bear one out.

`12.2x smaller`, `about +20 %`, `2.8–3.0x faster`, `(31.6 % reduction)`. A relation holds for two figures if any usual
reading does: either way round, either base, the change or the quotient.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.checking.columns import ratio
from assay.checking.evidence import Value
from assay.checking.lexicon import words
from assay.core.numbers import Token, tokens


@dataclass(frozen=True, kw_only=True)
class Relation:
    """`kind` is ratio, percent or points; `low` and `high` are the same unless it is a range."""

    kind: str
    low: float
    high: float
    slack: float
    about: bool
    word: str
    start: int
    end: int
    text: str
    signed: bool = False  # `-16 %`: the sign tells the base
    bound: str = ""  # min or max: `at least`, `up to`, `over`


_MOST = r"\b(?:up to|at most|max(?:imum)?(?: of)?|as much as|no more than|below|under|less than|within)\W{0,3}$"
_LEAST = r"\b(?:at least|over|more than|above|min(?:imum)?(?: of)?|exceed(?:s|ing)?)\W{0,3}$"
_BOUNDS = ((re.compile(_MOST, re.IGNORECASE), "max"), (re.compile(_LEAST, re.IGNORECASE), "min"))
_ABOUT = re.compile(
    r"(?:\b(?:about|around|approx(?:imately)?\.?|roughly|nearly|almost|some|circa|ca\.?|close to|near)\s*|[~≈])"
    r"[*_+\-−]*$",
    re.IGNORECASE,
)


def relations(text: str) -> list[Relation]:
    """Every ratio and percentage of a text that relates two things."""
    pieces = [one for one in tokens(text) if one.kind != "bar"]
    found = []
    for at, one in enumerate(pieces):
        if one.number is not None and one.number.unit.base in ("x", "%", "points"):
            relation = _numbered(text, pieces, at)
            if relation:
                found.append(relation)
    return found


def _numbered(text: str, pieces: Sequence[Token], at: int) -> Relation | None:
    number = pieces[at].number
    assert number is not None
    kind = {"x": "ratio", "%": "percent", "points": "points"}[number.unit.base]
    low, start, slack = number.value, pieces[at].start, number.slack
    mark = number.mark
    before = pieces[at - 2].number if at >= 2 and pieces[at - 1].text in ("-", "–", "—", "to", "−") else None
    if before is not None and before.unit.base in ("", number.unit.base) and before.value <= number.value:
        low, start, slack = before.value, pieces[at - 2].start, max(slack, before.slack)
        mark = mark or before.mark
    behind = [one.text.lower() for one in pieces[at + 1 : at + 4]]
    word = next((one for one in behind[:3] if one in words("relation")), "")
    if behind[:1] and behind[0] in ("of", "in") and not word:
        return None
    if word and behind.index(word) == 2 and behind[1] in ("of", "in", "and", ",", "than"):
        word = ""
    ahead = [one.text.lower() for one in pieces[max(0, at - 4) : at]]
    if not word and ahead and (ahead[-1] in words("leads") or ahead[-1] in words("relation")):
        word = next((one for one in reversed(ahead) if one in words("relation")), "")
    leading = text[:start]
    about = mark in ("~", "≈") or bool(_ABOUT.search(leading))
    bound = {"<": "max", "≤": "max", ">": "min", "≥": "min"}.get(mark, "")
    for pattern, name in _BOUNDS:
        if pattern.search(leading):
            bound = bound or name
    end = pieces[at].end
    return Relation(
        kind=kind, low=low, high=number.value, slack=slack, about=about, word=word, start=start, end=end,
        text=text[start:end], bound=bound, signed=False,
    )  # fmt: skip


def readings(relation: Relation, a: Value, b: Value) -> Iterator[tuple[float, float]]:
    """All that someone may call the relation of a and b, as intervals."""
    small, large = (a, b) if abs(a.mid) <= abs(b.mid) else (b, a)
    if relation.kind == "ratio":
        if span := ratio(large, small):
            yield span
            if relation.word in ("more", "increase", "gain", "improvement"):
                yield span[0] - 1, span[1] - 1
        if relation.low < 1 and (span := ratio(small, large)):
            yield span
        return
    if relation.kind == "percent":
        grown, shrunk = ratio(large, small, 100.0), ratio(small, large, 100.0)
        says = "" if relation.signed else relation.word
        if a.unit.endswith("/s") and says in words("improve"):
            says = "increase"
        if grown and says not in words("shrink"):
            yield grown[0] - 100, grown[1] - 100
        if shrunk and says not in words("grow"):
            yield 100 - shrunk[1], 100 - shrunk[0]
        if not relation.word or relation.word in ("relative", "speedup", "speed-up"):
            yield from (one for one in (grown, shrunk) if one)
    if a.unit == b.unit and (a.unit == "%" or relation.kind == "points"):
        yield large.low - small.high, large.high - small.low
    if not a.unit and abs(a.mid) <= 1 and abs(b.mid) <= 1:
        yield 100 * (large.low - small.high), 100 * (large.high - small.low)


def room(relation: Relation) -> float:
    """How far a figure may be off and still be what was written."""
    value = max(abs(relation.low), abs(relation.high))
    space = 2.0 * relation.slack
    if relation.kind == "ratio" and relation.slack >= 0.5 and value < 20:
        space = max(0.5, 0.06 * value) if not relation.about else 0.6
    if relation.kind == "percent" and relation.slack >= 0.5 and value % 10 == 0:
        space = max(space, 2.5)
    if relation.about:
        space = max(space, 0.11 * value)
    return space + 1e-9


def fits(relation: Relation, a: Value, b: Value) -> bool:
    """Whether some reading of the two figures gives what was written."""
    space = room(relation)
    for low, high in readings(relation, a, b):
        if relation.about:
            low = high = (low + high) / 2
        for sign in (1.0, -1.0) if relation.kind != "ratio" else (1.0,):
            x, y = sorted((sign * low, sign * high))
            if relation.bound == "max" and 0 < x <= relation.high + space and y >= 0.3 * relation.high:
                return True
            if relation.bound == "min" and y >= relation.low - space and x <= 2.0 * relation.high:
                return True
            if x <= relation.high + space and y >= relation.low - space:
                return True
    return False
