"""Charts of servers: how long requests took, throughput against latency, requests over time, failures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from assay.units import show_number
from assay.views.charts import serving
from assay.views.charts.base import Chart, Columns, Section, Table, rows_of, section, words_of
from assay.views.report.kind import add, settings_of
from assay.views.requests import FIGURES, SHARES

if TYPE_CHECKING:
    from assay.views.report.data import ReportData

_TITLES = {
    "ttft": "time to first token, TTFT (ms)",
    "itl": "time between pieces of an answer, ITL (ms)",
    "tpot": "time per output token, TPOT (ms)",
    "e2e": "whole request, E2E (ms)",
}
_OF = {"itl": "gaps between pieces"}
#: between the fastest and the slowest, from where on an axis is logarithmic
_WIDE = 20.0


def latencies(data: ReportData, charts: dict[str, Chart], still: bool) -> Section:
    columns = data.datasets.get("latencies", {})
    return distributions(data.datasets, settings_of(data, columns) if columns else [], charts)


def distributions(data: Mapping[str, Columns], settings: Sequence[str], charts: dict[str, Chart]) -> Section:
    """Of the four latencies that are known, and the table of their percentiles."""
    part = section("latencies", "Latency of requests")
    columns = data.get("latencies", {})
    for figure, name in FIGURES.items():
        pairs = zip(columns.get("figure", []), columns.get("ms", []), strict=True)
        values = [ms for of, ms in pairs if of == figure and isinstance(ms, float)]
        if values:
            log = max(values) > _WIDE * max(min(values), 1e-3)
            shown = "Dots: p50, p90 and p99; bars: their 95 % intervals."
            caption = f"{name}: share of {_OF.get(figure, 'requests')} within so many ms. {shown}"
            chart = serving.distribution(figure, _TITLES[figure], settings, log=log)
            add(part, charts, f"latency-{figure}", chart, caption)
    part["latency"] = _table(data.get("request_means", {}), data.get("percentiles", {}))
    part["says"] = [_interval_words(data["percentiles"])] if part["charts"] and part["latency"] else []
    return part


def _interval_words(columns: Columns) -> str:
    if any(isinstance(count, int) and count > 1 for count in columns["runs"]):
        return "Intervals are 95 %, from a bootstrap over the runs of a setting and over the requests within them."
    return "Intervals are 95 % and cover the requests of one run. Repeat the run to see how much runs differ."


def _table(means: Columns, percentiles: Columns) -> Table | None:
    """A row for each metric and setting, as `512 (498–530)`."""
    cells: dict[tuple[str, str, str], dict[object, str]] = {}
    for columns in (means, percentiles):
        for row in rows_of(columns):
            count = f"{row['requests']:,}" if row["requests"] else ""
            cells.setdefault((str(row["metric"]), str(row["group"]), count), {})[row.get("share")] = _cell(row)
    if not cells:
        return None
    heads = ["metric", "", "requests", "mean (ms)", *(f"{name} (ms)" for name in SHARES)]
    places = (None, *SHARES.values())
    order = {name: at for at, name in enumerate(FIGURES.values())}
    rows = [[*key, *(row.get(place, "") for place in places)] for key, row in cells.items()]
    return Table(heads=heads, rows=sorted(rows, key=lambda row: order[row[0]]))


def _cell(row: Mapping[str, object]) -> str:
    value, low, high = (_shown(row.get(name)) for name in ("ms", "low", "high"))
    return f"{value} ({low}–{high})" if low and high else value


def _shown(value: object) -> str:
    return show_number(float(f"{value:.4g}")) if isinstance(value, (int, float)) else ""


def load(data: ReportData, charts: dict[str, Chart], still: bool) -> Section:
    part = section("load", "Throughput against latency")
    models = [model for model in (data.comparison.models if data.comparison else []) if model.kind == "serving"]
    if not data.datasets.get("loads"):
        return part
    for model in models:
        tried, server = model.figures["loads"], str(model.figures["server"])
        says = model.says[: -len(tried)] if isinstance(tried, list) else model.says
        part["says"] += [f"{server}: {text}." if server else f"{text[:1].upper()}{text[1:]}." for text in says]
    units = {str(model.figures["unit"]) for model in models}
    caption = (
        "Request latency against throughput. Each number is a load, at the mean of its runs (small circles). "
        "Orange ring: the knee."
    )
    chart = serving.load_curve(units.pop() if len(units) == 1 else "throughput", legend=len(models) > 1)
    add(part, charts, "load-curve", chart, caption)
    return part


def requests(data: ReportData, charts: dict[str, Chart], still: bool) -> Section:
    return over_time(data.datasets, charts)


def over_time(data: Mapping[str, Columns], charts: dict[str, Chart]) -> Section:
    """Of one run at a time."""
    runs = words_of(data.get("requests", {}), "run")
    part = section("requests", "Requests over time", runs=runs if len(runs) > 1 else [])
    if runs:
        caption = "Each line is a request: light until its first token, dark until its last, orange where it failed."
        add(part, charts, "request-timeline", serving.timeline(), caption, run=runs[0])
    return part


def failed(data: ReportData, charts: dict[str, Chart], still: bool) -> Section:
    return failures(data.datasets, charts)


def failures(data: Mapping[str, Columns], charts: dict[str, Chart]) -> Section:
    """Where there were any."""
    part = section("failures", "Failed requests")
    columns = data.get("failures", {})
    if columns:
        count = sum(map(_whole, columns["count"]))
        of = sum(dict(zip(columns["run"], map(_whole, columns["of"]), strict=True)).values())
        part["says"] = [f"{count:,} of {of:,} requests failed in these runs. Latencies are of those that succeeded."]
        add(part, charts, "failures", serving.failures(), "Failed requests of each run, by what went wrong.")
    return part


def _whole(value: object) -> int:
    return int(value) if isinstance(value, (int, float)) else 0
