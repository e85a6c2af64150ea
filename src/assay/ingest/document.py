"""A file as a document: what is prose, what a log, where sections begin, which commands were typed.

Pages mix all of it: fenced and unfenced logs, shell sessions, headings, tables, lists, `<br/>` at line ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from assay.ingest import fences, neighbours
from assay.ingest.parts import BLANK, CODE, COMMAND, FENCE, HEADING, LOG, PROSE, TABLE, Part
from assay.ingest.printed import is_a_log, is_machine, is_printed, is_told
from assay.ingest.statements import is_only
from assay.lines import Line, frames
from assay.reading import html, prompts
from assay.reading.copies import mend
from assay.reading.guard import in_time

_LANGUAGE = re.compile(r"[A-Za-z][\w+-]*")
_HEADING = re.compile(r"^\s{0,3}(?P<marks>#{1,6})\s*(?P<title>[^#\s!].*)$")
_BOLD = re.compile(r"^\s*(?:\*\*|__)(?P<title>[^*_]{2,80})(?:\*\*|__):?\s*$")
_TABLE = re.compile(r"^\s*\|.*\|\s*$")
_BREAK = re.compile(r"<br\s*/?>|</br>", re.IGNORECASE)
_TAG = re.compile(
    r"</?(?:u|b|i|em|strong|p|div|span|font|center|sub|sup|code|pre|details|summary)\b[^<>]{0,500}>", re.IGNORECASE
)
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
    parts = neighbours.underlined(neighbours.without_answers(parts)) if page else parts
    if not page and any(part.kind == FENCE for part in parts):
        page = True
    if page:
        parts = neighbours.tables(neighbours.printed_code(parts))
    return Document(name, neighbours.paragraphs(parts), is_page=page)


class _Parser:
    """Knows whether we are inside a fence, and of which language."""

    def __init__(self, page: bool, *, inside: bool = False) -> None:
        """`inside`: the first line is in a fence that was opened before it."""
        self._page = page
        self._fence: str | None = "```" if inside else None
        self._language = ""
        self._in_log = False  # the line before, outside of fences, was printed by a program
        self._in_session = False  # a command was typed, and nothing but output stands since
        self._indented = False  # in a block that four spaces make

    def take(self, line: Line, *, indented: bool = False) -> list[Part]:
        """`indented`: the line is in a block indented by four spaces, which counts as a fence."""
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


def said(text: str) -> str:
    """Without markup: what a person reads."""
    text = _BREAK.sub(" ", text)
    text = _TAG.sub("", text)
    text = re.sub(r"!?\[([^\[\]]{0,500})\]\([^()]{0,500}\)", r"\1", text)
    text = _EMPHASIS.sub("", text.replace("**", ""))
    return re.sub(r"\s+", " ", text.replace("`", "").replace("&nbsp;", " ")).strip()
