"""`wrong-arithmetic` in tables: a column of speed-ups or of increases against the columns of figures beside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from assay.audit.case import Table
from assay.audit.finding import WRONG, Evidence, Finding
from assay.ingest.bounded import Bounded

CODE = "wrong-arithmetic"
_NUMBER = Bounded(r"-?\d[\d,]*(?:\.\d+)?")
_PERCENT = Bounded(r"[+\u2212-]?\s*(?P<value>\d+(?:\.\d+)?)\s*%")
_SPEEDUP = Bounded(r"(?i)speed-?up|\bratio\b|×|\bx faster")
_INCREASE = Bounded(r"(?i)\b(?:increase|decrease|improvement|gain|change|drop|reduction|difference)\b|Δ")
_TIMED = Bounded(r"(?i)\b(?:time|seconds|duration|latency)\b|\(s\)|\(ms\)")
_RATED = Bounded(r"(?i)throughput|samples|rate|ips\b|per s|memory|\bcpu\b")
_SCORED = Bounded(r"(?i)accuracy|\bacc\b|\bloss\b|error")
_SETTING = Bounded(r"(?i)learning.?rate|\bbatch")


def check(table: Table) -> Iterator[Finding]:
    """As it stands, and on its side where a row is what was worked out."""
    yield from _check(table)
    for line, cells in table.rows:
        if cells and len(table.rows) > 1 and _is_derived(cells[0]) and not any(map(_is_derived, table.head)):
            shown = Evidence(source=table.source, line=line, text=" | ".join(cells))
            yield from (replace(one, evidence=(shown,)) for one in _check(_on_its_side(table, line)))


def _is_derived(head: str) -> bool:
    return _SPEEDUP.search(head) is not None or _INCREASE.search(head) is not None


def _on_its_side(table: Table, line: int) -> Table:
    """Its columns as rows, without what else was worked out."""
    width = min(len(table.head), *(len(cells) for _, cells in table.rows))
    others = [row for row in table.rows if row[0] == line or not _is_derived(row[1][0])]
    columns = [[table.head[i], *(cells[i] for _, cells in others)] for i in range(width)]
    return replace(table, head=columns[0], rows=[(line, column) for column in columns[1:]])


def _check(table: Table) -> Iterator[Finding]:
    derived = [i for i, head in enumerate(table.head) if _SPEEDUP.search(head) or _INCREASE.search(head)]
    bases = [i for i, head in enumerate(table.head) if i not in derived and not _SETTING.search(head)
             and (_TIMED.search(head) or _RATED.search(head))]  # fmt: skip
    for column in derived:
        if _SPEEDUP.search(table.head[column]):
            yield from _speedups(table, column, bases)
        else:
            yield from _increases(table, column, bases)


def _speedups(table: Table, column: int, bases: list[int]) -> Iterator[Finding]:
    """The row that is given as 1 is what the others are measured by."""
    said = [(line, _figure(cells, column), [_figure(cells, base) for base in bases]) for line, cells in table.rows]
    reference = next((values for _, value, values in said if value == 1), None)
    if reference is None:
        return
    for line, value, values in said:
        ratios = [new / old for old, new in zip(reference, values, strict=True) if old and new]
        if value is None or not ratios:
            continue
        if not any(abs(r - value) <= max(0.06, 0.03 * value) for ratio in ratios for r in (ratio, 1 / ratio)):
            shown = " or ".join(f"{max(ratio, 1 / ratio):.2f}" for ratio in ratios)
            yield _finding(table, line, f"the table gives {value:g} where its own figures give {shown}")


def _increases(table: Table, column: int, bases: list[int]) -> Iterator[Finding]:
    """A percentage against the first row, the one before or any other: only one that fits none is wrong."""
    bases = [*bases, *(i for i, head in enumerate(table.head) if _SCORED.search(head) and i != column)]
    for place, (line, cells) in enumerate(table.rows):
        found = _PERCENT.search(cells[column]) if column < len(cells) else None
        others = [row for n, (_, row) in enumerate(table.rows) if n != place]
        pairs = [(_figure(row, base), _figure(cells, base)) for row in others for base in bases]
        moved = [100 * (new - old) / old for old, new in pairs if old and new]
        if found is None or not moved:
            continue
        value = float(found["value"])
        back = [100 * (old - new) / new for old, new in pairs if old and new]
        points = [new - old for old, new in pairs if old and new]
        if value and not any(abs(abs(one) - value) <= max(1.0, 0.03 * value) for one in (*moved, *back, *points)):
            first = next(100 * (new - old) / old for old, new in pairs if old and new)
            yield _finding(
                table,
                line,
                f"the table gives {found[0].strip()} where its own figures give {first:+.1f} % against the "
                "first of the other rows, and no other row fits",
            )


def _finding(table: Table, line: int, message: str) -> Finding:
    return Finding(
        code=CODE,
        severity=WRONG,
        message=message,
        hint="work the column out again",
        source=table.source,
        evidence=(Evidence(source=table.source, line=line, text=" | ".join(dict(table.rows)[line])),),
    )


def _figure(cells: list[str], column: int) -> float | None:
    found = _NUMBER.search(cells[column]) if column < len(cells) else None
    return float(found[0].replace(",", "")) if found else None
