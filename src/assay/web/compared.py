"""Several runs beside each other: the report's comparison and charts, made of kept views."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.auditing.audit import across
from assay.auditing.case import Case, Run
from assay.comparing.comparison import Comparison, Wish, compare
from assay.comparing.rows import but_warmups, rows_of
from assay.errors import AssayError
from assay.model.event import Event
from assay.model.request import Request
from assay.model.summary import Summary
from assay.views.report.columns import datasets_of
from assay.views.report.data import ReportData, RunRecord
from assay.views.report.html import comparison_table, verdict_blocks
from assay.views.report.sections import sections

#: more lines than this no one tells apart
MOST = 60
_RESULTS = ("results", "means", "batch", "batch_model", "scaling", "latency")


@dataclass(frozen=True, kw_only=True)
class Member:
    """One of the runs that are compared, with its events thinned."""

    folder: str
    summary: Summary
    asked: Request
    events: list[Event]


def compared(members: Sequence[Member], wish: Wish) -> dict[str, object]:
    """Runs that go on or failed are left out of the table, and their curves are shown all the same."""
    by_id = {one.summary.id: one for one in members}
    comparison, why_not = _comparison(members, wish)
    rows = rows_of(one.replace(status="completed") for one in but_warmups(one.summary for one in members)).rows
    datasets = datasets_of(rows, lambda row: by_id[row.summary.id].events, comparison)
    judged = comparison.rows if comparison else []
    results = datasets_of(judged, lambda row: [], comparison)
    for name in _RESULTS:  # a run that goes on has curves, but no result yet
        datasets.pop(name, None)
        datasets |= {name: results[name]} if name in results else {}
    records = [RunRecord(summary=one.summary, asked=one.asked, events=one.events) for one in members]
    data = ReportData(title="", records=records, comparison=comparison, why_not=why_not, findings=[], datasets=datasets)
    shown, charts = sections(data)
    return {
        "runs": [
            {"folder": one.folder, "name": one.summary.name, "status": str(one.summary.status)} for one in members
        ],
        "table": comparison_table(comparison) if comparison else None,
        "verdicts": verdict_blocks(comparison) if comparison else [],
        "groups": [group.label for group in comparison.groups] if comparison else [],
        "baseline": comparison.baseline.label if comparison else "",
        "axis": comparison.axis.name if comparison else "",
        "by": comparison.by if comparison else [],
        "notes": comparison.notes if comparison else [],
        "why_not": why_not,
        "findings": _findings(members),
        "data": datasets,
        "sections": shown,
        "charts": charts,
    }


def _comparison(members: Sequence[Member], wish: Wish) -> tuple[Comparison | None, str]:
    by_id = {one.summary.id: one.events for one in members}
    try:
        return compare([one.summary for one in members], lambda summary: by_id[summary.id], wish), ""
    except AssayError as problem:
        return None, f"{problem.message}{': ' + problem.hint if problem.hint else ''}"


def _findings(members: Sequence[Member]) -> list[dict[str, object]]:
    """What only several runs together can show."""
    ended = [one for one in members if one.summary.status not in ("running", "queued")]
    runs = [
        Run(summary=one.summary, events=one.events, asked=one.asked, source=one.folder, text=lambda number: "")
        for one in ended
    ]
    if len(runs) < 2:
        return []
    try:
        return [finding.as_dict() for finding in across(Case(name="these runs", runs=runs))][:50]
    except AssayError:
        return []
