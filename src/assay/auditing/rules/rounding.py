"""Whether a figure that a page gives is one that a log shows: rounded as it is given, or with another unit.

0.912 as 91.2 % or about 91 %                425 ms as 425 s
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.auditing.case import Run
from assay.auditing.meant import FIELDS, figure_of
from assay.language.numbers import BYTES, NONE, PERCENT, SECONDS
from assay.language.said import Value

_UNITS_OF_TIME = (1e-6, 1e-3, 1.0, 60.0, 3600.0)
_UNITS_OF_MEMORY = (1.0, 1024.0, 1024.0**2, 1024.0**3, 1e3, 1e6, 1e9)
#: what a log itself may have rounded: `memory: 0.89GiB`
_ROUNDED, _MEMORY_ROUNDED = 0.0005, 0.006
_VAGUE, _VAGUE_SHARE = 0.05, 0.012  # about
_MINUTE_SLACK = 30.0
_SPELLED = 0.25  # `two minutes`
_LOOSE = 0.03  # 0.1 s: the digits of many figures
_FAR = 20.0  # MB for MiB is no slip


def readings_of(value: Value) -> Iterator[float]:
    """In the units of a summary: shares of 1, milliseconds, bytes."""
    for one in value.number.readings:
        if (value.number.unit == PERCENT and value.name != "cpu") or (
            value.name == "accuracy" and value.number.unit == NONE and one > 1
        ):
            yield one / 100
        elif value.number.unit == SECONDS and value.name not in ("time",):
            yield one * 1000
        else:
            yield one


def near(said: float, shown: float, value: Value) -> bool:
    if _is_cut(value) and 0 <= shown - said < 2 * value.number.slack:
        return True
    return abs(said - shown) <= max(slack_of(value, said), 1e-9 * abs(shown))


def _is_cut(value: Value) -> bool:
    """Whole minutes or hours are often rounded down: 23.6 minutes are given as 23."""
    return (
        value.name == "time" and value.number.written.startswith(("min", "h")) and value.number.slack >= _MINUTE_SLACK
    )


def slack_of(value: Value, said: float) -> float:
    """Half of the last digit; trailing zeros and `about` allow more."""
    scale = abs(said / value.number.value) if value.number.value else 1.0
    slack = max(value.number.slack, value.number.rounded if value.number.unit != PERCENT else 0.0) * scale * 1.05
    vague = 0.0 if not value.about else _VAGUE_SHARE if value.name == "accuracy" else _VAGUE * abs(said)
    vague = max(vague, _SPELLED * abs(said)) if value.number.in_words else vague
    least = _MEMORY_ROUNDED if value.name == "memory" else _ROUNDED
    return max(slack, vague, least * abs(said))


def unit_slip(value: Value, figure: float, field: str) -> bool:
    """The digits are those of the log, two at least, and only the unit is another."""
    if value.number.slack > _LOOSE * abs(value.number.value):
        return False
    if value.number.unit == SECONDS:
        base = figure / 1000 if field.endswith("_ms") else figure
        units: tuple[float, ...] = _UNITS_OF_TIME
    elif value.number.unit == BYTES:
        base, units = figure, _UNITS_OF_MEMORY
    else:
        return False
    return any(
        abs(value.number.value * other / own - base) <= max(value.number.slack * other / own, 0.001 * base)
        for own in units
        for other in units
        if max(own, other) > _FAR * min(own, other)
    )


def is_sum(value: Value, runs: Sequence[Run]) -> bool:
    """`Together they took 90 s`, in whatever words."""
    if value.name != "time" or value.bound or len(runs) < 2:
        return False
    seconds = [[figure_of(run, field) for run in runs] for field, _ in FIELDS["time"]]
    sums = [sum(one or 0.0 for one in each) for each in seconds if all(each)]
    return any(
        abs(one - total) <= max(slack_of(value, one), 0.01 * one) for one in value.number.readings for total in sums
    )
