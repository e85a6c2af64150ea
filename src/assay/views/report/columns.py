"""The rows behind the charts, as columns: embedded once, whichever charts show them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from assay.comparing.comparison import Comparison
from assay.comparing.curves import Curve
from assay.comparing.models.base import Model
from assay.comparing.rows import Row
from assay.model.event import Event
from assay.views import requests
from assay.views.charts.base import Columns
from assay.views.columns import FIGURES, joined, machine_columns, share_columns, span_columns, split_columns
from assay.views.report.bands import Course, peaks
from assay.views.report.given import Given, add, axis_of, without_empty
from assay.views.words import engine_words

Datasets: TypeAlias = dict[str, Columns]
#: of one figure, of all runs together: no more can be seen on paper, and a page stays small
_MOST_POINTS = 3000
_RESULTS = (
    "samples_per_s", "accuracy", "loss", "val_loss", "latency_ms", "output_tokens_per_s", "ttft_p50_ms", "e2e_p50_ms",
    "wall_s", "energy_j",
)  # fmt: skip


def datasets_of(
    rows: Sequence[Row],
    events_of: Callable[[Row], list[Event]],
    comparison: Comparison | None,
    courses: Mapping[str, Course] | None = None,
    read: Callable[[Row], Curve] | None = None,
) -> Datasets:
    """All of it; empty data are left out, and with them their charts. Without `courses`, nothing that is only for still
    charts: a page that can draw single runs needs no other rows."""
    given = Given(
        rows=rows,
        events_of=events_of,
        labels=_labels(rows, comparison),
        comparison=comparison,
        courses=courses or {},
        read=read,
    )
    made = _DATASETS if courses is None else _DATASETS | _STILL
    found = {name: make(given) for name, make in made.items()}
    return {name: columns for name, columns in found.items() if any(columns.values())}


def _labels(rows: Sequence[Row], comparison: Comparison | None) -> dict[str, tuple[str, str]]:
    """By id: the name of the run, and its group. Two runs with one name get their ids added."""
    groups = {row.summary.id: group.label for group in (comparison.groups if comparison else []) for row in group.rows}
    names = [row.summary.name for row in rows]
    found = {}
    for row, name in zip(rows, names, strict=True):
        run_id = row.summary.id
        shown = name if names.count(name) == 1 else f"{name} {run_id[-6:]}"
        found[run_id] = (shown, groups.get(run_id, name))
    return found


def _curves(given: Given) -> Columns:
    return given.curves


def _bands(given: Given) -> Columns:
    """Mean and interval of each figure over the repeats of a setting, against what curves are drawn against."""
    columns: Columns = {}
    for (label, name), (count, points) in given.bands.items():
        for x, mean, low, high in points:
            add(columns, group=label, figure=name, n=count, x=x, mean=mean, low=low, high=high)
    return columns


def _single(given: Given) -> Columns:
    """Runs of settings that have no band, as many points of each figure as a chart on paper can show."""
    columns: Columns = {}
    axis = axis_of(given.curves, given.comparison)
    rows = [(row, *given.labels[row.summary.id]) for row in given.rows]
    for name in FIGURES if axis else ():
        shown = [(row, run, group) for row, run, group in rows if (group, name) not in given.bands]
        for row, run, group in shown:
            points = zip(given.curve(row), given.shown[row.summary.id], strict=True)
            known = [(p.at[axis or ""], value) for p, values in points
                     if axis in p.at and (value := values.get(name)) is not None]  # fmt: skip
            for x, value in peaks(known, _MOST_POINTS // len(shown)):
                add(columns, run=run, group=group, figure=name, x=x, value=value)
    return columns


def _results(given: Given) -> Columns:
    columns: Columns = {}
    for row in given.rows:
        run, group = given.labels[row.summary.id]
        add(columns, run=run, group=group, **{name: row.figures.get(name) for name in _RESULTS})
    return without_empty(columns)


def _means(given: Given) -> Columns:
    columns: Columns = {}
    comparison = given.comparison
    for group in comparison.groups if comparison else []:
        for name in _RESULTS:
            spread = comparison.spread(group, name) if comparison else None
            if spread is not None:
                add(
                    columns,
                    group=group.label,
                    figure=name,
                    mean=spread.mean,
                    low=spread.low,
                    high=spread.high,
                    n=spread.n,
                )
    return columns


def _batch(given: Given) -> Columns:
    columns: Columns = {}
    sizes = {row.batch for row in given.rows if row.batch and row.figures.get("samples_per_s")}
    for row in given.rows if len(sizes) > 1 else []:
        rate = row.figures.get("samples_per_s")
        if row.batch and rate:
            run, group = given.labels[row.summary.id]
            add(columns, run=run, group=group, batch_size=float(row.batch), samples_per_s=float(rate))
    return columns


def model_of(comparison: Comparison | None, kind: str) -> Model | None:
    """The first whose kind begins so."""
    return next((one for one in (comparison.models if comparison else []) if one.kind.startswith(kind)), None)


def _batch_model(given: Given) -> Columns:
    """The fitted line where it holds, and the range that is extrapolated, as samples per second."""
    model = model_of(given.comparison, "batch")
    columns: Columns = {}
    if model is None or model.valid is None:
        return columns
    figures = model.figures
    if model.holds and "fixed_ms" in figures:
        low, high = model.valid
        for i in range(33):
            size = low * (high / low) ** (i / 32)
            rate = 1000 * size / (figures["fixed_ms"] + figures["ms_per_sample"] * size)
            add(columns, batch_size=float(size), samples_per_s=float(rate), low=None, high=None, note="the fitted line")
    beyond = figures.get("extrapolation")
    if isinstance(beyond, dict):
        size = float(beyond["batch_size"])
        slow, fast = 1000 * size / beyond["high_ms"], 1000 * size / beyond["low_ms"]
        add(
            columns,
            batch_size=size,
            samples_per_s=None,
            low=float(slow),
            high=float(fast),
            note="extrapolation: not run",
        )
    return columns


def _scaling(given: Given) -> Columns:
    model = model_of(given.comparison, "scaling")
    columns: Columns = {}
    speedups, efficiencies = (model.figures.get(name) for name in ("speed_up", "efficiency")) if model else (None, None)
    if not isinstance(speedups, dict) or not isinstance(efficiencies, dict):
        return columns
    counts = {workers: float(str(workers).replace(",", "")) for workers in speedups}
    for workers, speedup in speedups.items():
        count = counts[workers]
        add(
            columns,
            workers=count,
            speedup=float(speedup),
            ideal=count / min(counts.values()),
            efficiency=float(efficiencies[workers]),
        )
    return columns


def _latency(given: Given) -> Columns:
    """One row a run, or one for each way in which it measured itself."""
    columns: Columns = {}
    for row in given.rows:
        run, group = given.labels[row.summary.id]
        measured = row.summary.by_engine()
        for one in measured or (row.summary,):
            known = {"p50": one.latency_p50_ms, "p90": one.latency_p90_ms, "p99": one.latency_p99_ms}
            if any(value is None for value in known.values()):
                continue
            words = engine_words(one) if measured else ""
            shown = words if words and len(given.rows) == 1 else f"{group}, {words}" if words else group
            found = {"accuracy": one.accuracy, "per_s": one.inferences_per_s}
            add(columns, run=run, group=shown, mean=one.latency_ms, **known, **found)
    return columns


def _shares(given: Given) -> Columns:
    return joined(share_columns(row.summary, given.labels[row.summary.id][0]) for row in given.rows)


def _setting_shares(given: Given) -> Columns:
    shares = given.comparison.shares if given.comparison else []
    return joined(split_columns(one.shares, one.wall_s, one.group) for one in shares)


#: the rows that charts are drawn from, by the name that a chart knows them by: a new kind of rows is one line here
def _asked(given: Given) -> list[requests.Asked]:
    """Runs that asked a server."""
    labels = given.labels
    found = (
        requests.asked(*labels[row.summary.id], row.summary, given.events_of(row), row.figures) for row in given.rows
    )
    return [one for one in found if one is not None]


_DATASETS: dict[str, Callable[[Given], Columns]] = {
    "curves": _curves,
    "machine": lambda given: given.of_runs(machine_columns),
    "spans": lambda given: given.of_runs(span_columns),
    "shares": _shares,
    "setting_shares": _setting_shares,
    "results": _results,
    "means": _means,
    "batch": _batch,
    "batch_model": _batch_model,
    "scaling": _scaling,
    "latency": _latency,
    "latencies": lambda given: requests.distributions(_asked(given)),
    "percentiles": lambda given: requests.percentiles(_asked(given)),
    "request_means": lambda given: requests.means(_asked(given)),
    "requests": lambda given: requests.timeline(_asked(given)),
    "failures": lambda given: requests.failures(_asked(given)),
    "loads": lambda given: requests.loads(given.comparison.models if given.comparison else []),
    "load_runs": lambda given: requests.load_runs(given.comparison.models if given.comparison else []),
}
_STILL: dict[str, Callable[[Given], Columns]] = {"bands": _bands, "single": _single}
