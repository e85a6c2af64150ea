"""Runs that were recorded beside a page are evidence for it: those that the page can mean, and no others are read."""

from __future__ import annotations

from collections.abc import Iterator, Reversible, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from assay.auditing.case import Case, Run
from assay.auditing.load import run_of_record
from assay.auditing.meant import is_called
from assay.errors import AssayError
from assay.language.numbers import numbers_in
from assay.model.event import Event
from assay.model.summary import Summary
from assay.model.values import number
from assay.store.layout import RunDir
from assay.store.reading import read_events
from assay.summary.index import Listed, load_all, summaries

FOLDER = "assay-runs"
#: so few are all taken; of more, those that the page names by their name or their settings
_FEW, _MOST = 40, 300
_RECORDED = ("executed", "simulated")


def with_recorded(case: Case, folder: Path) -> Case:
    """The page with the runs of a folder; a page that contains logs is only compared with runs that it names."""
    if not folder.is_dir() or not (case.sentences or case.tables):
        return case
    listed = [one for one in load_all(folder, lambda _: None) if one.lean.how in _RECORDED]
    listed = [one for one in listed if one.lean.status != "running"]
    if any(not run.is_prose for run in case.runs) or len(listed) > _FEW:
        listed = _meant(listed, case)
    runs = [run for one in listed[-_MOST:] if (run := _run(one)) is not None]
    return replace(case, beside=[*case.beside, *runs]) if runs else case


def _meant(listed: Sequence[Listed], case: Case) -> list[Listed]:
    """Runs that the page names; if it contains no logs, also those with the settings that it gives."""
    cells = [cell for table in case.tables for _, row in table.rows for cell in row]
    texts = [one.text for one in case.sentences] + cells
    named = [one for one in listed if any(is_called(one.lean, text) for text in texts)]
    if named or any(not run.is_prose for run in case.runs):
        return named
    given = {reading for text in texts for one in numbers_in(text) for reading in one.readings}
    settings = [dict(_numeric(one)) for one in summaries(listed)]
    values: dict[str, set[float]] = {}
    for name, value in (pair for one in settings for pair in one.items()):
        values.setdefault(name, set()).add(value)
    varied = {name for name, several in values.items() if len(several) > 1} - {"seed"}
    own = [{value for name, value in one.items() if name in varied} for one in settings]
    return [one for one, values_of_one in zip(listed, own, strict=True) if values_of_one and values_of_one <= given]


def _numeric(run: Summary) -> Iterator[tuple[str, float]]:
    for name, value in run.settings.items():
        held = number(value)
        if held is not None:
            yield name, held


def _run(one: Listed) -> Run | None:
    """None where its record cannot be read: it is then no evidence."""
    try:
        return run_of_record(one.run, one.summary, one.run.asked(), _Events(one.run))
    except AssayError:
        return None


class _Events(Reversible[Event]):
    """Events of a run, read when a rule first asks for them."""

    def __init__(self, run: RunDir) -> None:
        self._run = run

    @cached_property
    def _read(self) -> list[Event]:
        return list(read_events(self._run))

    def __iter__(self) -> Iterator[Event]:
        return iter(self._read)

    def __reversed__(self) -> Iterator[Event]:
        return reversed(self._read)
