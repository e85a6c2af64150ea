"""Curves of repeats as one: each run averaged over short stretches, then the mean of the runs with its interval."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from assay.comparing.curves import Point
from assay.comparing.figures import figure
from assay.comparing.judged import scale_of
from assay.comparing.parts import drawn
from assay.stats import Figures, describe_on

#: a curve of more points is averaged: that many are drawn
STRETCHES = 80
#: repeats from which on an interval says something about the next run
FEWEST = 3
#: by figure: where on each axis, and the value there
Course: TypeAlias = dict[str, list[tuple[dict[str, float], float]]]
#: x, mean, low, high
Band: TypeAlias = list[tuple[float, float, float, float]]
_Known: TypeAlias = list[tuple[float, float]]


def course_of(points: Sequence[Point], wanted: Sequence[str]) -> Course:
    """Means over stretches of equally many points that know the figure."""
    found: Course = {}
    names = frozenset(wanted)
    for point in points:
        for name, value in drawn(point.values).items():
            if name in names:
                found.setdefault(name, []).append((point.at, value))
    return {name: _averaged(known) for name, known in found.items()}


def _averaged(known: list[tuple[dict[str, float], float]]) -> list[tuple[dict[str, float], float]]:
    width = -(-len(known) // STRETCHES)
    if width == 1:
        return known
    return [_mean(known[at : at + width]) for at in range(0, len(known), width)]


def _mean(part: Sequence[tuple[dict[str, float], float]]) -> tuple[dict[str, float], float]:
    known = {axis: [at[axis] for at, _ in part if axis in at] for axis in part[0][0]}
    axes = {axis: sum(values) / len(part) for axis, values in known.items() if len(values) == len(part)}
    return axes, sum([value for _, value in part]) / len(part)


def band(name: str, axis: str, courses: Sequence[Course]) -> Band:
    """(x, mean, low, high) wherever all repeats have come; nothing where too few of them tell the figure."""
    runs = [known for one in courses if len(known := _along(one.get(name, []), axis)) > 1]
    if len(runs) < FEWEST or len(runs) < len(courses):
        return []
    begin, end = max(run[0][0] for run in runs), min(run[-1][0] for run in runs)
    found = []
    for x in dict.fromkeys([*(x for x, _ in runs[0] if begin <= x <= end), *([end] if end > begin else [])]):
        sample = Figures(_at(run, x) for run in runs)
        spread = describe_on(scale_of(figure(name), [sample]), sample)
        found.append((x, spread.mean, *_within(name, spread.low, spread.high, spread.mean)))
    return found


def peaks(known: Sequence[tuple[float, float]], most: int) -> list[tuple[float, float]]:
    """The lowest and the highest of each stretch, in their order, where there are more points than wanted."""
    if len(known) <= max(most, 4):
        return list(known)
    width = -(-2 * len(known) // max(most, 4))
    found = []
    for at in range(0, len(known), width):
        part = range(at, min(at + width, len(known)))
        ends = {min(part, key=lambda place: known[place][1]), max(part, key=lambda place: known[place][1])}
        found += [known[place] for place in sorted(ends)]
    return found


def _within(name: str, low: float | None, high: float | None, mean: float) -> tuple[float, float]:
    """A loss that was never negative has no band below zero."""
    from assay.views.charts.limits import possible

    least, most = possible(name, mean, mean)
    return max(least, mean if low is None else low), min(most, mean if high is None else high)


def _along(known: Sequence[tuple[Mapping[str, float], float]], axis: str) -> _Known:
    return sorted((at[axis], value) for at, value in known if axis in at)


def _at(known: _Known, x: float) -> float:
    """Between two points on a straight line."""
    right = bisect_left(known, (x, float("-inf")))
    if right == 0 or right == len(known):
        return known[min(right, len(known) - 1)][1]
    (x0, y0), (x1, y1) = known[right - 1], known[right]
    return y0 + (y1 - y0) * (x - x0) / (x1 - x0) if x1 > x0 else y1
