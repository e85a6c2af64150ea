"""From what a user names to cases: pages and logs are read in memory, runs from their directories."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator, Reversible
from dataclasses import replace
from functools import cached_property, partial
from itertools import groupby, pairwise
from pathlib import Path

from assay.auditing.case import Case, Run, Sentence, Table
from assay.checking.evidence import page_of
from assay.ingest.document import Document
from assay.ingest.hold import WHOLE_BYTES, Reading, hold
from assay.ingest.page import Page
from assay.ingest.parts import BLANK, CODE, FENCE, HEADING, LOG, PROSE, TABLE, Part, table_rows
from assay.language.numbers import numbers_in
from assay.language.sentences import placed
from assay.lines import LineFeed
from assay.model.event import Event
from assay.model.request import Request, Script
from assay.model.summary import Summary
from assay.reading.keeping import Dater, ingest_board, summary_of
from assay.reading.sources import Source
from assay.reading.stores import is_store, runs_of_store
from assay.reading.tensorboard import is_event_file
from assay.store.code import with_code
from assay.store.files import try_open
from assay.store.layout import RunDir
from assay.store.reading import read_events
from assay.summary.build import load_summary
from assay.text import printable

_IMPORTS = re.compile(r"\s*(?:import \w|from [\w.]+ import \w|def \w+\(|class \w+|model = )")
_SHOWN = 300
#: a line with more figures is a dump, not a sentence
_MOST_FIGURES = 60
#: rows of a table in a fence, with its head
_LEAST_ROWS = 3


def case_of_file(source: Source) -> Case:
    """One file, with nothing written anywhere."""
    if is_event_file(source.name):
        return _streamed(source, partial(ingest_board, source))
    if is_store(source):
        return case_of_reading(source, Reading(content=b"", found=runs_of_store(source)))
    held = hold(source)
    reading = held.read()
    return case_of_reading(source, reading) if reading is not None else _streamed(source, held.stream)


def case_of_reading(source: Source, reading: Reading) -> Case:
    """The case of a source that fits into memory: its runs, and the text around them."""
    text = _line_text(dict(reading.physical))
    runs = []
    for found in reading.found:
        asked, summary = summary_of(found, source.name, reading.text_of(found), Path("."))
        dater = Dater()
        events = [dater.date(event) for event in found.events]
        runs.append(Run(summary=summary, events=events, asked=asked, source=source.name, text=text))
    if reading.page is None:
        return Case(name=source.name, runs=runs)
    return Case(
        name=source.name,
        runs=runs,
        sentences=_with_cuts(list(_sentences(reading.page, source.name))),
        tables=[*_tables(reading.page, source.name), *_separated(reading.page, source.name)],
        code=list(_code(reading.page.document, source.name)),
        page=page_of(reading.page.document, source.name),
    )


def _streamed(source: Source, keep: Callable[[Path], Iterator[tuple[Summary, bool]]]) -> Case:
    """A file too large to hold: its runs are kept for as long as it takes to load them."""
    with tempfile.TemporaryDirectory(prefix="assay-audit-") as folder:
        text = _far_lines(source)
        kept = [summary for summary, _ in keep(Path(folder))]
        folders = [path for path in sorted(Path(folder).iterdir()) if path.is_dir()]
        runs = [replace(run_of_directory(RunDir(path)), text=text) for path in folders] if kept else []
        return Case(name=source.name, runs=runs)


def run_of_directory(run: RunDir) -> Run:
    """A recorded or ingested run from its record."""
    asked = run.asked()
    summary = load_summary(run)
    return run_of_record(run, summary, asked, list(read_events(run)))


def run_of_record(run: RunDir, summary: Summary, asked: Request, events: Reversible[Event]) -> Run:
    """From what was read of it already."""
    lines = _Output(run, summary.lines[0] if summary.lines else 1)
    source = asked.source or f"{summary.name} output.log"
    asked = with_code(run, asked)
    return Run(summary=summary, events=events, asked=asked, source=source, text=lines.text, last_with=lines.last_with)


class _Output:
    """Lines of output.log, read when the first one is asked for."""

    def __init__(self, run: RunDir, first: int) -> None:
        self._run, self._first = run, first

    @cached_property
    def _lines(self) -> list[bytes]:
        file = try_open(self._run.path, self._run.output_log.name)
        if file is None:
            return [b""]
        with file:
            return re.split(rb"\r\n|\n", file.read(WHOLE_BYTES * 4))

    def text(self, number: int) -> str:
        at = number - self._first
        return _shown(self._lines[at]) if 0 <= at < len(self._lines) else ""

    def last_with(self, part: str) -> int | None:
        wanted = part.encode()
        found = (
            at for at in reversed(range(len(self._lines))) if self._lines[at].strip() and wanted in self._lines[at]
        )
        return next((at + self._first for at in found), None)


def _far_lines(source: Source) -> Callable[[int], str]:
    """Lines of a file too large to hold: looked up one by one, since a finding quotes only a few."""

    def text(number: int) -> str:
        feed = LineFeed()
        for block in source.blocks():
            for at, raw in feed.feed(block):
                if at == number:
                    return _shown(raw)
        return ""

    return text


def _line_text(lines: dict[int, bytes]) -> Callable[[int], str]:
    return lambda number: _shown(lines.get(number, b""))


def _shown(raw: bytes) -> str:
    """As a person may read it: the last frame of a bar, no control characters, not too long."""
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", raw.decode("utf-8", "replace"))
    frames = [frame for frame in text.split("\r") if frame.strip()]
    text = printable(frames[-1] if frames else "", " ").strip()
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _sentences(page: Page, source: str) -> Iterator[Sentence]:
    if not page.document.is_page or not page.is_readable:
        return
    for part in page.document.parts:
        if part.kind not in (PROSE, HEADING) or not part.said or part.number in page.taken:
            continue
        section = page.section(part.number)
        for place, text in placed(part.said):
            if len(numbers_in(text)) > _MOST_FIGURES:
                continue
            yield Sentence(
                source=source,
                line=part.line_at(place),
                text=text,
                paragraph=part.number,
                section=section.first_line,
                title=section.title,
                system=page.system_near(part.number, [text]),
                decimal_comma=page.decimal_comma,
            )


def _with_cuts(found: list[Sentence]) -> list[Sentence]:
    """Two lines of which the second goes on where the first breaks off say nothing whole: neither of them."""
    cut = {
        at
        for at, (one, after) in enumerate(pairwise(found))
        if after.line == one.line + 1
        and (after.text[:1].islower() or after.text[:1] in "(,;")
        and not one.text.rstrip().endswith((".", "!", "?", ":"))
    }
    return [replace(one, cut=True) if at in cut or at - 1 in cut else one for at, one in enumerate(found)]


def _tables(page: Page, source: str) -> Iterator[Table]:
    if not page.document.is_page:
        return
    for kind, group in groupby(page.document.parts, key=lambda part: part.kind):
        if kind == TABLE:
            rows = [(part.number, cells) for part, cells in table_rows(group)]
            if len(rows) > 1:
                line, head = rows[0]
                yield Table(source=source, line=line, head=head, rows=rows[1:], decimal_comma=page.decimal_comma)


def _separated(page: Page, source: str) -> Iterator[Table]:
    """Comma-separated values in a fence that no reader took for a log: a head of words, and rows below it."""
    for is_fence, group in groupby(page.document.parts, key=lambda part: part.kind == FENCE):
        parts = [] if is_fence else [part for part in group if part.kind in (CODE, LOG)]
        rows = [(part.number, [cell.strip() for cell in part.line.text.split(",")]) for part in parts]
        if len(rows) < _LEAST_ROWS or any(part.number in page.taken for part in parts):
            continue
        line, head = rows[0]
        even = len(head) > 1 and all(len(cells) == len(head) for _, cells in rows)
        if even and all(cell and not numbers_in(cell) for cell in head) and numbers_in(parts[1].line.text):
            yield Table(source=source, line=line, head=head, rows=rows[1:])


def _code(document: Document, source: str) -> Iterator[tuple[str, int, str]]:
    """Blocks of code: by their language, or by their look where a fence names none."""
    for is_fence, group in groupby(document.parts, key=lambda part: part.kind == FENCE):
        parts = [] if is_fence else [part for part in group if part.kind in (CODE, LOG, BLANK)]
        if any(part.kind == CODE or _IMPORTS.match(part.line.text) for part in parts):
            yield source, parts[0].number, _by_line(parts)


def _by_line(parts: list[Part]) -> str:
    """One line for each line of the page from the first of them on, so that line numbers hold."""
    texts = {part.number: part.line.text for part in parts}
    return "\n".join(texts.get(number, "") for number in range(parts[0].number, parts[-1].number + 1))


def case_of_runs(name: str, runs: list[RunDir]) -> Case:
    """Recorded runs are judged together, because runs in one folder are usually compared."""
    loaded = [run_of_directory(run) for run in runs]
    code: list[tuple[str, int, str]] = []
    for run in loaded:
        script = run.asked.script or Script()
        entry = (str(script.path), 1, script.text or "")
        if entry[2] and entry not in code:
            code.append(entry)
    return Case(name=name, runs=loaded, code=code)
