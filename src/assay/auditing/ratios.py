"""Whether two figures are as far apart as a sentence says: for one pair, and for any pair of many."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import permutations

from assay.language.said import Change

#: among more figures than this some two fit whatever is said, if they are that far apart at all
_MANY = 100
Span = tuple[float, float]


@lru_cache(maxsize=1024)
def fitting(change: Change) -> tuple[Span, ...]:
    """From old to new, the ratios that are what the sentence says; a reading that is merely generous is allowed."""
    low, high = change.value - change.slack, change.value + change.slack
    if change.kind == "factor":
        if change.bound > 0 and change.value > 0:
            times = max(change.value, 1 / change.value)  # `by more than half`: twice, or more than that
            low, high = 0.98 * times, 1.5 * times
        longer = ((1 + low, 1 + high),) if change.value >= 1 or change.direction > 0 else ()  # `half as long again`
        return ((low, high), _turned(low, high), *longer)
    least = 0.0 if change.direction == 0 else 1e-12  # what did not move went neither up nor down
    return tuple(_percent(change, max(least, low) / 100, high / 100))


def _percent(change: Change, low: float, high: float) -> Iterator[Span]:
    """Of the old figure or of the new one; `23 % faster` may mean 23 % less time or 23 % more speed."""
    either = change.direction == 0 or change.name in ("time", "latency", "speed")
    if either or change.direction > 0:
        yield 1 + low, 1 + high
    if either or change.direction < 0:
        yield 1 - high, 1 - low
    if change.direction > 0 and low < 1:
        yield 1 / (1 - low), 1 / (1 - high) if high < 1 else float("inf")
    if change.direction < 0:
        yield 1 / (1 + high), 1 / (1 + low)


def _turned(low: float, high: float) -> Span:
    """For the way back."""
    return (1 / high if high > 0 else 0.0, 1 / low if low > 0 else float("inf"))


def fits(change: Change, old: float, new: float) -> bool:
    """Whether going from old to new is what the sentence says."""
    return old > 0 and new > 0 and any(low <= new / old <= high for low, high in fitting(change))


class Ratios:
    """Of every figure to every other, in order; of many, only how far the outermost are apart."""

    def __init__(self, figures: Iterable[float]) -> None:
        values = [value for value in figures if 0 < value < float("inf")]
        self._widest = max(values) / min(values) if len(values) > 1 else 0.0
        self._many = len(values) > _MANY
        self._sorted = [] if self._many else sorted(new / old for old, new in permutations(values, 2))

    def any_fits(self, change: Change) -> bool:
        return any(self._has(low, high) for low, high in fitting(change))

    def _has(self, low: float, high: float) -> bool:
        if self._many:
            return low <= self._widest and high >= 1 / self._widest
        at = bisect_left(self._sorted, low)
        return at < len(self._sorted) and self._sorted[at] <= high
