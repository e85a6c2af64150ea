"""Any table: Markdown, drawn with lines, HTML, CSV, TSV, aligned by spaces, reStructuredText, one key and value a row.

All become one `Table` whose cells keep their row's label, their column's head with its unit, and their line. Which
columns are figures, which settings and which only name the row is decided here too, for imports and checks alike.

The trap: a head is not always there, a cell may hold two figures, and a bar inside a code span parts no columns.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from assay.core.names import Name, direction, name_of
from assay.core.numbers import NO_UNIT, Number, Unit, cells, quantity, tokens, unit_of, with_points
from assay.quantities import named
from assay.reading.stated import setting_named, settings_in


class Text(NamedTuple):
    """A line of a page: its number and what stands in it."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: as written, with its numbers in the unit of its column where it names none itself."""

    text: str
    line: int
    number: Number | None = None
    numbers: tuple[Number, ...] = ()

    @property
    def is_bold(self) -> bool:
        return "**" in self.text or "<b>" in self.text or "<strong>" in self.text


@dataclass(frozen=True, kw_only=True, slots=True)
class Column:
    """A column's head, as printed, and what its values are."""

    head: str
    name: Name
    unit: Unit = NO_UNIT
    kind: str = "figure"  # figure, setting, label, text

    @property
    def key(self) -> str:
        return self.name.key


@dataclass(frozen=True, kw_only=True)
class Row:
    cells: tuple[Cell, ...]
    line: int
    label: str = ""
    group: str = ""  # a row of its own above, or a cell that spans several: `Training:`


