"""Rows of summaries as a table for the terminal: only columns that have something to say."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from assay.model.summary import Summary
from assay.quantities import BY_NAME
from assay.text import printable
from assay.units import CELLS, show_number
from assay.views import grid, terminal
from assay.views.grid import Cell, Grid, Styled


@dataclass(frozen=True, kw_only=True)
class Column:
    """A field of a summary, its heading, and how its value is shown; `made` where it is no field, but made of some."""

    field: str
    heading: str
    show: Callable[[object], str] = str
    right: bool = True
    made: Callable[[Summary], str] | None = None


def measured(field: str, quantity: str = "") -> Column:
    """A figure of the table of quantities, by its heading there and in its unit."""
    one = BY_NAME[quantity or field]
    return Column(field=field, heading=one.heading.removesuffix(" %"), show=of_number(CELLS[one.unit]))


def of_number(show: Callable[[float], str]) -> Callable[[object], str]:
    return lambda value: show(value) if isinstance(value, (int, float)) else str(value)


def _started(text: object) -> str:
    """In local time, without the year: what a person compares with the clock on the wall."""
    date = str(text)
    hour, minute = _local_hour(date[:13])
    return f"{hour}:{date[14:16]}" if minute == "00" else _local(date)


@cache
def _local_hour(text: str) -> tuple[str, str]:
    """Thousands of runs began in few hours; reading a date is slow."""
    begin, _, minute = _local(f"{text}:00:00Z").rpartition(":")
    return begin, minute


def _local(text: str) -> str:
    import calendar

    moment = calendar.timegm(time.strptime(text, "%Y-%m-%dT%H:%M:%SZ"))
    return time.strftime("%d %b %H:%M", time.localtime(moment))


_STYLES = {"failed": "red", "interrupted": "yellow", "running": "cyan"}

#: what `assay ls` can show, in order
COLUMNS = (
    Column(field="name", heading="name", right=False),
    Column(field="id", heading="id", right=False),
    Column(field="status", heading="status", right=False),
    Column(field="how", heading="how", right=False),
    Column(field="system", heading="system", right=False),
    Column(field="started", heading="started", show=_started, right=False),
    *map(measured, ("wall_s", "cpu_pct_mean", "memory_bytes_max", "gpu_util_pct_mean", "energy_j")),
    *map(measured, ("steps", "loss", "accuracy")),
    measured("samples_per_s_own", "samples_per_s"),
    Column(field="error", heading="error", show=lambda error: str(getattr(error, "code", error)), right=False),
)


def columns_for(summaries: Sequence[Summary], asked: Sequence[str] = ()) -> list[Column]:
    """Those asked for, else those of which at least one run knows something."""
    if asked:
        ours = {column.field: column for column in COLUMNS}
        return [ours.get(name, Column(field=name, heading=name, show=show_any)) for name in asked]
    known: set[str] = set().union(*(summary.names for summary in summaries))
    if all(summary.how in (None, "executed") for summary in summaries):
        known.discard("how")
    return [column for column in COLUMNS if column.field in known]


def cell(summary: Summary, column: Column) -> str:
    value = column.made(summary) if column.made else summary.value(column.field)
    if value is None:
        return ""
    try:
        return column.show(value)
    except (TypeError, ValueError, AttributeError):
        return str(value)


def print_table(summaries: Sequence[Summary], columns: Sequence[Column]) -> None:
    """To stdout: fitted on a terminal, whole in a pipe."""
    sys.stdout.write(table_text(summaries, columns, terminal.columns(), colour=terminal.colours(sys.stdout)))


def table_text(
    summaries: Sequence[Summary], columns: Sequence[Column], room: int = terminal.UNLIMITED, *, colour: bool
) -> str:
    """A line a run, with as many columns as there is room for."""
    whole = Grid(
        columns=[grid.Column(heading=column.heading, right=column.right, cut=not column.right) for column in columns],
        rows=[[_drawn(summary, column) for column in columns] for summary in summaries],
    )
    shown = whole.fitted(room)
    lines = list(shown.lines(room, colour=colour))
    if len(shown.columns) < len(columns):
        rest = ",".join(column.field for column in columns[len(shown.columns) :])
        lines.append(terminal.painted(f"columns that need a wider terminal: {rest}", "dim", colour))
    return "".join(f"{line}\n" for line in lines)


def _drawn(summary: Summary, column: Column) -> Cell:
    text = printable(cell(summary, column))
    style = _STYLES.get(text, "") if column.field == "status" else ""
    return Styled(text, style) if style else text


def show_any(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return show_number(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)
