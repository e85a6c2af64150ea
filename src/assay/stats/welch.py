"""Figures over repeats: the run is the unit of replication, and what is unknown is None rather than guessed.

Distributions come from `scipy.special`, which loads in a tenth of the time of `scipy.stats` and is the same code.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import TypeAlias

Sample: TypeAlias = Sequence[float]
#: a standard deviation from elsewhere, and on how many degrees of freedom it is known
Known: TypeAlias = tuple[float, int]

LEVEL = 0.95
#: more repeats are not advised
MOST_REPEATS = 1000
#: an interval whose ends differ by more than this factor is not shown
_VAGUE = 100.0
#: larger losses are not compared: their squares, which the tests need, would overflow
_LARGEST = 1e70
_LARGEST_LOG = 700.0
#: the true spread is below what is reckoned with this often
_SURE = 0.8


def is_vague(low: float, high: float) -> bool:
    """Whether an interval says only that nothing is known, as of two runs that are far apart."""
    return low > 0 and high > _VAGUE * low


class Figures(tuple[float, ...]):
    """A sample that is asked the same again and again: each answer is reckoned once."""

    @cached_property
    def mean(self) -> float:
        return fmean(self)

    @cached_property
    def variance(self) -> float:
        return _variance(self)

    @cached_property
    def largest(self) -> float:
        return max(map(abs, self))


@dataclass(frozen=True, kw_only=True)
class Spread:
    """One figure over several runs; `sd` and the interval of the mean are None for a single run."""

    n: int
    mean: float
    sd: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, kw_only=True)
class Difference:
    """`delta` is the mean of the first minus that of the second; `different` is None if the data do not show it.

    `assumed` says that a single run was given the spread of the other side, or one known from elsewhere. `error` is
    the standard error of `delta`, known on `freedom` degrees; `share` is the part of the first in it.
    """

    delta: float
    low: float | None
    high: float | None
    p: float | None
    different: bool | None
    assumed: bool = False
    error: float | None = None
    freedom: float = 0.0
    share: float = 0.5


@dataclass(frozen=True, kw_only=True)
class Ratio:
    """The first over the second; no interval without repeats, or if a value is not above 0."""

    value: float
    low: float | None
    high: float | None
    p: float | None


@dataclass(frozen=True, kw_only=True)
class _Pair:
    """How far two means may be off: the variance of each and on how many degrees of freedom it is known.

    `shared`: both come from one estimate, so together they have its degrees of freedom.
    """

    of_a: float
    of_b: float
    freedom_a: float
    freedom_b: float
    shared: bool = False

    def error(self, factor: float = 1.0) -> tuple[float, float]:
        """Standard error and degrees of freedom of a − factor·b, by Welch and Satterthwaite."""
        part_a, part_b = self.of_a, factor**2 * self.of_b
        total = part_a + part_b
        if self.shared:
            return math.sqrt(total), self.freedom_a
        # by shares, which neither overflow nor vanish; nothing of `a` beside 0 times `b` leaves what `b` knows
        share_a = part_a / total if total else 0.0
        freedom = 1 / (share_a**2 / self.freedom_a + (1 - share_a) ** 2 / self.freedom_b)
        fewest = min(self.freedom_a, self.freedom_b)
        if fewest < 3:
            # two runs that happen to agree would be taken for exact: beside ten of the other, one in ten pairs with no
            # difference would be called different (simulated); as many degrees as an equal number has brings it to 4 %
            freedom = min(freedom, 2 * fewest)
        return math.sqrt(total), freedom


def describe(values: Sample, level: float = LEVEL) -> Spread:
    """Mean, standard deviation and the t interval of the mean."""
    n, middle = len(values), mean(values)
    if n < 2:
        return Spread(n=n, mean=middle, sd=None, low=None, high=None)
    sd = math.sqrt(variance(values))
    half = t_point(n - 1, level) * sd / math.sqrt(n)
    return Spread(n=n, mean=middle, sd=sd, low=middle - half, high=middle + half)


def difference(a: Sample, b: Sample, level: float = LEVEL, known: Known | None = None) -> Difference:
    """Welch's test of `a` against `b`. A single run is given the other's spread; two single runs need a `known` one.

    Repeats without any spread on both sides show nothing: they may have used one seed.
    """
    delta, pair = mean(a) - mean(b), _pair(a, b, known)
    if pair is None:
        return Difference(delta=delta, low=None, high=None, p=None, different=None)
    se, freedom = pair.error()
    p, half = _two_sided(delta, pair), t_point(freedom, level) * se
    return Difference(
        delta=delta, low=delta - half, high=delta + half, p=p, different=p < 1 - level, assumed=pair.shared,
        error=se, freedom=freedom, share=pair.of_a / (pair.of_a + pair.of_b),
    )  # fmt: skip


def ratio(a: Sample, b: Sample, level: float = LEVEL) -> Ratio:
    """The test on logarithms, because the noise of speeds and seconds grows with their size; no end is below zero.

    If a value may be zero or less, the ratio of the means is given without an interval.
    """
    if min(*a, *b) <= 0:
        middle = mean(b)
        value = mean(a) / middle if middle else math.nan
        return Ratio(value=value, low=None, high=None, p=difference(a, b, level).p)
    logs = difference([math.log(value) for value in a], [math.log(value) for value in b], level)
    value = a[0] / b[0] if len(a) == len(b) == 1 else exp(logs.delta)
    low, high = factor(logs.low), factor(logs.high)
    return Ratio(value=value, low=low, high=None if low is None else high, p=logs.p)


def exp(log: float) -> float:
    """Infinite rather than an error."""
    return math.exp(log) if log < _LARGEST_LOG else math.inf


def factor(log: float | None) -> float | None:
    """The factor of a logarithm; None if it is unknown or too large."""
    return None if log is None or abs(log) > _LARGEST_LOG else math.exp(log)


def holm(ps: Sequence[float | None]) -> list[float | None]:
    """Each p as it stands among all that were asked (Holm); None stays None and counts for nothing."""
    asked = sorted((p, index) for index, p in enumerate(ps) if p is not None)
    adjusted: list[float | None] = [None] * len(ps)
    reached = 0.0
    for place, (p, index) in enumerate(asked):
        reached = max(reached, min(1.0, p * (len(asked) - place)))
        adjusted[index] = reached
    return adjusted


def power(delta: float, sd: float, n: int, level: float = LEVEL) -> float:
    """The chance that n + n runs show a true difference of `delta`, each run scattering by `sd`."""
    from scipy.special import nctdtr

    if sd <= 0:
        return 1.0
    # Welch's degrees of freedom for equal spreads; 2(n − 1) would need a pooled estimate
    freedom, shift = 2 * n * (n - 1) / (n + 1), abs(delta) / (sd * math.sqrt(2 / n))
    limit = t_point(freedom, level)
    below, above = float(nctdtr(freedom, shift, -limit)), float(nctdtr(freedom, shift, limit))
    return 1.0 if math.isnan(above) else 1 - above + (0.0 if math.isnan(below) else below)


def repeats_needed(delta: float, sd: Known, comparisons: int = 1, power: float = 0.8) -> int | None:
    """The runs that each side needs to show a true difference of `delta`; None if more than `MOST_REPEATS`.

    A spread from few runs is often too small, and so would be the advice; a wider one that is still likely is used.
    """
    from scipy.special import chdtri

    known, freedom = sd
    if not delta:
        return None
    likely = known * math.sqrt(freedom / float(chdtri(freedom, _SURE)))
    level = 1 - (1 - LEVEL) / comparisons
    return _first(lambda n: _power(delta, likely, n, level) >= power, 2, MOST_REPEATS)


def pooled_sd(samples: Sequence[Sample]) -> Known | None:
    """One spread for all groups and its degrees of freedom, from those that have repeats."""
    repeated = [sample for sample in samples if len(sample) > 1]
    freedom = sum(len(sample) - 1 for sample in repeated)
    if not freedom:
        return None
    squares = sum((len(sample) - 1) * variance(sample) for sample in repeated)
    return math.sqrt(squares / freedom), freedom


def mean(values: Sample) -> float:
    return values.mean if isinstance(values, Figures) else fmean(values)


def variance(values: Sample) -> float:
    return values.variance if isinstance(values, Figures) else _variance(values)


def _largest(values: Sample) -> float:
    return values.largest if isinstance(values, Figures) else max(map(abs, values))


def t_point(freedom: float, level: float = LEVEL) -> float:
    """How many standard errors the two-sided interval of this level reaches."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2))


