"""Numbers in words: `three`, `twenty-five`, `a thousand`, `half of 64`, `an hour and a half`."""

from __future__ import annotations

import re
from dataclasses import replace

from assay.language.digits import Number
from assay.language.measures import measured
from assay.language.numbers import number_at
from assay.language.units import FOLD, MULTIPLES, SECONDS, TIME_UNITS, TIMES, UNIT

_ONES = {
    word: value
    for value, word in enumerate((
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
        "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
    ))
}  # fmt: skip
_TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
_WORDS = {**_ONES, **_TENS}
_WORD = re.compile(r"[^\W\d_]+")
_HALF_OF = re.compile(r"(?P<share>half|a third|a quarter|a tenth|twice|double) of (?=\d)", re.IGNORECASE)
_SHARES = {"half": 0.5, "a third": 1 / 3, "a quarter": 0.25, "a tenth": 0.1, "twice": 2.0, "double": 2.0}
_AND_A_HALF = re.compile(r"and a half\b", re.IGNORECASE)


def may_begin(word: str) -> bool:
    """Whether a number in words may begin with this one."""
    return word in _WORDS or word in _BEGINNINGS


_BEGINNINGS = frozenset({"a", "an", "half", "twice", "double"})


def words_at(text: str, at: int) -> Number | None:
    """A number in words that begins here: `three`, `twenty-five`, `a thousand`, `half of 64`, `an hour and a half`."""
    share = _HALF_OF.match(text, at)
    if share:
        whole = number_at(text, share.end())
        if isinstance(whole, Number):
            return replace(whole, value=whole.value * _SHARES[share["share"].lower()], start=at)
    found = _WORD.match(text, at)
    word = found[0].lower() if found else ""
    if found is None or (word not in _WORDS and word not in ("a", "an", "half")):
        return None
    if word in ("a", "an", "half"):
        return _article(text, at, found.end(), word)
    value, end = float(_WORDS[word]), found.end()
    if word in _TENS and text[end : end + 1] in "- ":
        ones = _WORD.match(text, end + 1)
        if ones and 0 < _ONES.get(ones[0].lower(), 0) < 10:
            value, end = value + _ONES[ones[0].lower()], ones.end()
    return _spelled(text, at, value, end)


def _article(text: str, at: int, end: int, word: str) -> Number | None:
    """`a thousand`, `an hour and a half`, `half an hour`, `a minute`."""
    unit = _WORD.match(text, end + 1)
    following = unit[0].lower() if unit else ""
    if word == "half" and following in ("a", "an"):
        inner = _WORD.match(text, unit.end() + 1) if unit else None
        if inner and inner[0].lower() in TIME_UNITS and len(inner[0]) > 2:
            return Number(
                0.5 * TIME_UNITS[inner[0].lower()],
                0.0,
                at,
                inner.end(),
                SECONDS,
                written=inner[0].lower(),
                in_words=True,
            )
        return None
    if word != "half" and unit and following in MULTIPLES and text[end : end + 1] == " ":
        return _spelled(text, at, 1.0, end)
    if word != "half" and unit and following in TIME_UNITS and len(following) > 3:
        made = Number(TIME_UNITS[following], 0.0, at, unit.end(), SECONDS, written=following, in_words=True)
        half = _AND_A_HALF.match(text, unit.end() + 1)
        return replace(made, value=1.5 * made.value, end=half.end()) if half else made
    return None


def _spelled(text: str, at: int, value: float, end: int) -> Number:
    made = Number(value, 0.0, at, end, in_words=True)
    half = _AND_A_HALF.match(text, end + 1)
    if half:
        made = replace(made, value=value + 0.5, end=half.end())
    fold = FOLD.match(text, made.end)
    if fold:
        return replace(made, unit=TIMES, end=fold.end(), written="x")
    unit = UNIT.match(text, made.end)
    if unit is None or not unit["gap"]:
        return made
    whole = measured(text, made, unit)
    return replace(whole, slack=0.0) if isinstance(whole, Number) else made
