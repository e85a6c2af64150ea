"""Everything a report shows, gathered once: a run's events are read in one pass and thinned before they are kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from assay.audit.audit import across, judge
from assay.audit.case import Case, Run
from assay.audit.finding import Finding
from assay.audit.load import case_of_runs
from assay.compare.comparison import Comparison, Wish, compare
from assay.compare.rows import rows_of
from assay.errors import AssayError
from assay.events import Event
from assay.store.layout import RunDir
from assay.views.columns import FIGURES
from assay.views.report.columns import Datasets, datasets_of
from assay.views.thinner import thinned

#: of all curves together: fifty runs of ten thousand steps stay a file that can be mailed
_STRETCHES = 5000
_FEWEST_STRETCHES, _MOST_STRETCHES = 40, 200


@dataclass(frozen=True, kw_only=True)
class RunRecord:
    """One run: its summary, what was asked, and its events, thinned."""

    summary: dict[str, Any]
    asked: dict[str, Any]
    events: list[Event]

    @property
    def id(self) -> str:
        return str(self.summary.get("id"))


@dataclass(frozen=True, kw_only=True)
class ReportData:
    title: str
    records: list[RunRecord]
    comparison: Comparison | None
    why_not: str  # there is no comparison
    findings: list[Finding]
    datasets: Datasets
    only: tuple[str, ...] = ()  # charts, where not all are wanted


def gather(
    title: str,
    runs: Sequence[RunDir],
    wish: Wish,
    tell: Callable[[int], None] = lambda done: None,
    only: tuple[str, ...] = (),
) -> ReportData:
    """Read, judge, compare."""
    records: list[RunRecord] = []
    lean: list[Run] = []
    findings: list[Finding] = []
    shown = _but_warmups(runs)
    stretches = max(_FEWEST_STRETCHES, min(_MOST_STRETCHES, _STRETCHES // max(1, len(shown))))
    for done, run in enumerate(shown, 1):
        case = case_of_runs(run.path.name, [run])
        whole = case.runs[0]
        if whole.summary.get("status") != "running":
            findings += judge([case])
        events = thinned(whole.events, stretches, FIGURES)
        records.append(RunRecord(summary=whole.summary, asked=whole.asked, events=events))
        lean.append(Run(**{**whole.__dict__, "events": events}))
        tell(done)
    findings = _together(findings, across(Case(name=title, runs=lean)))
    comparison, why_not = _compare(records, wish)
    rows = comparison_rows(comparison) if comparison else rows_of([record.summary for record in records]).rows
    by_id = {record.id: record.events for record in records}
    datasets = datasets_of(rows, lambda row: by_id.get(str(row.summary.get("id")), []), comparison)
    return ReportData(
        title=title,
        records=records,
        comparison=comparison,
        why_not=why_not,
        findings=findings,
        datasets=datasets,
        only=only,
    )


def _but_warmups(runs: Sequence[RunDir]) -> list[RunDir]:
    """They are kept and not counted: shown only where nothing else is."""
    return [run for run in runs if not run.asked().get("warmup")] or list(runs)


def comparison_rows(comparison: Comparison) -> list[Any]:
    return [row for group in comparison.groups for row in group.rows]


def _compare(records: Sequence[RunRecord], wish: Wish) -> tuple[Comparison | None, str]:
    by_id = {record.id: record.events for record in records}
    summaries = [record.summary for record in records]
    try:
        return compare(summaries, lambda summary: by_id.get(str(summary.get("id")), []), wish), ""
    except AssayError as problem:
        return None, f"{problem.message}{': ' + problem.hint if problem.hint else ''}"


def _together(own: list[Finding], more: list[Finding]) -> list[Finding]:
    order = {"wrong": 0, "doubtful": 1, "note": 2}
    merged = dict.fromkeys([*own, *more])
    return sorted(merged, key=lambda one: order[one.severity])
