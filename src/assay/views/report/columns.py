"""The rows behind the charts, as columns: embedded once, whichever charts show them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from assay.comparing.comparison import Comparison
from assay.comparing.curves import AXES, curve_of
from assay.comparing.parts import drawn
from assay.comparing.rows import Row
from assay.model.event import Event
from assay.views.charts.base import Columns
from assay.views.columns import FIGURES, joined, machine_columns, share_columns, short, span_columns
from assay.views.words import engine_words

Datasets: TypeAlias = dict[str, Columns]
_RESULTS = ("samples_per_s", "accuracy", "loss", "latency_ms", "wall_s", "energy_j")


def datasets_of(
    rows: Sequence[Row], events_of: Callable[[Row], list[Event]], comparison: Comparison | None
) -> Datasets:
    """All of it; empty data are left out, and with them their charts."""
    labels = _labels(rows, comparison)
    called = [(row, labels[row.summary.id][0]) for row in rows]
    found: Datasets = {
        "curves": _curves(rows, events_of, labels),
        "machine": joined(machine_columns(events_of(row), name) for row, name in called),
        "spans": joined(span_columns(events_of(row), name) for row, name in called),
        "shares": joined(share_columns(row.summary, name) for row, name in called),
        "results": _results(rows, labels),
        "means": _means(comparison),
        "batch": _batch(rows, labels),
        "batch_model": _batch_model(comparison),
        "scaling": _scaling(comparison),
        "latency": _latency(rows, labels),
    }
    return {name: columns for name, columns in found.items() if any(columns.values())}


def _labels(rows: Sequence[Row], comparison: Comparison | None) -> dict[str, tuple[str, str]]:
    """By id: how the run is called, and its group. Two runs of one name are told apart by their ids."""
    groups = {row.summary.id: group.label for group in (comparison.groups if comparison else []) for row in group.rows}
    names = [row.summary.name for row in rows]
    found = {}
    for row, name in zip(rows, names, strict=True):
        run_id = row.summary.id
        shown = name if names.count(name) == 1 else f"{name} {run_id[-6:]}"
        found[run_id] = (shown, groups.get(run_id, name))
    return found


def _add(columns: Columns, **values: object) -> None:
    for name, value in values.items():
        columns.setdefault(name, []).append(short(value) if isinstance(value, float) else value)


def _curves(
    rows: Sequence[Row], events_of: Callable[[Row], list[Event]], labels: dict[str, tuple[str, str]]
) -> Columns:
    columns: Columns = {}
    for row in rows:
        run, group = labels[row.summary.id]
        for point in curve_of(row, events_of(row)).points:
            axes, shown = {axis: point.at.get(axis) for axis in AXES}, drawn(point.values)
            _add(columns, run=run, group=group, **axes, **{name: shown.get(name) for name in FIGURES})
    return _without_empty(columns)


def _without_empty(columns: Columns) -> Columns:
    return {name: values for name, values in columns.items() if any(value is not None for value in values)}


def _results(rows: Sequence[Row], labels: dict[str, tuple[str, str]]) -> Columns:
    columns: Columns = {}
    for row in rows:
        run, group = labels[row.summary.id]
        _add(columns, run=run, group=group, **{name: row.figures.get(name) for name in _RESULTS})
    return _without_empty(columns)


def _means(comparison: Comparison | None) -> Columns:
    columns: Columns = {}
    for group in comparison.groups if comparison else []:
        for name in _RESULTS:
            spread = comparison.spread(group, name) if comparison else None
            if spread is not None:
                _add(
                    columns,
                    group=group.label,
                    figure=name,
                    mean=spread.mean,
                    low=spread.low,
                    high=spread.high,
                    n=spread.n,
                )
    return columns


def _batch(rows: Sequence[Row], labels: dict[str, tuple[str, str]]) -> Columns:
    columns: Columns = {}
    sizes = {row.batch for row in rows if row.batch and row.figures.get("samples_per_s")}
    for row in rows if len(sizes) > 1 else []:
        rate = row.figures.get("samples_per_s")
        if row.batch and rate:
            _add(
                columns,
                run=labels[row.summary.id][0],
                batch_size=float(row.batch),
                samples_per_s=float(rate),
            )
    return columns


def _batch_model(comparison: Comparison | None) -> Columns:
    """The fitted line where it holds, and the range that is extrapolated, as samples per second."""
    model = next((one for one in (comparison.models if comparison else []) if one.kind == "batch"), None)
    columns: Columns = {}
    if model is None or model.valid is None:
        return columns
    figures = model.figures
    if model.holds and "fixed_ms" in figures:
        low, high = model.valid
        for i in range(33):
            size = low * (high / low) ** (i / 32)
            rate = 1000 * size / (figures["fixed_ms"] + figures["ms_per_sample"] * size)
            _add(
                columns, batch_size=float(size), samples_per_s=float(rate), low=None, high=None, note="the fitted line"
            )
    beyond = figures.get("extrapolation")
    if isinstance(beyond, dict):
        size = float(beyond["batch_size"])
        slow, fast = 1000 * size / beyond["high_ms"], 1000 * size / beyond["low_ms"]
        _add(
            columns,
            batch_size=size,
            samples_per_s=None,
            low=float(slow),
            high=float(fast),
            note="extrapolation: not run",
        )
    return columns


def _scaling(comparison: Comparison | None) -> Columns:
    model = next((one for one in (comparison.models if comparison else []) if one.kind.startswith("scaling")), None)
    columns: Columns = {}
    speedups, efficiencies = (model.figures.get(name) for name in ("speed_up", "efficiency")) if model else (None, None)
    if not isinstance(speedups, dict) or not isinstance(efficiencies, dict):
        return columns
    counts = {workers: float(str(workers).replace(",", "")) for workers in speedups}
    for workers, speedup in speedups.items():
        count = counts[workers]
        _add(
            columns,
            workers=count,
            speedup=float(speedup),
            ideal=count / min(counts.values()),
            efficiency=float(efficiencies[workers]),
        )
    return columns


def _latency(rows: Sequence[Row], labels: dict[str, tuple[str, str]]) -> Columns:
    """One row a run, or one for each way in which it measured itself."""
    columns: Columns = {}
    for row in rows:
        run, group = labels[row.summary.id]
        measured = row.summary.by_engine()
        for one in measured or (row.summary,):
            known = {"p50": one.latency_p50_ms, "p90": one.latency_p90_ms, "p99": one.latency_p99_ms}
            if any(value is None for value in known.values()):
                continue
            words = engine_words(one) if measured else ""
            shown = words if words and len(rows) == 1 else f"{group}, {words}" if words else group
            found = {"accuracy": one.accuracy, "per_s": one.inferences_per_s}
            _add(columns, run=run, group=shown, mean=one.latency_ms, **known, **found)
    return columns
