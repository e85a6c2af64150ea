"""From which step on the rate of a run is steady: what comes before is warm-up, and some runs never get there.

The steady part is the one whose mean is known best (the marginal standard error rule), if what comes before differs
from it by more than the noise of steps that follow each other, and if it does not go on rising or falling itself.
Plain Python, since every summary asks for it and the light install has no numpy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, median

from assay.stats.course import course

#: a rate this near to its later level, as a share of it, counts as there
NEAR = 0.02
#: with fewer intervals than these nothing is said
FEWEST = 12
#: at least this share of the intervals must be steady
_LEAST_STEADY = 1 / 3
#: standard errors beyond which a level or a slope is no chance
_SURE = 4.0
#: the same, where a warm-up was seen already and only its end is looked for
_LIKELY = 2.0
#: median absolute deviations, as standard deviations, beyond which a single interval is a pause and no level
_FAR = 4.0
_MAD_TO_SD = 1.4826
#: intervals on each side of one, whose median tells the level there
_BESIDE = 3
#: how far a level may move within a steady part, and in standard deviations of an interval
_JUMP, _JUMPS = 0.2, 6.0
#: blocks that are made of the intervals, at least, to see what is below their noise
_BLOCKS = 30
#: the rate rose, fell, or went to and fro until the end
RISES, FALLS, WANDERS = "rises", "falls", "wanders"


@dataclass(frozen=True, kw_only=True)
class Steady:
    """`begin` is the first interval of the steady part; None where the rate `rises`, `falls` or `wanders` to the end.

    `change` is by what share of it the rate grew after the warm-up, or through a run that is never steady.
    """

    begin: int | None
    moves: str = ""
    change: float = 0.0


def steady(seconds: Sequence[float]) -> Steady | None:
    """Of the seconds per step in each of the intervals that were logged; None where there are too few to tell."""
    if len(seconds) < FEWEST or min(seconds) <= 0:
        return None
    times = _clipped([math.log(value) for value in seconds])
    begin = _cut(times)
    begin += _tail_of_warmup(times[begin:])
    rest = times[begin:]
    if len(rest) < _LEAST_STEADY * len(times) or _slopes(rest) or _jumps(rest):
        return _unsteady(times)
    level, noise = fmean(rest), _noise(rest)
    if begin and not _differs(times[:begin], rest, noise):
        begin, level = 0, fmean(times)
    elif begin:
        found = course([math.exp(time - level) for time in times], NEAR)
        if found.line:
            return _unsteady(times)
        if found.fades_at is not None and noise > NEAR / 2:  # with less, the cut is where it comes near
            begin = min(round(found.fades_at), math.floor((1 - _LEAST_STEADY) * len(times)))
    begin = _first_slow([math.log(value) for value in seconds], begin, level, rest)
    started = fmean(math.log(value) for value in seconds[:begin]) if begin else level
    return Steady(begin=begin, change=math.exp(started - level) - 1)


def _clipped(times: Sequence[float]) -> list[float]:
    """Single pauses are brought back to where their neighbours are, so that they do not form a separate level."""
    levels = _levels(times)
    off = [time - level for time, level in zip(times, levels, strict=True)]
    reach = max(_FAR * _MAD_TO_SD * median(map(abs, off)), 1e-9)
    return [level + min(reach, max(-reach, one)) for level, one in zip(levels, off, strict=True)]


def _levels(times: Sequence[float]) -> list[float]:
    return [median(times[max(0, at - _BESIDE) : at + _BESIDE + 1]) for at in range(len(times))]


def _cut(times: Sequence[float]) -> int:
    """How many to leave out for the least standard error of the mean of the rest."""
    count, total, squares, best = 0, 0.0, 0.0, (math.inf, 0)
    middle = median(times)
    for place in range(len(times) - 1, -1, -1):
        off = times[place] - middle
        count, total, squares = count + 1, total + off, squares + off * off
        left = max(0.0, squares - total * total / count)
        if count >= FEWEST // 2:
            best = min(best, ((left + count * NEAR * NEAR / 2) / (count * count), place))
    return best[1]


def _tail_of_warmup(rest: Sequence[float]) -> int:
    """What is left of a warm-up that fades: below the noise of one interval, but not of the mean of several."""
    size = min(len(rest) // _BLOCKS, math.ceil((_noise(rest) / NEAR) ** 2))
    if size < 2:
        return 0
    blocks = [fmean(rest[at : at + size]) for at in range(0, len(rest) - size + 1, size)]
    cut = size * _cut(blocks)
    return cut if cut and _differs(rest[:cut], rest[cut:], _noise(rest[cut:]), _LIKELY) else 0


def _noise(times: Sequence[float]) -> float:
    """The standard deviation of one interval as it counts in a mean: steps that resemble the last tell less."""
    middle = fmean(times)
    off = [time - middle for time in times]
    variance = sum(one * one for one in off) / max(1, len(off) - 1)
    if not variance:
        return 0.0
    following = sum(a * b for a, b in pairwise(off)) / (len(off) * variance)
    # the estimate of a short series is too low
    following = min(0.9, max(0.0, following + (1 + 3 * following) / len(off)))
    return math.sqrt(variance * (1 + following) / (1 - following))


def _differs(before: Sequence[float], rest: Sequence[float], noise: float, sure: float = _SURE) -> bool:
    gap = abs(fmean(before) - fmean(rest))
    return gap > NEAR and gap > sure * noise * math.sqrt(1 / len(before) + 1 / len(rest))


def _slopes(rest: Sequence[float]) -> bool:
    """Whether the part goes on rising or falling, by more than what counts as near and more than chance."""
    slope, error = _slope(rest)
    return abs(slope) * len(rest) > 2 * NEAR and abs(slope) > _SURE * error


def _jumps(rest: Sequence[float]) -> bool:
    """Whether its level moves far, and much further than one interval differs from the next: the rate is not steady."""
    levels = _levels(rest)
    beside = _MAD_TO_SD * median(abs(b - a) for a, b in pairwise(rest)) / math.sqrt(2)
    return max(levels) - min(levels) > max(_JUMP, _JUMPS * beside)


def _slope(times: Sequence[float]) -> tuple[float, float]:
    """Per interval, and its standard error."""
    middle, level = (len(times) - 1) / 2, fmean(times)
    spread = len(times) * (len(times) ** 2 - 1) / 12
    slope = sum((place - middle) * (time - level) for place, time in enumerate(times)) / spread
    left = [time - level - slope * (place - middle) for place, time in enumerate(times)]
    return slope, _noise(left) / math.sqrt(spread)


def _first_slow(times: Sequence[float], begin: int, level: float, rest: Sequence[float]) -> int:
    """Single intervals at the very start that are far from the level: a first step that compiles is one of hundreds."""
    sd = _MAD_TO_SD * median(abs(time - level) for time in rest)
    while begin < len(times) // 2 and abs(times[begin] - level) > max(NEAR, _FAR * sd):
        begin += 1
    return begin


def _unsteady(times: Sequence[float]) -> Steady:
    slope, error = _slope(times)
    third = len(times) // 3
    change = math.exp(fmean(times[:third]) - fmean(times[-third:])) - 1
    if abs(slope) <= _SURE * error / 2:
        return Steady(begin=None, moves=WANDERS, change=change)
    return Steady(begin=None, moves=RISES if slope < 0 else FALLS, change=change)
