"""Notes on the compared parts of runs: warm-ups that are left out, runs that were never steady."""

from __future__ import annotations

from collections.abc import Sequence

from assay.model.summary import Summary

_MOST_NAMED = 3
#: share of training that all runs left out: below this there is no note
_LEAST = 0.005
_MOVES = {"rises": "it rises", "falls": "it falls", "wanders": "it wanders"}


def said_of_pace(summaries: Sequence[Summary], *, steady: bool) -> list[str]:
    """`steady`: the rates that are compared are those of the steady parts."""
    rated = [one for one in summaries if one.throughput]
    if steady:
        shares = [one.pace.left_out_share or 0.0 for one in rated if one.pace]
        most, least = max(shares, default=0.0), min(shares, default=0.0)
        return [f"Throughput is that of the steady part of each run: {_left_out(least, most)}"] if most > _LEAST else []
    restless = [one for one in rated if one.pace and one.pace.steady is False]
    if not restless:
        return []
    named = [f"{one.handle}: {_moved(one)}" for one in restless[:_MOST_NAMED]]
    if len(restless) > _MOST_NAMED:
        named.append(f"{len(restless) - _MOST_NAMED} more")
    count = "1 run" if len(restless) == 1 else f"{len(restless)} runs"
    told = f"The rate of {count} never got steady ({'; '.join(named)})"
    averaged = any(one.samples_per_s_own is not None or one.samples_per_s_avg is not None for one in rated)
    return [f"{told}. Averages of whole runs are compared, warm-up included" if averaged else told]


def _left_out(least: float, most: float) -> str:
    low, high = f"{100 * least:.0f}", f"{100 * most:.0f}"
    share = f"{high} %" if low == high else f"{low} to {high} %"
    return f"the first {share} of the training is warm-up and is left out"


def _moved(summary: Summary) -> str:
    pace = summary.pace
    assert pace is not None
    by = f" by {100 * abs(pace.change):.0f} %" if pace.change and pace.moves != "wanders" else ""
    return f"{_MOVES.get(pace.moves or '', 'it changes')}{by}"
