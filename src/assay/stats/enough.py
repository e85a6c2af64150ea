"""When an interval is narrow enough to stop repeating.

Whoever looks after every run and stops at the first narrow interval is fooled by runs that happen to agree: such 95 %
intervals hold the truth in as few as 91 of 100 studies (simulated). So each look takes a wider interval, by which 95 of
100 do, whatever the scatter: `bench/verdicts.py` shows it.
"""

from __future__ import annotations

import math

from assay.stats.scales import LOG, Scale, describe_on
from assay.stats.welch import Sample

#: of the interval at each look
LOOK_LEVEL = 0.975
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
