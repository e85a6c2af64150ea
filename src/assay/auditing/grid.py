"""Figures side by side: rows that have names, and a column for each metric. A table of a page, or the runs beside it.

| GPU  | tokens/s |        bf16:                          rows named `H100` and `A100`, or `bf16` and `fp32`
| H100 | 141,300  |        throughput=811.7 img/s
| A100 |  68,900  |
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from assay.auditing.case import Case, Run, Sentence, Table
from assay.auditing.meant import FIELDS, figure_of
from assay.language.claims import said_in
from assay.language.kinds import METRICS
from assay.language.lex import lex
from assay.language.numbers import NONE
from assay.language.said import Value
from assay.language.tables import cell_number, head
from assay.language.vocabulary import words
from assay.model.finding import Evidence
from assay.model.values import number
from assay.units import show_number

_LONGEST_WORD = 30
_MOST_TABLES, _MOST_ROWS, _LONGEST_LABEL, _ABOVE = 24, 60, 6, 3
_COMMON = words("TOLD") | words("COMMON") | {"cpu", "gpu"}  # every machine has one
_TIMES = frozenset({"time", "latency"})
_COUNTING = words("RUNS") | {"#", "id", "no", "exp", "job", "seed", "repeat"}


@dataclass(frozen=True, kw_only=True)
class Row:
    """One run, or one line of a table: the words that name it alone, its settings, and its place among the others."""

    line: int
    text: str
    labels: frozenset[str]
    keys: Mapping[str, float]
    order: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Column:
    """One metric of all rows, in one unit; `slacks` are what the last digits may hide."""

    metric: str
    title: str
    values: tuple[float | None, ...]
    slacks: tuple[float, ...]
    split: str = ""
    average: str = ""
    scope: str = ""
    unit: float = 1.0  # what one of its own unit is: a column of minutes has 60

    def shown(self, value: float) -> str:
        """A figure as the column would give it."""
        return show_number(value / self.unit)

    @property
    def is_timed(self) -> bool:
        """Whether less of it is faster."""
        return self.metric in _TIMES or self.metric.endswith("_ms")

    def read(self, value: Value) -> tuple[float, float]:
        """(the figure of a sentence, its slack) as the column has it: an accuracy in per cent."""
        one = value.number
        share = self.metric == "accuracy" and one.unit == NONE and one.value <= 1
        scale = 100.0 if share else 1.0
        return scale * one.value, scale * max(one.slack, one.rounded)


@dataclass(frozen=True, kw_only=True)
class Grid:
    """Rows and columns with where they stand."""

    source: str
    rows: tuple[Row, ...]
    columns: tuple[Column, ...]
    noun: str = ""  # what the rows are counted as: `run`, `trial`
    runs: tuple[Run, ...] = field(default=())

    @cached_property
    def labels(self) -> frozenset[str]:
        """Of all rows."""
        return frozenset(label for row in self.rows for label in row.labels)

    def evidence(self, at: int) -> Evidence:
        if self.runs:
            return self.runs[at].whole()
        return Evidence(source=self.source, line=self.rows[at].line, text=self.rows[at].text)


def grids_beside(case: Case, sentence: Sentence) -> list[Grid]:
    """Those of its own page."""
    return [grid for grid in case.once(_grids) if grid.source == sentence.source]


def _grids(case: Case) -> list[Grid]:
    """Every table that has rows and figures, and the runs whose logs are here."""
    tables = [table for table in case.tables if len(table.rows) <= _MOST_ROWS]
    if len(tables) > _MOST_TABLES:
        return []  # a catalogue: nobody can say which one a sentence means
    return [*(grid for table in tables for grid in _of_table(table)), *_of_runs(case)]


def _of_table(table: Table) -> Iterator[Grid]:
    rows = [cells for _, cells in table.rows if len(cells) == len(table.head)]
    if len(rows) < 2 or len(rows) != len(table.rows):
        return
    heads = [head(text) for text in table.head]
    columns = []
    for at, one in enumerate(heads):
        if one.is_setting or one.derived or one.name not in METRICS or one.name in ("steps", "samples", "tokens"):
            continue
        cells = [cell_number(row[at], one.unit, table.decimal_comma) for row in rows]
        scale = 100.0 if one.name == "accuracy" and all(cell is None or cell.value <= 1 for cell in cells) else 1.0
        columns.append(
            Column(
                metric=one.name,
                title=table.head[at],
                values=tuple(scale * cell.value if cell else None for cell in cells),
                slacks=tuple(scale * cell.slack if cell else 0.0 for cell in cells),
                unit=_unit(rows[0][at], one.unit, table.decimal_comma),
                split=one.split,
                average=one.average,
                scope=next((str(token.roles["scope"]) for token in lex(table.head[at]) if "scope" in token.roles), ""),
            )
        )
    if columns:
        yield Grid(
            source=table.source,
            rows=tuple(_row_of(table, heads_at, rows) for heads_at in range(len(rows))),
            columns=tuple(columns),
            noun=table.head[0].strip().lower() if table.head[0].strip().lower() in _COUNTING else "",
        )


def _unit(cell: str, unit: str, decimal_comma: bool) -> float:
    held, bare = cell_number(cell, unit, decimal_comma), cell_number(cell, "", decimal_comma)
    return held.value / bare.value if held and bare and bare.value else 1.0


def _row_of(table: Table, at: int, rows: Sequence[Sequence[str]]) -> Row:
    labels: set[str] = set()
    keys: dict[str, float] = {}
    order = 0.0
    for column, cell in enumerate(rows[at]):
        one, title = head(table.head[column]), table.head[column].strip().lower()
        held = cell_number(cell, one.unit, table.decimal_comma)
        if held is None:
            others = [row[column].lower() for n, row in enumerate(rows) if n != at]
            labels.update(_own_words(cell, others))
        elif one.is_setting:
            keys[one.name] = held.value
        elif title in _COUNTING and column == 0:
            order = held.value
    line = table.rows[at][0]
    return Row(line=line, text=" | ".join(rows[at]), labels=frozenset(labels), keys=keys, order=order)


def _own_words(text: str, others: Sequence[str]) -> Iterator[str]:
    """The label as a whole, and each of its words, where no other row has it; as `joined` writes them."""
    plain = text.lower().strip("*_`: ")
    taken = {joined(word) for other in others for word in _split(other)}
    for word in {joined(plain), *map(joined, _split(plain))}:
        named = 1 < len(word) <= _LONGEST_WORD and "=" not in word and not word.replace(".", "").isdigit()
        if named and word not in taken and word not in _COMMON:
            yield word


def _split(text: str) -> list[str]:
    words = [word.strip("*_`:,;.()") for word in text.lower().split()]
    return [*words, *(part for word in words if "/" in word for part in word.split("/"))]


def joined(text: str) -> str:
    """`ViT-B/16` as a sentence may part or spell it."""
    return "".join(sign for sign in text.lower() if sign.isalnum() or sign in ".+=")


def _of_runs(case: Case) -> Iterator[Grid]:
    runs = [run for run in case.runs if not run.is_prose and not run.is_fresh and run.summary.status != "failed"]
    if not 2 <= len(runs) <= _MOST_ROWS or len({run.source for run in runs}) > 1:
        return
    said = [_label(run, runs) for run in runs]
    if not all(said):
        said = [str(run.summary.device or "") for run in runs]  # the title of a page is the name of no run
    rows = []
    for at, run in enumerate(runs):
        labels = _own_words(said[at], [one for n, one in enumerate(said) if n != at])
        keys = {name: value for name in run.settings if (value := number(run.settings[name])) is not None}
        if (cores := number(run.summary.requested.get("cpus"))) is not None:
            keys["cpus"] = cores
        rows.append(Row(line=run.lines[0], text="", labels=frozenset(labels), keys=keys, order=at + 1))
    yield Grid(source=runs[0].source, rows=tuple(rows), columns=tuple(_fields(runs)), noun="run", runs=tuple(runs))


def _label(run: Run, runs: Sequence[Run]) -> str:
    """What a person wrote right above the log, if it is no sentence; and the device of the run."""
    ends = max((one.lines[1] for one in runs if one.lines[1] < run.lines[0]), default=0)
    for line in range(run.lines[0] - 1, max(ends, run.lines[0] - 2 - _ABOVE, 0), -1):
        text = run.text(line).strip()
        if any(map(str.isalpha, text)) and not text.startswith(("```", "~~~")):
            if any(one.is_setting for each in said_in(text) for one in each.values):
                return ""  # runs are known by their settings already
            return f"{text.lstrip('#> *')} {run.summary.device or ''}" if len(text.split()) <= _LONGEST_LABEL else ""
    typed = run.text(run.lines[0]).strip()
    parts = "".join(sign if sign.isalnum() else " " for sign in typed) if typed.startswith("$ ") else ""
    return f"{parts} {run.summary.device or ''}".strip()


def _fields(runs: Sequence[Run]) -> Iterator[Column]:
    seen: set[str] = set()
    for metric in METRICS:
        for name, sign in FIELDS.get(metric, ()):
            values = tuple(figure_of(run, name) for run in runs)
            if name in seen or sign < 0 or metric in ("speed", "rate") or sum(v is not None for v in values) < 2:
                continue
            seen.add(name)
            scale = 0.001 if name.endswith("_ms") else 100.0 if name == "accuracy" else 1.0
            scaled = tuple(None if value is None else scale * value for value in values)
            yield Column(metric=metric, title=name, values=scaled, slacks=(0.0,) * len(values))
