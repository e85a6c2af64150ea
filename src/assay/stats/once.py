"""What one run each shows: how much runs would have to vary for chance to explain their difference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

from assay.stats.ranges import p_of_range
from assay.stats.welch import LEVEL, t_point
from assay.stats.within import Within

#: degrees of freedom of a spread that is known: here it is supposed, not estimated
_KNOWN = 100_000.0


def tipping(delta: float, groups: int) -> float:
    """The standard deviation from run to run above which so many single runs would differ so much by chance.

    Of runs that scatter by less than this, no pair of the groups is so far apart in 19 of 20 experiments.
    """
    return abs(delta) / (math.sqrt(2) * _widest(groups))


@cache
def _widest(groups: int) -> float:
    """How many standard errors the two that are furthest apart differ by, at most, in 19 of 20 experiments."""
    low, high = 1.0, 10.0
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (middle, high) if p_of_range(middle, [groups], _KNOWN) > 1 - LEVEL else (low, middle)
    return high


def reach(parts: Sequence[Within]) -> float:
    """How far the difference of two logarithms may be off by what is seen within each of two runs."""
    squares = [part.error**2 for part in parts]
    total = sum(squares)
    if not total:
        return 0.0
    freedom = total**2 / sum(square**2 / (part.blocks - 1) for square, part in zip(squares, parts, strict=True))
    return t_point(freedom) * math.sqrt(total)
