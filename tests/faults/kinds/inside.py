"""Faults inside the recorder: a reader, a probe, the clock or the summary fails. The command must not notice."""

from __future__ import annotations

from faults.case import Case
from faults.checks import exit_is, listed, nothing_lost, went_well, work_is_done
from faults.sick import INJECTED


def sick(fault: str):
    def try_it(case: Case) -> None:
        case.injected = INJECTED
        process = case.measured(steps=100, code=6, sick=f"{fault}={case.seed}")
        went_well(case, process, 6)
        said = case.stderr_of(process).count(INJECTED.encode())
        if said > 2:
            case.wrong("tracebacks", f"the fault was said {said} times")

    return try_it


def clock_jumps(case: Case) -> None:
    """Durations come from a clock that does not jump."""
    process = case.measured(steps=100, sick=f"clock={case.seed}")
    went_well(case, process)
    for summary in listed(case):
        if not 0 <= summary.get("wall_s", -1) < 100:
            case.wrong("wrong status", f"a run of a second took {summary.get('wall_s')} s")


def summary_fails(case: Case) -> None:
    """It can be made again later: the record has everything."""
    case.injected = INJECTED
    process = case.measured(steps=60, code=6, sick=f"summary={case.seed}")
    exit_is(case, process, 6)
    work_is_done(case)
    nothing_lost(case)
    if [summary.get("status") for summary in listed(case)] != ["failed"]:
        case.wrong("wrong status", "the summary was not made again")
