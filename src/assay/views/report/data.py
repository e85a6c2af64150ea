"""Everything a report shows, gathered once: a run's events are read in one pass and thinned before they are kept."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial

from assay.auditing.audit import across, gathered, judge
from assay.auditing.case import Case, Run
from assay.auditing.load import case_of_runs, run_of_record
from assay.comparing.comparison import Comparison, Wish, compare, curves
from assay.comparing.curves import Curve, curve_of
from assay.comparing.rows import Row, rows_of
from assay.errors import AssayError
from assay.model.event import Event, Metric
from assay.model.finding import Finding
from assay.model.request import Request
from assay.model.summary import Summary
from assay.store.files import event_files
from assay.store.layout import RunDir
from assay.views.answer import question as of_study
from assay.views.columns import FIGURES
from assay.views.report.bands import Course, course_of
from assay.views.report.columns import Datasets, datasets_of
from assay.views.thinner import thinned

#: of all curves together: fifty runs of ten thousand steps stay a file that can be mailed
_STRETCHES = 5000
#: of events, from where on starting other processes pays
_LARGE_BYTES = 16 << 20
_FEWEST_STRETCHES, _MOST_STRETCHES = 40, 200


@dataclass(frozen=True, kw_only=True)
class RunRecord:
    """One run: its summary, what was asked, and its events, thinned."""

    summary: Summary
    asked: Request
    events: list[Event]
    course: Course = field(default_factory=dict)  # its curves, averaged, where it was too long to keep

    @property
    def id(self) -> str:
        return self.summary.id


@dataclass(frozen=True, kw_only=True)
class ReportData:
    title: str
    records: list[RunRecord]
    comparison: Comparison | None
    why_not: str  # there is no comparison
    findings: list[Finding]
    datasets: Datasets
    only: tuple[str, ...] = ()  # charts, where not all are wanted

    def question(self, otherwise: str) -> str:
        """The study's own question, or one made of what varies; else the name of the only run."""
        asked, _ = of_study((record.asked.study_about for record in self.records), self.comparison)
        return asked or (self.records[0].summary.name if len(self.records) == 1 else otherwise)


def gather(
    title: str | None,
    runs: Sequence[RunDir],
    wish: Wish,
    tell: Callable[[int], None] = lambda done: None,
    only: tuple[str, ...] = (),
    otherwise: str = "Report",
) -> ReportData:
    """Read, judge, compare. Without a title it is called by the question that its runs answer, or `otherwise`."""
    records: list[RunRecord] = []
    lean: list[Run] = []
    findings: list[Finding] = []
    shown = _but_warmups(runs)
    stretches = max(_FEWEST_STRETCHES, min(_MOST_STRETCHES, _STRETCHES // max(1, len(shown))))
    for done, (run, (record, found)) in enumerate(zip(shown, _read_all(shown, stretches), strict=True), 1):
        records.append(record)
        findings += found
        lean.append(run_of_record(run, record.summary, record.asked, record.events))
        tell(done)
    findings = gathered(_together(findings, across(Case(name=title or otherwise, runs=lean))))
    by_id = {record.id: record.events for record in records}
    curve = curves(lambda summary: by_id.get(summary.id, []))
    comparison, why_not = _compare(records, wish, curve)
    rows = comparison.rows if comparison else rows_of([record.summary for record in records]).rows
    courses = {record.id: record.course for record in records}
    datasets = datasets_of(rows, lambda row: by_id.get(row.summary.id, []), comparison, courses, curve)
    data = ReportData(
        title=title or "",
        records=records,
        comparison=comparison,
        why_not=why_not,
        findings=findings,
        datasets=datasets,
        only=only,
    )
    return data if title else replace(data, title=data.question(otherwise))


def _read_all(runs: Sequence[RunDir], stretches: int) -> Iterator[tuple[RunRecord, list[Finding]]]:
    """Long ones on all cores: reading and judging half a million events takes ten seconds on one."""
    size = sum(file.size_bytes for run in runs for file in event_files(run.path))
    cores = min(len(runs), os.cpu_count() or 1)
    read = partial(_read, stretches=stretches)
    if size < _LARGE_BYTES or cores < 2:
        yield from map(read, runs)
        return
    # events refer to nothing that refers to them: looking for circles among them takes a fifth of the time
    with ProcessPoolExecutor(cores, initializer=gc.disable) as pool:
        yield from pool.map(read, runs)


def _read(run: RunDir, stretches: int) -> tuple[RunRecord, list[Finding]]:
    """One run judged on all of its events, of which few are kept."""
    case = case_of_runs(run.path.name, [run])
    whole = case.runs[0]
    findings = judge([case]) if whole.summary.status != "running" else []
    events = thinned(whole.events, stretches, FIGURES)
    course = _course(whole.summary, whole.events) if _metrics(events) < _metrics(whole.events) else {}
    return RunRecord(summary=whole.summary, asked=whole.asked, events=events, course=course), findings


def _metrics(events: Iterable[Event]) -> int:
    return sum(isinstance(event, Metric) for event in events)


def _course(summary: Summary, events: Iterable[Event]) -> Course:
    """A mean of what thinning keeps would be one of peaks: it is taken before."""
    rows = rows_of([summary]).rows
    return course_of(curve_of(rows[0], events).points, FIGURES) if rows else {}


def _but_warmups(runs: Sequence[RunDir]) -> list[RunDir]:
    """They are kept and not counted: shown only where nothing else is."""
    return [run for run in runs if not run.asked().warmup] or list(runs)


def _compare(records: Sequence[RunRecord], wish: Wish, curve: Callable[[Row], Curve]) -> tuple[Comparison | None, str]:
    by_id = {record.id: record.events for record in records}
    summaries = [record.summary for record in records]
    try:
        return compare(summaries, lambda summary: by_id.get(summary.id, []), wish, curve), ""
    except AssayError as problem:
        return None, f"{problem.message}{': ' + problem.hint if problem.hint else ''}"


def _together(own: list[Finding], more: list[Finding]) -> list[Finding]:
    order = {"wrong": 0, "doubtful": 1, "note": 2}
    merged = dict.fromkeys([*own, *more])
    return sorted(merged, key=lambda one: order[one.severity])
