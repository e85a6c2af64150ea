"""Charts of where the time went, and of CPU, memory, GPU and power."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.text import capital
from assay.views.charts import machine as charted
from assay.views.charts.base import Chart, Section, section, words_of
from assay.views.report import words
from assay.views.report.kind import add

if TYPE_CHECKING:
    from assay.views.report.data import ReportData


def _phases(data: ReportData, dataset: str) -> list[str]:
    return words_of(data.datasets.get(dataset, {}), "phase")


#: rows that a chart on paper has room for
_MOST_ROWS = 12


def time(data: ReportData, charts: dict[str, Chart], still: bool) -> Section:
    part = section("time", "Where the time went")
    part["says"] = words.training_share(data)
    runs = len(words_of(data.datasets.get("shares", {}), "run"))
    if still and runs > _MOST_ROWS and "setting_shares" in data.datasets:
        caption = "Share of the time by phase, mean of the runs of each setting; nested phases count once."
        chart = charted.time_shares(_phases(data, "setting_shares"), "setting_shares")
        add(part, charts, "shares", chart, caption)
        return part
    if "shares" in data.datasets:
        phases = _phases(data, "shares")
        caption = "Share of each run's time by phase; nested phases count once, for the innermost."
        add(part, charts, "shares", charted.time_shares(phases), caption)
    if "spans" in data.datasets and not (still and runs > _MOST_ROWS):
        add(part, charts, "timeline", charted.timeline(_phases(data, "spans")), "Phases of each run since its start.")
    return part


def machine(data: ReportData, charts: dict[str, Chart], still: bool) -> Section:
    pairs = charted.watched(data.datasets.get("machine", {}))
    runs = list(dict.fromkeys(str(run) for run, _ in pairs))
    part = section("machine", "CPU, memory, GPU", runs=runs)
    of = f" of {runs[0]}" if len(runs) > 1 and still else ""
    for panel, title in charted.panels({panel for _, panel in pairs}).items():
        caption = f"{capital(title)}{of} over time, with its phases behind."
        chart = charted.resources(panel, _phases(data, "spans"))
        add(part, charts, f"machine-{panel}", chart, caption, run=runs[0])
    return part
