"""What a warm-up looks like: steps, a fading (nearer to the later level by a share with every step), or a drift."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from statistics import fmean

#: means that the values are brought down to, at most, before two steps are looked for among them
_MOST = 80
#: how slowly it may fade, as shares of the run; twice as slowly as the last is no warm-up but a drift
_SHARES = tuple(0.005 * 1.2**power for power in range(20))


@dataclass(frozen=True, kw_only=True)
class Course:
    """What explains the values best: steps, or that they `fade` (after how many they are near), or a straight line."""

    fades_at: float | None = None
    line: bool = False


def course(values: Sequence[float], near: float) -> Course:
    """Of a run that has a warm-up, or seems to."""
    size = math.ceil(len(values) / _MOST)
    means = [fmean(values[at : at + size]) for at in range(0, len(values) - size + 1, size)]
    left, at = min(_fades(means, near), default=(math.inf, 0.0))
    by_steps, by_line = _left_by_steps(means), _left_by_line(means)
    if by_line < min(left, by_steps):
        return Course(line=True)
    return Course(fades_at=at * size if left < by_steps else None)


def _left_by_line(values: Sequence[float]) -> float:
    places = [place - (len(values) - 1) / 2 for place in range(len(values))]
    level, spread = fmean(values), sum(place * place for place in places)
    slope = sum(place * value for place, value in zip(places, values, strict=True)) / spread
    return sum((value - level) ** 2 for value in values) - slope * slope * spread


def _fades(values: Sequence[float], near: float) -> Iterator[tuple[float, float]]:
    """(what is left over, where it comes near) for each pace of fading."""
    for share in _SHARES:
        pace = share * len(values)
        shape = [math.exp(-(place + 0.5) / pace) for place in range(len(values))]
        middle, level = fmean(shape), fmean(values)
        spread = sum((one - middle) ** 2 for one in shape)
        size = sum((one - middle) * (value - level) for one, value in zip(shape, values, strict=True)) / spread
        left = sum((value - level) ** 2 for value in values) - size * size * spread
        later = level - size * middle
        if abs(size) > near * later > 0:
            yield left, pace * math.log(abs(size) / (near * later))


def _left_by_steps(values: Sequence[float]) -> float:
    """What is left over by the best three levels, one after the other."""
    middle = fmean(values)
    off = [value - middle for value in values]
    sums, squares = ([0.0, *accumulate(one)] for one in (off, [one * one for one in off]))

    def left(begin: int, end: int) -> float:
        return squares[end] - squares[begin] - (sums[end] - sums[begin]) ** 2 / (end - begin)

    last = len(off)
    return min(
        left(0, first) + min(left(first, second) + left(second, last) for second in range(first + 1, last))
        for first in range(1, last - 1)
    )
