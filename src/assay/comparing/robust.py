"""The verdict of trimmed means, beside the plain one: said where a run lies far off and the two do not agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.comparing.order import Order
from assay.stats import LEVEL, LINEAR, LOG, Sample, Scale, difference, exp, mean
from assay.stats.family import Pair, family
from assay.stats.outliers import Trimmed, trimmed


@dataclass(frozen=True, kw_only=True)
class Robust:
    """The ratio (or the difference, in the figure's unit) of the trimmed means; `p` among all pairs of the figure."""

    value: float
    low: float | None
    high: float | None
    p: float

    @property
    def different(self) -> bool:
        return self.p < 1 - LEVEL


def robust(scale: Scale, samples: Sequence[Sample], i: int, j: int, listed: Order | None) -> Robust | None:
    """Of the groups i and j among all; `listed` where their order could be taken for a difference.

    Rounds are not looked at, which errs on the side of no difference.
    """
    cut = [trimmed(sample) for sample in samples]
    found = _pairs(cut, i, j, listed)
    if not found:
        return None
    p = max(one.p_family for one in found)
    low, high = min(one.low for one in found), max(one.high for one in found)
    delta = mean(cut[i].values) - mean(cut[j].values)
    if scale is LOG:
        return Robust(value=exp(delta), low=exp(low), high=exp(high), p=p)
    if scale is LINEAR:
        return Robust(value=delta, low=low, high=high, p=p)
    value = scale.back(mean(cut[i].values)) - scale.back(mean(cut[j].values))
    return Robust(value=value, low=None, high=None, p=p)


def _pairs(cut: Sequence[Trimmed], i: int, j: int, listed: Order | None) -> list[Pair]:
    """With a drift taken off and without, where there may be one."""
    values = [one.values for one in cut]
    if listed is not None:
        places = [[one[at] for at in kept.kept] for one, kept in zip(listed.places, cut, strict=True)]
        both = [family(values, order=places), family(values)]
        return [one.pair(i, j) for one in both if one is not None] if None not in both else []
    if len(values) > 2:
        together = family(values)
        return [together.pair(i, j)] if together is not None else []
    told = difference(values[i], values[j])
    if told.p is None or told.low is None or told.high is None:
        return []
    return [
        Pair(
            delta=told.delta, low=told.low, high=told.high, p=told.p, p_family=told.p, error=told.error or 0.0,
            freedom=told.freedom,
        )
    ]  # fmt: skip
