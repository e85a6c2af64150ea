"""The rows of a table as runs: named by their label, with their settings and their figures.

    | Threads | Median time | Speedup |        a run `Threads=4` with a setting and two figures
    | 4       | 1.03 s      | 3.71    |

The trap: a table on its side has a run in each column; one cell may hold two figures; a rank is no figure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from assay.core.names import direction, name_of
from assay.core.numbers import Number, quantity
from assay.model.event import Metric, Result
from assay.model.values import Value
from assay.quantities import named
from assay.reading.stated import setting_named, settings_in
from assay.reading.tables import Cell, Column, Row, Table, clean, split_names

_MOST_NAME = 120
#: columns that only count the rows
_ORDER = frozenset(("#", "no", "no.", "nr", "rank", "idx", "index", "pos", "row", "unnamed:_0"))


@dataclass(frozen=True, kw_only=True)
class TableRun:
    """What a row, or a column of a table on its side, says of one run."""

    name: str
    line: int
    settings: dict[str, Value] = field(default_factory=dict)
    figures: dict[str, float] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)  # where each figure stands

    @property
    def event(self) -> Result:
        return Result(source="reader:table", line=self.line, values=dict(self.figures))


_VALUES = frozenset(("", "value", "values", "result", "results", "score", "measurement", "our result"))
_POSITIONS = {
    "epoch": "epoch",
    "step": "step",
    "iteration": "step",
    "iter": "step",
    "global step": "step",
    "round": "step",
}


def curve_of(table: Table) -> list[Metric]:
    """The rows of one training, where a column counts its epochs or steps up; nothing for any other table."""
    if table.sideways:
        return []
    for at, column in enumerate(table.columns):
        place = _POSITIONS.get(column.head.lower().strip())
        counts = [cell.number.value for _, cell in table.column(at) if cell.number is not None]
        if (
            place
            and len(counts) >= 2
            and len(counts) == len(table.rows)
            and counts[0] < counts[-1]
            and all(a <= b for a, b in pairwise(counts))
        ):
            return [_moment(table, row) for row in table.rows]
    return []


def _moment(table: Table, row: Row) -> Metric:
    facts: dict[str, float] = {}
    for column, cell in zip(table.columns, row.cells, strict=False):
        place = _POSITIONS.get(column.head.lower().strip())
        if place and cell.number is not None:
            facts[place] = cell.number.value
        elif column.kind != "label":
            facts.update({key: value for key, value in _figures(column.head, column, cell) if key not in facts})
    return Metric(source="reader:generic", line=row.line, values=facts)


def runs_of(tables: Sequence[Table]) -> list[TableRun]:
    """Every run of the tables of a page; rows of several tables with one label are told apart by their headings."""
    found = [(table, run) for table in tables for run in (_columns(table) if table.sideways else _rows(table))]
    often = Counter(run.name for _, run in found)
    named_runs = []
    for table, run in found:
        heading = table.caption or (table.headings[-1] if table.headings else "")
        name = f"{clean(heading)}: {run.name}" if often[run.name] > 1 and heading else run.name
        named_runs.append(
            TableRun(name=name[:_MOST_NAME], line=run.line, settings=run.settings, figures=run.figures, lines=run.lines)
        )
    return named_runs


def _rows(table: Table) -> Iterator[TableRun]:
    first = table.columns[0]
    found: list[tuple[Row, str, list[str], dict[str, Value], dict[str, float]]] = []
    for row in table.rows:
        settings: dict[str, Value] = {}
        figures: dict[str, float] = {}
        words: list[str] = []
        for column, cell in zip(table.columns, row.cells, strict=False):
            text = clean(cell.text)
            if column.kind == "figure":
                figures.update({k: v for k, v in _figures(column.head, column, cell) if k not in figures})
            elif column.kind == "setting" and cell.number is not None:
                if column.head.lower().strip() in _ORDER and len(table.columns) > 2:
                    continue
                settings[_setting_key(column)] = _whole(cell.number)
                words.append(f"{column.head}={cell.number.text}" if column.head else cell.number.text)
            elif column.kind == "setting" and text and column is first:
                words.append(text)
            elif column.kind in ("label", "text") and text and len(text) <= 80 and column is not first:
                settings[_setting_key(column)] = text
        is_size = (
            first.kind == "figure"
            and len(table.figures) > 1
            and len(table.rows) > 1
            and (not words or not direction(first.key))
        )
        label = (
            row.label if first.kind in ("label", "text") or (first.kind == "setting" and not words) or is_size else ""
        )
        if figures:
            found.append((row, " ".join(one for one in (row.group, label) if one), words, settings, figures))
    heading = table.caption or (table.headings[-1] if table.headings else "")
    short = [" ".join((label, *words[:1])) if first.kind == "setting" else label for _, label, words, _, _ in found]
    alone = len(set(short)) == len(short)
    for (row, label, words, settings, figures), brief in zip(found, short, strict=True):
        whole = brief if alone else " ".join((label, *words))
        name = whole.strip() or clean(heading) or clean(row.cells[0].text)
        yield TableRun(name=name[:_MOST_NAME], line=row.line, settings=settings, figures=figures)


def _columns(table: Table) -> Iterator[TableRun]:
    """Runs of a table on its side."""
    for at in table.figures:
        head = table.columns[at].head
        if head.lower() in _VALUES:  # `| Metric | Value |`
            head = table.caption or (table.headings[-1] if table.headings else head)
        figures: dict[str, float] = {}
        settings: dict[str, Value] = {one.name: one.value for one in settings_in(head)}
        if (
            not settings
            and (setting := setting_named(table.columns[0].head))
            and (chosen := quantity(head)) is not None
        ):
            settings[setting] = _whole(chosen)
            head = f"{table.columns[0].head}={head}"
        lines: dict[str, int] = {}
        for row in table.rows:
            cell = row.cells[at]
            label = f"{row.group} {row.label}".strip()
            known = named(row.label)
            if known is not None and known.settable and cell.number is not None:
                settings[known.name] = _whole(cell.number)
                continue
            for key, value in _figures(label, None, cell):
                figures.setdefault(key, value)
                lines.setdefault(key, row.line)
        if figures:
            yield TableRun(
                name=head or f"column {at}", line=table.rows[0].line, settings=settings, figures=figures, lines=lines
            )


def _figures(head: str, column: Column | None, cell: Cell) -> Iterator[tuple[str, float]]:
    """The figures of a cell: one, or as many as its head or its arrow names."""
    if cell.number is None and not cell.numbers:
        return
    if len(cell.numbers) > 1:
        names = split_names(head, len(cell.numbers))
        if names is not None:
            yield from (_figure(name, one) for name, one in zip(names, cell.numbers, strict=True))
            return
        if "→" in cell.text or "->" in cell.text:
            yield _figure(f"{head} before", cell.numbers[0])
            yield _figure(head, cell.numbers[1])
            yield from (_figure(f"{head} ratio", one) for one in cell.numbers[2:3])
            return
        if "/" in cell.text and all(not one.text.startswith("-") for one in cell.numbers):
            yield from (_figure(f"{head} {n}" if n > 1 else head, one) for n, one in enumerate(cell.numbers, 1))
            return
    one = cell.number or cell.numbers[0]
    if column is not None and one.unit.base == column.name.unit.base and column.name.key:
        yield column.name.key, column.name.value(one)
    else:
        yield _figure(head, one)
    if len(cell.numbers) == 2 and "±" in cell.text:
        yield _figure(f"{head} std", cell.numbers[1])


def figure_of(label: str, cell: Cell) -> tuple[str, float] | None:
    """The key and the value of a cell whose name stands beside it."""
    return next(_figures(label, None, cell), None)


def _figure(head: str, one: Number) -> tuple[str, float]:
    name = name_of(head, one.unit)
    return name.key or "value", name.value(one)


def _whole(one: Number) -> Value:
    return int(one.value) if one.value.is_integer() and "." not in one.text and not one.unit.base else one.base


def _setting_key(column: Column) -> str:
    return setting_named(column.head) or column.name.key or "label"


__all__ = ["Row", "TableRun", "runs_of"]
