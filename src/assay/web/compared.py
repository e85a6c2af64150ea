"""Several runs beside each other: the report's comparison and charts, made of kept views."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.auditing.audit import across
from assay.auditing.case import Case, Run
from assay.comparing.comparison import Comparison, Wish, compare
from assay.comparing.rows import but_warmups, rows_of
from assay.comparing.verdict import Quoted, Verdict
from assay.errors import AssayError
from assay.model.event import Event
from assay.model.request import Request
from assay.model.summary import Summary
from assay.views.answer import answers, question, telling, title
from assay.views.charts.base import Columns
from assay.views.columns import joined, machine_columns, share_columns, span_columns
from assay.views.judging import spelled_out
from assay.views.report.html import comparison_table, verdict_blocks
from assay.views.requests import Asked, asked
from assay.web.columns import MOST_SPANS, whole_curves
from assay.web.panels import described
from assay.web.serving import served

#: more lines than this no one tells apart
MOST = 60


@dataclass(frozen=True, kw_only=True)
class Member:
    """One of the runs that are compared, with its events thinned."""

    folder: str
    summary: Summary
    asked: Request
    events: list[Event]


def compared(members: Sequence[Member], wish: Wish) -> dict[str, object]:
    """Runs that go on or failed are left out of the table, and their curves are shown all the same."""
    comparison, why_not = comparison_of(members, wish)
    members = _in_order(members, comparison)
    data, titles = _drawn(members, comparison)
    asked = question((one.asked.study_about for one in members), comparison)[0]
    return {
        "runs": [
            {"folder": one.folder, "name": one.summary.name, "status": str(one.summary.status)} for one in members
        ],
        "question": asked,
        "answer": answers(comparison, asked) if comparison else [],
        "table": comparison_table(comparison) if comparison else None,
        "verdicts": verdict_blocks(comparison) if comparison else [],
        "forest": forest(comparison) if comparison else [],
        "groups": [group.label for group in comparison.groups] if comparison else [],
        "baseline": comparison.baseline.label if comparison else "",
        "axis": comparison.axis.name if comparison else "",
        "by": comparison.by if comparison else [],
        "notes": comparison.notes if comparison else [],
        "why_not": why_not,
        "findings": _findings(members),
        "data": data,
        "panels": described(data, titles),
        "serving": served(_asked(members, comparison), comparison.models if comparison else []),
        "examples": _examples(members, comparison) if comparison else [],
    }


def _in_order(members: Sequence[Member], comparison: Comparison | None) -> list[Member]:
    """As the table has its groups, so that legends and bars have the same order; those that it leaves out come last."""
    groups = comparison.groups if comparison else []
    places = {row.summary.id: at for at, group in enumerate(groups) for row in group.rows}
    return sorted(members, key=lambda one: (places.get(one.summary.id, len(groups)), one.summary.repeat or 0))


def _drawn(members: Sequence[Member], comparison: Comparison | None) -> tuple[dict[str, Columns], dict[str, str]]:
    """The columns behind the charts, under the names that tell the runs apart, and the figures' names by column."""
    labels = {row.summary.id: group.label for group in (comparison.groups if comparison else []) for row in group.rows}
    by_id = {one.summary.id: one for one in members}
    rows = rows_of(one.replace(status="completed") for one in but_warmups(one.summary for one in members)).rows
    names = [row.summary.name for row in rows]
    parts: dict[str, list[Columns]] = {"curves": [], "machine": [], "spans": [], "shares": []}
    titles: dict[str, str] = {}
    for row in rows:
        summary, events = row.summary, by_id[row.summary.id].events
        name = summary.name if names.count(summary.name) == 1 else f"{summary.name} {summary.id[-6:]}"
        curves, known = whole_curves(row, events, name)
        titles |= known
        curves["group"] = [labels.get(summary.id, name)] * len(curves["run"])
        parts["curves"].append(curves)
        parts["machine"].append(machine_columns(events, name))
        parts["spans"].append(span_columns(events, name, MOST_SPANS))
        parts["shares"].append(share_columns(summary, name))
        for kind in ("machine", "spans", "shares"):
            parts[kind][-1]["group"] = [labels.get(summary.id, name)] * len(parts[kind][-1]["run"])
    return {kind: joined(_evened(columns)) for kind, columns in parts.items()}, titles


def _asked(members: Sequence[Member], comparison: Comparison | None) -> list[Asked]:
    """The clients among them, by the setting that they belong to."""
    labels = {row.summary.id: group.label for group in (comparison.groups if comparison else []) for row in group.rows}
    made = [asked(one.summary.name, labels.get(one.summary.id, one.summary.name), one.summary, one.events)
            for one in members if not one.summary.warmup]  # fmt: skip
    return [one for one in made if one is not None]


def _examples(members: Sequence[Member], comparison: Comparison) -> list[str]:
    """Of each group, in order, the folder of its first run: what its settings, code and machine are read from."""
    folders = {one.summary.id: one.folder for one in members}
    return [folders[group.rows[0].summary.id] for group in comparison.groups]


def _evened(parts: Sequence[Columns]) -> list[Columns]:
    """Each with the columns of all: a run that does not know one has nothing in it."""
    names = list(dict.fromkeys(name for part in parts for name in part))
    return [{name: part.get(name, [None] * len(part["run"])) for name in names} for part in parts]


def forest(found: Comparison) -> list[dict[str, object]]:
    """For every metric that is judged, how far each group is from the baseline, with its interval."""
    made: list[dict[str, object]] = []
    told = {best.figure.name for best in telling(found)}.intersection(spelled_out(found))
    for name in dict.fromkeys(one.figure.name for one in found.verdicts):
        verdicts = [one for one in found.verdicts if one.figure.name == name]
        ratio = not any(one.in_points for one in verdicts)
        made.append(
            {
                "metric": verdicts[0].figure.noun,
                "told": name in told,  # else it says no more than another one does
                "better": verdicts[0].figure.better,
                "unit": "%" if ratio else "points" if verdicts[0].figure.points else verdicts[0].figure.unit,
                "baseline": title(found, found.baseline),
                "rows": [_forest_row(one, ratio=ratio) for one in verdicts if not one.refused],
            }
        )
    return [one for one in made if one["rows"]]


def _forest_row(verdict: Verdict, *, ratio: bool) -> dict[str, object]:
    """A ratio as per cent more or less; a share in points."""
    told = Quoted(scale="ratio", value=verdict.ratio.value, low=verdict.ratio.low, high=verdict.ratio.high)
    shift, scale = 1.0, 100.0
    if not ratio:
        found = verdict.difference
        told = Quoted(scale="difference", value=found.delta, low=found.low, high=found.high)
        shift, scale = 0.0, verdict.figure.scale
    value, low, high = (None if one is None else scale * (one - shift) for one in (told.value, told.low, told.high))
    return {
        "group": verdict.group,
        "value": value,
        "low": low,
        "high": high,
        "different": verdict.different is True,
        "text": verdict.text,
    }


def comparison_of(members: Sequence[Member], wish: Wish) -> tuple[Comparison | None, str]:
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
