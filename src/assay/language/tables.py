"""What a column or a row of a table holds, by its head: `Batch size`, `Throughput (samples/s)`, `Avg. memory [MB]`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from assay.language.kinds import METRICS, SETTINGS
from assay.language.lex import Token, lex
from assay.language.numbers import BYTES, NONE, PERCENT, SECONDS, Number, number_at, number_of, numbers_in

#: words over a column that was worked out from others, by what it holds: moves in per cent, times, something else
_MOVES = frozenset({
    "increase", "decrease", "change", "gain", "improvement", "reduction", "difference", "drop", "δ", "delta",
})  # fmt: skip
_FACTORS = frozenset({"speedup", "ratio", "×", "speedups"})
_OTHERS = frozenset({"speed", "relative", "efficiency", "vs", "scaling", "normalized", "factor"})
MOVE, FACTOR, OTHER = "move", "factor", "other"
_RATE_WORDS = {
    "samples": "samples_per_s",
    "tokens": "tokens_per_s",
    "inferences": "inferences_per_s",
    "requests": "requests_per_s",
}


@dataclass(frozen=True, kw_only=True)
class Head:
    """The quantity of a column, and the unit its head gives."""

    name: str = ""
    unit: str = ""  # as in `number_of`: `1 ms` in a column of ms
    derived: str = ""  # what it was worked out as
    average: str = ""
    split: str = ""

    @property
    def is_setting(self) -> bool:
        return self.name in SETTINGS


_UNIT_WORDS = frozenset(
    [
        "s",
        "sec",
        "secs",
        "second",
        "seconds",
        "ms",
        "msec",
        "us",
        "µs",
        "min",
        "mins",
        "minute",
        "minutes",
        "h",
        "hours",
        "%",
        "percent",
        "mb",
        "mib",
        "gb",
        "gib",
        "kb",
        "kib",
        "bytes",
        "tb",
    ]
)


@lru_cache(maxsize=2048)
def head(text: str) -> Head:
    """What stands below this head; an empty name where it is not known."""
    tokens = lex(text)
    words = {token.text for token in tokens}
    unit = next((token.text for token in reversed(tokens) if token.text in _UNIT_WORDS), "")
    rate = _rate(text)
    named = [token.term for token in tokens if token.term and token.number is None]
    average = next((str(token.roles["average"]) for token in tokens if "average" in token.roles), "")
    split = next((str(token.roles["split"]) for token in tokens if "split" in token.roles), "")
    derived = _derived(words) or (OTHER if average == "std" else "")
    name = rate or _chosen(named, unit) or ("cpu" if "cpu" in words and unit in ("%", "percent") else "")
    if name.endswith("_per_s"):
        unit = ""
    if average == "min" and unit == "min":
        average = ""
    if name == "samples_per_s" and average == "mean":
        name = "samples_per_s_avg"
    return Head(name=name, unit=unit, derived=derived, average=average, split=split)


def _derived(words: set[str]) -> str:
    if words & _FACTORS or {"speed", "up"} <= words or {"x", "faster"} <= words:
        return FACTOR
    return MOVE if words & _MOVES else OTHER if words & _OTHERS else ""


def _rate(text: str) -> str:
    """`samples/s`, `tokens per second`: as if a number stood before it."""
    at = 0
    lower = text.lower()
    for start in range(len(lower)):
        if start and (lower[start - 1].isalnum() or not lower[start].isalnum()):
            continue
        token: tuple[Token, ...] = lex("1 " + lower[start : start + 40])
        if token and token[0].rate:
            return _RATE_WORDS.get(token[0].rate, "")
        at += 1
        if at > 12:
            break
    return ""


def _chosen(named: list[str], unit: str) -> str:
    """Of several terms the metric: `batch size 8 throughput` is a throughput."""
    metrics = [name for name in named if name in METRICS and name not in ("samples", "tokens", "steps")]
    settings = [name for name in named if name in SETTINGS]
    if "time" in metrics:
        return next((one for one in metrics if one != "time"), "time")
    if metrics:
        return metrics[-1]
    return (
        settings[0]
        if settings
        else (named[0] if named else "time" if unit in ("s", "sec", "seconds", "min", "minutes") else "")
    )


@lru_cache(maxsize=1 << 16)  # of a table of a megabyte, which is gone through by several rules
def cell_number(cell: str, unit: str = "", decimal_comma: bool = False) -> Number | None:
    """The number of a cell; where it has no unit, that of its column's head. `97.2 ± 0.3` is 97.2."""
    plain = cell.strip().strip("*_`~≈ ")
    before = plain.partition("±")[0].partition("(")[0].strip() or plain
    number = number_of(before, decimal_comma=decimal_comma)
    if number is None:
        found = numbers_in(before, decimal_comma=decimal_comma)
        number = found[0] if len(found) == 1 and _only_words_around(before, found[0]) else None
    if number is not None and number.unit == NONE and plain.endswith("%") and "±" in plain:
        unit = "%"
    if number is None or number.unit != NONE or not unit:
        return number
    with_unit = number_at(f"{before[number.start : number.end]} {unit}", 0, decimal_comma=decimal_comma)
    return replace(with_unit, start=number.start, end=number.end) if isinstance(with_unit, Number) else number


def _only_words_around(text: str, number: Number) -> bool:
    """`512 (baseline)`, `BS 64`: few words, and no second number."""
    return len(text) <= 40 and sum(sign.isdigit() for sign in text) == sum(
        sign.isdigit() for sign in text[number.start : number.end]
    )


def figure(name: str, number: Number) -> float | None:
    """The value as a summary has it: shares of 1, bytes, seconds, milliseconds; None where the unit does not fit."""
    if name in ("accuracy", "utilisation", "mfu", "f1"):
        return (
            number.value / 100
            if number.unit == PERCENT or number.value > 1
            else number.value
            if number.unit == NONE
            else None
        )
    if name == "memory":
        return (number.others or (number.value,))[0] if number.unit == BYTES else None
    if name == "cpu":
        return number.value if number.unit == PERCENT else None
    if name in ("time", "latency") or name.endswith("_ms"):
        return number.value if number.unit == SECONDS else None
    return number.value if number.unit == NONE else None
