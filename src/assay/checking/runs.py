"""Runs as evidence: logs of the page and runs recorded beside it, as a table with a row for each run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

from assay.auditing.case import Case, Run
from assay.checking.audit import findings
from assay.checking.evidence import Page, grid_of
from assay.core.names import Name, name_of
from assay.core.numbers import NO_UNIT, Number, half_digit, numbers
from assay.model.finding import Finding
from assay.model.summary import Summary
from assay.quantities import BY_NAME
from assay.reading.tables import Cell, Column, Row, Table

_MOST_RUNS = 300


def page_findings(case: Case, code: str) -> list[Finding]:
    """The findings with a code about the page of a case."""
    return [one for one in case.once(_findings) if one.code == code]


def _findings(case: Case) -> list[Finding]:
    if case.page is None:
        return []
    return findings(with_runs(case.page, [run for run in (*case.runs, *case.beside) if not run.is_prose]))


def with_runs(page: Page, runs: Sequence[Run]) -> Page:
    """A page whose evidence are its runs, too."""
    table = _table(page.source, runs[:_MOST_RUNS])
    if table is None:
        return page
    return replace(page, grids=(*page.grids, grid_of(table, len(page.grids))))


def _table(source: str, runs: Sequence[Run]) -> Table | None:
    """A row for each run: its name, its settings, its figures."""
    settings = list(dict.fromkeys(name for run in runs for name, value in run.settings.items() if _is_number(value)))
    figures = list(dict.fromkeys(name for run in runs for name in _figures(run.summary)))
    if not runs or not figures:
        return None
    columns = [Column(head="", name=Name("", NO_UNIT, 1.0), kind="label")]
    columns += [Column(head=name.replace("_", " "), name=name_of(name), kind="setting") for name in settings]
    columns += [Column(head=name.replace("_", " "), name=Name(name, NO_UNIT, 1.0)) for name in figures]
    rows = []
    for run in runs:
        here = run.source == source
        own = _figures(run.summary)
        cells = [Cell(run.name, run.lines[0] if here else 0)]
        cells += [
            _cell(run.settings.get(name), run.claim(name).line if here and name in run.claims else 0)
            for name in settings
        ]
        cells += [_cell(own.get(name), run.proof(name).line if here and name in own else 0, name) for name in figures]
        rows.append(Row(cells=tuple(cells), line=run.lines[0] if here else 0, label=run.name))
    return Table(columns=tuple(columns), rows=tuple(rows), first_line=0, last_line=0, form="runs")


def _figures(summary: Summary) -> dict[str, float]:
    known = {one.name: getattr(summary, one.name) for one in fields(summary) if one.name in BY_NAME}
    return {name: float(value) for name, value in (*known.items(), *summary.metrics.items()) if _is_number(value)}


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _cell(value: object, line: int, name: str = "") -> Cell:
    if not _is_number(value):
        return Cell("", line)
    text = f"{value:.6g}"
    head, rate, _ = name.rpartition("_per_s")
    named = f"{head or 'samples'}/s" if rate else _UNITS.get(name.rpartition("_")[2], "")
    unit = next((number.unit for number in numbers(f"1 {named.replace('_', '')}")), NO_UNIT)
    number = Number(float(value), unit, text, 0, len(text), half_digit(text) * unit.scale)  # type: ignore[arg-type]
    return Cell(text, line, number, (number,))


_UNITS = {"ms": "ms", "s": "s", "bytes": "bytes", "pct": "%"}
