"""`wrong-arithmetic` against a table: `3.2 times as fast with 4 workers`, where its rows give 41.2 s and 12.9 s."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.auditing.case import Case, Sentence, Table
from assay.auditing.ratios import fits
from assay.auditing.rules.pairs import does_not_follow, same_kind
from assay.language.cues import has
from assay.language.said import Change, Subject
from assay.language.tables import cell_number, head
from assay.model.finding import Finding

Cells = Sequence[str]
_EQUAL = 1e-6
_MOST_ROWS = 60


def check(case: Case, sentence: Sentence, change: Change) -> Finding | None:
    """Wrong where some table has the rows and the metric that the sentence names, and no table has such a pair."""
    if change.kind not in ("percent", "factor") or change.bound < 0 or len(change.of) > 1 or len(change.than) > 1:
        return None
    against: list[tuple[float, float]] = []
    for table in (one for one in case.tables if one.source == sentence.source and len(one.rows) <= _MOST_ROWS):
        found = [pair for one in (table, _turned(table)) if one is not None for pair in _pairs(one, change)]
        if any(fits(change, old, new) for old, new in found):
            return None
        against += found
    return does_not_follow(sentence, change, against[0], ()) if against else None


def _pairs(table: Table, change: Change) -> Iterator[tuple[float, float]]:
    """(what it was, what it became) in every column of the metric; against every other row where one side is named."""
    columns = [at for at, text in enumerate(table.head) if _is_of(change, text)]
    rows = [cells for _, cells in table.rows]
    if not change.of and not change.than and len(rows) == 2:
        yield from _figures(table, columns, *rows)  # the only two that there are
    for key in range(len(table.head)):
        if key in columns:
            continue
        of, than = _row(table, key, change.of), _row(table, key, change.than)
        if of is None and than is None:
            continue
        ends = [(than, of)] if of and than else [(one, of or than) for one in rows if one is not (of or than)]
        for old, new in ends:
            yield from _figures(table, columns, old or (), new or ())


def _turned(table: Table) -> Table | None:
    """A table with a figure to a row as one with a figure to a column."""
    width = min((len(cells) for _, cells in table.rows), default=0)
    if width < 2 or len(table.head) < width or not any(head(cells[0]).name for _, cells in table.rows):
        return None
    heads = [table.head[0], *(cells[0] for _, cells in table.rows)]
    runs = [[table.head[at], *(cells[at] for _, cells in table.rows)] for at in range(1, width)]
    return replace(table, head=heads, rows=[(table.line, cells) for cells in runs])


def _figures(table: Table, columns: Sequence[int], old: Cells, new: Cells) -> Iterator[tuple[float, float]]:
    for at in columns:
        unit = head(table.head[at]).unit
        figures = [cell_number(row[at], unit, table.decimal_comma) for row in (old, new) if at < len(row)]
        values = [one.value for one in figures if one is not None and one.value > 0]
        if len(values) == 2:
            yield values[0], values[1]


def _is_of(change: Change, text: str) -> bool:
    """A column of the metric; for a difference per epoch or sample, its heading must name that too."""
    one = head(text)
    if not one.name or one.is_setting or one.derived or not same_kind(change.name, one.name):
        return False
    return not change.scope or has(text, "scope")


def _row(table: Table, key: int, named: Sequence[Subject]) -> Cells | None:
    """The only row that has this value in this column."""
    if not named or not named[0].readings:
        return None
    one = head(table.head[key])
    if named[0].name and one.is_setting and one.name != named[0].name:
        return None
    found = []
    for _, cells in table.rows:
        held = cell_number(cells[key], one.unit, table.decimal_comma) if key < len(cells) else None
        if held is not None and any(abs(held.value - value) <= _EQUAL * abs(value) for value in named[0].readings):
            found.append(cells)
    return found[0] if len(found) == 1 else None
