"""Every curve of a run as the columns that its charts are drawn from: all at once, or what is new."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable

from assay.comparing.curves import AXES, Point, curve_of
from assay.comparing.parts import drawn
from assay.comparing.rows import Row, rows_of
from assay.model.event import Event
from assay.model.summary import Summary
from assay.quantities import spellings
from assay.views.charts.base import Columns
from assay.views.columns import short

_NO_FIGURE = {*AXES, *spellings("steps"), "epoch", "epochs", "elapsed_s", "run", "group"}
_MOST_FIGURES = 24
#: phases that a browser still draws at once
MOST_SPANS = 1500


def row_of(summary: Summary) -> Row:
    """As a comparison sees the run, also while it goes on."""
    return rows_of([summary.replace(status="completed")]).rows[0]


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
        for name, value in drawn(point.values).items():
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
        column.append(short(value))
