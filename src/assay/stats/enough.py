"""When an interval is narrow enough to stop repeating.

Stopping at the first narrow interval after any run is misleading, because runs may happen to agree: such 95 %
intervals contain the true value in as few as 91 of 100 studies (simulated). So each look takes a wider interval, by
which 95 of 100 do, whatever the scatter: `bench/verdicts.py` shows it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.stats.scales import LOG, Estimate, Scale, describe_on
from assay.stats.welch import Sample, variance

#: of the interval at each look: of a figure, and of a difference, whose two sides both can happen to agree
LOOK_LEVEL, LOOK_LEVEL_APART = 0.975, 0.98
#: with fewer runs there is no look: they agree too often by chance
FIRST_LOOK = 4


def half_width(scale: Scale, values: Sample, *, relative: bool) -> float | None:
    """Of the interval at a look, as a share of the mean or in the figure's unit; None for a single run."""
    found = describe_on(scale, values, LOOK_LEVEL)
    if found.low is None or found.high is None:
        return None
    if not relative:
        return (found.high - found.low) / 2
    if scale is LOG:
        return math.sqrt(found.high / found.low) - 1
    return (found.high - found.low) / 2 / abs(found.mean) if found.mean else math.inf


def half_width_between(scale: Scale, estimates: Sequence[Estimate], base: float, *, relative: bool) -> float:
    """Of the interval of a difference at a look, as a share of the second or in the figure's unit."""
    ends = [estimate.ends(LOOK_LEVEL_APART) for estimate in estimates]
    half = (max(high for _, high in ends) - min(low for low, _ in ends)) / 2
    if scale is LOG:
        return math.expm1(half) if relative else math.expm1(half) * abs(base)
    return half / abs(base) if relative else half


def gain(scale: Scale, values: Sample) -> float:
    """By how much one more run would lessen the variance of the mean."""
    n = len(values)
    return variance(scale.sample(values)) / (n * (n + 1)) if n > 1 else math.inf
