"""`single-seed`: three repeats that end at the same loss to the last digit repeat one draw, not the experiment."""

from __future__ import annotations

from collections.abc import Iterator

from assay.auditing.case import Case, Run
from assay.model.finding import NOTE, Finding

CODE = "single-seed"
#: their digits show the seed
_RESULTS = ("loss", "accuracy")
#: these differ even between identical runs
_CLOCKS = ("train_s", "reported_s", "wall_s", "samples_per_s", "samples_per_s_avg")
_CURVE = 5  # points of a curve that do not all agree by chance
_MANY_DIGITS, _SOME_DIGITS = 7, 4


def check(case: Case) -> Iterator[Finding]:
    groups: dict[tuple[object, ...], list[Run]] = {}
    for run in case.runs:
        if not run.is_prose and run.settings and run.summary.status == "completed":
            groups.setdefault(run.work, []).append(run)
    for runs in map(_distinct, groups.values()):
        if len(runs) > 1 and _same_result(runs):
            yield _finding(runs)


def _same_result(runs: list[Run]) -> bool:
    """Every result that all of them have is equal to the last digit, and so are their curves, if there are any.

    A coarse figure (bfloat16 losses come in steps of 1/128) may agree twice by chance: then it takes three.
    """
    shared = [name for name in _RESULTS if all(run.value(name) is not None for run in runs)]
    if not shared or any(len({run.value(name) for run in runs}) > 1 for name in shared):
        return False
    curves = [_curve(run) for run in runs]
    if min(map(len, curves)) >= _CURVE:
        return all(curve == curves[0] for curve in curves)
    digits = max(_digits(run.value(name)) for name in shared for run in runs)
    return digits >= (_MANY_DIGITS if len(runs) < 3 else _SOME_DIGITS)


def _curve(run: Run) -> dict[float, float]:
    """The loss by step."""
    points = ((event.figure("step"), event.figure("loss")) for event in run.events)
    return {step: loss for step, loss in points if step is not None and loss is not None}


def _distinct(runs: list[Run]) -> list[Run]:
    """One for each reading of the clocks: what agrees in all of them is one run seen twice."""
    clocks = {(*(run.value(name) for name in _CLOCKS), run.phase_s("train")): run for run in reversed(runs)}
    timed = {id(run) for key, run in clocks.items() if any(key)}
    return [run for run in runs if id(run) in timed]


def _digits(value: float | None) -> int:
    return len(f"{value:.12g}".replace(".", "").lstrip("0")) if value is not None else 0


def _finding(runs: list[Run]) -> Finding:
    name = next(name for name in _RESULTS if runs[0].value(name) is not None)
    return Finding(
        code=CODE,
        severity=NOTE,
        message=f"{len(runs)} repeats all end at {name} {runs[0].value(name):.6g}, because they used one seed: "
        f"they show how far times differ, but not the {name}",
        hint="give each repeat another seed",
        source=runs[0].source,
        evidence=tuple(run.proof(name) for run in runs[:4]),
    )
