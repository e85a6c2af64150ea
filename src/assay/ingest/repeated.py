"""Tables that sum up the logs of the same page: what their rows give of a run is said of it, and is no second run.

| concurrency | TTFT mean (ms) |        above the logs of a benchmark at concurrency 8 and at concurrency 64
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from assay.ingest.document import Document
from assay.ingest.parts import TABLE
from assay.reading.found import Found

_ROUNDED = 0.006
#: of the figures of a table, how many have to be those of the logs: one of them may be a slip
_SHARE = 0.5


def without_repeated(found: list[Found], document: Document) -> list[Found]:
    """All runs but the rows of such tables."""
    rows = {part.number for part in document.parts if part.kind == TABLE}
    logs = [run for run in found if run.last_line not in rows]
    if not logs or len(logs) == len(found):
        return found
    repeated = {id(run) for table in _tables(found, rows) if _sums_up(table, logs) for run in table}
    return [run for run in found if id(run) not in repeated]


def _tables(found: list[Found], rows: set[int]) -> Iterator[list[Found]]:
    """Runs that are rows of one table, one below the other."""
    in_tables = sorted((run for run in found if run.last_line in rows), key=lambda run: run.last_line)
    for _, group in groupby(enumerate(in_tables), key=lambda one: one[1].last_line - one[0]):
        yield [run for _, run in group]


def _sums_up(table: list[Found], logs: list[Found]) -> bool:
    """Every row has a log with its settings, and most of their figures are the logs' own."""
    figures = agreed = 0
    for row in table:
        alike = [log for log in logs if _shares_settings(row, log)]
        if not alike:
            return False
        own = row.facts()
        figures += len(own)
        agreed += max(_agreeing(own, log.facts()) for log in alike)
    return figures > 0 and agreed >= _SHARE * figures


def _shares_settings(row: Found, log: Found) -> bool:
    own, theirs = row.params(), {**log.claims, **log.params()}
    common = own.keys() & theirs.keys()
    return bool(common) and all(own[name] == theirs[name] for name in common)


def _agreeing(own: dict[str, float], theirs: dict[str, float]) -> int:
    """How many of the figures are the same, as far as a table rounds them."""
    return sum(name in theirs and abs(theirs[name] - value) <= _ROUNDED * abs(value) for name, value in own.items())
