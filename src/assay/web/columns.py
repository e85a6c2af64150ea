"""A run's events as the columns that its charts are drawn from: all at once, or what is new."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable
from typing import Any

from assay.compare.curves import AXES, Point, curve_of
from assay.compare.rows import Row, rows_of
from assay.events import ENVELOPE, Event, number
from assay.views.charts.base import PHASE_COLOURS, Columns
from assay.views.charts.machine import PANELS
from assay.views.report.columns import phase_spans

#: shown first; every other figure that a program reports follows
FIRST = ("loss", "accuracy", "samples_per_s", "tokens_per_s")
_NO_FIGURE = ENVELOPE | set(AXES) | {"step", "global_step", "epoch", "epochs", "elapsed_s", "run", "group"}
_MOST_FIGURES = 24
_MOST_SPANS = 1500
_DIGITS = 7


def row_of(summary: dict[str, Any]) -> Row:
    """As a comparison sees the run, also while it goes on."""
    return rows_of([{**summary, "status": "completed"}]).rows[0]


def key_of(name: str) -> str:
    """A column's name: a figure may be called anything, but a chart reads dots and quotes as its own."""
    if re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
        return name
    return f"{re.sub(r'[^A-Za-z0-9]+', '_', name).strip('_')}_{zlib.crc32(name.encode('utf-8', 'replace')):08x}"


def whole_curves(row: Row, events: Iterable[Event], run: str) -> tuple[Columns, dict[str, str]]:
    """(columns, the figures' names by column)."""
    return curve_columns(curve_of(row, events).points, run)


def curve_columns(points: Iterable[Point], run: str) -> tuple[Columns, dict[str, str]]:
    columns: Columns = {"run": [], "group": []}
    titles: dict[str, str] = {}
    count = 0
    for point in points:
        columns["run"].append(run)
        columns["group"].append(run)
        for axis, at in point.at.items():
            _put(columns, axis, count, at)
        for name, value in point.values.items():
            if name in _NO_FIGURE:
                continue
            key = key_of(name)
            if key in titles or len(titles) < _MOST_FIGURES:
                titles[key] = name
                _put(columns, key, count, value)
        count += 1
    for values in columns.values():
        values.extend([None] * (count - len(values)))
    return columns, titles


def _put(columns: Columns, name: str, at: int, value: float) -> None:
    column = columns.setdefault(name, [])
    column.extend([None] * (at - len(column)))
    if len(column) == at:
        column.append(_short(value))


def machine_columns(events: Iterable[Event], run: str) -> Columns:
    columns: Columns = {"run": [], "panel": [], "s": [], "value": []}
    for event in events:
        at_s = number(event.get("at_s"))
        if event["kind"] != "sample" or at_s is None or event.get("gpu"):
            continue
        for panel, (_, scale) in PANELS.items():
            value = number(event.get(panel))
            if value is not None:
                for name, cell in zip(columns, (run, panel, _short(at_s), _short(value * scale)), strict=True):
                    columns[name].append(cell)
    return columns


def span_columns(events: Iterable[Event], run: str) -> Columns:
    """Of very many phases, the longest."""
    spans = phase_spans(events)
    if len(spans) > _MOST_SPANS:
        longest = sorted(spans, key=lambda span: span[1] - span[2])[:_MOST_SPANS]
        spans = sorted(longest, key=lambda span: span[1])
    return {
        "run": [run] * len(spans),
        "phase": [name for name, _, _, _ in spans],
        "begin_s": [_short(begin_s) for _, begin_s, _, _ in spans],
        "end_s": [_short(end_s) for _, _, end_s, _ in spans],
        "depth": [depth for _, _, _, depth in spans],
    }


def share_columns(summary: dict[str, Any], run: str) -> Columns:
    shares = summary.get("phase_shares") or {}
    wall_s = number(summary.get("wall_s")) or 0.0
    order = {name: at for at, name in enumerate(PHASE_COLOURS)}
    names = sorted(shares, key=lambda name: order.get(name, len(order)))
    return {
        "run": [run] * len(names),
        "phase": names,
        "share": [shares[name] for name in names],
        "seconds": [_short(shares[name] * wall_s) for name in names],
        "order": [order.get(name, len(order)) for name in names],
    }


def _short(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")
