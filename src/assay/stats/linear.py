"""Figures that add up from a few parts, each run off in proportion to its size: the parts, and quotients of them.

A law of scaling or of convergence says quotients of such parts (`b / a`), so their intervals are Fieller's: a test of
every possible quotient, turned round. Where the lower part may be zero there is no interval, and none is invented.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.stats.welch import LEVEL, t_point

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

#: of a value: repeats that differ by less show how figures are rounded, not how runs scatter
_ROUNDING = 2e-4
_PASSES = 4

Parts = Sequence[float]


@dataclass(frozen=True, kw_only=True)
class Quotient:
    """Of two sums of parts; no ends where the data do not determine them."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, kw_only=True)
class Linear:
    """`worst` is the greatest miss of a mean, as a share of it; `p_fit` is None where no repeats could test it."""

    parts: NDArray[float64]
    errors: NDArray[float64]  # covariance
    freedom: int
    worst: float
    p_fit: float | None

    def quotient(self, top: Parts, bottom: Parts, level: float = LEVEL) -> Quotient:
        import numpy as np

        above, below = np.asarray(top, dtype=float), np.asarray(bottom, dtype=float)
        a, b, reach = float(above @ self.parts), float(below @ self.parts), t_point(self.freedom, level) ** 2
        square = b * b - reach * float(below @ self.errors @ below)
        if square <= 0:
            return Quotient(value=a / b if b else math.nan, low=None, high=None)
        middle = (a * b - reach * float(above @ self.errors @ below)) / square
        constant = (a * a - reach * float(above @ self.errors @ above)) / square
        half = math.sqrt(max(0.0, middle * middle - constant))
        return Quotient(value=a / b, low=middle - half, high=middle + half)


def fit_parts(points: Sequence[tuple[Parts, float]]) -> Linear | None:
    """How much of each part is in each value; None where the points are too few, or leave a part open."""
    import numpy as np

    design = np.array([parts for parts, _ in points], dtype=float)
    values = np.array([value for _, value in points], dtype=float)
    freedom = len(values) - design.shape[1]
    if freedom < 1 or np.linalg.matrix_rank(design) < design.shape[1]:
        return None
    size = values
    for _ in range(_PASSES):  # weighed by what is fitted: a lucky run does not make itself important
        scaled, ones = design / size[:, None], values / size
        found = np.linalg.lstsq(scaled, ones, rcond=None)[0]
        fitted = design @ found
        if np.any(fitted <= 0):
            return None
        size = fitted
    left = float(np.sum((values / fitted - 1) ** 2))
    errors = np.linalg.inv((design / fitted[:, None]).T @ (design / fitted[:, None])) * left / freedom
    worst, p_fit = _misfit(points, fitted, design.shape[1])
    return Linear(parts=found, errors=errors, freedom=freedom, worst=worst, p_fit=p_fit)


def _misfit(points: Sequence[tuple[Parts, float]], fitted: NDArray[float64], parts: int) -> tuple[float, float | None]:
    """The greatest miss of a mean, and how likely such misses are if the law is right (F test against the repeats)."""
    from scipy.special import fdtrc

    levels: dict[tuple[float, ...], list[float]] = {}
    for (place, value), expected in zip(points, fitted, strict=True):
        levels.setdefault(tuple(place), []).append(value / float(expected))
    means = [math.fsum(ones) / len(ones) for ones in levels.values()]
    worst = max(abs(1 / one - 1) for one in means)
    pure = math.fsum((one - mean) ** 2 for ones, mean in zip(levels.values(), means, strict=True) for one in ones)
    free, over = len(points) - len(levels), len(levels) - parts
    if free < 1 or over < 1 or math.sqrt(pure / free) < _ROUNDING:
        return worst, None
    missed = math.fsum(len(ones) * (mean - 1) ** 2 for ones, mean in zip(levels.values(), means, strict=True))
    return worst, float(fdtrc(over, free, (missed / over) / (pure / free)))
