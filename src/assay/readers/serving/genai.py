"""Tables with a metric to a row and a statistic to a column: genai-perf, aiperf and others, drawn or as CSV.

    ┃                            Statistic ┃      avg ┃      min ┃      max ┃      p99 ┃      p90 ┃      p75 ┃
    │             Time To First Token (ms) │    39.13 │    21.23 │    41.49 │    41.48 │    41.32 │    41.29 │
    │     Output Token Throughput Per User │    55.67 │ …
    │                    (tokens/sec/user) │          │ …
    Metric,avg,min,max,p99,p95,p90,p75,p50,p25                Metric,Value

The trap: a name too long for its column goes on in the next row, and the throughput of one user is not the server's.
"""

from __future__ import annotations

import re

from assay.lines import Line
from assay.readers.serving.bench import Bench, Format, read_pair
from assay.readers.serving.cells import barred, is_rule, separated
from assay.readers.serving.labels import meaning, statistic_of
from assay.reading.reader import NEW, Answer

_HEADS = {"metric", "statistic", "metrics", "metric name", "stat"}
_VALUES = {"value", "values", "result", "results"}
_TITLE = re.compile(r"NVIDIA (?:GenAI-Perf|AIPerf)\b")
_SHARES = re.compile(r"(?:input|output) sequence length", re.IGNORECASE)


class StatisticTable(Format):
    """The statistics of each metric."""

    anchors = ("metric", "statistic", "genai-perf", "aiperf")

    def __init__(self) -> None:
        self._columns: list[str] = []
        self._drawn = False

    def read(self, bench: Bench, line: Line, text: str) -> Answer:
        if _TITLE.search(text) and len(text) < 200 and "|" in text:
            return NEW if bench.figures else []
        drawn = is_drawn(text)
        cells = barred(text) if drawn else separated(text)
        columns = statistic_head(cells) if cells else []
        if columns:
            return self._begin(bench, columns, drawn)
        if not self._columns:
            return None
        if is_rule(text) and text:
            return []
        if cells is None or drawn != self._drawn or len(cells) > len(self._columns) + 1:
            self._columns = [] if text else self._columns  # the second table of a CSV follows after an empty line
            bench.in_table = bool(self._columns)
            return None
        return self._row(bench, line, cells)

    def _begin(self, bench: Bench, columns: list[str], drawn: bool) -> Answer:
        if len(bench.figures) > 1 and not (columns == ["mean"] and bench.in_table):
            return NEW
        self._columns, self._drawn, bench.in_table, bench.inside = columns, drawn, True, True
        return []

    def _row(self, bench: Bench, line: Line, cells: list[str]) -> Answer:
        label, figures, settings = cells[0], {}, dict[str, object]()
        for statistic, cell in zip(self._columns, cells[1:], strict=False):
            told = read_pair(label, cell, statistic=statistic) if statistic else None
            if told is None:
                continue
            figures.update(told[0])
            if _SHARES.search(label) or statistic == "mean":
                settings.update(told[1])
        return bench.tell(line, figures, settings) if figures or settings else []


def is_drawn(text: str) -> bool:
    return any(sign in text for sign in "|│┃║")


def statistic_head(cells: list[str]) -> list[str]:
    """The statistic of each column after the first; nothing where the line is no head."""
    if len(cells) < 2 or cells[0].strip().lower() not in _HEADS:
        return []
    rest = [cell.strip().lower() for cell in cells[1:]]
    if rest[0] in _VALUES:
        return ["mean"]
    columns = [statistic_of(cell) or ("unit" if cell in ("unit", "units") else "") for cell in rest]
    return (
        columns
        if any(one in ("mean", "p50", "p90", "p99") for one in columns)
        and not any(meaning(cell) for cell in rest if statistic_of(cell) is None)
        else []
    )
