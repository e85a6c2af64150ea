"""A file as a document: what is prose, what a log, where sections begin, which commands were typed.

Pages mix all of it: fenced and unfenced logs, shell sessions, headings, tables, lists, `<br/>` at line ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from assay.ingest import fences, html, paragraphs, prompts
from assay.ingest.answers import answered
from assay.ingest.guarded import in_time
from assay.ingest.mend import mend
from assay.ingest.printed import is_a_log, is_machine, is_printed, is_told
from assay.ingest.statements import is_only
from assay.lines import Line, frames

PROSE, LOG, HEADING, FENCE, COMMAND, TABLE, BLANK, CODE = (
    "prose",
    "log",
    "heading",
    "fence",
    "command",
    "table",
    "blank",
    "code",
)

_LANGUAGE = re.compile(r"[A-Za-z][\w+-]*")
_HEADING = re.compile(r"^\s{0,3}(?P<marks>#{1,6})\s*(?P<title>[^#\s!].*)$")
_BOLD = re.compile(r"^\s*(?:\*\*|__)(?P<title>[^*_]{2,80})(?:\*\*|__):?\s*$")
_TABLE = re.compile(r"^\s*\|.*\|\s*$")
_DASHES = re.compile(r"\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)+\|?")
_UNDERLINE = re.compile(r"\s*(?P<marks>={3,}|-{3,}|~{3,})\s*")
_LONGEST_TITLE = 100
_BREAK = re.compile(r"<br\s*/?>|</br>", re.IGNORECASE)
_TAG = re.compile(
    r"</?(?:u|b|i|em|strong|p|div|span|font|center|sub|sup|code|pre|details|summary)\b[^<>]{0,500}>", re.IGNORECASE
)
_RULE = re.compile(r"[\s:=-]*")
_EMPHASIS = re.compile(r"(?<![\w*])[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?![\w*])")
_CODE_LANGUAGES = {
    "python",
    "py",
    "c",
    "cpp",
    "java",
    "yaml",
    "yml",
    "json",
    "diff",
    "html",
    "css",
    "js",
    "toml",
    "ini",
}
#: where four spaces make a block of code
_INDENTING = (".md", ".markdown")
_PAGES = (".md", ".markdown", ".rst", ".html", ".htm", ".ipynb", ".txt", ".org", ".tex", ".adoc")
#: nothing longer is prose or a command; patterns for those may look at a text many times
_LONGEST_SAID = 4000


@dataclass(frozen=True, slots=True)
class Part:
    """A line with its role. `text` is what a reader sees, `said` what a person reads: without markup."""

    line: Line
    kind: str
    said: str = ""
    level: int = 0  # of a heading
    command: str | None = None
    launches: bool = False
    starts: tuple[tuple[int, int], ...] = ()  # of lines that were put together: where each begins in `said`, its number

    @property
    def number(self) -> int:
        return self.line.number

    def line_at(self, place: int) -> int:
        """The line of the file that a place in `said` stands on."""
        return max((number for start, number in self.starts if start <= place), default=self.number)


class Document:
    """Parts in order, and what the file is called."""

    def __init__(self, name: str, parts: list[Part], *, is_page: bool) -> None:
        self.name = name
        self.parts = parts
        self.is_page = is_page


def is_page_name(name: str) -> bool:
    return name.lower().removesuffix(".gz").endswith(_PAGES)


def parse(name: str, physical: Iterable[tuple[int, bytes]]) -> Document:
    """Give every line its role."""
    page = is_page_name(name)
    seen = list(physical)
    mended = in_time(mend(html.lines(seen) if html.is_web_page(name) else seen), name)
    lines = [line for number, raw in mended for line in frames(raw, number)]
    if page and name.lower().endswith(".txt") and is_a_log(line.text for line in lines):
        page = False  # what a program printed, under a name that may be anything
    parser = _Parser(page, inside=page and fences.begins_inside([line.text for line in lines]))
    indents = page and name.lower().endswith(_INDENTING)
    blocks = fences.indented([line.text for line in lines]) if indents else frozenset()
    parts = [part for at, line in enumerate(lines) for part in parser.take(line, indented=at in blocks)]
    parts = _underlined(_without_answers(parts)) if page else parts
    if not page and any(part.kind == FENCE for part in parts):
        page = True
    return Document(name, _paragraphs(_tables(_printed_code(parts)) if page else parts), is_page=page)


def _without_answers(parts: list[Part]) -> list[Part]:
    """Of what Assay wrote itself, only the tables."""
    own = answered([part.line.text for part in parts])
    return [Part(part.line, BLANK) if at in own and part.kind != TABLE else part for at, part in enumerate(parts)]


def _underlined(parts: list[Part]) -> list[Part]:
    """A line of its own with a rule of its length beneath it is a heading, as plain text has them."""
    result = list(parts)
    for at in range(1, len(parts)):
        title, rule = parts[at - 1], _UNDERLINE.fullmatch(parts[at].line.text)
        if rule is None or title.kind not in (PROSE, LOG) or not title.said or len(title.said) > _LONGEST_TITLE:
            continue
        alone = at == 1 or parts[at - 2].kind in (BLANK, HEADING)
        if alone and abs(len(rule["marks"]) - len(title.line.text.strip())) <= 2:
            level = 1 if rule["marks"][0] == "=" else 2
            result[at - 1] = replace(title, kind=HEADING, level=level)
            result[at] = Part(parts[at].line, BLANK)
    return result


def _printed_code(parts: list[Part]) -> list[Part]:
    """Output in a fence that is said to hold code is output."""
    result, at = list(parts), 0
    while at < len(parts):
        end = at
        while end < len(parts) and parts[end].kind == CODE:
            end += 1
        texts = [part.line.text for part in parts[at:end]]
        spans = [(first, last) for first, last in fences.quoted(texts) if is_a_log(texts[first:last])]
        for first, last in [(0, len(texts))] if end > at and fences.holds_output(texts) else spans:
            block = parts[at + first : at + last]
            result[at + first : at + last] = [replace(part, kind=LOG) for part in block]
        at = end + 1
    return result


def _tables(parts: list[Part]) -> list[Part]:
    """Rows need no bars at their ends: the line of dashes under the heads says that it is a table."""
    result = list(parts)
    for at, part in enumerate(parts):
        if at == 0 or not part.said or _DASHES.fullmatch(part.line.text.strip()) is None:
            continue
        first = last = at
        while last + 1 < len(parts) and parts[last + 1].said and "|" in parts[last + 1].line.text:
            last += 1
        if "|" in parts[at - 1].line.text and parts[at - 1].said:
            first = at - 1
        for row in range(first, last + 1 if first < at else first):
            result[row] = replace(parts[row], kind=TABLE)
    return result


def _paragraphs(parts: list[Part]) -> list[Part]:
    """Prose that an editor has broken into lines is put together again, under the number of its first line."""
    result = list(parts)
    pairs = [part.line.text for part, after in pairwise(parts) if part.kind == after.kind == PROSE]
    width = paragraphs.width_of(pairs)
    for kind, group in groupby(range(len(parts)), key=lambda at: parts[at].kind):
        places = list(group)
        if kind == PROSE and len(places) > 1:
            _joined(result, places, width, paragraphs.ends_with_a_stop(parts[at].said for at in places))
    return result


def _joined(parts: list[Part], places: list[int], width: int, ends: bool) -> None:
    """Each sentence under its first line; the lines that it goes on in say nothing of their own."""
    first = places[0]
    for before, at in pairwise(places):
        so_far, part = parts[first], parts[at]
        raw = (parts[before].line.text, part.line.text)
        adjacent = part.number - parts[before].number <= 1 and not is_only(part.said)
        if not adjacent or not paragraphs.goes_on(so_far.said, part.said, raw=raw, width=width, ends=ends):
            first = at
            continue
        starts = (*(so_far.starts or ((0, so_far.number),)), (len(so_far.said) + 1, part.number))
        parts[first] = replace(so_far, said=f"{so_far.said} {part.said}", starts=starts)
        parts[at] = Part(part.line, PROSE)


class _Parser:
    """Knows whether we are inside a fence, and of which language."""

    def __init__(self, page: bool, *, inside: bool = False) -> None:
        """`inside` says that the first line stands in a fence that was opened before it."""
        self._page = page
        self._fence: str | None = "```" if inside else None
        self._language = ""
        self._in_log = False  # the line before, outside of fences, was printed by a program
        self._in_session = False  # a command was typed, and nothing but output stands since
        self._indented = False  # in a block that four spaces make

    def take(self, line: Line, *, indented: bool = False) -> list[Part]:
        """`indented`: the line stands in a block that four spaces make, which is a fence without its marks."""
        edge = [Part(line, FENCE)] if indented != self._indented else []
        self._indented = indented
        return edge + ([self._inside(line)] if indented and line.text.strip() else self._take(line))

    def _take(self, line: Line) -> list[Part]:
        text = line.text
        found = fences.MARK.match(text)
        if found and (self._fence is None or found["ticks"].startswith(self._fence[:3])):
            return self._at_fence(line, found)
        if self._fence is not None:
            return [self._inside(line)]
        if not text.strip():
            self._in_log = False
            return [Part(line, BLANK)]
        part = self._outside(line)
        self._in_log = part.kind in (LOG, COMMAND)
        self._in_session = part.launches or (self._in_session and self._in_log)
        return [part]

    def _at_fence(self, line: Line, found: re.Match[str]) -> list[Part]:
        mark, rest = Part(line, FENCE), found["rest"]
        if self._fence is not None:
            self._fence = None
            return [mark]
        # ```one``` in a line of prose opens nothing
        if rest.rstrip().endswith("```"):
            inner = Line(line.number, rest.rstrip().removesuffix("```"), line.t)
            return [mark, self._inside(inner), Part(line, FENCE)]
        self._fence = found["ticks"]
        named = rest.strip()
        if not named or _LANGUAGE.fullmatch(named):
            self._language = named.lower()
            return [mark]
        self._language = ""
        # the fence opens on the first line of the log itself
        return [mark, self._inside(Line(line.number, rest, line.t))]

    def _inside(self, line: Line) -> Part:
        if self._language in _CODE_LANGUAGES:
            return Part(line, CODE)
        return _command(line) or Part(_without_breaks(line), LOG)

    def _outside(self, line: Line) -> Part:
        if len(line.text) > _LONGEST_SAID:
            return Part(line, LOG)
        command = _command(line)
        if command:
            return command
        cleaned = _without_breaks(line)
        heading = _HEADING.match(cleaned.text)
        title = heading["title"].rstrip().rstrip("#") if heading else ""
        if heading and self._page and (is_only(title) or not is_machine(title)):
            return Part(cleaned, HEADING, said=said(title), level=len(heading["marks"]))
        bold = _BOLD.match(cleaned.text)
        if bold and self._page:
            return Part(cleaned, HEADING, said=said(bold["title"]), level=7)
        if _TABLE.match(cleaned.text) and self._page:
            return Part(cleaned, TABLE, said=said(cleaned.text))
        if not self._page:
            return Part(cleaned, LOG, said=said(cleaned.text))
        plain = said(cleaned.text)
        printed = is_printed(cleaned.text, plain, after_printed=self._in_log or self._in_session)
        printed = printed or (self._in_log and is_only(plain))  # the settings that a script prints first
        printed = printed or (self._in_log and self._in_session and not is_told(cleaned.text))
        if printed and not self._in_log and is_only(plain):  # `Epochs: 20` above a log is its author's word
            return Part(cleaned, PROSE, said=plain)
        return Part(cleaned, LOG if printed else PROSE, said=plain)


def _command(line: Line) -> Part | None:
    typed = prompts.typed(line.text) if len(line.text) <= _LONGEST_SAID else None
    return Part(line, COMMAND, command=typed.command, launches=typed.launches) if typed is not None else None


def _without_breaks(line: Line) -> Line:
    return Line(line.number, _BREAK.sub("  ", line.text), line.t) if "<" in line.text else line


def table_rows(parts: Iterable[Part]) -> list[tuple[Part, list[str]]]:
    """Lines of a table with their cells, but for the rule beneath its head."""
    rows = [(part, [cell.strip() for cell in _one_bar(part.said).strip().strip("|").split("|")]) for part in parts]
    return [(part, cells) for part, cells in rows if not all(_RULE.fullmatch(cell) for cell in cells)]


def _one_bar(row: str) -> str:
    """Heads of some wikis have two bars: `|| ranks || runtime ||`."""
    return row.replace("||", "|") if row.lstrip().startswith("||") else row


def said(text: str) -> str:
    """Without markup: what a person reads."""
    text = _BREAK.sub(" ", text)
    text = _TAG.sub("", text)
    text = re.sub(r"!?\[([^\[\]]{0,500})\]\([^()]{0,500}\)", r"\1", text)
    text = _EMPHASIS.sub("", text.replace("**", ""))
    return re.sub(r"\s+", " ", text.replace("`", "").replace("&nbsp;", " ")).strip()