@dataclass(frozen=True, kw_only=True)
class Table:
    """Columns and rows, with the place on the page: the headings above and the caption."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    first_line: int
    last_line: int
    headings: tuple[str, ...] = ()
    caption: str = ""
    form: str = ""
    sideways: bool = False  # a run a column, a figure a row

    @cached_property
    def figures(self) -> tuple[int, ...]:
        return tuple(n for n, one in enumerate(self.columns) if one.kind == "figure")

    def column(self, at: int) -> list[tuple[Row, Cell]]:
        """The cells of a column that hold a number."""
        found = [(row, row.cells[at]) for row in self.rows if at < len(row.cells)]
        return [(row, cell) for row, cell in found if cell.number is not None]


_RULE = re.compile(r"^[\s|+:=\-─━═┼╪╬┌┐└┘├┤┬┴│╔╗╚╝╠╣╦╩╞╡╤╧╭╮╰╯┏┓┗┛┠┨┯┷┃┡┩╇╈┿┳┻╋~_.*]+$")
_DASHES = re.compile(r":?-+:?")
_BARS = re.compile(r"[│┃║|]")
_DRAWN = "│┃║┌╔╭┏╒"
_EMPHASIS = re.compile(
    r"(?<!\w)[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?!\w)|`|</?(?:b|i|em|strong|sub|sup|br|code)\s*/?>|&nbsp;"
)
_LINK = re.compile(r"!?\[([^\[\]]{0,300})\]\([^()]{0,300}\)")
_NOTHING = frozenset(
    ("", "-", "–", "—", "n/a", "na", "none", "n.a.", "/", "x", "✗", "tbd", "pending", "null", "*", "--", "?")
)
_MOST_ROWS = 20_000
_PAIRED = re.compile(r"(?<![\w %])[\w %]{1,40}(?:/[\w %]{1,40}){1,6}")


def clean(text: str) -> str:
    """A cell or a heading without marks of emphasis, links and icons."""
    text = _LINK.sub(r"\1", text)
    text = re.sub(r"[\U0001F300-\U0001FAFF\u2600-\u27BF\u2B50\uFE0F]", "", text)
    return re.sub(
        r"\s+", " ", _EMPHASIS.sub("", text.replace("\\_", "_").replace("\\|", "|").replace("\\*", "*"))
    ).strip()


def bar_cells(text: str) -> list[str]:
    """The cells of a row between bars; a bar inside a code span or behind a backslash parts nothing."""
    parts, now, ticks = [], "", 0
    at = 0
    while at < len(text):
        letter = text[at]
        if letter == "\\" and at + 1 < len(text):
            now, at = now + text[at : at + 2], at + 2
            continue
        if letter == "`":
            run = len(text[at:]) - len(text[at:].lstrip("`"))
            ticks = 0 if ticks == run else ticks or (run if "`" * run in text[at + run :] else 0)
            now, at = now + "`" * run, at + run
            continue
        if not ticks and _BARS.match(letter):
            parts.append(now)
            now = ""
        else:
            now += letter
        at += 1
    parts.append(now)
    if parts and not parts[0].strip():
        parts = parts[1:]
    if parts and not parts[-1].strip():
        parts = parts[:-1]
    return [part.strip() for part in parts]


def is_rule(text: str) -> bool:
    """A line that is drawn: `|---|---|`, `+-----+`, `======`."""
    stripped = text.strip()
    return len(stripped) >= 3 and _RULE.match(stripped) is not None and stripped.strip("|").strip() != ""


def _is_markdown_rule(text: str) -> bool:
    """The line below the head of a Markdown table: `|---|:--:|`, with or without bars at its ends."""
    cells = [one.strip() for one in text.strip().strip("|").split("|")]
    return len(text) < 4000 and all(_DASHES.fullmatch(one) for one in cells) and (len(cells) > 1 or len(cells[0]) > 1)


def is_bar_row(text: str) -> bool:
    """Whether a line may be the row of a table with bars."""
    stripped = text.strip()
    return stripped[:1] in ("|", "│", "┃", "║") and len(_BARS.findall(stripped)) >= 2


def made(
    head: Sequence[str],
    rows: Sequence[tuple[int, Sequence[str]]],
    *,
    form: str,
    lines: tuple[int, int],
    headings: tuple[str, ...] = (),
    caption: str = "",
    decimal_comma: bool = False,
) -> Table | None:
    """A table of cells that were found as text; None where nothing in it is a figure."""
    width = max([len(head), *(len(cells) for _, cells in rows)], default=0)
    if width < 2 or not rows:
        return None
    point: Callable[[str], str] = with_points if decimal_comma else str
    heads = _told_apart([_BAR_BEHIND.sub("", clean(one)) for one in head] + [""] * (width - len(head)))
    grid = [(line, [point(one) for one in cells] + [""] * (width - len(cells))) for line, cells in rows[:_MOST_ROWS]]
    grid, groups = _without_group_rows(grid)
    grid = _with_units(heads, grid)
    columns = tuple(_column(heads[n], [cells[n] for _, cells in grid], first=n == 0) for n in range(width))
    if sum(one.kind == "figure" for one in columns) == 0 and any(one.kind == "setting" for one in columns[1:]):
        columns = tuple(
            replace(one, kind="figure") if n and one.kind == "setting" else one for n, one in enumerate(columns)
        )
    if not any(one.kind == "figure" for one in columns):
        return None
    found, above = [], ""
    for place, (line, texts) in enumerate(grid):
        above = texts[0] if texts[0].strip() else above
        label = _label(columns, texts, above)
        cut = tuple(_cell(text, line, columns[n]) for n, text in enumerate(texts))
        found.append(Row(cells=cut, line=line, label=label, group=groups.get(place, "")))
    table = Table(
        columns=columns, rows=tuple(found), first_line=lines[0], last_line=lines[1],
        headings=headings, caption=caption, form=form,
    )  # fmt: skip
    return replace(table, sideways=_is_sideways(table))


def _with_units(heads: Sequence[str], grid: list[tuple[int, list[str]]]) -> list[tuple[int, list[str]]]:
    """Numbers that have their unit in a column of its own: `Score  Error  Units`; it goes to the column of results."""
    at = next((n for n, head in enumerate(heads) if head.lower() in ("unit", "units") and n), None)
    if at is None or not all(unit_of(texts[at].strip()) is not None for _, texts in grid if texts[at].strip()):
        return grid
    before = [n for n in range(1, at) if any("." in texts[n] for _, texts in grid)] or [at - 1]
    result = []
    for line, texts in grid:
        unit = texts[at].strip()
        result.append(
            (
                line,
                [f"{one} {unit}" if n in before and quantity(one) is not None else one for n, one in enumerate(texts)],
            )
        )
    return result


#: a progress bar that was printed behind the last head: `mAP50-95: 100% 2/2 [00:01<00:00]`
_BAR_BEHIND = re.compile(r":?\s+\d+%\|?.*$")


def _told_apart(heads: list[str]) -> list[str]:
    """`SpMM | Speedup | GEMM | Speedup`: a head that comes again is of the column before it."""
    return [
        f"{heads[n - 1]} {head}"
        if n and head and heads.count(head) > 1 and heads.count(heads[n - 1]) == 1 and heads[n - 1]
        else head
        for n, head in enumerate(heads)
    ]


def _without_group_rows(
    grid: list[tuple[int, list[str]]],
) -> tuple[list[tuple[int, list[str]]], dict[int, str]]:
    """Rows with one cell only, that name the rows below them, taken out."""
    kept: list[tuple[int, list[str]]] = []
    groups: dict[int, str] = {}
    group = ""
    for line, texts in grid:
        filled = [one for one in texts if clean(one).lower() not in _NOTHING]
        if not filled:
            continue
        if len(filled) == 1 and len(texts) > 2 and texts[0].strip() and quantity(texts[0]) is None:
            group = clean(texts[0]).rstrip(":")
            continue
        groups[len(kept)] = group
        kept.append((line, texts))
    return kept, groups


def _column(head: str, texts: Sequence[str], *, first: bool) -> Column:
    """What a column holds, by its head and by what most of its cells are."""
    filled = [clean(one) for one in texts if clean(one).lower() not in _NOTHING]
    wholes = [found for one in filled if (found := quantity(one)) is not None]
    unit = next((u for u in _units(head)), NO_UNIT)
    if (
        not unit.base
        and filled
        and all(one.unit.base for one in wholes)
        and len({one.unit.base for one in wholes}) == 1
    ):
        name = name_of(head, wholes[0].unit) if wholes else name_of(head)
    else:
        name = name_of(head, unit)
    share = len(wholes) / len(filled) if filled else 0.0
    if share < 0.5:
        return Column(head=head, name=name, unit=unit, kind="label" if first or share == 0 else "text")
    known = named(head)
    if known is not None and known.settable and not unit.base:
        return Column(head=head, name=name, unit=unit, kind="setting")
    plain = not any(one.unit.base for one in wholes)
    if first and not unit.is_time and plain and not (known and not known.settable):
        return Column(head=head, name=name, unit=unit, kind="setting")
    values = [one.value for one in wholes]
    is_grid = len(values) >= 4 and 2 * len(set(values)) <= len(values) and all(one.is_integer() for one in values)
    if is_grid and plain and not unit.base and share == 1 and known is None and not direction(name.key):
        return Column(head=head, name=name, unit=unit, kind="setting")  # a few whole numbers that come again and again
    return Column(head=head, name=name, unit=unit)


def _units(head: str) -> list[Unit]:
    """The unit that a head names: `Time (s)`, `ms/step`, `Total Time [ns]`, `in ms`, `latency_ms`."""
    found = [unit for inner in re.findall(r"[(\[]([^()\[\]]{1,20})[)\]]", head) if (unit := unit_of(inner)) is not None]
    if found:
        return found
    whole = unit_of(head)
    if whole is not None and len(head) > 1:
        return [whole]
    last = re.search(r"(?:\bin |, ?|\s)(\S{1,12})$", head)
    if last and (unit := unit_of(last[1])) is not None and (len(last[1]) > 1 or last[1] in "%s"):
        return [unit]
    if "%" in head:
        return [Unit("%", "%", 1.0)]
    tail = re.search(r"_(ms|us|ns|s|sec|secs|seconds|mb|gb|kb|mib|gib|pct)$", head.lower())
    return (
        [unit]
        if tail
        and (unit := unit_of({"mb": "MB", "gb": "GB", "kb": "KB", "mib": "MiB", "gib": "GiB"}.get(tail[1], tail[1])))
        else []
    )


def _cell(text: str, line: int, column: Column) -> Cell:
    shown = clean(text)
    if shown.lower() in _NOTHING or column.kind == "label":
        return Cell(text, line)
    whole = quantity(shown)
    every = tuple(cells(shown))
    if column.unit.base:
        whole = whole.with_unit(column.unit) if whole is not None and not whole.unit.base else whole
        every = tuple(one if one.unit.base else one.with_unit(column.unit) for one in every)
    return Cell(text, line, whole, every)


def _label(columns: Sequence[Column], texts: Sequence[str], above: str) -> str:
    """What a row is called: its first column, or the one that stands above an empty cell, and other words."""
    first = clean(texts[0]) or clean(above)
    others = [clean(texts[n]) for n, one in enumerate(columns) if n and one.kind == "label" and one.head]
    return " ".join(word for word in (first, *others) if word and len(word) < 120) or first


def _is_sideways(table: Table) -> bool:
    """Whether the rows are figures and the columns runs: `| Loss | 0.31 | 0.29 |` below `| Metric | A | B |`."""
    if len(table.columns) < 2 or table.columns[0].kind != "label":
        return False
    rows = [one for one in table.rows if any(cell.number is not None for cell in one.cells)]
    if len(table.figures) > 1 and all(settings_in(table.columns[n].head) for n in table.figures):
        return True  # `batch size 16 | batch size 128`
    heads_are_values = all(quantity(table.columns[n].head) is not None for n in table.figures)
    if len(table.figures) > 1 and heads_are_values and setting_named(table.columns[0].head):
        return True  # `Batch | 512 | 1024`
    known = sum(_is_figure_name(one.label) for one in rows)
    heads = sum(_is_figure_name(table.columns[n].head) for n in table.figures)
    return known >= 1 and known >= 0.5 * len(rows) and heads < 0.5 * len(table.figures)


def _is_figure_name(text: str) -> bool:
    known = named(text)
    return (
        (known is not None and not known.settable)
        or bool(_units(text))
        or bool(
            re.search(
                r"(?i)\b(?:loss|accuracy|acc|time|memory|latency|throughput|speed-?up|f1|precision|recall|score|rate|size|ops|error)\b",
                text,
            )
        )
    )


def split_names(head: str, count: int) -> list[str] | None:
    """The names of a cell with several figures: `P / R / F1`, `Time (mean/std)`."""
    found = _PAIRED.search(head)
    if not found or found[0].count("/") != count - 1:
        return None
    before = head[: found.start()].strip()
    return [f"{before} {one.strip(' ([)]')}".strip() for one in found[0].split("/")]


# --- finding tables in lines ---------------------------------------------------------------------------------------


@dataclass
class Found:
    """A table as text, before it is known what its columns are."""

    head: list[str]
    rows: list[tuple[int, list[str]]]
    first_line: int
    last_line: int
    form: str
    caption: str = ""
    used: set[int] = field(default_factory=set)

    def table(self, headings: tuple[str, ...] = (), *, caption: str = "", decimal_comma: bool = False) -> Table | None:
        return made(
            self.head, self.rows, form=self.form, lines=(self.first_line, self.last_line), headings=headings,
            caption=caption or self.caption, decimal_comma=decimal_comma,
        )  # fmt: skip


def table_at(lines: Sequence[Text], at: int) -> tuple[Found, int] | None:
    """The table that begins at this line, and the index behind it; None where none begins."""
    text = lines[at].text
    if not text.strip():
        return None
    if text.lstrip().startswith(".. list-table::") or text.lstrip().startswith(".. csv-table::"):
        return _list_table(lines, at)
    following = lines[at + 1].text if at + 1 < len(lines) else ""
    if "|" in text and _is_markdown_rule(following) and "|" in following + text and not is_rule(text):
        return _barred(lines, at, "markdown")
    if is_bar_row(text) or (text.strip()[:1] in "+" + _DRAWN and is_rule(text)):
        return _barred(lines, at, "drawn")
    return _aligned(lines, at)


def _barred(lines: Sequence[Text], at: int, form: str) -> tuple[Found, int] | None:
    """Rows between bars, with or without lines drawn between them."""
    begin, end = at, at
    rows: list[tuple[int, list[str]]] = []
    ruled: list[int] = []  # how many rows stand before each drawn line
    bare = form == "markdown"
    while end < len(lines):
        text = lines[end].text
        if is_rule(text) and (text.strip()[:1] in "|+-:─═├╞╠└┌╔╚┏┗┡╭╰" or set(text.strip()) <= set("-=+| :")):
            ruled.append(len(rows))
        elif is_bar_row(text) or (bare and "|" in text and text.strip()):
            rows.append((lines[end].number, bar_cells(text)))
        else:
            break
        end += 1
    if not rows or (form == "drawn" and len(rows) < 2 and not ruled):
        return None
    span = (lines[begin].number, lines[end - 1].number)
    has_head = (bool(ruled) and ruled[0] == 1) or (len(ruled) > 1 and ruled[0] == 0 and ruled[1] == 1)
    if all(len(cells) == 2 for _, cells in rows) and not (has_head and form == "markdown"):
        return Found(["", ""], rows, *span, "pairs"), end
    if not has_head and all(quantity(clean(one)) is None for one in rows[0][1][1:]) and len(rows) > 1:
        has_head = True
    head = rows[0][1] if has_head else []
    return Found(head, rows[1:] if has_head else rows, *span, form), end


_GAP = re.compile(r"\s{2,}|\t")


def columns_of(text: str) -> list[str]:
    """The pieces of a line that wide gaps or tabs part."""
    return [one for one in _GAP.split(text.strip()) if one]


def _aligned(lines: Sequence[Text], at: int) -> tuple[Found, int] | None:
    """A head and rows below it that line up: as many pieces, or numbers under each word."""
    head = lines[at].text
    if any(token.number is not None for token in tokens(head[:400])):
        if (bare := _headless(lines, at)) is not None or not _is_named_head(head):
            return bare
    wide = columns_of(head)
    if len(wide) >= 2 and at + 2 < len(lines) and (heads := _two_levels(wide, lines[at + 1].text)) is not None:
        under = _aligned([Text(lines[at + 1].number, "  ".join(heads)), *lines[at + 2 :]], 0)
        return (under[0], under[1] + at + 1) if under else None
    if (
        len(head) > 400
        or re.match(r"\s*(?:[-*+•]|\d+[.)])\s", head)
        or re.search(r"[.:;!?]\s*$", head)
        or re.search(r"[=:]\s*\S", head)
    ):
        return None
    for pieces in dict.fromkeys((tuple(wide), tuple(head.split()))):
        if len(pieces) >= 2 and (found := _below(lines, at, list(pieces))):
            return found
    return None


def _below(lines: Sequence[Text], at: int, pieces: list[str]) -> tuple[Found, int] | None:
    """The rows that line up below a head of these pieces."""
    head = lines[at].text
    rows: list[tuple[int, list[str]]] = []
    end, width, ruled = at + 1, 0, False
    while end < len(lines):
        text = lines[end].text
        if not text.strip():
            below = lines[end + 1].text if end + 1 < len(lines) else ""
            if (
                (rows and not _goes_on(head, below, len(pieces)))
                or end + 1 >= len(lines)
                or not (rows or end == at + 1)
            ):
                break
            end += 1
            continue
        if is_rule(text):
            ruled = True
            end += 1
            continue
        found = _row_of(text, len(pieces)) or (_placed(head, pieces, text) if rows else None)
        if found is None:
            break
        rows.append((lines[end].number, found))
        width = len(found)
        end += 1
    while end > at + 1 and (is_rule(lines[end - 1].text) or not lines[end - 1].text.strip()):
        end -= 1
    if not rows or (len(rows) < 2 and not ruled):
        return None
    head_cells = [""] * (max(0, width - len(pieces))) + pieces
    return Found(head_cells, rows, lines[at].number, lines[end - 1].number, "aligned"), end


def _goes_on(head: str, below: str, width: int) -> bool:
    """Whether a row behind an empty line is of the table above: as many cells, each below its head."""
    if not below.startswith((" ", "\t")) and not head.startswith((" ", "\t")):
        return False
    return _row_of(below, width) is not None or _placed(head, columns_of(head), below) is not None


def _placed(head: str, pieces: Sequence[str], text: str) -> list[str] | None:
    """The cells of a row with some left empty, by the heads that they stand below; None where one stands below none."""
    spans, at = [], 0
    for piece in pieces:
        at = head.index(piece, at)
        spans.append((at, at + len(piece)))
        at += len(piece)
    cells, label = [""] * len(pieces), ""
    for found in re.finditer(r"\S+(?: \S+)*", text):
        if found.end() <= spans[0][0] and not label:
            label = found[0]
            continue
        below = [n for n, (begin, end) in enumerate(spans) if begin < found.end() and found.start() < end]
        if len(below) != 1 or cells[below[0]] or quantity(found[0]) is None:
            return None
        cells[below[0]] = found[0]
    return [label, *cells] if label and sum(map(bool, cells)) * 2 >= len(cells) else None


def _two_levels(groups: list[str], below: str) -> list[str] | None:
    """Heads below heads: `train  test` over `loss acc loss acc`; None where the second line is no such head."""
    words = below.split()
    size, rest = divmod(len(words), len(groups))
    if rest or size < 2 or any(quantity(word) is not None for word in words) or words[:size] * len(groups) != words:
        return None
    return [f"{groups[n // size]} {word}" for n, word in enumerate(words)]


def _headless(lines: Sequence[Text], at: int) -> tuple[Found, int] | None:
    """Rows of a label and quantities with the same units, one below the other: `BenchmarkA  223 ns/op  4.48 MB/s`."""
    rows: list[tuple[int, list[str]]] = []
    units: list[str] = []
    end = at
    while end < len(lines):
        cut = columns_of(lines[end].text)
        found = [quantity(one) for one in cut[1:]]
        if (
            len(cut) < 3
            or quantity(cut[0]) is not None
            or any(one is None for one in found)
            or not re.search(r"[^\W\d_]", cut[0])
        ):
            break
        now = [one.unit.text if one is not None else "" for one in found]
        if (rows and now != units) or sum(map(bool, now)) * 2 < len(now):
            break
        units = now
        rows.append((lines[end].number, cut))
        end += 1
    if len(rows) < 2:
        return None
    return Found(["" for _ in rows[0][1]], rows, lines[at].number, lines[end - 1].number, "aligned"), end


def _is_named_head(head: str) -> bool:
    """Digits in a head belong to its names: `mAP50  mAP50-95`, `Run 1  Run 2`, `1.00th`."""
    return len(columns_of(head)) > 2 and all(re.search(r"[^\W\d_]", one) for one in columns_of(head))


def _row_of(text: str, width: int) -> list[str] | None:
    """A line cut into as many cells as the head has, or one more; None where it does not fit."""
    wide = columns_of(text)
    apart = [
        part for one in wide for part in re.split(r"\s*(?:±|\+/-)\s*", one) if part
    ]  # `12.3 ± 0.4` below two heads
    for cut in (wide, _merged(text, width), apart):
        if any((one.strip(".") == "" and len(one) > 2) or one == "\\" or one.endswith(":") for one in cut):
            return None  # `adam_eps ..... 1e-08`, `--rate 4 \`, `Mean latency (ms):  12.1`
        if len(cut) in (width, width + 1) and sum(quantity(one) is not None for one in cut) >= max(
            1, (len(cut) - 1) // 2
        ):
            return cut
    return None


def _merged(text: str, width: int) -> list[str]:
    """Words cut at every blank, with units put back to their numbers and words of a label together."""
    out: list[str] = []
    for word in text.split():
        if out and unit_of(word) is not None and re.fullmatch(r"[-+~]?[\d.,]+", out[-1]):
            out[-1] += " " + word
        elif word in ("±", "+/-") or (out and out[-1].endswith(("±", "+/-"))):
            out[-1:] = [f"{out[-1]} {word}" if out else word]
        else:
            out.append(word)
    spare = len(out) - width
    if spare > 0:  # a label of several words
        lead = next((n for n, one in enumerate(out) if quantity(one) is not None), 0)
        if lead > spare:
            out = [" ".join(out[: spare + 1]), *out[spare + 1 :]]
        elif lead > 1:
            out = [" ".join(out[:lead]), *out[lead:]]
    return out


def _list_table(lines: Sequence[Text], at: int) -> tuple[Found, int] | None:
    """reStructuredText: `* - cell` begins a row, `- cell` the next cell; or the lines of a `csv-table`."""
    kind, _, caption = lines[at].text.strip()[3:].partition("::")
    indent = len(lines[at].text) - len(lines[at].text.lstrip())
    rows: list[tuple[int, list[str]]] = []
    head_rows, end = 0, at + 1
    while end < len(lines):
        text = lines[end].text
        if text.strip() and len(text) - len(text.lstrip()) <= indent:
            break
        stripped = text.strip()
        if option := re.match(r":([\w-]+):\s*(.*)", stripped):
            head_rows = int(option[2]) if option[1] == "header-rows" and option[2].isdigit() else head_rows
            if option[1] == "header":
                rows.insert(0, (lines[end].number, next(csv.reader([option[2]], skipinitialspace=True))))
                head_rows = 1
        elif kind.strip() == "csv-table" and stripped:
            rows.append((lines[end].number, next(csv.reader([stripped], skipinitialspace=True))))
        elif stripped.startswith("* -"):
            rows.append((lines[end].number, [stripped[3:].strip()]))
        elif stripped.startswith("-") and rows:
            rows[-1][1].append(stripped[1:].strip())
        elif stripped and rows:
            rows[-1][1][-1] += " " + stripped
        end += 1
    if len(rows) < 2:
        return None
    head = rows[0][1] if head_rows else []
    return Found(head, rows[head_rows:], lines[at].number, lines[end - 1].number, "rst", caption.strip()), end


def separated(lines: Sequence[Text]) -> Found | None:
    """A whole file of values between commas, tabs or semicolons."""
    filled = [one for one in lines if one.text.strip() and not one.text.startswith("#")]
    if len(filled) < 2:
        return None
    for sign in ("\t", ",", ";"):
        counts = [_split(one.text, sign) for one in filled[:200]]
        width = len(counts[0])
        if (
            width >= 2
            and sum(len(one) == width for one in counts) >= 0.9 * len(counts)
            and (sign != "," or _is_csv(counts))
        ):
            head = counts[0]
            if any(quantity(one) is not None for one in head):
                return None
            rows = [(one.number, _split(one.text, sign)) for one in filled[1:]]
            form = {"\t": "tsv", ",": "csv", ";": "csv"}[sign]
            return Found(head, rows, filled[0].number, filled[-1].number, form)
    return None


def _split(text: str, sign: str) -> list[str]:
    return next(csv.reader(io.StringIO(text), delimiter=sign), [])


def _is_csv(rows: Sequence[Sequence[str]]) -> bool:
    """Commas part prose, too: in a file of values most cells are short, and some are numbers."""
    flat = [one for row in rows[1:] for one in row]
    return (
        bool(flat) and sum(quantity(one) is not None for one in flat) >= 0.2 * len(flat) and max(map(len, rows[0])) < 60
    )
