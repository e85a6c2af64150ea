"""A figure with the digits of the log and another unit: `425 s` where it shows 425 ms."""

from __future__ import annotations

from assay.language.numbers import BYTES, SECONDS
from assay.language.said import Value

_UNITS_OF_TIME = (1e-6, 1e-3, 1.0, 60.0, 3600.0)
_UNITS_OF_MEMORY = (1.0, 1024.0, 1024.0**2, 1024.0**3, 1e3, 1e6, 1e9)
_LOOSE = 0.03  # 0.1 s: the digits of many figures
_FAR = 20.0  # MB for MiB is no slip
#: figures and wrong units that `units.py` finds by itself
_LEFT = {"latency_ms": ("s", "sec", "seconds"), "train_s": ("minutes", "min", "mins", "hours")}


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


def is_left_to_units(text: str, value: Value, field: str) -> bool:
    return value.number.written in _LEFT.get(field, ()) and "total" not in text.lower()
