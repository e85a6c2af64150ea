"""The measurement itself, of runs recorded here: was it long enough, did the hardware slow down, did measuring cost?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from assay.auditing.case import Case, Run
from assay.model.event import Metric, Sample
from assay.model.finding import DOUBTFUL, NOTE, Finding

_FEW_STEPS, _VERY_FEW_STEPS = 20, 5
_SHORT_S = 2.0
_COSTLY = 0.05
_START_S = 0.8  # what starting the recorder costs on a busy machine, before the command runs
_HOT_SHARE = 0.02
#: a large GPU at full load is often held by its power limit: that is its speed, and only worth a word
_POWER_SHARE = 0.2
_POWER = "power cap"


def throttled(case: Case) -> Iterator[Finding]:
    """Of the devices that the run used; a single sample may be a moment between two clocks."""
    for run in case.runs:
        samples = _gpu_samples(run)
        reasons = Counter(reason for one in samples for reason in one.throttle)
        hot = {
            reason: n for reason, n in reasons.items() if reason != _POWER and n > 1 and n >= _HOT_SHARE * len(samples)
        }
        capped = reasons[_POWER] > 1 and reasons[_POWER] >= _POWER_SHARE * len(samples)
        if hot:
            message = f"a GPU slowed itself down while it was measured: {', '.join(sorted(hot))}"
            hint = "let it cool, look at its airflow, and run again: this is not its usual speed"
        elif capped:
            message, hot = "a GPU was held back by its power limit", {_POWER: reasons[_POWER]}
            hint = "compare only with runs under the same limit (nvidia-smi -q -d POWER shows it)"
        else:
            continue
        shown = ", ".join(f"{reason} in {n} of {len(samples)} samples" for reason, n in sorted(hot.items()))
        yield _finding(run, "throttled", NOTE if _POWER in hot else DOUBTFUL, message, hint, shown)


def _gpu_samples(run: Run) -> list[Sample]:
    """Samples of devices that worked for this run."""
    by_device: dict[object, list[Sample]] = {}
    for event in run.events:
        if isinstance(event, Sample) and event.source == "probe:gpu":
            by_device.setdefault((event.host, event.gpu), []).append(event)
    worked = [
        samples
        for samples in by_device.values()
        if any(one.gpu_mem_bytes or (one.gpu_util_pct or 0) > 0 for one in samples)
    ]
    return [one for samples in worked for one in samples]


def too_few_steps(case: Case) -> Iterator[Finding]:
    """A rate from a handful of steps is mostly its first one."""
    for run in case.runs:
        steps = run.value("steps")
        rate = run.value("samples_per_s") or run.value("samples_per_s_own") or run.value("samples_per_s_avg")
        if not run.is_fresh or not rate or not steps or steps >= _FEW_STEPS:
            continue
        train_s = run.phase_s("train") or _span_s(run)
        if steps >= _VERY_FEW_STEPS and (train_s is None or train_s >= _SHORT_S):
            continue
        seconds = f" in {train_s:.2f} s" if train_s else ""
        message = f"a rate from {steps:.0f} step{'s' if steps != 1 else ''}{seconds} is not reliable"
        hint = f"train for at least {_FEW_STEPS} steps and a few seconds"
        yield _finding(run, "too-few-steps", NOTE, message, hint, f"steps = {steps:.0f}, samples/s = {rate:,.6g}")


def _span_s(run: Run) -> float | None:
    """From the first report of a step to the last."""
    told = (one for one in run.events if isinstance(one, Metric) and one.value("step") is not None)
    known = [one.at_s for one in told if one.at_s is not None]
    return max(known) - min(known) if len(known) > 1 else None


def costly(case: Case) -> Iterator[Finding]:
    """Our own CPU time beyond the start, against what the command used or had to wait."""
    for run in case.runs:
        own, used, wall = run.value("own_cpu_s"), run.value("cpu_s"), run.summary.wall_s
        if not run.is_fresh or own is None or not wall or wall < _SHORT_S:
            continue
        base = max(used or 0.0, wall)
        if own - _START_S > _COSTLY * base:
            spent = f"{own - _START_S:.2f} s of CPU time after the start"
            message = f"measuring took {spent}, {100 * (own - _START_S) / base:.0f} % of the {base:.4g} s of the run"
            hint = "sample less often: assay run --interval 2 -- COMMAND"
            yield _finding(run, "costly-profile", NOTE, message, hint, f"own_cpu_s = {own:.3g}, wall_s = {wall:.4g}")


def _finding(run: Run, code: str, severity: str, message: str, hint: str, shown: str) -> Finding:
    return Finding(
        code=code,
        severity=severity,
        message=message,
        hint=hint,
        source=run.source,
        evidence=(run.measured(shown),),
        run=run.id,
    )
