"""`contended`: 2.4 times slower than every other run of its kind: the machine was shared, not the setting slow."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import pairwise
from statistics import median

from assay import systems
from assay.auditing.case import Case, Run
from assay.model.event import Metric, Phase
from assay.model.finding import DOUBTFUL, NOTE, Evidence, Finding
from assay.model.values import number
from assay.stats.steady import WANDERS
from assay.units import show_rounded

CODE = "contended"
_SLOWER = 1.5
#: enough, where the others lie so near to each other that it is many times as far from them
_CLEARLY_SLOWER, _TIMES_APART, _LEAST_APART = 1.25, 4.0, 0.02
_INTERVAL = 2.0
_INTERVALS = 8
_SLOWED = 1.4  # times the quicker quarter: more than a run on its own wanders
_LONG_S = 5.0  # between two reports: shorter ones are at the mercy of the clock's digits
_LOST = 0.1  # of the time
_LOST_S = 0.5  # steps of a millisecond are at the mercy of the scheduler: that is not the machine being busy


def check(case: Case) -> Iterator[Finding]:
    yield from _against_others(case)
    for run in case.runs:
        yield from (finding for finding in (_beside(run), _wanders(run)) if finding)


def _against_others(case: Case) -> Iterator[Finding]:
    """By the plain rate, among runs of the same work."""
    groups: dict[tuple[object, ...], list[tuple[float, Run]]] = {}
    for run in case.runs:
        rate = run.value("samples_per_s_own") or run.value("samples_per_s_avg") or _epochs_per_s(run)
        if rate and not run.is_prose and run.settings:
            groups.setdefault((*run.work, run.summary.host), []).append((rate, run))
    for group in groups.values():
        if len(group) < 3:
            continue
        slowest, second = sorted(rate for rate, _ in group)[:2]
        for rate, run in group:
            least = second if rate == slowest else slowest
            others = [one for one, other in group if other is not run]
            if _is_far(rate, others) and not _is_a_moment(run, rate, least):
                times = f"{least / rate:.{1 if least > _SLOWER * rate else 2}f} times"
                rates = f"{show_rounded(rate, 4)} a second, and {show_rounded(least, 4)} or more in the others"
                yield _finding(
                    run,
                    DOUBTFUL,
                    f"{times} slower than each of {len(group) - 1} other runs of the same settings",
                    "check whether the machine was shared, and run it again before comparing",
                    _told_rate(run) or run.measured(rates),
                )


def _is_far(rate: float, others: list[float]) -> bool:
    """From every other: by half, or by less where the others agree among themselves."""
    factor = min(others) / rate
    apart = max(_LEAST_APART, math.log(max(others) / min(others)))
    return factor > _SLOWER or (factor > _CLEARLY_SLOWER and math.log(factor) > _TIMES_APART * apart)


def _is_a_moment(run: Run, rate: float, others: float) -> bool:
    """A fresh run of some milliseconds: what it lost is the scheduler's doing."""
    samples = run.value("samples")
    return run.is_fresh and samples is not None and samples / rate - samples / others < _LOST_S


def _told_rate(run: Run) -> Evidence | None:
    found = run.place_of("samples_per_s_avg", "samples_per_s", "samples")
    return found if found or run.is_fresh else run.whole()


def _epochs_per_s(run: Run) -> float | None:
    """For a log without a rate: its epochs over the seconds of its bar, without the compile at its beginning."""
    epochs, train_s = number(run.params.get("epochs")), run.phase_s("train")
    if not epochs or not train_s or run.summary.status != "completed":
        return None
    train_s -= (run.phase_s("compile") or 0.0) if systems.of(run.system).traps.train_covers_compile else 0.0
    return epochs / train_s if train_s > 0 else None


def _beside(run: Run) -> Finding | None:
    beside = run.summary.beside
    if not beside:
        return None
    # in the same words however many there were: one cause is one finding
    message = "another Assay run was active on this machine"
    return _finding(run, DOUBTFUL, message, "run one at a time", run.measured(f"also active: {', '.join(beside)}"))


def _wanders(run: Run) -> Finding | None:
    """One interval between two reports takes more than twice the usual, with no checkpoint or evaluation in it."""
    points = [
        (event.at_s, step, event)
        for event in run.events
        if isinstance(event, Metric)
        and event.at_s is not None
        and (step := event.figure("step")) is not None
        and not event.rank
    ]
    pauses = sorted(event.at_s for event in run.events if isinstance(event, Phase) and event.at_s is not None
                    and event.name not in ("train", "epoch"))  # fmt: skip
    gaps = []
    for (a_s, a, _), (b_s, b, event) in pairwise(points):
        if b > a and bisect_left(pauses, a_s) >= bisect_right(pauses, b_s):
            gaps.append(((b_s - a_s) / (b - a), b, event))
    if len(gaps) < _INTERVALS:
        return None
    usual = median(gap for gap, _, _ in gaps)
    if usual <= 0:  # all reported at once, so the time between is unknown
        return None
    quick = _quick(run, gaps, points)
    usual = quick if quick is not None and not any(gap > _INTERVAL * usual for gap, _, _ in gaps) else usual
    slow = [one for one in gaps if one[0] > (_INTERVAL if quick is None else _SLOWED) * usual]
    lost = sum(gap - usual for gap, _, _ in slow) / sum(gap for gap, _, _ in gaps)
    span_s = points[-1][0] - points[0][0]
    if not slow or lost < _LOST or (run.is_fresh and lost * span_s < _LOST_S):
        return None
    gap, step, event = max(slow, key=lambda one: one[0])
    return _finding(
        run,
        NOTE,
        f"the rate is uneven: steps took up to {gap / usual:.1f} times as long as usual (at step {step:,.0f}), "
        f"and {100 * lost:.0f} % of the time was lost that way",
        "check whether the machine was shared or the data came late, and repeat the run",
        run.at(event.line) if event.line else run.measured(f"step {step:,.0f}: {gap:.3g} s a step"),
    )


def _quick(
    run: Run, gaps: list[tuple[float, float, Metric]], points: list[tuple[float, float, Metric]]
) -> float | None:
    """Where most of a run was slowed down, its usual interval is that of its quicker quarter; None where it was not."""
    ordered = sorted(gap for gap, _, _ in gaps)
    quick = ordered[len(ordered) // 4]
    slowed = sum(gap > _SLOWED * quick for gap in ordered)
    pace = run.summary.pace
    long = points[-1][0] - points[0][0] >= _LONG_S * len(gaps) or (pace is not None and pace.moves == WANDERS)
    return quick if long and 3 * slowed >= len(ordered) and slowed >= 3 else None


def _finding(run: Run, severity: str, message: str, hint: str, shown: Evidence | None = None) -> Finding:
    return Finding(
        code=CODE,
        severity=severity,
        message=message,
        hint=hint,
        source=run.source,
        evidence=(shown or run.proof("samples_per_s_avg", "samples_per_s", "samples"),),
        run=run.id,
    )
