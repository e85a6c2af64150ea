"""What a page shows: its tables, its lists of figures, the figures of its logs, and its sentences, each with its place.

Tables come from `reading.tables`; a list of `name: value` lines is a table with one column. Every figure keeps the
labels that a sentence may call it by: row, column, headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from assay.checking.lexicon import stems, words
from assay.core.names import Name, direction, name_of
from assay.core.numbers import NO_UNIT, Number, numbers, quantity, uses_decimal_commas, with_points
from assay.ingest.document import Document
from assay.ingest.parts import BLANK, CODE, COMMAND, FENCE, HEADING, LOG, PROSE, Part
from assay.reading.tables import Cell, Column, Row, Table, Text, clean, separated, table_at

_MOST_TABLES = 400
_MOST_CELLS = 60_000


@dataclass(frozen=True, slots=True)
class Value:
    """A figure in its base unit with the interval that its rounding leaves."""

    mid: float
    slack: float
    unit: str
    line: int
    text: str
    printed: float = float("nan")  # in the unit that it was printed in

    @property
    def low(self) -> float:
        return self.mid - self.slack

    @property
    def high(self) -> float:
        return self.mid + self.slack


def value_of(number: Number, line: int) -> Value:
    slack = number.slack
    if number.mark in ("~", "≈"):
        slack = max(slack, 0.01 * abs(number.base))
    return Value(number.base, slack, number.unit.base, line, number.text, number.value)


@dataclass(frozen=True, kw_only=True)
class Grid:
    """A table as numbers: one series a column, and the columns that several figures of a cell make."""

    table: Table
    series: tuple[Series, ...]
    order: int

    @property
    def lines(self) -> range:
        return range(self.table.first_line, self.table.last_line + 1)

    @cached_property
    def head(self) -> tuple[str, ...]:
        return tuple(one.head for one in self.table.columns)

    @cached_property
    def heading_stems(self) -> frozenset[str]:
        return frozenset(one for title in (*self.table.headings[-2:], self.table.caption) for one in stems(title))


@dataclass(frozen=True, kw_only=True, eq=False)
class Series:
    """One column of figures: `values[row]` is None where the cell holds none."""

    head: str
    key: str
    column: int
    values: tuple[Value | None, ...]
    is_setting: bool = False
    part: int = 0  # which of several figures of a cell

    @cached_property
    def known(self) -> list[tuple[int, Value]]:
        return [(at, one) for at, one in enumerate(self.values) if one is not None]

    @cached_property
    def unit(self) -> str:
        units = {one.unit for _, one in self.known}
        return units.pop() if len(units) == 1 else ""

    @cached_property
    def called(self) -> frozenset[str]:
        """Words that a sentence names it by."""
        kind = {"s": ("time", "took", "duration"), "bytes": ("memory", "size")}.get(self.unit, ())
        kind = ("throughput", "rate") if self.unit.endswith("/s") else kind
        return frozenset((*stems(self.head), *kind)) - {"s", "per", "mean", "ms", "x"}

    @cached_property
    def is_mixed(self) -> bool:
        """Whether its cells name several units of one kind: MB and GB."""
        return len({re.sub(r"[\W\d_]+", "", one.text) for _, one in self.known}) > 1

    @cached_property
    def better(self) -> int:
        """1 where more is better, -1 where less is."""
        if self.unit == "s":
            return -1
        if self.unit.endswith("/s"):
            return 1
        return direction(self.key)


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """A sentence as a person reads it, with the headings above it and the line that introduces its list."""

    text: str
    line: int
    headings: tuple[str, ...] = ()
    intro: str = ""
    role: str = PROSE  # prose, cell, log, heading
    starts: tuple[tuple[int, int], ...] = ()

    def line_at(self, place: int) -> int:
        return max((number for start, number in self.starts if start <= place), default=self.line)

    @cached_property
    def words(self) -> tuple[str, ...]:
        return tuple(one.lower() for one in re.findall(r"[^\W\d_]+(?:['’-][^\W\d_]+)*", self.text))


@dataclass(frozen=True, kw_only=True)
class Page:
    source: str
    grids: tuple[Grid, ...]
    sentences: tuple[Sentence, ...]
    blocks: tuple[tuple[Sentence, ...], ...]  # lines that stand together: of a list, of a fence
    texts: dict[int, str] = field(default_factory=dict)
    logs: tuple[tuple[int, str], ...] = ()


def page_of(document: Document, source: str) -> Page:
    """Everything that a page shows and says."""
    parts = document.parts
    if not document.is_page and not document.name.endswith((".tsv", ".csv")):
        return Page(source=source, grids=(), sentences=(), blocks=())
    texts = {part.number: part.line.text for part in parts}
    commas = uses_decimal_commas("\n".join(part.line.text for part in parts[:5000]))
    titles = _titles(parts)
    tables = list(_tables(document, titles, commas))
    in_table = {line for table in tables for line in range(table.first_line, table.last_line + 1)}
    blocks = list(_blocks(parts, titles, in_table, commas))
    for block in blocks:
        tables += [table for table in (_listed(block), *_alike(block)) if table is not None]
    tables = [_placed(table, texts) if table.form == "rst" else table for table in tables]
    tables.sort(key=lambda one: one.first_line)
    grids = _with_settings([grid_of(table, at) for at, table in enumerate(tables)])
    sentences = [*_sentences(parts, titles, in_table, commas), *_cells_said(tables)]
    if document.name.endswith((".tsv", ".csv")):
        sentences = [one for one in sentences if one.role == "cell"]
    return Page(
        source=source,
        grids=grids,
        sentences=tuple(sentences),
        blocks=tuple(blocks),
        texts=texts,
        logs=tuple((part.number, part.line.text) for part in parts if part.kind == LOG and part.number not in in_table),
    )


def _placed(table: Table, texts: dict[int, str]) -> Table:
    """A table whose cells stand on lines of their own, each with its line."""
    rows = []
    for row in table.rows:
        line, cells = row.line, []
        for cell in row.cells:
            line = next((at for at in range(line, line + 4) if cell.text and cell.text in texts.get(at, "")), line)
            cells.append(replace(cell, line=line))
        rows.append(replace(row, cells=tuple(cells)))
    return replace(table, rows=tuple(rows))


def _titles(parts: Sequence[Part]) -> dict[int, tuple[str, ...]]:
    above: list[tuple[int, str]] = []
    found: dict[int, tuple[str, ...]] = {}
    for part in parts:
        if part.kind == HEADING:
            above = [*(one for one in above if one[0] < part.level), (part.level, part.said)]
        found[part.number] = tuple(title for _, title in above)
    return found


def _tables(document: Document, titles: dict[int, tuple[str, ...]], commas: bool) -> Iterator[Table]:
    texts: list[Text] = []
    for part in document.parts:
        if part.number > (texts[-1].number if texts else 0):
            shown = part.kind not in (FENCE, COMMAND, HEADING, CODE)
            texts.append(Text(part.number, part.line.text if shown else ""))
    if not document.is_page and (whole := separated(texts)) is not None:
        table = whole.table(decimal_comma=commas)
        if table is not None:
            yield table
        return
    at = count = 0
    while at < len(texts) and count < _MOST_TABLES:
        found = table_at(texts, at)
        if found is None:
            at += 1
            continue
        table = found[0].table(titles.get(texts[at].number, ()), decimal_comma=commas)
        if table is not None and len(table.rows) * len(table.columns) < _MOST_CELLS:
            count += 1
            yield table
        at = max(found[1], at + 1)


def grid_of(table: Table, order: int) -> Grid:
    """A table with a series for each column of figures, and for each figure of cells that hold several."""
    series: list[Series] = []
    for at, column in enumerate(table.columns):
        cells = [row.cells[at] if at < len(row.cells) else None for row in table.rows]
        whole = tuple(
            value_of(one.number, one.line) if one is not None and one.number is not None else None for one in cells
        )
        if column.kind == "setting":
            whole = tuple(replace(one, slack=0.0) if one is not None else None for one in whole)
        if _mixes_sizes(whole):  # MB and GB in one column: of 1000 or of 1024?
            whole = tuple(
                replace(one, slack=max(one.slack, 0.024 * abs(one.mid))) if one is not None else None for one in whole
            )
        if sum(one is not None for one in whole) >= 1:
            series.append(
                Series(head=column.head, key=column.key, column=at, values=whole, is_setting=column.kind == "setting")
            )
        if sum(one is not None for one in whole) < 2 and column.kind in ("text", "label") and at:
            told = tuple(_relation_in(one) for one in cells)
            if sum(one is not None for one in told) >= max(2, 0.5 * len(cells)):
                series.append(Series(head=column.head, key=column.key, column=at, values=told))
        several = [one.numbers for one in cells if one is not None and len(one.numbers) > 1]
        if len(several) >= 2 and len(several) >= 0.6 * sum(one is not None for one in whole):
            for part in range(1, min(4, max(len(one) for one in several))):
                values = tuple(
                    value_of(one.numbers[part], one.line) if one is not None and part < len(one.numbers) else None
                    for one in cells
                )
                series.append(Series(head=column.head, key=column.key, column=at, values=values, part=part))
    return Grid(table=table, series=tuple(series), order=order)


def _relation_in(cell: Cell | None) -> Value | None:
    """The only ratio or percentage of a cell with words: `TRT (+12 %)`."""
    found = [one for one in numbers(clean(cell.text)) if one.unit.base in ("%", "x")] if cell is not None else []
    return value_of(found[0], cell.line) if cell is not None and len(found) == 1 else None


def _with_settings(grids: Sequence[Grid]) -> tuple[Grid, ...]:
    """Columns that are settings in another table of the page, or hold a few whole numbers again and again."""
    heads = {one.head.lower() for grid in grids for one in grid.series if one.is_setting and one.head}
    return tuple(
        replace(
            grid, series=tuple(replace(one, is_setting=True) if _is_chosen(one, heads) else one for one in grid.series)
        )
        for grid in grids
    )


def _is_chosen(series: Series, heads: set[str]) -> bool:
    if series.is_setting or series.part or not series.head:
        return series.is_setting
    if series.head.lower() in heads:
        return True
    values = [one.mid for _, one in series.known]
    whole = len(values) >= 3 and all(value == int(value) for value in values)
    return (
        whole
        and not series.unit
        and not series.better
        and len(set(values)) <= 0.5 * len(values)
        and not set(stems(series.head)) & words("derived")
    )


def _mixes_sizes(values: Sequence[Value | None]) -> bool:
    return len({re.sub(r"[\W\d_]+", "", one.text) for one in values if one is not None and one.unit == "bytes"}) > 1


_ITEM = re.compile(r"^\s*(?:[-*+•>]|\d{1,2}[.)])\s+")
_NOUN_BEHIND = re.compile(r"[^\s(,;]*[\w.]*\s+[^\W\d_]{3,}")
_LISTED = re.compile(
    r"^\s*(?:[-*+•]\s+|\d{1,2}[.)]\s+)?[*_`]{0,3}(?P<label>[^\W\d_][^:=|]{0,60}?)[*_`]{0,3}\s*(?:[:=]|\s{2,}|[█▉▊▋▌▍▎▏▇▆▅▄▃▂▁░▒▓#]+)[*_`\s█▉▊▋▌▍▎▏▇▆▅▄▃▂▁░▒▓]*"
    r"(?P<rest>[~≈<>≤≥+\-−]?\s?[\d.].{0,120})$"
)


def _blocks(
    parts: Sequence[Part], titles: dict[int, tuple[str, ...]], in_table: set[int], commas: bool
) -> Iterator[tuple[Sentence, ...]]:
    """Lines that stand together and are no paragraph: the items of a list, the lines of a fence."""
    now: list[Sentence] = []
    last, intro, blank = "", "", 0
    for part in parts:
        text = with_points(part.line.text) if commas else part.line.text
        kind = "log" if part.kind == LOG else "item" if part.kind == PROSE and _ITEM.match(part.line.text) else ""
        if part.number in in_table:
            kind = ""
        if kind and now and kind == now[-1].role and (blank == 0 or kind == "item"):
            pass
        elif part.kind == BLANK and now:
            blank += 1
            if blank < 2:
                continue
        if not kind or (now and now[-1].role != kind) or blank >= 2:
            if len(now) > 1:
                yield tuple(now)
            now, blank = [], 0
        if kind:
            intro = last if not now else intro
            now.append(Sentence(text=text, line=part.number, headings=titles[part.number], intro=intro, role=kind))
            blank = 0
        elif part.kind in (PROSE, HEADING):
            last = part.said
    if len(now) > 1:
        yield tuple(now)


def _listed(block: Sequence[Sentence]) -> Table | None:
    """`- Mongo: 30 ms` line by line: a table with one column, named by the heading."""
    rows: list[Row] = []
    for one in block:
        found = _LISTED.match(one.text)
        if not found or len(one.text) > 240:
            continue
        rest = clean(found["rest"])
        whole = quantity(rest)
        if whole is None or (
            len(rest) > whole.end + 40 and not whole.unit.base and _NOUN_BEHIND.match(rest[whole.end :])
        ):
            continue
        cell = Cell(rest, one.line, whole, tuple(numbers(rest)))
        label = clean(found["label"])
        rows.append(Row(cells=(Cell(label, one.line), cell), line=one.line, label=label))
    units = [row.cells[1].number.unit.base for row in rows if row.cells[1].number is not None]
    if len(rows) < 2 or len(rows) > 200:
        return None
    head = (block[0].headings or ("",))[-1]
    name = name_of(head) if len(set(units)) == 1 and head else Name("", NO_UNIT, 1.0)
    columns = (Column(head="", name=Name("", NO_UNIT, 1.0), kind="label"), Column(head=head, name=name))
    return Table(
        columns=columns, rows=tuple(rows), first_line=block[0].line, last_line=block[-1].line,
        headings=block[0].headings, form="list",
    )  # fmt: skip


def _alike(block: Sequence[Sentence]) -> Iterator[Table]:
    """Lines of one shape, as benchmarks print them: a name, and figures with units in the same order."""
    group: list[tuple[Sentence, list[Number]]] = []
    shape: tuple[str, ...] = ()
    for one in [*block, None]:
        found = numbers(one.text) if one is not None and len(one.text) < 400 else []
        units = tuple(number.unit.text for number in found)
        if one is not None and units == shape and group:
            group.append((one, found))
            continue
        if len(group) >= 4 and sum(bool(unit) for unit in shape) >= 2:
            yield _as_table(group, shape)
        group = [(one, found)] if one is not None and sum(bool(unit) for unit in units) >= 2 else []
        shape = units


def _as_table(group: Sequence[tuple[Sentence, list[Number]]], shape: Sequence[str]) -> Table:
    columns = (
        Column(head="", name=Name("", NO_UNIT, 1.0), kind="label"),
        *(Column(head=unit, name=Name(unit, NO_UNIT, 1.0)) for unit in shape),
    )
    rows = []
    for one, found in group:
        label = one.text[: found[0].start].strip()
        cells = (Cell(label, one.line), *(Cell(number.text, one.line, number, (number,)) for number in found))
        rows.append(Row(cells=cells, line=one.line, label=label))
    return Table(
        columns=columns, rows=tuple(rows), first_line=rows[0].line, last_line=rows[-1].line,
        headings=group[0][0].headings, form="lines",
    )  # fmt: skip


_END = re.compile(r"(?<=[.!?;])[\"')\]*]*\s+(?=[\"'(\[*]*[A-Z~≈→✅\d])|\s+(?=[→✅❌]\s)")
_ABBREVIATED = re.compile(r"(?:\b(?:e\.g|i\.e|vs|approx|ca|Fig|fig|Tab|No|resp|etc|cf)\.|\b[A-Z]\.)$")


def split(text: str) -> Iterator[tuple[int, str]]:
    """(place, sentence): each sentence of a paragraph."""
    begin = 0
    for found in _END.finditer(text):
        if _ABBREVIATED.search(text[begin : found.start()]) or re.match(
            r"\d{1,2}\.$", text[begin : found.start()].strip()
        ):
            continue
        if text[begin : found.start()].strip():
            yield begin, text[begin : found.start()]
        begin = found.end()
    if text[begin:].strip():
        yield begin, text[begin:]


def _sentences(
    parts: Sequence[Part], titles: dict[int, tuple[str, ...]], in_table: set[int], commas: bool
) -> Iterator[Sentence]:
    intro = ""
    for part in parts:
        if part.number in in_table or part.kind not in (PROSE, HEADING) or len(part.said) > 6000:
            continue
        said = with_points(part.said) if commas else part.said
        item = bool(_ITEM.match(part.line.text))
        if not item:
            intro = said if said.rstrip().endswith(":") or len(said) < 300 else ""
        role = HEADING if part.kind == HEADING else PROSE
        for begin, text in split(said):
            starts = tuple(
                (max(0, start - begin), number) for start, number in part.starts if start <= begin + len(text)
            )
            line = part.line_at(begin)
            yield Sentence(
                text=text, line=line, headings=titles[part.number], intro=intro if item else "", role=role,
                starts=starts,
            )  # fmt: skip


def _cells_said(tables: Sequence[Table]) -> Iterator[Sentence]:
    """Cells of a table that hold sentences: the description of an experiment in a ledger."""
    for table in tables:
        for row in table.rows:
            for at, cell in enumerate(row.cells):
                if at < len(table.columns) and table.columns[at].kind in ("label", "text") and len(cell.text) > 40:
                    for _, text in split(cell.text):
                        yield Sentence(text=text, line=cell.line, headings=table.headings, intro=row.label, role="cell")


@dataclass(frozen=True, slots=True)
class Mention:
    """A label of the page that a sentence uses: rows, or a column, of one table."""

    start: int  # in words
    end: int
    grid: int
    rows: tuple[int, ...] = ()
    column: int | None = None
    label: str = ""
    exact: bool = True


class Labels:
    """All labels of a page, looked up by their first words."""

    def __init__(self, page: Page) -> None:
        self._by_first: dict[str, list[tuple[tuple[str, ...], Mention]]] = {}
        for at, grid in enumerate(page.grids):
            self._rows(at, grid)
            for series in grid.series:
                if series.part == 0:
                    self._add(_label_stems(series.head), Mention(0, 0, at, column=series.column, label=series.head))
        for listed in self._by_first.values():
            listed.sort(key=lambda one: -len(one[0]))

    def _rows(self, at: int, grid: Grid) -> None:
        shared = _shared_stems([row.label for row in grid.table.rows])
        wholes: dict[tuple[str, ...], list[int]] = {}
        for number, row in enumerate(grid.table.rows):
            first = clean(row.cells[0].text) if row.cells else ""
            label = row.label or first
            named = [
                clean(row.cells[n].text)
                for n, one in enumerate(grid.table.columns)
                if one.kind == "label" and n < len(row.cells)
            ]
            for text in {label, first, *(one for one in named if len(one) < 60)}:
                key = _label_stems(text)
                if key:
                    wholes.setdefault(key, []).append(number)
                    cut = tuple(one for one in key if one not in shared)
                    if cut and cut != key:
                        wholes.setdefault(cut, []).append(number)
        if len(wholes) > 2000:
            return
        for key, rows in wholes.items():
            every = sorted(set(rows))
            if all(one.replace(".", "").isdigit() for one in key):
                continue
            self._add(key, Mention(0, 0, at, rows=tuple(every), label=" ".join(key)))
        for key in list(wholes):
            if len(key) > 1 and not key[0].isdigit() and len(key[0]) > 2 and key[:1] not in wholes:
                alike = sorted({row for other, rows in wholes.items() if other[0] == key[0] for row in rows})
                if len(alike) <= 0.5 * len(grid.table.rows) or len(alike) == 1:
                    self._add(key[:1], Mention(0, 0, at, rows=tuple(alike), label=key[0], exact=False))
        for series in grid.series:
            if series.is_setting:
                self._settings(at, series)
        bases = [n for n, row in enumerate(grid.table.rows) if {"baseline", "base"} & set(stems(row.label))]
        if len(bases) == 1:
            self._add(("baseline",), Mention(0, 0, at, rows=tuple(bases), label="baseline"))

    def _settings(self, at: int, series: Series) -> None:
        """`8 threads`, `batch size 64`: the rows that a value of a setting stands in."""
        head = _label_stems(series.head)
        rows: dict[str, list[int]] = {}
        for row, value in series.known:
            rows.setdefault(f"{value.mid:g}", []).append(row)
        if head and len(rows) < 500:
            for printed, every in rows.items():
                mention = Mention(0, 0, at, rows=tuple(every), label=f"{printed} {series.head}")
                for phrase in {
                    (printed, *head),
                    (*head, printed),
                    (printed, head[0]),
                    (printed, head[-1]),
                    (head[-1], printed),
                    (head[0], printed),
                }:
                    self._add(phrase, mention)

    def _add(self, key: tuple[str, ...], mention: Mention) -> None:
        if (
            key
            and (len(key) > 1 or len(key[0]) > 1 or key[0].isalpha())
            and not (len(key) == 1 and key[0] in words("common"))
        ):
            self._by_first.setdefault(key[0], []).append((key, mention))

    def find(self, text: str) -> list[Mention]:
        """The labels in a text, the longest at each place."""
        said = stems(text)
        found: list[Mention] = []
        at = 0
        while at < len(said):
            length, here = 0, []
            known = self._by_first.get(said[at], ())
            if not known and len(said[at]) > 5:  # `Mongodb` for `Mongo`
                first = next((said[at][:cut] for cut in (-1, -2, -3) if said[at][:cut] in self._by_first), "")
                known = [(key, one) for key, one in self._by_first.get(first, ()) if len(key) == 1]
                if known:
                    found += [replace(one, start=at, end=at + 1) for _, one in known]
                    at += 1
                    continue
            for key, mention in known:
                if len(key) >= length and said[at : at + len(key)] == key:
                    length = len(key)
                    here.append(replace(mention, start=at, end=at + len(key)))
            found += here
            at += max(1, length)
        return found


def _label_stems(text: str) -> tuple[str, ...]:
    plain = re.sub(r"[(\[][^()\[\]]*[)\]]", " ", clean(text))
    return stems(plain) or stems(text)


def _shared_stems(labels: Sequence[str]) -> frozenset[str]:
    """Words that (nearly) every row is called by: `test_` of a benchmark."""
    if len(labels) < 3:
        return frozenset()
    count: dict[str, int] = {}
    for one in labels:
        for word in set(stems(one)):
            count[word] = count.get(word, 0) + 1
    return frozenset(word for word, n in count.items() if n >= 0.8 * len(labels))


def has(sentence: Sentence, name: frozenset[str]) -> bool:
    return any(word in name for word in sentence.words)
