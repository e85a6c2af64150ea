"""How far apart the means of groups that are truly equal may lie by chance, when every pair of them is looked at.

The groups are taken in sets: within each set all means are equal, between the sets nothing is assumed. One spread is
known for all of them, on so many degrees of freedom. A single set of k groups is Tukey's studentized range.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

#: points of the integrals: with these they agree with scipy's to a ten-millionth
_NORMAL_POINTS, _SPREAD_POINTS = 64, 96
_REACH_SD = 8.5
#: between rows so near to each other a cubic is right to a ten-thousand-millionth
_STEP_SD = 0.01


def p_of_range(t: float, sizes: Sequence[int], freedom: float) -> float:
    """The chance that some pair within one of the sets (`sizes` groups in each) differs by `t` standard errors."""
    import numpy as np

    spreads, weights = _spreads(freedom)
    inside = np.ones_like(spreads)
    for size in sizes:
        if size > 1:
            inside *= _range_below(math.sqrt(2) * t * spreads, size)
    return max(0.0, 1.0 - float(weights @ inside))


def _range_below(widths: NDArray[float64], size: int) -> NDArray[float64]:
    """The chance that the range of so many standard normal values is below each width: a cubic between table rows."""
    import numpy as np

    table = _table(size)
    places = np.minimum(widths / _STEP_SD, len(table) - 4.0)
    left = np.maximum(places.astype(int), 1)
    x = places - left
    below, at, above, further = table[left - 1], table[left], table[left + 1], table[left + 2]
    outer = below * -x * (x - 1) * (x - 2) + further * (x + 1) * x * (x - 1)
    return np.asarray(outer / 6 + (at * (x + 1) * (x - 1) * (x - 2) - above * (x + 1) * x * (x - 2)) / 2)


@cache
def _table(size: int) -> NDArray[float64]:
    """That chance at every hundredth of a width, worked out once: all pairs and all degrees of freedom look here."""
    import numpy as np
    from scipy.special import ndtr

    points, weights = _normal()
    widths = np.arange(0, 2 * _REACH_SD, _STEP_SD)
    between = ndtr(points[:, None] + widths[None, :]) - ndtr(points)[:, None]
    return np.asarray(size * (weights @ between ** (size - 1)))


@cache
def _normal() -> tuple[NDArray[float64], NDArray[float64]]:
    """Points for an integral over the normal density."""
    import numpy as np

    points, weights = np.polynomial.legendre.leggauss(_NORMAL_POINTS)
    points = _REACH_SD * points
    return points, _REACH_SD * weights * np.exp(-0.5 * points**2) / math.sqrt(2 * math.pi)


@cache
def _spreads(freedom: float) -> tuple[NDArray[float64], NDArray[float64]]:
    """Points for an integral over what an estimated spread may be, as a share of the true one."""
    import numpy as np
    from scipy.special import chdtri, gammaln

    least = math.sqrt(float(chdtri(freedom, 1 - 1e-12)) / freedom)
    most = math.sqrt(float(chdtri(freedom, 1e-12)) / freedom)
    points, weights = np.polynomial.legendre.leggauss(_SPREAD_POINTS)
    spreads = least + (most - least) * (points + 1) / 2
    half = freedom / 2
    density = half * math.log(half) - float(gammaln(half)) + math.log(2) + (freedom - 1) * np.log(spreads)
    return spreads, weights * (most - least) / 2 * np.exp(density - half * spreads**2)
