"""All pairs of groups in one figure, judged as one family: the same answers whichever group is the baseline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, combinations

from assay.comparing.figures import OUTCOME, Figure
from assay.comparing.groups import Group
from assay.comparing.judged import Judged, in_own_unit, p_within, scale_of, spread_in_own_unit
from assay.comparing.margins import Amount
from assay.comparing.once import Once, once
from assay.comparing.order import Order, Orders
from assay.comparing.outliers import Odd, odd
from assay.comparing.robust import Robust, Trimming
from assay.comparing.spreads import known_spread
from assay.stats import (
    LEVEL,
    LOGIT,
    Difference,
    Estimate,
    Known,
    Sample,
    Scale,
    difference,
    holm,
    mean,
    pooled_sd,
)
from assay.stats.family import Family, Pair, family
from assay.stats.outliers import LEAST_TRIMMED, Outlier, outliers

#: with fewer degrees of freedom than these, rounds cost more than they give
_FEWEST_FREEDOM = 4
#: with more groups, the correction does not test every pair
_MOST_HOLM = 30
#: what few runs of each cannot show, and the common spread needs
ALIKE = "all groups scatter alike"
#: what comparing runs within their rounds needs
IN_ROUNDS = "what slows a round down slows all its runs"
#: what must hold for a test on each scale
_SCATTER = {
    "linear": "runs scatter normally",
    "logarithm": "runs scatter normally, in proportion to their size",
    "logit": "runs scatter normally, on the logit of the share",
}


@dataclass(frozen=True, kw_only=True)
class Pairs:
    """`groups` can all be compared with each other, and each knows the figure."""

    figure: Figure
    groups: Sequence[Group]
    orders: Orders = field(default_factory=Orders, repr=False, compare=False)
    margin: Amount | None = None

    def judged(self, group: Group, baseline: Group) -> Judged:
        i, j = self._places[id(group)], self._places[id(baseline)]
        found = self._pair(i, j)
        return found if self.margin is None else replace(found, p_same=self._same(min(i, j), max(i, j)))

    def _pair(self, i: int, j: int) -> Judged:
        found = self._within(i, j) if self._family is not None else self._apart(i, j)
        return replace(found, robust=self._robust(i, j, found)) if self._is_far(i) or self._is_far(j) else found

    @cached_property
    def outliers(self) -> list[Odd]:
        """Runs far from the others of their group; none among machines and models that scatter each in its way."""
        return [odd(self.figure, self.groups[one.sample], one.place, one.off) for one in self._far]

    @cached_property
    def _far(self) -> list[Outlier]:
        alike = len({(group.systems, group.models) for group in self.groups}) == 1
        return outliers(self._samples) if alike else []

    def _is_far(self, place: int) -> bool:
        return any(one.sample == place for one in self._far) and len(self._samples[place]) >= LEAST_TRIMMED

    def _robust(self, i: int, j: int, found: Judged) -> Robust | None:
        """Only where it says otherwise; what runs in rounds show may be hidden from it."""
        if found.p_family is None or min(len(self._samples[i]), len(self._samples[j])) < 2:
            return None
        different = found.p_family < 1 - LEVEL
        other = self._trimming.pair(i, j)
        if other is None or other.different == different or (different and self._in_rounds):
            return None
        return other

    @cached_property
    def _trimming(self) -> Trimming:
        listed = self._order if self._is_listed and not self._in_rounds else None
        return Trimming(scale=self.scale, samples=self._samples, listed=listed)

    def _same(self, i: int, j: int) -> float | None:
        if len(self.groups) <= _MOST_HOLM:
            return self._all_same[i, j]
        alone = self._same_alone(i, j)
        return None if alone is None else min(1.0, alone * self.count)

    @cached_property
    def _all_same(self) -> dict[tuple[int, int], float | None]:
        """Whether each pair is shown to lie within the margin, among all of them (Holm)."""
        pairs = list(combinations(range(len(self.groups)), 2))
        return dict(zip(pairs, holm([self._same_alone(i, j) for i, j in pairs]), strict=True))

    def _same_alone(self, i: int, j: int) -> float | None:
        """None where a group was run once: that two are the same takes repeats of both."""
        samples = [self.groups[place].sample(self.figure.name) for place in (i, j)]
        estimates = self._pair(i, j).estimates
        if self.margin is None or not estimates or min(map(len, samples)) < 2:
            return None
        return p_within(self.figure, self.scale, estimates, self.margin, min(map(mean, samples), key=abs))

    @property
    def count(self) -> int:
        return len(self.groups) * (len(self.groups) - 1) // 2

    @cached_property
    def _places(self) -> dict[int, int]:
        return {id(group): place for place, group in enumerate(self.groups)}

    @cached_property
    def scale(self) -> Scale:
        return scale_of(self.figure, [group.sample(self.figure.name) for group in self.groups])

    @cached_property
    def _samples(self) -> list[Sample]:
        return [self.scale.sample(group.sample(self.figure.name)) for group in self.groups]

    @cached_property
    def _in_rounds(self) -> bool:
        order, groups = self._order, len(self.groups)
        if order is None or not order.rounds:
            return False
        return (groups - 1) * (len(set(chain(*order.rounds))) - 1) >= _FEWEST_FREEDOM

    @cached_property
    def _family(self) -> Family | None:
        """The pooled noise; None if each pair is judged alone: two groups, or several machines and models."""
        if len({(group.systems, group.models) for group in self.groups}) > 1 or self._would_borrow:
            return None
        if self._order and self._in_rounds:
            return family(self._samples, rounds=self._order.rounds)
        if self._order and self._is_listed:
            return family(self._samples, order=self._order.places)
        return family(self._samples) if len(self.groups) > 2 else None

    @cached_property
    def _would_borrow(self) -> bool:
        """Whether a single run would be given the spread of runs that did something else."""
        return min(map(len, self._samples)) == 1 and len({group.tasks for group in self.groups}) > 1

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
        drifting = self._is_listed and not self._in_rounds
        plain = self._plain.pair(i, j) if drifting and self._plain else pair
        sizes = len(self._samples[i]), len(self._samples[j])
        # for runs in listed order the means are reported unchanged; the interval allows for drift and for none
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
            told, [self._estimate(one, i, j) for one in dict.fromkeys([pair, plain])], i, j, p_family=p_family,
            sd=(found.sd, found.freedom), drift=plain.p_family < 1 - LEVEL <= p_family,
            spread_of="the groups that were repeated" if max(sizes) == 1 else "",
        )  # fmt: skip

    def _estimate(self, pair: Pair, i: int, j: int) -> Estimate:
        sizes = len(self._samples[i]), len(self._samples[j])
        return Estimate(
            delta=pair.delta, error=pair.error, freedom=pair.freedom, second=mean(self._samples[j]),
            share=sizes[1] / sum(sizes), bounded=self.scale is LOGIT,
        )  # fmt: skip

    def _apart(self, i: int, j: int) -> Judged:
        a, b = self._samples[i], self._samples[j]
        known, origin = self._known(i, j) if len(a) == len(b) == 1 else (None, "")
        told, sd = difference(a, b, known=known), pooled_sd([a, b]) or known
        estimates = [] if told.error is None else [
            Estimate(
                delta=told.delta, error=told.error, freedom=told.freedom, second=mean(b), share=told.share,
                bounded=self.scale is LOGIT,
            )
        ]  # fmt: skip
        found = self._shown(told, estimates, i, j, p_family=self._corrected(i, j, told.p), sd=sd, spread_of=origin)
        return found if sd or max(len(a), len(b)) > 1 else replace(found, once=self._once(i, j, told.delta))

    def _once(self, i: int, j: int, delta: float) -> Once:
        name, groups = self.figure.name, (self.groups[i], self.groups[j])
        rows = [next(row for row in group.rows if name in row.figures) for group in groups]
        return once(
            self.figure, self.scale, delta, rows, base=groups[1].sample(name).mean, groups=len(self.groups),
            elsewhere=known_spread(rows, name, sure=False),
        )  # fmt: skip

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
        """For one run each: the spread that such runs are known to have elsewhere, on the scale of the test."""
        group, baseline = self.groups[i], self.groups[j]
        found = known_spread([*group.rows, *baseline.rows], self.figure.name)
        if found is None:
            return None, ""
        # between the two, so that it is the same whichever is the baseline
        middle = mean([*group.sample(self.figure.name), *baseline.sample(self.figure.name)])
        size = (middle if found.relative else 1.0) * self.scale.slope(middle)
        return (found.sd * size, found.runs - 1), found.of

    def _shown(
        self, told: Difference, estimates: Sequence[Estimate], i: int, j: int, *, p_family: float | None,
        sd: Known | None, spread_of: str, drift: bool = False,
    ) -> Judged:  # fmt: skip
        """In the figure's own unit and as a ratio."""
        a, b = (self.groups[place].sample(self.figure.name) for place in (i, j))
        shown, ratio = in_own_unit(self.scale, told, estimates, a, b)
        spread, freedom = spread_in_own_unit(self.scale, sd, mean(b))
        return Judged(
            difference=shown, ratio=ratio, p_family=p_family, comparisons=self.count, sd=spread, freedom=freedom,
            spread_of=spread_of, drift=drift, estimates=tuple(estimates),
            rests_on=tuple(self._rests_on(assumed=told.assumed, spread_of=spread_of)) if told.p is not None else (),
        )  # fmt: skip

    def _rests_on(self, *, assumed: bool, spread_of: str) -> Iterator[str]:
        yield _SCATTER[self.scale.name]
        if self._family is not None:
            if len(self.groups) > 2:
                yield "groups may scatter differently" if self._family.own else ALIKE
            if self._in_rounds:
                yield IN_ROUNDS
            elif self._is_listed:
                yield "a drift of the machine, if any, is steady"
        if spread_of:
            yield f"runs scatter like {spread_of}"
        elif assumed:
            yield "a single run scatters like the repeats beside it"
