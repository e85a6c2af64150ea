"""All pairs of groups in one figure, judged as one family: the same answers whichever group is the baseline."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, combinations

from assay.comparing.figures import OUTCOME, Figure
from assay.comparing.groups import Group
from assay.comparing.order import Order, Orders
from assay.comparing.spreads import known_spread
from assay.stats import LEVEL, Difference, Figures, Known, Ratio, Sample, difference, factor, holm, mean, pooled_sd
from assay.stats.family import Family, family

#: with fewer degrees of freedom than these, rounds cost more than they give
_FEWEST_FREEDOM = 4
#: of more groups not every pair is looked at to correct for all of them
_MOST_HOLM = 30


@dataclass(frozen=True, kw_only=True)
class Judged:
    """Two groups in one figure. `sd` is in the unit of the figure, at the size of the second group.

    `drift`: the groups were run one after the other, and what they differ by could be a drift of the machine.
    """

    difference: Difference
    ratio: Ratio
    p_family: float | None
    comparisons: int
    sd: float | None = None
    freedom: int = 0  # on which the spread is known
    spread_of: str = ""
    drift: bool = False


@dataclass(frozen=True, kw_only=True)
class Pairs:
    """`groups` can all be compared with each other, and each knows the figure."""

    figure: Figure
    groups: Sequence[Group]
    orders: Orders = field(default_factory=Orders, repr=False, compare=False)

    def judged(self, group: Group, baseline: Group) -> Judged:
        i, j = self._places[id(group)], self._places[id(baseline)]
        return self._within(i, j) if self._family is not None else self._apart(i, j)

    @property
    def count(self) -> int:
        return len(self.groups) * (len(self.groups) - 1) // 2

    @cached_property
    def _places(self) -> dict[int, int]:
        return {id(group): place for place, group in enumerate(self.groups)}

    @cached_property
    def _logs(self) -> bool:
        """Speeds, seconds and bytes scatter in proportion to their size; accuracies and losses do not."""
        samples = (group.sample(self.figure.name) for group in self.groups)
        return self.figure.kind != OUTCOME and min(min(sample) for sample in samples) > 0

    @cached_property
    def _samples(self) -> list[Sample]:
        samples: list[Sample] = [group.sample(self.figure.name) for group in self.groups]
        return [Figures(map(math.log, sample)) for sample in samples] if self._logs else samples

    @cached_property
    def _family(self) -> Family | None:
        """None where each pair stands for itself: two groups, or machines and models that scatter each in its way."""
        if len({(group.systems, group.models) for group in self.groups}) > 1:
            return None
        order, groups = self._order, len(self.groups)
        if order and order.rounds and (groups - 1) * (len(set(chain(*order.rounds))) - 1) >= _FEWEST_FREEDOM:
            return family(self._samples, rounds=order.rounds)
        if order and self._is_listed:
            return family(self._samples, order=order.places)
        return family(self._samples) if groups > 2 else None

    @cached_property
    def _order(self) -> Order | None:
        return self.orders.of([[row for row in group.rows if self.figure.name in row.figures] for group in self.groups])

    @cached_property
    def _is_listed(self) -> bool:
        """Whether a drift could be taken for a difference: no drift of a machine changes what a program learns."""
        repeated = sum(map(len, self._samples)) > len(self._samples)
        return self.figure.kind != OUTCOME and repeated and self._order is not None and self._order.listed

    @cached_property
    def _plain(self) -> Family | None:
        return family(self._samples)

    def _within(self, i: int, j: int) -> Judged:
        found = self._family
        assert found is not None
        pair = found.pair(i, j)
        plain = self._plain.pair(i, j) if self._is_listed and self._plain else pair
        sizes = len(self._samples[i]), len(self._samples[j])
        # of listed runs the means are told as they are; what they may be off by holds a drift and none
        told = Difference(
            delta=plain.delta,
            low=min(pair.low, plain.low),
            high=max(pair.high, plain.high),
            p=max(pair.p, plain.p),
            different=max(pair.p, plain.p) < 1 - LEVEL,
            assumed=min(sizes) == 1,
        )
        p_family = max(pair.p_family, plain.p_family)
        return self._shown(
            told, i, j, p_family=p_family, sd=(found.sd, found.freedom),
            drift=plain.p_family < 1 - LEVEL <= p_family,
            spread_of="the groups that were repeated" if max(sizes) == 1 else "",
        )  # fmt: skip

    def _apart(self, i: int, j: int) -> Judged:
        a, b = self._samples[i], self._samples[j]
        known, origin = self._known(i, j) if len(a) == len(b) == 1 else (None, "")
        told, sd = difference(a, b, known=known), pooled_sd([a, b]) or known
        return self._shown(told, i, j, p_family=self._corrected(i, j, told.p), sd=sd, spread_of=origin)

    def _corrected(self, i: int, j: int, p: float | None) -> float | None:
        if p is None or len(self.groups) > _MOST_HOLM:
            return None if p is None else min(1.0, p * self.count)
        return self._holm[min(i, j), max(i, j)]

    @cached_property
    def _holm(self) -> dict[tuple[int, int], float | None]:
        pairs = list(combinations(range(len(self.groups)), 2))
        ps = [difference(self._samples[i], self._samples[j], known=self._known_single(i, j)).p for i, j in pairs]
        return dict(zip(pairs, holm(ps), strict=True))

    def _known_single(self, i: int, j: int) -> Known | None:
        single = len(self._samples[i]) == len(self._samples[j]) == 1
        return self._known(i, j)[0] if single else None

    def _known(self, i: int, j: int) -> tuple[Known | None, str]:
        """For one run each: the spread that such runs are known to have elsewhere."""
        group, baseline = self.groups[i], self.groups[j]
        found = known_spread([*group.rows, *baseline.rows], self.figure.name)
        if found is None:
            return None, ""
        size = 1.0
        if found.relative != self._logs:
            middle = mean(baseline.sample(self.figure.name))
            size = middle if found.relative else 1 / middle
        return (found.sd * size, found.runs - 1), found.of

    def _shown(
        self, told: Difference, i: int, j: int, *, p_family: float | None, sd: Known | None, spread_of: str,
        drift: bool = False,
    ) -> Judged:  # fmt: skip
        """In the figure's own unit and as a ratio."""
        a, b = (self.groups[place].sample(self.figure.name) for place in (i, j))
        base = mean(b)
        if self.figure.points and told.low is not None and told.high is not None:
            told = replace(told, low=max(told.low, -base), high=min(told.high, 1 - base))
        if not self._logs:
            shown = Ratio(value=mean(a) / base if base else math.nan, low=None, high=None, p=told.p)
        else:
            low, high = factor(told.low), factor(told.high)
            shown = Ratio(value=math.exp(told.delta), low=low, high=high, p=told.p)
            sd = None if sd is None else (sd[0] * base, sd[1])
            told = Difference(
                delta=mean(a) - base,
                low=None if low is None else (low - 1) * base,
                high=None if high is None else (high - 1) * base,
                p=told.p,
                different=told.different,
                assumed=told.assumed,
            )
        return Judged(
            difference=told, ratio=shown, p_family=p_family, comparisons=self.count, sd=sd[0] if sd else None,
            freedom=sd[1] if sd else 0, spread_of=spread_of, drift=drift,
        )  # fmt: skip
