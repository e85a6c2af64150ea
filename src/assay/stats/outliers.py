"""Runs that are far from the others of their group, and means that ignore them.

A run is judged by the spread of all groups without it. Several are looked for one after the other, the furthest first,
and counted back from the last that is beyond chance, so that two do not hide each other (Rosner's generalised test).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from assay.stats.welch import Sample, mean

#: one experiment in so many without outliers is said to have one
_LEVEL = 0.01
#: of all runs: more are no outliers but what the runs are like
_MOST_SHARE, _MOST = 0.2, 10
#: where not even one so far off is unlikely, there are not two that hide each other
_HINT = 0.5
#: in a smaller group nobody can say which one is off
_FEWEST = 3
#: trimmed from each end of a group, as a share of its runs; with fewer runs than these nothing is (simulated: too bold)
_TRIMMED, LEAST_TRIMMED = 0.2, 5


@dataclass(frozen=True, kw_only=True)
class Outlier:
    """The value at `place` of a sample, so many standard deviations `off` the mean of the others there."""

    sample: int
    place: int
    off: float


def outliers(samples: Sequence[Sample]) -> list[Outlier]:
    """The furthest first; none where too few runs show how runs vary."""
    left = [dict(enumerate(sample)) for sample in samples]
    # two of four are not outliers of each other: no one can say which pair is the usual one
    room = [max(1, (len(sample) - 1) // 3) for sample in samples]
    found: list[tuple[Outlier, float]] = []
    for _ in range(min(_MOST, max(1, int(_MOST_SHARE * sum(map(len, samples)))))):
        furthest = _furthest(left, room)
        if furthest is None or (not found and furthest[1] > _HINT):
            break
        found.append(furthest)
        del left[furthest[0].sample][furthest[0].place]
        room[furthest[0].sample] -= 1
    last = max((place for place, (_, p) in enumerate(found, 1) if p < _LEVEL), default=0)
    return [one for one, _ in found[:last]]


def _furthest(left: Sequence[dict[int, float]], room: Sequence[int]) -> tuple[Outlier, float] | None:
    """The value furthest off the others of its group, and the chance of one so far among all; `room` is for more."""
    from scipy.special import stdtr

    groups = [list(placed.values()) for placed in left]
    squares = sum(_squares(group) for group in groups)
    freedom = sum(len(group) - 1 for group in groups if group) - 1
    if freedom < 2:
        return None
    best, candidates = None, 0
    for at, (placed, group) in enumerate(zip(left, groups, strict=True)):
        if len(group) < _FEWEST or not room[at]:
            continue
        middle, share = mean(group), 1 - 1 / len(group)
        candidates += len(group)
        place, value = _extreme(placed, middle)
        rest = max(0.0, squares - (value - middle) ** 2 / share) / freedom
        off = (value - middle) / share / math.sqrt(rest) if rest > 0 else 0.0  # from the mean of the others
        t = off * math.sqrt(share)
        if best is None or abs(t) > abs(best[1]):
            best = Outlier(sample=at, place=place, off=off), t
    if best is None or not best[1]:
        return None
    return best[0], min(1.0, candidates * 2 * float(stdtr(freedom, -abs(best[1]))))


def _extreme(sample: dict[int, float], middle: float) -> tuple[int, float]:
    """The place and value furthest from the middle, the first of several: the lowest of all or the highest."""
    ends = (min(sample, key=sample.__getitem__), max(sample, key=sample.__getitem__))
    place = min(ends, key=lambda at: (-abs(sample[at] - middle), at))
    return place, sample[place]


def _squares(group: Sequence[float]) -> float:
    middle = mean(group) if group else 0.0
    return sum([(value - middle) ** 2 for value in group])


@dataclass(frozen=True, kw_only=True)
class Trimmed:
    """A sample without its ends. Tests that take `values` for a sample are those of trimmed means (Yuen's).

    `values` have the trimmed mean, and spread as the sample does when its ends are pulled in to the next (winsorised).
    `kept` are the places that they have in the sample.
    """

    values: list[float]
    kept: list[int]


def trimmed(sample: Sample) -> Trimmed:
    cut = max(int(_TRIMMED * len(sample)), int(len(sample) >= LEAST_TRIMMED))
    ranked = sorted(range(len(sample)), key=lambda place: sample[place])
    kept = sorted(ranked[cut : len(ranked) - cut])
    inside = [sample[place] for place in kept]
    pulled = [*inside, *[min(inside)] * cut, *[max(inside)] * cut]
    middle, wanted, has = mean(inside), _squares(pulled), _squares(inside)
    stretch = math.sqrt(wanted / has) if has > 0 else 1.0
    return Trimmed(values=[middle + stretch * (value - middle) for value in inside], kept=kept)
