"""What the rows behind charts are made of: runs, their curves, and repeats as one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from assay.comparing.comparison import Comparison
from assay.comparing.curves import AXES, Curve, Point, curve_of
from assay.comparing.parts import drawn
from assay.comparing.rows import Row
from assay.model.event import Event
from assay.views.charts.base import Columns
from assay.views.columns import FIGURES, joined, short
from assay.views.report.bands import Band, Course, band, course_of


@dataclass(frozen=True, kw_only=True)
class Given:
    """What rows are made of. `labels` are by id: how the run is called, and its group."""

    rows: Sequence[Row]
    events_of: Callable[[Row], list[Event]]
    labels: dict[str, tuple[str, str]]
    comparison: Comparison | None
    courses: Mapping[str, Course] = field(default_factory=dict)  # by id, made of all events
    read: Callable[[Row], Curve] | None = None  # the curve of a run, where someone has it already

    @cached_property
    def _points(self) -> dict[str, list[Point]]:
        read = self.read or (lambda row: curve_of(row, self.events_of(row)))
        return {row.summary.id: read(row).points for row in self.rows}

    def curve(self, row: Row) -> list[Point]:
        return self._points[row.summary.id]

    @cached_property
    def curves(self) -> Columns:
        """Every point of every run, a column at a time: there may be a hundred thousand."""
        columns: Columns = {name: [] for name in ("run", "group", *AXES, *FIGURES)}
        for row in self.rows:
            run, group = self.labels[row.summary.id]
            points = self.curve(row)
            shown = self.shown[row.summary.id]
            columns["run"] += [run] * len(points)
            columns["group"] += [group] * len(points)
            for axis in AXES:
                columns[axis] += [_short(point.at.get(axis)) for point in points]
            for name in FIGURES:
                columns[name] += [_short(values.get(name)) for values in shown]
        return without_empty(columns)

    @cached_property
    def shown(self) -> dict[str, list[dict[str, float]]]:
        """By id: what a chart shows of each point."""
        return {run_id: [drawn(point.values) for point in points] for run_id, points in self._points.items()}

    @cached_property
    def bands(self) -> dict[tuple[str, str], tuple[int, Band]]:
        """By setting and figure: of how many runs, and where."""
        axis = axis_of(self.curves, self.comparison)
        members: dict[str, list[Row]] = {}
        for row in self.rows if axis else ():
            members.setdefault(self.labels[row.summary.id][1], []).append(row)
        found: dict[tuple[str, str], tuple[int, Band]] = {}
        for label, rows in members.items():
            courses = [self.courses.get(row.summary.id) or course_of(self.curve(row), FIGURES) for row in rows]
            made = {name: band(name, axis or "", courses) for name in FIGURES}
            found |= {(label, name): (len(rows), points) for name, points in made.items() if points}
        return found

    def of_runs(self, make: Callable[[list[Event], str], Columns]) -> Columns:
        return joined(make(self.events_of(row), self.labels[row.summary.id][0]) for row in self.rows)


def axis_of(curves: Columns, comparison: Comparison | None) -> str | None:
    """What curves are drawn against first: what the results are compared at, else the first that is known."""
    known = [axis for axis in AXES if axis in curves]
    if comparison is not None and comparison.axis.name in known:
        return comparison.axis.name
    return known[0] if known else None


def add(columns: Columns, **values: object) -> None:
    """One row."""
    for name, value in values.items():
        columns.setdefault(name, []).append(_short(value))


def _short(value: object) -> object:
    return short(value) if isinstance(value, float) else value


def without_empty(columns: Columns) -> Columns:
    """The columns that say something."""
    return {name: values for name, values in columns.items() if any(value is not None for value in values)}
