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
#: values of all runs together that are redrawn for an interval, and requests beyond a quantile that has one
_MOST_DRAWN, _BEYOND = 6000, 5.0


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


@dataclass(frozen=True, kw_only=True)
class Quantile:
    """Of all values, with its 95 % interval where there are enough of them."""

    share: float
    value: float
    low: float | None = None
    high: float | None = None


def quantiles(runs: Sequence[Sequence[Sequence[float]]], shares: Sequence[float]) -> list[Quantile]:
    """Of runs of requests of values; one run alone knows its requests, and not how far runs differ."""
    import numpy as np

    held = [[np.asarray(request, float) for request in run if len(request)] for run in runs]
    held = [run for run in held if run]
    if not held:
        return []
    points = np.quantile(np.concatenate([np.concatenate(run) for run in held]), list(shares))
    few = [_fewer(run, _MOST_DRAWN // len(held)) for run in held]
    reaches = _reaches(few, points, list(shares))
    count = sum(map(len, held))
    found = []
    for share, point, reach in zip(shares, points.tolist(), reaches, strict=True):
        # an interval of a p99 needs a few requests beyond it
        known = min(share, 1 - share) * count >= _BEYOND and point > 0 and math.isfinite(reach)
        low, high = (point * math.exp(-reach), point * math.exp(reach)) if known else (None, None)
        found.append(Quantile(share=share, value=point, low=low, high=high))
    return found


def _fewer(run: Sequence[NDArray[float64]], most: int) -> list[NDArray[float64]]:
    """Values of a run from all over it, about so many."""
    requests = list(run[:: max(1, len(run) // max(1, most))])
    step = max(1, sum(map(len, requests)) // max(1, most))
    return [one[::step] for one in requests]


def _reaches(runs: list[list[NDArray[float64]]], points: NDArray[float64], shares: list[float]) -> list[float]:
    """How far the logarithm of each quantile may be off: by the requests, and by the runs where there are several.

    The spread between few runs is known badly and that between many requests well, so the degrees of freedom are
    weighted by what each of both adds (Welch and Satterthwaite).
    """
    import numpy as np
    from scipy.stats import t as student

    draw = np.random.default_rng(20_251_116)
    off = np.log(np.maximum(points, 1e-9))
    within = np.mean((_redrawn(runs, shares, draw, anew=False) - off) ** 2, axis=0)
    if len(runs) < 2:
        return [float(1.96 * reach) for reach in np.sqrt(within)]
    count = len(runs)
    total = np.mean((_redrawn(runs, shares, draw, anew=True) - off) ** 2, axis=0) * count / (count - 1)
    between = np.maximum(total - within, 1e-12)
    freedom = np.minimum((count - 1) * (np.maximum(total, between) / between) ** 2, 1e6)
    return [float(reach) for reach in student.ppf(0.975, freedom) * np.sqrt(total)]


def _redrawn(runs: list[list[NDArray[float64]]], shares: list[float], draw: object, *, anew: bool) -> NDArray[float64]:
    """Logarithms of the quantiles of redrawn requests; `anew` draws the runs, too."""
    import numpy as np

    assert isinstance(draw, np.random.Generator)
    found = np.empty((_DRAWS, len(shares)))
    for at in range(_DRAWS):
        chosen = draw.integers(len(runs), size=len(runs)) if anew else range(len(runs))
        parts = [runs[one][place] for one in chosen for place in draw.integers(len(runs[one]), size=len(runs[one]))]
        found[at] = np.quantile(np.concatenate(parts), shares)
    return np.log(np.maximum(found, 1e-9))


def _drawn(runs: Sequence[Sequence[float]], share: float, draw: object) -> NDArray[float64]:
    """Logarithms of the quantile of so many redrawn sets."""
    import numpy as np

    assert isinstance(draw, np.random.Generator)
    held = [np.asarray(run[:: max(1, len(run) // _MOST)], float) for run in runs]
    found = np.empty(_DRAWS)
    for at in range(_DRAWS):
        chosen = draw.integers(len(held), size=len(held))
        redrawn = [held[one][draw.integers(len(held[one]), size=len(held[one]))] for one in chosen]
        found[at] = np.quantile(np.concatenate(redrawn), share)
    return np.log(np.maximum(found, 1e-9))
