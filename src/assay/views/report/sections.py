"""The charts of a report, in order; one whose data are not there is left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.errors import UsageError
from assay.views.charts import machine, results
from assay.views.charts.base import AXES, Chart, Figure, Section, Table, section, words_of
from assay.views.columns import FIGURES

if TYPE_CHECKING:
    from assay.views.report.data import ReportData

_PROGRESS = FIGURES[:-1]


def sections(data: ReportData) -> tuple[list[Section], dict[str, Chart]]:
    """(what the template shows, the descriptions by id)."""
    charts: dict[str, Chart] = {}
    made = [_progress(data, charts), _throughput(data, charts), _spread(data, charts), _scaling(data, charts),
            _latency(data, charts), _time(data, charts), _machine(data, charts)]  # fmt: skip
    if data.only:
        made, charts = _chosen(made, charts, data.only)
    return [part for part in made if part["charts"]], charts


def _chosen(
    made: list[Section], charts: dict[str, Chart], only: Sequence[str]
) -> tuple[list[Section], dict[str, Chart]]:
    """Those asked for, in the order of a report."""
    unknown = [name for name in only if name not in charts]
    if unknown:
        known = ", ".join(charts) or "none"
        raise UsageError(f"these runs give no chart called `{unknown[0]}`", f"charts that they give: {known}")
    for part in made:
        part["charts"] = [one for one in part["charts"] if one["id"] in only]
    return made, {name: chart for name, chart in charts.items() if name in only}


def _add(
    part: Section,
    charts: dict[str, Chart],
    name: str,
    chart: Chart,
    caption: str,
    *,
    follows: bool = False,
    run: str = "",
) -> None:
    charts[name] = chart
    part["charts"].append(Figure(id=name, caption=caption, follows_axis=follows, run=run))


def _progress(data: ReportData, charts: dict[str, Chart]) -> Section:
    columns = data.datasets.get("curves", {})
    axes = [(axis, text) for axis, text in AXES.items() if axis in columns]
    part = section("progress", "While it trained", axes=axes)
    for name in _PROGRESS:
        # one value a run is a result, not a curve
        known = [
            run for run, value in zip(columns.get("run", []), columns.get(name, []), strict=False) if value is not None
        ]
        if axes and len(known) > len(set(known)):
            chart = results.progress(name, axes[0][0])
            caption = f"{results.label(name)} of every run; repeats of a setting share its colour"
            _add(part, charts, f"progress-{name}", chart, caption, follows=True)
    return part


def _throughput(data: ReportData, charts: dict[str, Chart]) -> Section:
    part = section("throughput", "Throughput against batch size")
    if "batch" in data.datasets:
        model = next((one for one in (data.comparison.models if data.comparison else []) if one.kind == "batch"), None)
        part["says"] = [f"{text}." for text in model.says] if model else []
        caption = (
            "every run a point; dashed: the fitted line, where it holds; grey: a range that is extrapolated, not run"
        )
        _add(part, charts, "throughput", results.throughput_by_batch(), caption)
    return part


def _spread(data: ReportData, charts: dict[str, Chart]) -> Section:
    part = section("spread", "Results and their spread")
    columns = data.datasets.get("results", {})
    for name, title in (("accuracy", "accuracy"), ("loss", "loss"), ("samples_per_s", "samples per second")):
        if sum(value is not None for value in columns.get(name, [])) > 1:
            caption = f"{title}: every run a dot; the mean and its 95 % interval where there are repeats"
            _add(part, charts, f"spread-{name}", results.spread(name, title), caption)
    return part


def _scaling(data: ReportData, charts: dict[str, Chart]) -> Section:
    part = section("scaling", "Scaling")
    if "scaling" in data.datasets:
        model = next(one for one in data.comparison.models if one.kind == "scaling") if data.comparison else None
        part["says"] = [f"{text}." for text in model.says] if model else []
        _add(part, charts, "scaling", results.scaling(), "speed-up over the fewest workers; grey: ideal")
    return part


def _latency(data: ReportData, charts: dict[str, Chart]) -> Section:
    part = section("latency", "Latency")
    columns = data.datasets.get("latency")
    if columns:
        _add(part, charts, "latency", results.latency(), "from the median to the 99th percentile; dark tick: the mean")
        heads = ["", "accuracy %", "mean ms", "p50 ms", "p90 ms", "p99 ms", "inferences/s"]
        accuracy = [100 * value if isinstance(value, float) else None for value in columns["accuracy"]]
        shown = [columns["group"], accuracy, *(columns[name] for name in ("mean", "p50", "p90", "p99", "per_s"))]
        rows = [[_cell(value) for value in row] for row in zip(*shown, strict=True)]
        part["latency"] = Table(heads=heads, rows=rows)
    return part


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.4g}"
    return "" if value is None else str(value)


def _phases(data: ReportData, dataset: str) -> list[str]:
    return words_of(data.datasets.get(dataset, {}), "phase")


def _time(data: ReportData, charts: dict[str, Chart]) -> Section:
    part = section("time", "Where the time went")
    if "shares" in data.datasets:
        _add(
            part,
            charts,
            "shares",
            machine.time_shares(_phases(data, "shares")),
            "shares of each run's time, each moment given to its innermost phase",
        )
    if "spans" in data.datasets:
        _add(
            part,
            charts,
            "timeline",
            machine.timeline(_phases(data, "spans")),
            "the same against each run's own clock",
        )
    return part


def _machine(data: ReportData, charts: dict[str, Chart]) -> Section:
    columns = data.datasets.get("machine", {})
    runs = words_of(columns, "run")
    part = section("machine", "The machine meanwhile", runs=runs)
    for panel, title in machine.panels(set(columns.get("panel", []))).items():
        _add(
            part,
            charts,
            f"machine-{panel}",
            machine.resources(panel, _phases(data, "spans")),
            f"{title}, phases behind it",
            run=runs[0],
        )
    return part
