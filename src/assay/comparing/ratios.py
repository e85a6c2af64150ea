"""Ratios as people read them: with enough digits that one which is significant is never shown as 1."""

from __future__ import annotations

import math

_MOST = 6


def ratio_digits(value: float, low: float | None, high: float | None) -> int:
    """Enough that the ends of the interval differ, that a small ratio has two figures, and that no end crosses 1."""
    small = 2 if value >= 0.1 else min(_MOST, 1 - math.floor(math.log10(value)))
    if low is None or high is None:
        return small
    for digits in range(small, _MOST + 1):
        apart = high - low >= 1.5 * 10**-digits
        seen = (round(low, digits) > 1) == (low > 1) and (round(high, digits) < 1) == (high < 1)
        if apart and seen:
            return digits
    return _MOST


def between(low: str, high: str) -> str:
    """`5–11`; `-0.58 to 1.60`, since a dash beside a minus is hard to read."""
    return f"{low} to {high}" if "-" in (low[:1], high[:1]) else f"{low}–{high}"


def show_ends(value: float, low: float, high: float) -> str:
    """`1.004–1.031`"""
    digits = ratio_digits(value, low, high)
    return f"{low:.{digits}f}–{high:.{digits}f}"
