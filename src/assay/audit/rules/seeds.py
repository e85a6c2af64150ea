"""`single-seed`: three repeats that end at the same loss to the last digit repeat one draw, not the experiment."""

from __future__ import annotations

from collections.abc import Iterator

from assay.audit.case import Case, Run
from assay.audit.finding import NOTE, Finding

CODE = "single-seed"
#: their digits show the seed
_RESULTS = ("loss", "accuracy")
#: these differ even between identical runs
_CLOCKS = ("train_s", "reported_s", "wall_s", "samples_per_s", "samples_per_s_avg")


def check(case: Case) -> Iterator[Finding]:
    groups: dict[tuple[object, ...], list[Run]] = {}
    for run in case.runs:
        if not run.is_prose and run.settings and run.summary.get("status") == "completed":
            groups.setdefault(run.work, []).append(run)
    for runs in groups.values():
        if len(runs) > 1 and _same_result(runs) and _different_clocks(runs):
            yield _finding(runs)


def _same_result(runs: list[Run]) -> bool:
    """Every result that all of them have is equal to the last digit, and has digits enough to show it."""
    shared = [name for name in _RESULTS if all(run.value(name) is not None for run in runs)]
    precise = any(_digits(run.value(name)) >= 4 for name in shared for run in runs)
    return bool(shared) and precise and all(len({run.value(name) for run in runs}) == 1 for name in shared)


def _different_clocks(runs: list[Run]) -> bool:
    """Otherwise it is one run seen twice."""
    return any(len({run.value(name) for run in runs} - {None}) == len(runs) for name in _CLOCKS)


def _digits(value: float | None) -> int:
    return len(f"{value:.12g}".replace(".", "").lstrip("0")) if value is not None else 0


def _finding(runs: list[Run]) -> Finding:
    name = next(name for name in _RESULTS if runs[0].value(name) is not None)
    return Finding(
        code=CODE,
        severity=NOTE,
        message=f"{len(runs)} repeats all end at {name} {runs[0].value(name):.6g}: one seed, so they show "
        f"the spread of the time but none of the {name}",
        hint="give each repeat a seed of its own",
        source=runs[0].source,
        evidence=tuple(run.proof(name) for run in runs[:4]),
    )
