"""A number with the unit that follows it: seconds, bytes, per cent, times, and durations of several parts."""

from __future__ import annotations

import re
from dataclasses import replace

from assay.language.digits import CORE, Number, plain
from assay.language.units import (
    BYTE_UNITS,
    BYTES,
    FOLD,
    MULTIPLES,
    ORDINAL,
    PERCENT,
    PERCENTS,
    POINT_WORD,
    POINT_WORDS,
    POINTS,
    SECONDS,
    SUFFIXES,
    TIME_UNITS,
    TIMES,
    UNIT,
)

_NEXT_PART = re.compile(r"\s?(?=\d)|\s?(?:and|und|y|et|e)\s(?=\d)")
_LETTERS = re.compile(r"\w{1,200}")


def with_unit(text: str, made: Number) -> Number | int:
    if made.end < len(text) and ORDINAL.match(text, made.end):
        return ORDINAL.match(text, made.end).end()  # type: ignore[union-attr]
    fold = FOLD.match(text, made.end)
    if fold and not made.factors:
        return replace(made, unit=TIMES, end=fold.end(), written="x")
    suffix = text[made.end : made.end + 1]
    if suffix in SUFFIXES and not text[made.end + 1 : made.end + 2].isalnum():
        binary = (made.value * 1024.0,) if suffix in "kK" else ()
        made = replace(_scaled(made, SUFFIXES[suffix], made.end + 1), others=binary)
    unit = UNIT.match(text, made.end)
    if unit is None:
        return made if not _is_torn(text, made.end) else _after_word(text, made.end)
    return measured(text, made, unit)


def measured(text: str, made: Number, unit: re.Match[str]) -> Number | int:
    word, lower = unit["unit"], unit["unit"].lower()
    if text[unit.end() : unit.end() + 1].isdigit() and (unit["gap"] or lower not in TIME_UNITS):
        return _after_word(text, made.end) if not unit["gap"] else made  # `4 H100`: no hours
    if lower in MULTIPLES and unit["gap"] in ("", " "):
        made = _scaled(made, MULTIPLES[lower], unit.end())
        again = UNIT.match(text, made.end)
        return measured(text, made, again) if again else made
    if lower in PERCENTS:
        return _percent(text, made, unit)
    if lower in POINT_WORDS:
        return made.measured_in(POINTS, lower, unit.end())
    if lower in TIME_UNITS and word not in ("M",) and not _is_rate(text, unit.end(), lower):
        return _scaled(made, TIME_UNITS[lower], unit.end()).measured_in(SECONDS, lower, unit.end())
    if lower in BYTE_UNITS and (lower != "b" or word == "B") and not _is_rate(text, unit.end(), lower):
        return _in_bytes(made, lower, unit.end())
    if not unit["gap"] and not word.isupper() and len(word) < 3:
        return _after_word(text, made.end)  # `3a`, `0x`: not understood
    return made


def _is_rate(text: str, end: int, word: str) -> bool:
    """`5 GB/s`, `3 m/s`: of something else."""
    return text[end : end + 1] == "/" and text[end + 1 : end + 2].isalpha() and word in ("m", *BYTE_UNITS)


def _percent(text: str, made: Number, unit: re.Match[str]) -> Number:
    points = POINT_WORD.match(text, unit.end())
    if points:
        return made.measured_in(POINTS, "points", points.end())
    return made.measured_in(PERCENT, "%", unit.end())


def _in_bytes(made: Number, word: str, end: int) -> Number:
    decimal, binary = BYTE_UNITS[word]
    scaled = _scaled(made, decimal, end).measured_in(BYTES, word, end)
    mixed = (made.value * 1000.0 * 1024.0**2,) if word.startswith(("gb", "giga")) else ()  # of 15,890 MiB: `15.9 GB`
    return scaled if decimal == binary else replace(scaled, others=(made.value * binary, *mixed))


def _scaled(made: Number, factor: float, end: int) -> Number:
    if factor == 1.0:
        return made.measured_in(made.unit, made.written, end)
    return replace(
        made,
        value=_clean(made.value * factor),
        others=tuple(_clean(one * factor) for one in made.others),
        slack=made.slack * factor,
        rounded=made.rounded * factor,
        upper=None if made.upper is None else _clean(made.upper * factor),
        end=end,
    )


def _clean(value: float) -> float:
    """1.2 thousand is 1200 and not a hair more."""
    return float(f"{value:.15g}")


def _is_torn(text: str, end: int) -> bool:
    return end < len(text) and (text[end] == "_" or (text[end].isalpha() and not "\u3040" <= text[end] <= "\u9fff"))


def _after_word(text: str, at: int) -> int:
    found = _LETTERS.match(text, at)
    return found.end() if found else at + 1


def with_rest(text: str, made: Number) -> Number:
    """`3m20s`, `3 min 20 s`, `1 h and 5 min`, `1 hour and a half`: the smaller units that follow."""
    while made.written != "clock" and made.upper is None:
        gap = _NEXT_PART.match(text, made.end)
        core = CORE.match(text, gap.end()) if gap else None
        more = plain(text, core, False) if core and core["plain"] else 0
        unit = UNIT.match(text, more.end) if isinstance(more, Number) else None
        factor = TIME_UNITS.get(unit["unit"].lower()) if unit else None
        if isinstance(more, Number) and factor is None and _are_minutes(text, made, more):
            return replace(made, value=made.value + 60 * more.value, slack=30.0, rounded=30.0, end=more.end)
        if not isinstance(more, Number) or unit is None or factor is None or factor >= TIME_UNITS[made.written]:
            return made
        value = _clean(made.value + more.value * factor)
        made = replace(
            made,
            value=value,
            slack=more.slack * factor,
            rounded=more.slack * factor,
            end=unit.end(),
            written=unit["unit"].lower(),
        )
    return made


def _are_minutes(text: str, hours: Number, more: Number) -> bool:
    """`1h30`: the two digits that follow the hours."""
    return hours.written == "h" and more.start == hours.end and more.end - more.start == 2 and more.value < 60
