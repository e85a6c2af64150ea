"""Tables with a figure to a row and a run to a column, as people compare two servers.

    | Metric                          | vLLM 0.8 | SGLang 0.4 | Change |
    | Output token throughput (tok/s) |   1610.3 |     1654.5 |  +2.7% |
    | Mean TTFT (ms)                  |    210.4 |       98.7 |  -53%  |

The trap: a table of statistics looks the same (`Metric | mean | p99`), and the last column is often what its author
worked out of the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from assay.readers.serving.bench import Told, read_cell, read_pair
from assay.readers.serving.genai import statistic_head
from assay.readers.serving.hardware import device_in
from assay.readers.serving.keyed import engine_of
from assay.readers.serving.labels import SETTING, meaning
from assay.readers.serving.records import is_head, own_figure

_FEWEST = 2
_DERIVED = re.compile(
    r"(?i)change|delta|Δ|diff|improve|speed-?up|gain|ratio|faster|better|winner|notes?\b|comment|[%×]|\bvs\b|\bx$"
)
_VALUES = {"value", "values", "result", "results"}
_UNITS = {"unit", "units"}
_SET = re.compile(r"(?P<label>[A-Za-z][A-Za-z ]{0,30}?)\s{0,8}[=:]?\s{0,8}(?P<value>\d[\d,.]{0,30})")
_COUNTED = re.compile(r"(?<![\d,.])(?P<value>\d[\d,.]{0,30})\s{1,8}(?P<label>[A-Za-z][A-Za-z ]{0,30})")


class Column(NamedTuple):
    """One run: the heading of its column, and its value in each row, with the position of the row."""

    head: str
    told: list[tuple[int, Told]]


def columns_of(rows: Sequence[Sequence[str]]) -> list[Column]:
    """The runs of a table, each a column; none where the table is another kind."""
    head = list(rows[0]) if rows else []
    if len(rows) <= _FEWEST or len(head) < 2 or is_head(head) or _is_of_statistics(head):
        return []
    unit_at = next((at for at, cell in enumerate(head) if cell.lower() in _UNITS), None)
    columns = []
    for at, cell in enumerate(head[1:], 1):
        if at != unit_at and not _DERIVED.search(cell):
            column = Column(cell, list(_column(rows, at, unit_at)))
            columns += [column] if _is_run(column) else []
    return columns


def _is_of_statistics(head: list[str]) -> bool:
    return bool(statistic_head(["metric", *head[1:]])) or head[1].strip().lower() in _VALUES


def _is_run(column: Column) -> bool:
    figures = {name for _, told in column.told for name in told[0]}
    return len(figures) >= _FEWEST and any(map(own_figure, figures))


def _column(rows: Sequence[Sequence[str]], at: int, unit_at: int | None) -> Iterator[tuple[int, Told]]:
    width = len(rows[0])
    yield from ((0, told) for told in _said_by_head(rows[0][0], rows[0][at]))
    for place, cells in enumerate(rows[1:], 1):
        if len(cells) == width and cells[0]:
            label = f"{cells[0]} ({cells[unit_at]})" if unit_at else cells[0]
            told = read_cell(label, cells[at])
            if told is not None:
                yield place, told


def _said_by_head(title: str, head: str) -> Iterator[Told]:
    """`Concurrency | 8 | 32`, `8 users`, `vLLM on H100`: what the heading of a column states about its run."""
    told = read_pair(title, head) if (known := meaning(title)) is not None and known.kind == SETTING else None
    for form in (_SET, _COUNTED):
        found = form.fullmatch(head.strip())
        named = meaning(found["label"]) if found else None
        if told is None and found and named is not None and named.kind == SETTING:
            told = read_pair(found["label"], found["value"])
    words = {"device": device_in(head), "engine": next(filter(None, map(engine_of, head.split())), None)}
    known_words = {name: word for name, word in words.items() if word}
    if told is not None or known_words:
        yield {}, told[1] if told is not None else {}, known_words
