"""The test of two groups in one metric, on the scale where noise is even, reported in the unit of the metric."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from assay.comparing.figures import OUTCOME, Figure
from assay.comparing.margins import Amount
from assay.comparing.once import Once
from assay.comparing.robust import Robust
from assay.stats import LEVEL, LINEAR, LOG, LOGIT, Difference, Estimate, Known, Ratio, Sample, Scale, exp, factor, mean


@dataclass(frozen=True, kw_only=True)
class Judged:
    """`sd` is in the unit of the figure, at the size of the second group.

    `drift`: the groups were run one after the other, and what they differ by could be a drift of the machine.
    `estimates` are on the scale of the test: one, or two where a drift may be there or not. `rests_on` says what must
    hold for all this.
    """

    difference: Difference
    ratio: Ratio
    p_family: float | None
    comparisons: int
    sd: float | None = None
    freedom: int = 0  # on which the spread is known
    spread_of: str = ""
    drift: bool = False
    once: Once | None = None  # of one run each, whose spread is unknown
    robust: Robust | None = None  # where a run of theirs lies far off, and it says otherwise
    estimates: tuple[Estimate, ...] = ()
    rests_on: tuple[str, ...] = ()
    p_same: float | None = None  # p-value of a difference beyond the margin, corrected; None without a margin

    @property
    def significant(self) -> bool:
        """Among all pairs. A group that was run once shows nothing of how far its runs scatter."""
        return not self.difference.assumed and self.p_family is not None and self.p_family < 1 - LEVEL


def p_within(one: Figure, scale: Scale, estimates: Sequence[Estimate], margin: Amount, base: float) -> float:
    """Two one-sided tests: the chance of a difference so small if the true one were beyond the margin."""
    bound = margin.bound(one, scale, base)
    wider = [margin.widened(one, scale, estimate) for estimate in estimates]
    return max(max(estimate.above(-bound), estimate.below(bound)) for estimate in wider)


def scale_of(one: Figure, samples: Sequence[Sample]) -> Scale:
    """Speeds, seconds and bytes by their logarithm, shares between 0 and 1, losses as they are."""
    wanted = LOGIT if one.points else LINEAR if one.kind == OUTCOME else LOG
    return wanted.fitting(samples)


def in_own_unit(
    scale: Scale, told: Difference, estimates: Sequence[Estimate], a: Sample, b: Sample
) -> tuple[Difference, Ratio]:
    """A difference on the test scale, converted to the figure's unit."""
    delta, base = mean(a) - mean(b), mean(b)
    plain = Ratio(value=mean(a) / base if base else math.nan, low=None, high=None, p=told.p)
    low, high = told.low, told.high
    if scale is LOG:
        least, most = factor(low), factor(high)
        plain = Ratio(value=exp(told.delta), low=least, high=most, p=told.p)
        low, high = (None if end is None else (end - 1) * base for end in (least, most))
    elif scale is LOGIT and estimates:
        ends = [estimate.ends() for estimate in estimates]
        low, high = min(delta, *(end for end, _ in ends)), max(delta, *(end for _, end in ends))
    elif low is not None and high is not None:
        low, high = (end - base for end in scale.within(base + low, base + high))
    return Difference(
        delta=delta, low=low, high=high, p=told.p, different=told.different, assumed=told.assumed
    ), plain  # fmt: skip


def spread_in_own_unit(scale: Scale, sd: Known | None, at: float) -> tuple[float | None, int]:
    """A spread on the scale as it is at a value of the figure, and its degrees of freedom."""
    return (None, 0) if sd is None else (sd[0] / scale.slope(at), sd[1])
