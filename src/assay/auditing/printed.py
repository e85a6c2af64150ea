"""Every number that the log of a run prints, worked out once a case: what a quotation may have been taken from."""

from __future__ import annotations

from assay.auditing.case import Case, Run
from assay.auditing.meant import FIELDS
from assay.language.numbers import NONE, PERCENT, SECONDS, numbers_in
from assay.model.values import number

_LINES = 4000  # of one log, from its end
_MEMORY = (1024.0, 1024.0**2, 1024.0**3)


def _numbers(run: Run) -> set[float]:
    """Every number that the log of a run shows, as it stands and in the units of a summary."""
    first, last = run.lines
    found: set[float] = set()
    for line in range(max(first, last - _LINES) if last < 1 << 40 else first, min(last, first + _LINES) + 1):
        for one in numbers_in(run.text(line)):
            for reading in one.readings:
                found.add(reading)
                if one.unit == PERCENT or one.unit == NONE:
                    found.add(reading / 100)
                if one.unit in (SECONDS, NONE):
                    found.update((reading * 1000, reading / 1000))
                if one.unit == NONE:
                    found.update(reading * unit for unit in _MEMORY)
    found.update(
        value for value in run.summary.figures(field for fields in FIELDS.values() for field, _ in fields).values()
    )
    return found


def logs(case: Case, system: str) -> list[Run]:
    """Runs whose own output is here."""
    return [run for run in case.shown(system) if not run.is_prose]


def numbers_of(case: Case, run_id: str) -> list[float]:
    """In order, worked out once."""
    run = _run(case, run_id)
    return sorted(_numbers(run)) if run else []


def measured_of(case: Case, run_id: str, metric: str) -> list[float]:
    """The values of one metric that the run printed on its way."""
    run = _run(case, run_id)
    names = [field for field, _ in FIELDS[metric]]
    return sorted(
        value
        for event in (run.events if run else ())
        for name in names
        if (value := number(event.value(name))) is not None
    )


def _run(case: Case, run_id: str) -> Run | None:
    return next((one for one in (*case.runs, *case.beside) if one.id == run_id), None)