_power = power  # under a name that `repeats_needed`'s own argument leaves free


def _variance(values: Sample) -> float:
    """Exactly 0 where all are the same; `statistics.stdev` works in fractions and takes thirty times as long."""
    if min(values) == max(values):
        return 0.0
    middle = fmean(values)
    # a product becomes infinite where a power would stop the program
    return sum([(value - middle) * (value - middle) for value in values]) / (len(values) - 1)


def _pair(a: Sample, b: Sample, known: Known | None = None) -> _Pair | None:
    """None if the spread is unknown."""
    if max(_largest(a), _largest(b)) > _LARGEST:
        return None
    repeated = max(a, b, key=len)
    if len(repeated) < 2 and known is None:
        return None
    if min(len(a), len(b)) < 2:
        sd_known, freedom = known or (0.0, 0)
        spread = sd_known**2
        if len(repeated) > 1:
            spread, freedom = variance(repeated), len(repeated) - 1
        pair = _Pair(of_a=spread / len(a), of_b=spread / len(b), freedom_a=freedom, freedom_b=freedom, shared=True)
    else:
        of_a, of_b = variance(a) / len(a), variance(b) / len(b)
        pair = _Pair(of_a=of_a, of_b=of_b, freedom_a=len(a) - 1, freedom_b=len(b) - 1)
    return pair if pair.of_a + pair.of_b > 0 else None


def _two_sided(delta: float, pair: _Pair) -> float:
    from scipy.special import stdtr

    se, freedom = pair.error()
    return float(2 * stdtr(freedom, -abs(delta) / se))


def _first(holds: Callable[[int], bool], low: int, high: int) -> int | None:
    """The smallest number from `low` to `high` for which it holds, as it then does for all greater ones."""
    if not holds(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low
