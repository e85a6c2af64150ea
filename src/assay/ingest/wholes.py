"""Results that make sense only as a whole, in the middle of a page or a log: several lines, read at once.

    ```json                                      | Metric         | before | after |
    {                                            |----------------|-------:|------:|
      "backend": "vllm",                         | Mean TTFT (ms) |  210.4 |  98.7 |
      "mean_ttft_ms": 131.7                      | Output tok/s   | 1610.3 | 1654  |
    }

What holds no such result is left to the readers of lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import groupby

from assay import systems
from assay.core.numbers import uses_decimal_commas
from assay.ingest.document import Document
from assay.ingest.parts import CODE, COMMAND, FENCE, HEADING, LOG, TABLE, Part
from assay.lines import Line
from assay.model.event import End
from assay.reading.formats import cut, is_rule
from assay.reading.found import Found
from assay.reading.reader import NEW
from assay.reading.reports import Column, Report, columns_of, lines_of_formats
from assay.reading.results import runs_in
from assay.reading.rows import curve_of, runs_of
from assay.reading.stream import Sieve
from assay.reading.tables import Table, Text, separated, table_at

_OPENS = re.compile(r"\s*(?:[\[{]|\[\s*\{|[\[{]\s*[\"{\[].*[^}\]\s])\s*")
#: words of which an object must hold one: most JSON on a page is a configuration
_WORTH = re.compile(
    r"throughput|ttft|latency|tokens|avg_ts|resources_used|\"jobs\"|eval_duration|log_history", re.IGNORECASE
)
_MOST_LINES, _MOST_TRIES = 5000, 64
#: readers that read lines of any system
_NEUTRAL = {"generic", "slurm", "trouble", "serving", "accounting"}
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, kw_only=True)
class Whole:
    """Lines that were read at once, and the runs that they hold."""

    lines: range
    found: list[Found]


def whole_results(document: Document, only: str | None = None) -> list[Whole]:
    """All of a document, in order."""
    if only not in (None, "serving", "accounting"):
        return []
    wholes = [*_objects(document.parts), *(_tables(document.parts) if only != "accounting" else ())]
    if only is None:
        wholes += _plain_tables(document, {line for one in wholes for line in one.lines})
    return sorted(wholes, key=lambda one: one.lines.start)


def tables_of(document: Document, read: Collection[int] = ()) -> list[Table]:
    """The tables of a document that no reader of a tool knows, with the headings that they stand below."""
    sieve = Sieve(systems.kit())
    texts, seen = [], 0
    known = lines_of_formats(part.line for part in document.parts if part.kind not in (HEADING, FENCE))
    headings: dict[int, tuple[str, ...]] = {}
    above: list[tuple[int, str]] = []
    for part in document.parts:
        if part.kind == HEADING:
            above = [*(one for one in above if one[0] < part.level), (part.level, part.said)]
        headings[part.number] = tuple(title for _, title in above)
        if part.number > seen:
            texts.append(Text(part.number, "" if part.kind in (FENCE, COMMAND, HEADING, CODE) else part.line.text))
            seen = part.number
    commas = uses_decimal_commas("\n".join(one.text for one in texts))
    separate = separated(texts) if not document.is_page else None
    if separate is not None and not known:
        table = separate.table(decimal_comma=commas)
        return [table] if table is not None else []
    found, at = [], 0
    while at < len(texts):
        result = None if texts[at].number in read else table_at(texts, at)
        if result is None:
            at += 1
            continue
        table = result[0].table(headings.get(texts[at].number, ()), decimal_comma=commas)
        lines = [one for one in texts[at : result[1]] if one.text]
        is_known = any(
            one.number in known or not {name for name in sieve.names(one.text) if name[0] != "~"} <= _NEUTRAL
            for one in lines
        )
        printed = result[0].form == "aligned" and table is not None and bool(curve_of(table))  # as a script goes on
        if (
            table is not None
            and not is_known
            and not printed
            and not (result[0].form == "pairs" and not document.is_page)
        ):
            found.append(table)
        at = max(result[1], at + 1)
    return found


def _plain_tables(document: Document, read: Collection[int]) -> Iterator[Whole]:
    tables = tables_of(document, read)
    for table in tables:
        if curve := curve_of(table):
            lines = range(table.first_line, table.last_line + 1)
            yield Whole(
                lines=lines,
                found=[
                    Found(
                        system="generic",
                        first_line=lines.start,
                        last_line=lines.stop - 1,
                        events=list(curve),
                        prose=True,
                    )
                ],
            )
    rows = runs_of([table for table in tables if not curve_of(table)])
    for table in tables:
        if curve_of(table):
            continue
        inside = [run for run in rows if table.first_line <= run.line <= table.last_line]
        found = [
            Found(
                system="generic", first_line=run.line, last_line=run.line if not table.sideways else table.last_line,
                events=[run.event, End(source="reader:table", line=run.line, status="completed")], claims=dict(run.settings),
                claim_lines=dict.fromkeys(run.settings, run.line), name=run.name, prose=True,
                text="\n".join((run.name, *(f"{k} {v}" for k, v in run.figures.items()))).encode(),
            )
            for run in inside
        ]  # fmt: skip
        yield Whole(lines=range(table.first_line, table.last_line + 1), found=found)


def _objects(parts: list[Part]) -> Iterator[Whole]:
    at = tries = 0
    while at < len(parts) and tries < _MOST_TRIES:
        opens = parts[at].kind in (CODE, LOG) and _OPENS.fullmatch(parts[at].line.text[:2000]) is not None
        count, value = _decoded(parts, at) if opens else (1, None)
        tries += opens
        first, last = parts[at].number, parts[at + count - 1].number
        found = runs_in(value, first, last) if value is not None else []
        if found:
            yield Whole(lines=range(first, last + 1), found=found)
        at += count


def _decoded(parts: list[Part], at: int) -> tuple[int, object]:
    """(lines, value) of the JSON that begins on a line; a line and None where that is none of worth."""
    texts = []
    for part in parts[at : at + _MOST_LINES]:
        if part.kind not in (CODE, LOG) and part.line.text.strip():
            break
        texts.append(part.line.text)
    text = "\n".join(texts).lstrip()
    try:
        value, end = _DECODER.raw_decode(text) if _WORTH.search(text) else (None, 0)
    except (ValueError, RecursionError):
        return 1, None
    return text.count("\n", 0, end) + 1, value


def _tables(parts: list[Part]) -> Iterator[Whole]:
    for is_row, group in groupby(parts, key=lambda part: part.kind in (TABLE, LOG) and _is_row(part.line.text)):
        block = list(group) if is_row else []
        rows = [(part, cells) for part in block if not is_rule(part.line.text) and (cells := cut(part.line.text, "|"))]
        table = [cells for _, cells in rows]
        found = [_run(column, [part for part, _ in rows]) for column in columns_of(table)]
        if found:
            yield Whole(lines=range(block[0].number, block[-1].number + 1), found=found)


def _is_row(text: str) -> bool:
    return text.lstrip()[:1] in ("|", "│", "┃", "║", "+", "┏", "┡", "└", "├", "┌", "┗", "╞", "╒", "╘")


def _run(column: Column, parts: list[Part]) -> Found:
    """One column as a run, each figure with the line of its row."""
    reader = Report()
    reader.inside = True  # settings and figures in any order
    events = []
    for at, said in column.said:
        answer = reader.tell(Line(parts[at].number, ""), said)
        events += answer if answer is not NEW and isinstance(answer, list) else []
    evidence = [column.head, *(parts[at].line.text for at, _ in column.said)]
    return Found(
        system=reader.system, first_line=parts[0].number, last_line=parts[-1].number,
        events=[*events, *reader.finish()], name=column.head.replace(" ", "-")[:60] or None,
        text="\n".join(evidence).encode(),
    )  # fmt: skip
