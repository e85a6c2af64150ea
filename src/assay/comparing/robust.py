"""The verdict of trimmed means, shown beside the plain one if a run is far off and the two disagree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from assay.comparing.order import Order
from assay.stats import LEVEL, LINEAR, LOG, Figures, Sample, Scale, difference, exp, mean
from assay.stats.family import Family, Pair, family
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


@dataclass(frozen=True, kw_only=True)
class Trimming:
    """All pairs of the groups by their trimmed means; `listed` where their order could be taken for a difference.

    Rounds are ignored, which errs towards no difference. What all pairs share is computed once.
    """

    scale: Scale
    samples: Sequence[Sample]
    listed: Order | None

    def pair(self, i: int, j: int) -> Robust | None:
        found = self._pairs(i, j)
        if not found:
            return None
        p = max(one.p_family for one in found)
        low, high = min(one.low for one in found), max(one.high for one in found)
        delta = mean(self._values[i]) - mean(self._values[j])
        if self.scale is LOG:
            return Robust(value=exp(delta), low=exp(low), high=exp(high), p=p)
        if self.scale is LINEAR:
            return Robust(value=delta, low=low, high=high, p=p)
        value = self.scale.back(mean(self._values[i])) - self.scale.back(mean(self._values[j]))
        return Robust(value=value, low=None, high=None, p=p)

    @cached_property
    def _cut(self) -> list[Trimmed]:
        return [trimmed(sample) for sample in self.samples]

    @cached_property
    def _values(self) -> list[Sample]:
        return [Figures(one.values) for one in self._cut]

    @cached_property
    def _families(self) -> list[Family | None]:
        """With a drift taken off and without, where there may be one."""
        if self.listed is None:
            return [family(self._values)]
        places = [[one[at] for at in kept.kept] for one, kept in zip(self.listed.places, self._cut, strict=True)]
        return [family(self._values, order=places), family(self._values)]

    def _pairs(self, i: int, j: int) -> list[Pair]:
        if self.listed is not None or len(self.samples) > 2:
            known = [one for one in self._families if one is not None]
            return [one.pair(i, j) for one in known] if len(known) == len(self._families) else []
        told = difference(self._values[i], self._values[j])
        if told.p is None or told.low is None or told.high is None:
            return []
        return [
            Pair(
                delta=told.delta, low=told.low, high=told.high, p=told.p, p_family=told.p, error=told.error or 0.0,
                freedom=told.freedom,
            )
        ]  # fmt: skip
