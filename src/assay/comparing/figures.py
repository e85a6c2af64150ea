"""The figures that runs are compared by: what is better, what a difference is called, and how a value is shown."""

from __future__ import annotations

from dataclasses import replace
from math import floor, log10

from assay.comparing.ratios import between
from assay.core.names import direction
from assay.core.objective import is_pace
from assay.quantities import BY_NAME, MACHINE, OUTCOME, RATE, TOTAL, Quantity, of_kind
from assay.summary.splits import PARTS
from assay.units import GROWING, show_number, two_digits

__all__ = ["FIGURES", "MACHINE", "OUTCOME", "RATE", "TOTAL", "Figure", "figure"]
Figure = Quantity
#: in the order of the table; the first figures that runs know are its columns
FIGURES = of_kind(RATE, OUTCOME, TOTAL, MACHINE)


def figure(name: str) -> Figure:
    """One of ours, or any other name that a run reports: shown as it is, better by what its name says."""
    known = BY_NAME.get(name)
    if known is not None:
        return known
    part, _, rest = name.partition("_")
    if part in PARTS and rest == "accuracy":
        return replace(BY_NAME[rest], name=name, heading=f"{PARTS[part]} accuracy %", noun=f"{PARTS[part]} accuracy")
    return Figure(name=name, heading=name, noun=name, kind=RATE if is_pace(name) else OUTCOME, better=direction(name))


def show_value(one: Figure, value: float, spread: float | None = None) -> str:
    """With two digits of its spread, where that is known: more would be noise, fewer would hide it."""
    if one.unit in GROWING:
        return GROWING[one.unit](value)
    value, spread = value * one.scale, None if spread is None else spread * one.scale
    if spread:
        return _rounded(value, spread)
    return f"{value:,.5g}" if 1 <= abs(value) < 10_000 else show_number(value)


def show_plus_minus(one: Figure, mean: float, sd: float | None) -> str:
    """`2,924 ± 11`"""
    if sd is None:
        return show_value(one, mean)
    if one.unit in GROWING and mean:
        return f"{GROWING[one.unit](mean)} ± {two_digits(100 * sd / abs(mean))} %"
    return f"{show_value(one, mean, sd)} ± {show_spread(one, sd)}"


def show_interval(one: Figure, low: float, high: float, sd: float) -> str:
    """What cannot be below zero or above 100 % is not shown there, wherever few runs let the interval reach."""
    low = max(0.0, low) if one.kind != OUTCOME or one.points else low
    high = min(1.0, high) if one.points else high
    return between(show_value(one, low, sd), show_value(one, high, sd))


def show_spread(one: Figure, sd: float) -> str:
    if one.unit in GROWING:
        return GROWING[one.unit](sd)
    return _rounded(sd * one.scale, sd * one.scale) if sd else "0"


def _rounded(value: float, spread: float) -> str:
    digits = min(9, 1 - floor(log10(abs(spread))))
    return f"{round(value, digits):,.{max(0, digits)}f}"
