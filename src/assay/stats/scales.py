"""On which scale a figure is compared: as it is, by its logarithm, or between the ends of what is possible.

Speeds, seconds and bytes scatter in proportion to their size, and accuracies the less the nearer they are to 0 or 1.
On the scale where the scatter is even an interval is symmetric; back in the figure's own unit it never passes an end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from assay.stats.welch import LEVEL, Figures, Sample, Spread, describe, t_point

#: the farthest that an interval of a share is followed, in standard errors
_MOST_STEPS = 1e6


@dataclass(frozen=True, kw_only=True)
class Scale:
    """`slope` is how fast `to` rises at a value of the figure; what is possible lies between `low` and `high`."""

    name: str
    to: Callable[[float], float]
    back: Callable[[float], float]
    slope: Callable[[float], float]
    low: float = -math.inf
    high: float = math.inf

    def holds(self, samples: Sequence[Sample]) -> bool:
        return all(self.low < min(sample) and max(sample) < self.high for sample in samples)

    def sample(self, values: Sample) -> Sample:
        return values if self.is_plain else Figures(map(self.to, values))

    @property
    def is_plain(self) -> bool:
        return self.name == LINEAR.name

    def within(self, low: float, high: float) -> tuple[float, float]:
        return max(self.low, low), min(self.high, high)

    def fitting(self, samples: Sequence[Sample]) -> Scale:
        """Where a value is the least or the most that is possible: the figure as it is, its intervals ending there."""
        if self.holds(samples):
            return self
        possible = all(self.low <= min(sample) and max(sample) <= self.high for sample in samples)
        return replace(LINEAR, low=self.low, high=self.high) if possible else LINEAR


def _share(logit: float) -> float:
    """The inverse of the logit, for any number."""
    small = math.exp(-abs(logit))
    return 1 / (1 + small) if logit >= 0 else small / (1 + small)


LINEAR = Scale(name="linear", to=lambda value: value, back=lambda value: value, slope=lambda value: 1.0)
LOG = Scale(
    name="logarithm",
    to=math.log,
    back=lambda value: math.exp(min(value, 700.0)),
    slope=lambda value: 1 / value,
    low=0.0,
)
LOGIT = Scale(
    name="logit",
    to=lambda value: math.log(value) - math.log1p(-value),
    back=_share,
    slope=lambda value: 1 / (value * (1 - value)),
    low=0.0,
    high=1.0,
)


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A difference of two middles on a scale, its standard error, and on how many degrees of freedom that is known.

    `share` is the first group's part of the variance. `bounded`: the scale is the logit, and bounds and ends are
    differences of the shares themselves.
    """

    delta: float
    error: float
    freedom: float
    second: float = 0.0  # the middle of the second group
    share: float = 0.5
    bounded: bool = False

    def ends(self, level: float = LEVEL) -> tuple[float, float]:
        """Of the interval."""
        steps = t_point(self.freedom, level)
        return (self._end(-steps), self._end(steps))

    def above(self, bound: float) -> float:
        """The probability of a difference as large as this, if the true one were within the bound."""
        from scipy.special import stdtr

        return float(stdtr(self.freedom, -self._steps(bound)))

    def below(self, bound: float) -> float:
        """The chance of a difference as small as this, if the true one were no less than the bound."""
        from scipy.special import stdtr

        return float(stdtr(self.freedom, self._steps(bound)))

    def _end(self, steps: float) -> float:
        """So many standard errors up. Of shares each side has its own error (Zou and Donner's method)."""
        if not self.bounded:
            return self.delta + steps * self.error
        first = self.second + self.delta
        a, b = _share(first), _share(self.second)
        off_a = _share(first + steps * self.error * math.sqrt(self.share)) - a
        off_b = _share(self.second - steps * self.error * math.sqrt(1 - self.share)) - b
        return a - b + math.copysign(math.hypot(off_a, off_b), steps)

    def _steps(self, bound: float) -> float:
        """How many standard errors the difference lies above the bound."""
        if not self.bounded:
            return (self.delta - bound) / self.error
        towards = math.copysign(1.0, bound - self._end(0.0))
        low, high = 0.0, _MOST_STEPS
        if (self._end(towards * high) - bound) * towards < 0:
            return -towards * math.inf
        while high - low > 1e-9 * (1 + low):
            middle = (low + high) / 2
            low, high = (middle, high) if (self._end(towards * middle) - bound) * towards < 0 else (low, middle)
        return -towards * high


def describe_on(scale: Scale, values: Sample, level: float = LEVEL) -> Spread:
    """Mean and standard deviation as they are, and the interval of the middle as the scale has it."""
    plain = describe(values, level)
    if plain.low is None or plain.high is None:
        return plain
    if scale.is_plain:
        low, high = scale.within(plain.low, plain.high)
        return replace(plain, low=low, high=high)
    found = describe(scale.sample(values), level)
    assert found.low is not None and found.high is not None
    low, high = min(scale.back(found.low), plain.mean), max(scale.back(found.high), plain.mean)
    return replace(plain, low=low, high=high)
