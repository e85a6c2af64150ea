"""The measurement itself, of runs recorded here: was it long enough, did the hardware slow down, did measuring cost?"""

from __future__ import annotations

from collections.abc import Iterator

from assay.audit.case import Case, Run
from assay.audit.finding import DOUBTFUL, NOTE, Finding
from assay.events import number

_FEW_STEPS = 20
_SHORT_S = 2.0
_COSTLY = 0.05


def throttled(case: Case) -> Iterator[Finding]:
    for run in case.runs:
        reasons = run.summary.get("throttled")
        if reasons:
            message = f"a GPU slowed itself down while it was measured: {', '.join(map(str, reasons))}"
            yield _finding(run, "throttled", DOUBTFUL, message, "let it cool, or set a power limit that it can hold")


def too_few_steps(case: Case) -> Iterator[Finding]:
    """A rate from a handful of steps is mostly its first one."""
    for run in case.runs:
        steps, train_s = run.value("steps"), run.phase_s("train")
        rate = run.value("samples_per_s") or run.value("samples_per_s_own")
        if run.is_fresh and rate and steps and steps < _FEW_STEPS and (train_s or 0) < _SHORT_S:
            message = f"a rate from {steps:.0f} steps in {train_s or 0:.2f} s says little"
            yield _finding(
                run, "too-few-steps", NOTE, message, f"train for at least {_FEW_STEPS} steps and some seconds"
            )


def costly(case: Case) -> Iterator[Finding]:
    for run in case.runs:
        own, used = run.value("own_cpu_s"), run.value("cpu_s")
        wall = number(run.summary.get("wall_s"))
        if run.is_fresh and own and used and wall and wall > _SHORT_S and own > _COSTLY * max(used, wall):
            share = 100 * own / max(used, wall)
            message = f"measuring took {own:.2f} s of CPU time, {share:.0f} % of what the command had"
            yield _finding(run, "costly-profile", NOTE, message, "sample less often: --interval 2")


def _finding(run: Run, code: str, severity: str, message: str, hint: str) -> Finding:
    return Finding(
        code=code,
        severity=severity,
        message=message,
        hint=hint,
        source=run.source,
        evidence=(run.whole(),),
        run=run.id,
    )
