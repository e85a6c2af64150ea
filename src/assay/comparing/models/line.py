"""A straight line through runs, judged by its repeats: least squares, its intervals, and a test for lack of fit.

Times scatter in proportion to their size, so each run weighs by the square of its size: a slow step that is a
millisecond off says no less than a fast one that is a microsecond off.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from assay.stats import LEVEL, t_point

#: share of a value: smaller differences may be the last digit of a log
_ROUNDING = 2e-4
Points = Sequence[tuple[float, float]]


@dataclass(frozen=True, kw_only=True)
class Line:
    """y = a + c·x. `worst` is the greatest miss of a mean, as a share of it; `p_fit` is None without repeats."""

    a: float
    c: float
    a_half: float
    c_half: float
    worst: float
    p_fit: float | None
    levels: dict[float, float]  # x: mean of y
    runs: int

    def at(self, x: float) -> float:
        return self.a + self.c * x


def fit(points: Points) -> Line | None:
    """None where there are fewer than three different x: two always lie on a line."""
    by_x: dict[float, list[float]] = {}
    for x, y in points:
        by_x.setdefault(x, []).append(y)
    if len(by_x) < 3:
        return None
    levels = {x: fmean(ys) for x, ys in sorted(by_x.items())}
    each = {x: 1 / y**2 if y else 0.0 for x, y in levels.items()}
    weights = {x: each[x] * len(by_x[x]) for x in levels}
    total = math.fsum(weights.values())
    if not total:
        return None
    mean_x = math.fsum(weights[x] * x for x in levels) / total
    mean_y = math.fsum(weights[x] * y for x, y in levels.items()) / total
    spread_x = math.fsum(weights[x] * (x - mean_x) ** 2 for x in levels)
    c = math.fsum(weights[x] * (x - mean_x) * (y - mean_y) for x, y in levels.items()) / spread_x
    a = mean_y - c * mean_x
    residual = math.fsum(each[x] * (y - a - c * x) ** 2 for x, y in points)
    freedom = len(points) - 2
    reach = t_point(freedom, LEVEL) * math.sqrt(residual / freedom)
    return Line(
        a=a,
        c=c,
        a_half=reach * math.sqrt(1 / total + mean_x**2 / spread_x),
        c_half=reach / math.sqrt(spread_x),
        worst=max(abs(a + c * x - y) / abs(y) for x, y in levels.items() if y),
        p_fit=_lack_of_fit(by_x, levels, a, c),
        levels=levels,
        runs=len(points),
    )


def _lack_of_fit(by_x: dict[float, list[float]], levels: dict[float, float], a: float, c: float) -> float | None:
    """How likely misses of this size are if the line is right and repeats scatter as they do (F test)."""
    from scipy.special import fdtrc

    runs = sum(map(len, by_x.values()))
    pure_freedom, fit_freedom = runs - len(by_x), len(by_x) - 2
    pure = math.fsum((y / levels[x] - 1) ** 2 for x, ys in by_x.items() if levels[x] for y in ys)
    # repeats that agree to the last printed digit show how figures are rounded, not how runs vary
    if not pure_freedom or math.sqrt(pure / pure_freedom) < _ROUNDING:
        return None
    missed = math.fsum(len(ys) * (1 - (a + c * x) / levels[x]) ** 2 for x, ys in by_x.items() if levels[x])
    return float(fdtrc(fit_freedom, pure_freedom, (missed / fit_freedom) / (pure / pure_freedom)))
