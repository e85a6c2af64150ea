"""The rate of a run over its steps: where it got steady, and the rate from there on."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from assay.model.pace import Pace
from assay.stats.steady import FEWEST, steady
from assay.stats.within import within
from assay.summary.counts import Counts, Moment
from assay.summary.phases import Mark

#: intervals that a change is looked for in
_LOOKED_AT = 400
#: what the clock of a log with whole seconds, or of any other, tells apart
_SECOND_S, _MOMENT_S = 1.0, 0.001
#: ticks of the clock in an interval, at least: with fewer, its length would be noise of the clock
_TICKS = 20
#: phases that go on all through the training
_TRAINING = ("train", "epoch")
#: where intervals differ by more than this factor from the one before, lines arrived in bursts
_BURSTS = 2.0


@dataclass(frozen=True, kw_only=True)
class _Interval:
    begin_s: float
    end_s: float
    count: float

    @property
    def seconds(self) -> float:
        return self.end_s - self.begin_s


def figures(
    counted: Mapping[tuple[int, str], Counts],
    marks: Sequence[Mark],
    samples: float | None,
    steps: float | None,
    *,
    several: bool = False,
) -> dict[str, object]:
    """`pace` and `samples_per_s_steady` of a summary, by rank 0 of the best source; `several` ranks share the work."""
    trust = min(trust for trust, _ in counted)
    of_step = samples / steps if samples and steps else None
    for unit, of_steps in (("samples", of_step), ("steps", 1.0)):
        counts = counted.get((trust, unit))
        of_samples = of_step
        if counts and unit == "samples":
            made = counts.moments[-1][1]
            of_samples = max(1.0, samples / made) if several and samples and made else 1.0
        found = pace(counts, marks, of_steps) if counts else None
        if found is not None:
            told, rate = found
            steady = round(rate * of_samples, 3) if rate is not None and of_samples else None
            return {"pace": told.as_json(), "samples_per_s_steady": steady}
    return {}


def pace(counts: Counts, marks: Sequence[Mark], step_of: float | None) -> tuple[Pace, float | None] | None:
    """(how the rate went, counts per second of its steady part); None where too little was reported to tell.

    `step_of` is how many of what is counted make a step, where that is known.
    """
    moments = counts.moments
    if counts.restarted or len(moments) <= FEWEST:
        return None
    intervals = _merged(moments)
    looked = _without_pauses(intervals, marks)
    if len(looked) < FEWEST or _in_bursts(looked):
        return None
    found = steady([one.seconds / one.count for one in looked])
    if found is None:
        return None
    change = round(found.change, 4)
    if found.begin is None:
        return Pace(steady=False, moves=found.moves, change=change, intervals=len(looked)), None
    begin_s = looked[found.begin].begin_s if found.begin else intervals[0].begin_s
    kept = [one for one in intervals if one.begin_s >= begin_s]
    sure = within([one.count for one in kept], [one.seconds for one in kept])
    made, whole_s = sum(one.count for one in kept), intervals[-1].end_s - intervals[0].begin_s
    begin = moments[-1][1] - made
    told = Pace(
        steady=True,
        change=change if found.begin else None,
        from_step=round(begin / step_of) if step_of else None,
        left_out_s=round(begin_s - intervals[0].begin_s, 3),
        left_out_share=round((begin_s - intervals[0].begin_s) / whole_s, 4),
        intervals=len(looked),
        error=round(sure.error, 6) if sure else None,
        blocks=sure.blocks if sure else None,
    )
    return told, made / sum(one.seconds for one in kept)


def _merged(moments: Sequence[Moment]) -> list[_Interval]:
    """So many to one that the clock tells them apart well, and that there are not too many to look at."""
    intervals = [_Interval(begin_s=a_s, end_s=b_s, count=b - a) for (a_s, a), (b_s, b) in pairwise(moments)]
    whole_s = moments[-1][0] - moments[0][0]
    clock_s = _SECOND_S if all(at_s == int(at_s) for at_s, _ in moments) else _MOMENT_S
    most = min(_LOOKED_AT, whole_s / (_TICKS * clock_s))
    size = max(1, -(-len(intervals) // max(1, int(most))))
    return [_together(intervals[at : at + size]) for at in range(0, len(intervals) - size + 1, size)]


def _together(parts: Sequence[_Interval]) -> _Interval:
    return _Interval(begin_s=parts[0].begin_s, end_s=parts[-1].end_s, count=sum(one.count for one in parts))


def _without_pauses(intervals: Sequence[_Interval], marks: Sequence[Mark]) -> list[_Interval]:
    """Remove evaluations and checkpoints between two reports, unless most intervals have them."""
    edges = sorted(mark.at_s for mark in marks if mark.name not in _TRAINING)
    timed = [one for one in intervals if one.seconds > 0]
    plain = [one for one in timed if bisect_left(edges, one.begin_s) == bisect_right(edges, one.end_s)]
    return plain if 2 * len(plain) > len(timed) else timed


def _in_bursts(intervals: Sequence[_Interval]) -> bool:
    """Lines that a program held back arrive together: their times say nothing of its steps."""
    times = [one.seconds / one.count for one in intervals]
    jumps = sum(max(a, b) > _BURSTS * min(a, b) for a, b in pairwise(times))
    return 3 * jumps > len(times)
