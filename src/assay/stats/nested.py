"""How far a figure of many requests may be off, where requests come in runs: resampled at both levels.

A hundred requests of one run share whatever the machine did in that run, so they are no hundred repeats. Runs are drawn
anew, then requests within each. A few runs drawn anew from themselves vary too little, and a few say little of their
own spread: both are made good by what theory has for means (the factor n ÷ (n - 1), and Student's t for 1.96).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

_DRAWS = 300  # enough for a variance, which is all that is taken from them
#: requests of a run that are looked at: more change nothing but the time it takes
_MOST = 2000


@dataclass(frozen=True, kw_only=True)
class Ratio:
    """Of one side's figure to the other's, with its 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def is_significant(self) -> bool:
        return not self.low <= 1.0 <= self.high


def quantile_ratio(a: Sequence[Sequence[float]], b: Sequence[Sequence[float]], share: float) -> Ratio | None:
    """The quantile of all requests of `a`'s runs over that of `b`'s; None where a side has one run, or zeros."""
    import numpy as np
    from scipy.stats import t as student

    if min(len(a), len(b)) < 2 or not all(len(run) for run in (*a, *b)):
        return None
    draw = np.random.default_rng(20_251_116)
    point = [float(np.quantile(np.concatenate([np.asarray(run, float) for run in side]), share)) for side in (a, b)]
    if min(point) <= 0:
        return None
    offs = [_drawn(side, share, draw) - math.log(own) for side, own in zip((a, b), point, strict=True)]
    variance = sum(float(np.var(off)) * len(side) / (len(side) - 1) for off, side in zip(offs, (a, b), strict=True))
    reach = float(student.ppf(0.975, len(a) + len(b) - 2)) * math.sqrt(variance)
    middle = math.log(point[0] / point[1])
    return Ratio(value=math.exp(middle), low=math.exp(middle - reach), high=math.exp(middle + reach))


def _drawn(runs: Sequence[Sequence[float]], share: float, draw: object) -> NDArray[float64]:
    """Logarithms of the quantile of so many redrawn sets."""
    import numpy as np

    assert isinstance(draw, np.random.Generator)
    held = [np.asarray(run[:_MOST], float) for run in runs]
    found = np.empty(_DRAWS)
    for at in range(_DRAWS):
        chosen = draw.integers(len(held), size=len(held))
        redrawn = [held[one][draw.integers(len(held[one]), size=len(held[one]))] for one in chosen]
        found[at] = np.quantile(np.concatenate(redrawn), share)
    return np.log(np.maximum(found, 1e-9))
