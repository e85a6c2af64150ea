"""Summaries as a table for the terminal: only columns with values, and as many as fit."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache, partial

from assay.core.distinguishing import last_part, varying
from assay.model.summary import Summary
from assay.quantities import BY_NAME
from assay.text import printable
from assay.units import CELLS, show_number
from assay.views import grid, terminal
from assay.views.grid import Cell, Grid, Styled


@dataclass(frozen=True, kw_only=True)
class Column:
    """A field of a summary, its heading, and how it is shown; `made` computes a cell from several fields."""

    field: str
    heading: str
    show: Callable[[object], str] = str
    right: bool = True
    made: Callable[[Summary], str] | None = None
    cut: bool = False  # without room, its cells end in …


def measured(field: str, quantity: str = "") -> Column:
    """A figure of the table of quantities, by its heading there and in its unit."""
    one = BY_NAME[quantity or field]
    return Column(field=field, heading=one.heading.removesuffix(" %"), show=of_number(CELLS[one.unit]))


def of_number(show: Callable[[float], str]) -> Callable[[object], str]:
    return lambda value: show(value) if isinstance(value, (int, float)) else str(value)


def _started(summary: Summary) -> str:
    """In local time, without the year: what a person compares with the clock on the wall. The date of a log is shown as
    printed, because its time zone is unknown.
    """
    if summary.started is None:
        return f"{summary.dated[:10]} {summary.dated[11:16]}" if summary.dated else ""
    date = summary.started
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


def _tenths(share: float) -> str:
    return f"{100 * share:.1f} %"


def _accuracy(summary: Summary) -> str:
    """`97.5 test`: with its part of the data."""
    if summary.accuracy is None:
        return ""
    return " ".join(filter(None, [CELLS[BY_NAME["accuracy"].unit](summary.accuracy), summary.accuracy_of]))


def _loss(summary: Summary) -> str:
    """`NaN` where the training ended so."""
    if summary.loss is None:
        return summary.not_finite.get("loss", "").partition(" ")[0]
    return CELLS[BY_NAME["loss"].unit](summary.loss)


_STYLES = {"failed": "red", "interrupted": "yellow", "running": "cyan"}

#: shares of what a job asked for
_OF_ASKED = {"time_eff": "time used", "cpu_eff": "CPU used", "mem_eff": "memory used"}

#: what `assay ls` can show, in order; settings that vary come before the start
COLUMNS = (
    Column(field="name", heading="name", right=False, cut=True),
    Column(field="id", heading="id", right=False),
    Column(field="status", heading="status", right=False),
    Column(field="how", heading="how", right=False),
    Column(field="system", heading="system", right=False),
    Column(field="started", heading="started", right=False, made=_started),
    Column(field="job_id", heading="job"),
    *(Column(field=field, heading=heading, show=of_number(_tenths)) for field, heading in _OF_ASKED.items()),
    *map(measured, ("wall_s", "cpu_pct_mean", "memory_bytes_max", "gpu_util_pct_mean", "energy_j")),
    measured("steps"),
    Column(field="loss", heading="loss", made=lambda summary: _loss(summary)),
    Column(field="accuracy", heading="accuracy", made=lambda summary: _accuracy(summary)),
    measured("samples_per_s_own", "samples_per_s"),
    *map(measured, ("tokens_per_s", "output_tokens_per_s", "ttft_p50_ms", "e2e_p50_ms")),
    Column(field="error", heading="error", show=lambda error: str(getattr(error, "code", error)), right=False),
)
#: settings that vary: no more columns than these
_MOST_SETTINGS = 5
_MOST_OBJECTIVES = 3
#: without room, the last of these are dropped first; settings rank where `SETTINGS` is
_SETTINGS = ""
_NEEDED = (
    "name", "status", _SETTINGS, "error", "objective", "job_id", "accuracy", "loss", "wall_s", *_OF_ASKED, "started",
    "samples_per_s_own", "output_tokens_per_s", "ttft_p50_ms", "e2e_p50_ms", "tokens_per_s", "memory_bytes_max", "how",
    "id", "system", "steps", "gpu_util_pct_mean", "cpu_pct_mean", "energy_j",
)  # fmt: skip
_LEAST_NAME = 16


def columns_for(summaries: Sequence[Summary], asked: Sequence[str] = (), *, settings: bool = False) -> list[Column]:
    """The requested columns, else those for which some run has a value; with the `settings` that vary."""
    if asked:
        ours = {column.field: column for column in COLUMNS}
        return [ours.get(name, Column(field=name, heading=name, show=show_any, cut=True)) for name in asked]
    known: set[str] = set().union(*(summary.names for summary in summaries))
    if all(summary.how in (None, "executed") for summary in summaries):
        known.discard("how")
    if any(summary.dated for summary in summaries):
        known.add("started")
    if any("loss" in summary.not_finite for summary in summaries):
        known.add("loss")
    found = [column for column in COLUMNS if column.field in known]
    found += _objective_columns(summaries, {column.field for column in COLUMNS})
    at = next((at for at, column in enumerate(found) if column.field == "started"), len(found))
    return found[:at] + (setting_columns(summaries) if settings else []) + found[at:]


def _objective_columns(summaries: Sequence[Summary], shown: Collection[str]) -> list[Column]:
    """What these runs are compared by, where that has no column."""
    names = dict.fromkeys(str(one.objective.get("name", "")) for one in summaries)
    own = [name for name in names if name and name not in shown][:_MOST_OBJECTIVES]
    return [Column(field="objective", heading=name, made=partial(_objective_cell, name=name)) for name in own]


def _objective_cell(summary: Summary, name: str) -> str:
    value = summary.objective.get("value")
    is_it = summary.objective.get("name") == name and isinstance(value, (int, float))
    return show_number(float(value)) if is_it and isinstance(value, (int, float)) else ""


def setting_columns(summaries: Sequence[Summary]) -> list[Column]:
    """The settings in which these runs differ, as in effect or as stated."""
    names = varying([summary.settings for summary in summaries])[:_MOST_SETTINGS]
    return [
        Column(field=name, heading=name, right=_is_numeric(name, summaries), made=partial(_setting, name))
        for name in names
    ]


def _is_numeric(name: str, summaries: Sequence[Summary]) -> bool:
    values = [summary.settings[name] for summary in summaries if name in summary.settings]
    return all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)


def _setting(name: str, summary: Summary) -> str:
    value = last_part(name, summary.settings.get(name))
    return "" if value is None else shortened_setting(show_any(value))


def shortened_setting(text: str) -> str:
    return text if len(text) <= 24 else text[:23] + "…"


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
    """One line per run, with the most important columns that fit."""
    rows = [[_drawn(summary, column) for column in columns] for summary in summaries]
    whole = Grid(columns=[grid.Column(heading=one.heading, right=one.right, cut=one.cut) for one in columns], rows=rows)
    kept = whole.keeping(_by_need(columns), room, least=_LEAST_NAME)
    shown = Grid(columns=[whole.columns[at] for at in kept], rows=[[row[at] for at in kept] for row in rows])
    lines = list(shown.lines(room, colour=colour))
    if len(kept) < len(columns):
        rest = ", ".join(column.field for at, column in enumerate(columns) if at not in kept)
        for line in terminal.wrapped(f"Not shown at {room} columns: {rest} (choose with --columns)", room):
            lines.append(terminal.painted(line, "dim", colour))
    return "".join(f"{line}\n" for line in lines)


def _by_need(columns: Sequence[Column]) -> list[int]:
    """The places of columns, the most needed first; those that someone asked for in their order."""
    ours = {column.field for column in COLUMNS}
    named = [one.field if one.field in ours else _SETTINGS for one in columns]
    ranks = [_NEEDED.index(name) if name in _NEEDED else len(_NEEDED) for name in named]
    return sorted(range(len(columns)), key=lambda at: (ranks[at], at))


def _drawn(summary: Summary, column: Column) -> Cell:
    text = printable(cell(summary, column))
    style = _STYLES.get(text, "") if column.field == "status" else ""
    return Styled(text, style) if style else text


def show_any(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return show_number(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)
