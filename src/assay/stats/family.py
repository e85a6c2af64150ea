"""Every pair of groups in one figure, judged together: the answers do not depend on the baseline.

The groups share one spread, known from all of them, so that three runs each can tell what three alone could not. Runs
that were made in rounds are compared within their round; of runs that were made one group after the other, what a
steady drift could explain is taken off. A group that scatters more than the rest is not judged by the others' spread.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import accumulate, combinations
from typing import TYPE_CHECKING

from assay.stats.ranges import p_of_range
from assay.stats.welch import LEVEL, Sample, mean, t_point, variance

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

#: with so many runs of a group the common spread alone counts, unless a group is suspected. Simulated: the own spread
#: of three costs a tenth of the power and saves no error, that of two keeps unequal spreads below 6 %
_COMMON_ALONE = 3
#: a group is suspected of a wider spread at this level, generously: simulated, see bench/verdicts.py
_WIDER = 0.3
#: more groups than these have too many ways of being equal: all pairs are then held to the widest range
_MOST_GROUPS = 6


@dataclass(frozen=True, kw_only=True)
class Pair:
    """The first minus the second. `p` is for this pair, `p_family` is corrected for all pairs of the metric."""

    delta: float
    low: float
    high: float
    p: float
    p_family: float
    error: float  # of the difference, known on `freedom` degrees
    freedom: float


@dataclass(frozen=True, kw_only=True)
class Family:
    """The pairs of all groups, judged when they are asked for; `sd` is the common spread on `freedom` degrees."""

    samples: Sequence[Sample]
    rounds: Sequence[Sequence[int]] | None
    fit: _Fit
    own: bool  # whether each pair's own spread counts beside the common one, where it is wider

    @property
    def sd(self) -> float:
        return self.fit.sd

    @property
    def freedom(self) -> int:
        return self.fit.freedom

    def pair(self, first: int, second: int) -> Pair:
        """The first group less the second."""
        delta, (error, freedom) = self.fit.means[first] - self.fit.means[second], self._error(first, second)
        reach = t_point(freedom, LEVEL) * error
        alone = self._alone(first, second)
        return Pair(
            delta=delta, low=delta - reach, high=delta + reach, p=alone, p_family=self._together(first, second, alone),
            error=error, freedom=freedom,
        )  # fmt: skip

    def _error(self, i: int, j: int) -> tuple[float, float]:
        """Of the difference of two means, and its degrees of freedom: by these two alone, if they scatter more."""
        shared = self.sd**2 * self.fit.factor(i, j)
        if not self.own and min(len(self.samples[i]), len(self.samples[j])) in (1, _COMMON_ALONE):
            return math.sqrt(shared), self.freedom
        own, freedom = _own_error(self.samples, self.rounds, i, j)
        if own <= shared:
            return math.sqrt(shared), self.freedom
        return math.sqrt(own), min(freedom, self.freedom) if self.own else self.freedom

    def _alone(self, i: int, j: int) -> float:
        from scipy.special import stdtr

        error, freedom = self._error(i, j)
        return float(2 * stdtr(freedom, -abs(self.fit.means[i] - self.fit.means[j]) / error))

    def _size(self, i: int, j: int) -> float:
        """In standard errors, as they would count with the freedom of all."""
        from scipy.special import stdtrit

        error, freedom = self._error(i, j)
        if freedom == self.freedom:
            return abs(self.fit.means[i] - self.fit.means[j]) / error
        return float(-stdtrit(self.freedom, self._alone(i, j) / 2))

    def _together(self, i: int, j: int, alone: float) -> float:
        """By closed testing where there are few groups; else against the widest range of all."""
        groups = len(self.samples)
        if groups == 2:
            return alone
        if groups > _MOST_GROUPS or alone >= 1 - LEVEL:
            return max(alone, p_of_range(self._size(i, j), [groups], self.freedom))
        return max(alone, self._closed[min(i, j), max(i, j)])

    @cached_property
    def _closed(self) -> dict[tuple[int, int], float]:
        return _closed(
            {pair: self._size(*pair) for pair in combinations(range(len(self.samples)), 2)},
            len(self.samples),
            self.freedom,
        )


@dataclass(frozen=True, kw_only=True)
class _Fit:
    """Means of the groups, what is left over, and `factor`: the variance of a difference of two, per unit of spread."""

    means: Sequence[float]
    factor: Callable[[int, int], float]
    squares: Sequence[float]  # of what is left over, by group
    freedom: int

    @property
    def sd(self) -> float:
        return math.sqrt(math.fsum(self.squares) / self.freedom)


def family(
    samples: Sequence[Sample],
    rounds: Sequence[Sequence[int]] | None = None,
    order: Sequence[Sequence[float]] | None = None,
) -> Family | None:
    """None if it is unknown how much runs vary. `rounds` and `order` give when each value of each sample was made."""
    fit = _plain(samples) if rounds is None and order is None else _adjusted(samples, rounds, order)
    largest = max(abs(value) for sample in samples for value in sample)
    # what is left of identical runs is rounding
    if fit is None or math.fsum(fit.squares) <= (1e-12 * largest) ** 2:
        return None
    own = order is None and _is_wide(samples, fit)
    return Family(samples=samples, rounds=rounds, fit=fit, own=own)


def _plain(samples: Sequence[Sample]) -> _Fit | None:
    freedom = sum(len(sample) - 1 for sample in samples)
    if freedom < 1:
        return None
    return _Fit(
        means=[mean(sample) for sample in samples],
        factor=lambda i, j: 1 / len(samples[i]) + 1 / len(samples[j]),
        squares=[variance(sample) * (len(sample) - 1) if len(sample) > 1 else 0.0 for sample in samples],
        freedom=freedom,
    )


def _adjusted(
    samples: Sequence[Sample], rounds: Sequence[Sequence[int]] | None, order: Sequence[Sequence[float]] | None
) -> _Fit | None:
    """Least squares, with the rounds or the time taken off."""
    import numpy as np

    values = np.array([value for sample in samples for value in sample], dtype=float)
    design = _design(samples, rounds, order)
    freedom = len(values) - int(np.linalg.matrix_rank(design))
    if freedom < 1:
        return None
    inverse = np.linalg.pinv(design.T @ design)
    found = inverse @ (design.T @ values)
    left = (values - design @ found) ** 2
    ends = list(accumulate(len(sample) for sample in samples))
    return _Fit(
        means=[float(found[place]) for place in range(len(samples))],
        factor=lambda i, j: float(inverse[i, i] + inverse[j, j] - 2 * inverse[i, j]),
        squares=[float(left[end - len(sample) : end].sum()) for sample, end in zip(samples, ends, strict=True)],
        freedom=freedom,
    )


def _design(
    samples: Sequence[Sample], rounds: Sequence[Sequence[int]] | None, order: Sequence[Sequence[float]] | None
) -> NDArray[float64]:
    """A column for each group, then for each round but the first, or for the time."""
    import numpy as np

    groups = [place for place, sample in enumerate(samples) for _ in sample]
    columns = [np.array([float(group == place) for group in groups]) for place in range(len(samples))]
    if rounds is not None:
        made = [number for one in rounds for number in one]
        columns += [np.array([float(one == number) for one in made]) for number in sorted(set(made))[1:]]
    if order is not None:
        times = np.array([time for one in order for time in one], dtype=float)
        columns.append((times - times.mean()) / (times.std() or 1.0))
    return np.column_stack(columns)


def _is_wide(samples: Sequence[Sample], fit: _Fit) -> bool:
    """Whether the group that scatters most does so by more than chance would have it (Cochran's test, generously)."""
    from scipy.special import fdtrc

    runs = sum(map(len, samples))
    pairs = zip(samples, fit.squares, strict=True)
    known = [(left, fit.freedom * len(one) / runs) for one, left in pairs if len(one) > 1]
    total, freedom = math.fsum(left for left, _ in known), math.fsum(size for _, size in known)
    for left, size in known if len(known) > 1 else []:
        rest = (total - left) / (freedom - size)
        if rest <= 0 or len(known) * float(fdtrc(size, freedom - size, left / size / rest)) < _WIDER:
            return True
    return False


def _own_error(
    samples: Sequence[Sample], rounds: Sequence[Sequence[int]] | None, i: int, j: int
) -> tuple[float, float]:
    """The variance of the difference of two means, and its degrees of freedom, by these two groups alone."""
    if rounds is not None:
        first, second = (dict(zip(rounds[place], samples[place], strict=True)) for place in (i, j))
        both = [first[number] - second[number] for number in first if number in second]
        return (variance(both) / len(both), len(both) - 1) if len(both) > 1 else (0.0, 1)
    parts = [(variance(one) / len(one), len(one) - 1) for one in (samples[i], samples[j]) if len(one) > 1]
    total = sum(part for part, _ in parts)
    return (total, total**2 / sum(part**2 / freedom for part, freedom in parts)) if total else (0.0, 1)


def _closed(sizes: Mapping[tuple[int, int], float], groups: int, freedom: int) -> dict[tuple[int, int], float]:
    """Closed testing: a pair differs if every hypothesis in which it is equal, alone or with others, is rejected.

    Groups that are equal come in sets, so most combinations of equal pairs cannot be: that is where the power is.
    """
    least: dict[tuple[tuple[int, int], tuple[int, ...]], float] = {}
    for sets in _partitions(groups):
        inside = [pair for one in sets for pair in combinations(sorted(one), 2)]
        if inside:
            kind, most = tuple(sorted(map(len, sets))), max(sizes[pair] for pair in inside)
            for pair in inside:
                least[pair, kind] = min(most, least.get((pair, kind), math.inf))
    together = dict.fromkeys(sizes, 0.0)
    for (pair, kind), t in least.items():
        together[pair] = max(together[pair], _p_of_range(t, kind, freedom))
    return together


_p_of_range = cache(p_of_range)


@cache
def _partitions(groups: int) -> list[list[list[int]]]:
    """Every way to part so many groups into sets."""
    return list(_parted(list(range(groups))))


def _parted(items: list[int]) -> Iterator[list[list[int]]]:
    if not items:
        yield []
        return
    first, *rest = items
    for sets in _parted(rest):
        yield [[first], *sets]
        for place, one in enumerate(sets):
            yield [*sets[:place], [first, *one], *sets[place + 1 :]]
