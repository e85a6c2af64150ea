"""`wrong-arithmetic` in tables: a column of speed-ups or of increases against the columns of figures beside it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import replace

from assay.auditing.case import Table
from assay.language.kinds import METRICS
from assay.language.numbers import PERCENT, Number
from assay.language.tables import FACTOR, MOVE, Head, cell_number, head
from assay.model.finding import WRONG, Evidence, Finding

CODE = "wrong-arithmetic"
#: a table that lies on its side has a column a run, and not many rows
_MOST_ON_SIDE = 100
#: figures that a result may be better or worse in
_SCORED = frozenset({"accuracy", "loss", "val_loss", "test_loss", "error_rate"})


def check(table: Table) -> Iterator[Finding]:
    """As it stands, and on its side where a row is what was worked out."""
    yield from _check(table)
    if not 1 < len(table.rows) <= _MOST_ON_SIDE or any(map(_is_derived, table.head)):
        return
    for line, cells in table.rows:
        if cells and _is_derived(cells[0]):
            shown = Evidence(source=table.source, line=line, text=" | ".join(cells))
            yield from (replace(one, evidence=(shown,)) for one in _check(_on_its_side(table, line)))


def _is_derived(text: str) -> bool:
    return head(text).derived in (FACTOR, MOVE)


def _on_its_side(table: Table, line: int) -> Table:
    """Its columns as rows, without what else was worked out."""
    width = min(len(table.head), *(len(cells) for _, cells in table.rows))
    others = [row for row in table.rows if row[0] == line or not _is_derived(row[1][0])]
    columns = [[table.head[i], *(cells[i] for _, cells in others)] for i in range(width)]
    return replace(table, head=columns[0], rows=[(line, column) for column in columns[1:]])


def _check(table: Table) -> Iterator[Finding]:
    heads = [head(text) for text in table.head]
    for column, one in enumerate(heads):
        if one.derived == FACTOR:
            yield from _speedups(table, column, [i for i, other in enumerate(heads) if _is_measured(other)])
        elif one.derived == MOVE:
            bases = [i for i, other in enumerate(heads) if _is_measured(other) or other.name in _SCORED]
            yield from _increases(table, column, [i for i in bases if i != column])


def _is_measured(one: Head) -> bool:
    """A time, a rate, or what it took."""
    return one.name in METRICS - _SCORED and one.derived not in (FACTOR, MOVE)


def _speedups(table: Table, column: int, bases: list[int]) -> Iterator[Finding]:
    """The rows that are given as 1 are what the others are measured by; so may be the row before."""
    said = [(_factor(table, cells, column), [_figure(table, cells, base) for base in bases]) for _, cells in table.rows]
    references = [values for value, values in said if value == 1]
    if not references:
        return
    for place, (value, values) in enumerate(said):
        against = references + ([said[place - 1][1]] if place else [])
        ratios = [new / old for one in against for old, new in zip(one, values, strict=True) if old and new]
        if value is None or value == 1 or not ratios:
            continue
        if not any(abs(r - value) <= max(0.06, 0.03 * value) for ratio in ratios for r in (ratio, 1 / ratio)):
            first = [new / old for old, new in zip(references[0], values, strict=True) if old and new]
            shown = " or ".join(dict.fromkeys(f"{max(ratio, 1 / ratio):.2f}" for ratio in first or ratios))
            yield _finding(table, place, f"the table gives {value:g} where its own figures give {shown}")


def _factor(table: Table, cells: list[str], column: int) -> float | None:
    """`1.25`; `25 %` more is as much, and so is `125 %`."""
    found = _number(table, cells, column)
    if found is None or found.unit != PERCENT:
        return found.value if found else None
    return found.value / 100 if found.value >= 100 else 1 + found.value / 100


def _increases(table: Table, column: int, bases: list[int]) -> Iterator[Finding]:
    """A percentage against the first row, the one before or any other: only one that fits none is wrong."""
    figures = [[_figure(table, cells, base) for base in bases] for _, cells in table.rows]
    columns = [_Column([row[n] for row in figures]) for n in range(len(bases))]
    for place, (_, cells) in enumerate(table.rows):
        found, first = _number(table, cells, column), _first_move(figures, place)
        if found is None or first is None or found.unit != PERCENT:
            continue
        value = abs(found.value)
        news = zip(columns, figures[place], strict=True)
        if value and not any(new and one.has_move(new, value, max(1.0, 0.03 * value)) for one, new in news):
            yield _finding(
                table,
                place,
                f"the table gives {cells[column].strip()} where its own figures give {first:+.1f} % against the "
                "first of the other rows, and no other row fits",
            )


def _first_move(figures: list[list[float | None]], place: int) -> float | None:
    """In per cent, against the first of the other rows that has the figure."""
    for other, row in enumerate(figures):
        for old, new in zip(row, figures[place], strict=True):
            if other != place and old and new:
                return 100 * (new - old) / old
    return None


class _Column:
    """The figures of a column in order, so that none has to be compared with every other."""

    def __init__(self, figures: list[float | None]) -> None:
        known = [figure for figure in figures if figure]
        self._sorted = sorted(known)
        self._turned = sorted(1 / figure for figure in known)

    def has_move(self, new: float, value: float, slack: float) -> bool:
        """Whether another row is `value` per cent or points from this one, by its own figure or by the other's."""
        low, high = max(0.0, value - slack), value + slack
        spans = ((low / 100, high / 100), (-high / 100, -low / 100))
        return any(
            self._has(self._turned, 1 / new, (1 + a) / new, (1 + b) / new)
            or self._has(self._sorted, new, new * (1 + a), new * (1 + b))
            or self._has(self._sorted, new, new + 100 * a, new + 100 * b)
            for a, b in spans
        )

    def _has(self, ordered: list[float], own: float, one: float, other: float) -> bool:
        """Any but the row's own figure, or one equal to it, lies between the two."""
        low, high = min(one, other), max(one, other)
        low, high = low - 1e-9 * abs(low), high + 1e-9 * abs(high)
        return bisect_right(ordered, high) - bisect_left(ordered, low) > (low <= own <= high)


def _finding(table: Table, place: int, message: str) -> Finding:
    line, cells = table.rows[place]
    return Finding(
        code=CODE,
        severity=WRONG,
        message=message,
        hint="work the column out again",
        source=table.source,
        evidence=(Evidence(source=table.source, line=line, text=" | ".join(cells)),),
    )


def _figure(table: Table, cells: list[str], column: int) -> float | None:
    found = _number(table, cells, column)
    return found.value if found else None


def _number(table: Table, cells: list[str], column: int) -> Number | None:
    if column >= min(len(cells), len(table.head)):
        return None
    return cell_number(cells[column], head(table.head[column]).unit, table.decimal_comma)
