"""A file as a page: every line with its role and the headings above it, its blocks, tables and sentences.

Pages mix all of it: fenced and unfenced logs, shell sessions, headings, tables, lists, `<br/>` at line ends. Commented
logs, notebooks, web pages, wrapped terminals and CRLF give the same lines as the plain text would.

    document = parse(name, numbered_lines)     document.lines, .blocks(), .tables(), .sentences(), .headings_at(line)

The trap: both people and programs write `name: number`. Two such pairs in a line without a sentence around them are a
program's, and one of them where the line before was printed. `Epochs: 20` above a log is its author's word.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby, islice, pairwise

from assay.core.numbers import uses_decimal_commas
from assay.lines import Line, frames
from assay.reading import html, prompts
from assay.reading.copies import mend
from assay.reading.guard import in_time
from assay.reading.stated import is_only
from assay.reading.tables import Table, Text, clean, is_rule, separated, table_at

PROSE, LOG, HEADING, FENCE, COMMAND, TABLE, BLANK, CODE, CONFIG = (
    "prose", "log", "heading", "fence", "command", "table", "blank", "code", "config",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PageLine:
    """A line with its role. `text` is what a program printed or a person typed, `said` what a person reads of it."""

    line: Line
    role: str
    said: str = ""
    level: int = 0  # of a heading; 7 for a line in bold
    command: str | None = None
    launches: bool = False  # whether the command starts a run
    language: str = ""  # of the fence around it

    @property
    def number(self) -> int:
        return self.line.number

    @property
    def text(self) -> str:
        return self.line.text


@dataclass(frozen=True, kw_only=True)
class Block:
    """Lines of one role that stand together, below the same headings."""

    role: str
    lines: tuple[PageLine, ...]
    headings: tuple[str, ...] = ()

    @property
    def first_line(self) -> int:
        return self.lines[0].number

    @property
    def last_line(self) -> int:
        return self.lines[-1].number

    @property
    def text(self) -> str:
        return "\n".join(line.text for line in self.lines)


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """What a person wrote, put together where an editor broke it: a sentence, an item of a list, a heading."""

    text: str
    line: int  # where it begins
    role: str = PROSE
    item: bool = False  # of a list
    headings: tuple[str, ...] = ()
    starts: tuple[tuple[int, int], ...] = ()  # where the part of each further line begins in `text`, and its number

    def line_at(self, place: int) -> int:
        """The line of the file that a place in `text` stands on."""
        return max((number for start, number in self.starts if start <= place), default=self.line)

    @property
    def last_line(self) -> int:
        return self.starts[-1][1] if self.starts else self.line


@dataclass
class Document:
    """All lines in order, and what the file is called. `is_page`: someone wrote in it, and not a program alone."""

    name: str
    lines: list[PageLine]
    is_page: bool
    _headings: tuple[list[int], list[tuple[str, ...]]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        numbers, chains, above = [0], [()], list[tuple[int, str]]()
        for line in self.lines:
            if line.role == HEADING:
                above = [*(one for one in above if one[0] < line.level), (line.level, line.said)]
                numbers.append(line.number)
                chains.append(tuple(title for _, title in above))  # type: ignore[arg-type]
        self._headings = (numbers, chains)  # type: ignore[assignment]

    def headings_at(self, number: int) -> tuple[str, ...]:
        """The titles that a line stands below, the outermost first."""
        return self._headings[1][bisect_right(self._headings[0], number) - 1]

    def after(self, number: int) -> Iterator[PageLine]:
        """The lines behind one of this number."""
        return islice(self.lines, bisect_right(self._numbers, number), None)

    @cached_property
    def _numbers(self) -> list[int]:
        return [line.number for line in self.lines]

    @cached_property
    def decimal_comma(self) -> bool:
        return uses_decimal_commas("\n".join(one.said for one in self.lines if one.role in (PROSE, HEADING, TABLE)))

    def blocks(self) -> Iterator[Block]:
        """Neighbours of one role; a blank line, a fence or a heading parts them."""
        for role, group in groupby(self.lines, key=lambda line: line.role):
            lines = tuple(group)
            if role not in (BLANK, FENCE):
                yield Block(role=role, lines=lines, headings=self.headings_at(lines[0].number))

    def tables(self, read: Iterable[int] = ()) -> list[Table]:
        """Every table but those whose lines are among `read`."""
        taken = set(read)
        texts: list[Text] = []
        for line in self.lines:
            # rows of a web page may share a line; frames of a bar that is drawn over itself do so, too
            if line.role == TABLE or not texts or line.number > texts[-1].number:
                hidden = line.role in (FENCE, COMMAND, HEADING, CODE) or line.number in taken
                texts.append(Text(line.number, "" if hidden else line.text))
        commas = self.decimal_comma or (not self.is_page and uses_decimal_commas("\n".join(one.text for one in texts)))
        if not self.is_page:  # the tables that a program prints among other lines are for the readers of its log
            separate = separated(texts)
            table = separate.table(decimal_comma=commas) if separate is not None else None
            return [table] if table is not None else []
        found, at = [], 0
        while at < len(texts):
            result = table_at(texts, at)
            at, begin = (max(result[1], at + 1), at) if result else (at + 1, at)
            if result is None:
                continue
            headings = self.headings_at(texts[begin].number)
            table = result[0].table(
                headings, caption=result[0].caption or self._caption(texts, begin), decimal_comma=commas
            )
            found += [table] if table is not None else []
        return found

    def _caption(self, texts: Sequence[Text], at: int) -> str:
        """The short line right above a table, which ends with a colon or is no sentence: what the table is of."""
        above = next((texts[n].text for n in range(at - 1, max(-1, at - 3), -1) if texts[n].text.strip()), "")
        said = clean(above).strip(" -=#*_")
        if said.endswith(":") and len(said) <= 120:
            return said.rstrip(":").strip()
        is_short = len(said) <= 70 and not said.endswith((".", "!", "?", ",", ";")) and "|" not in said
        return said if is_short and re.search(r"[^\W\d_]{3}", said) else ""

    def sentences(self) -> list[Sentence]:
        """What people wrote, in order: prose cut into sentences, items and headings whole."""
        width = _width([line.text for line, after in pairwise(self.lines) if line.role == after.role == PROSE])
        found: list[Sentence] = []
        for role, group in groupby(self.lines, key=lambda line: line.role):
            lines = list(group)
            if role == HEADING:
                found += [
                    Sentence(text=one.said, line=one.number, role=HEADING, headings=self.headings_at(one.number))
                    for one in lines
                ]
            elif role == PROSE:
                ends = lines[-1].said.rstrip(" *_`\")'")[-1:] in _OVER
                for whole in _joined([one for one in lines if one.said], width, ends):
                    found += _cut(replace(whole, headings=self.headings_at(whole.line)))
        return found

    def paragraphs(self) -> list[Sentence]:
        """As `sentences`, with all sentences of a paragraph in one."""
        width = _width([line.text for line, after in pairwise(self.lines) if line.role == after.role == PROSE])
        found: list[Sentence] = []
        for role, group in groupby(self.lines, key=lambda line: line.role):
            lines = [one for one in group if one.said]
            if role == PROSE and lines:
                ends = lines[-1].said.rstrip(" *_`\")'")[-1:] in _OVER
                found += [replace(one, headings=self.headings_at(one.line)) for one in _joined(lines, width, ends)]
        return found


# --- sentences over several lines ------------------------------------------------------------------------------------

_LONGEST_SAID = 4000
#: a line that is broken in a sentence is not short; wider ones than the last were broken by nobody
_SHORT, _NARROW, _WIDEST = 50, 40, 160
_ITEM = re.compile(r"\s*(?:[-*+•–]\s|\(?\d{1,3}[.)]\s|\(?[a-zA-Z][.)]\s|>|\|)")
_GOES_ON = re.compile(r"[a-zß-öø-ÿ(~≈<>=+,;&±]|[\d.]*\d")
_OVER = frozenset(".!?。！？")
_CUT = re.compile(r"(?<=[.!?])[\"')\]*_]*\s+(?=[\"'(\[*_`]*[A-ZА-ЯÀ-Ý\d])")
_ABBREVIATED = re.compile(
    r"(?:\b(?:e\.g|i\.e|vs|approx|ca|cf|etc|Fig|fig|no|No|resp|incl|avg|sec|min|max|Dr|Eq|Tab)|\b[A-Z])\.$|^\s*\d{1,3}\.$"
)


def _width(texts: Sequence[str]) -> int:
    return max((len(text.rstrip()) for text in texts if len(text.rstrip()) <= _WIDEST), default=0)


def _joined(lines: Sequence[PageLine], width: int, ends: bool) -> Iterator[Sentence]:
    """Lines that an editor broke, put together; each part keeps its line."""
    now: Sentence | None = None
    before: PageLine | None = None
    for line in lines:
        adjacent = before is not None and line.number - before.number <= 1 and not is_only(line.said)
        if (
            now is not None
            and before is not None
            and adjacent
            and _goes_on(now.text, line.said, (before.text, line.text), width, ends)
        ):
            now = replace(now, text=f"{now.text} {line.said}", starts=(*now.starts, (len(now.text) + 1, line.number)))
        else:
            if now is not None:
                yield now
            now = Sentence(text=line.said, line=line.number, item=_ITEM.match(line.text) is not None)
        before = line
    if now is not None:
        yield now


def _goes_on(before: str, after: str, raw: tuple[str, str], width: int, ends: bool) -> bool:
    """Whether the sentence at the end of `before` is not over; `ends`: the paragraph ends with a full stop."""
    last, first = raw
    if not before or not after or len(before) > _LONGEST_SAID or before[-1] in _OVER or last.endswith(("  ", "\\")):
        return False
    if _ITEM.match(first) or last.lower().split()[:2] == first.lower().split()[:2]:
        return False
    is_full = len(last.rstrip()) >= _NARROW and len(last.rstrip()) + 1 + len(after.split()[0]) > width
    if before[-1] in ":;" and not is_full:
        return False
    return (is_full or len(last.rstrip()) >= _SHORT) if _GOES_ON.match(after) else is_full and ends


def _cut(whole: Sentence) -> Iterator[Sentence]:
    """The sentences of a paragraph, each with its own lines."""
    begin = 0
    for mark in [*(one.span() for one in _CUT.finditer(whole.text)), (len(whole.text), len(whole.text))]:
        text = whole.text[begin : mark[0]]
        if mark[0] < len(whole.text) and _ABBREVIATED.search(text):
            continue
        if text.strip():
            starts = tuple((start - begin, number) for start, number in whole.starts if begin < start < mark[1])
            yield replace(whole, text=text, line=whole.line_at(begin), starts=starts)
        begin = mark[1]


# --- roles -----------------------------------------------------------------------------------------------------------

_PAGES = (".md", ".markdown", ".rst", ".html", ".htm", ".ipynb", ".txt", ".org", ".tex", ".adoc")
_MARK = re.compile(r"^\s*(?:>\s*)?(?P<ticks>```+|~~~+)(?P<rest>.*)$")
_LANGUAGE = re.compile(r"\{?\.?[A-Za-z][\w+-]*\}?")
_HEADING = re.compile(r"^\s{0,3}(?P<marks>#{1,6})\s*(?P<title>[^#\s!].*)$")
_BOLD = re.compile(r"^\s*(?:\*\*|__)(?P<title>[^*_]{2,80})(?:\*\*|__):?\s*$")
_TABLE = re.compile(r"^\s*\|.*\|\s*$")
_BREAK = re.compile(r"<br\s*/?>|</br>", re.IGNORECASE)
_TAG = re.compile(
    r"</?(?:u|b|i|em|strong|p|div|span|font|center|sub|sup|code|pre|details|summary)\b[^<>]{0,500}>", re.IGNORECASE
)
_EMPHASIS = re.compile(r"(?<![\w*])[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?![\w*])")
_CODES = frozenset(
    (
        "python",
        "py",
        "c",
        "cpp",
        "java",
        "diff",
        "html",
        "css",
        "js",
        "go",
        "rust",
        "r",
        "sql",
        "kotlin",
        "swift",
        "julia",
        "dart",
    )
)
_CONFIGS = frozenset(("yaml", "yml", "json", "toml", "ini", "properties"))
_SHELLS = frozenset(("sh", "bash", "shell", "zsh"))
_DIRECTIVE = re.compile(r"\s*\.\. (?:code-block|code|sourcecode|highlight|parsed-literal)::\s*(?P<language>[\w+-]*)")
_UNDERLINE = re.compile(r"\s*(?P<mark>[=~^\"'#*+-])(?P=mark){2,}\s*")
#: what `assay write` put into a page between the words of its author: sentences that claim nothing
ANSWER_BEGINS, ANSWER_ENDS = html.ANSWER_BEGINS, html.ANSWER_ENDS


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
    texts = [line.text for line in lines]
    roles = _Roles(page, inside=page and _begins_inside(texts))
    indented = _indented(texts) if page and name.lower().endswith((".md", ".markdown")) else frozenset()
    found = [one for at, line in enumerate(lines) for one in roles.take(line, indented=at in indented)]
    found = _underlined(_without_answers(found)) if page else found
    if page or any(one.role == FENCE for one in found):
        page = True
        found = _with_bars(_printed_code(found))
    return Document(name, found, page)


def said(text: str) -> str:
    """Without markup: what a person reads."""
    text = _TAG.sub("", _BREAK.sub(" ", text))
    text = re.sub(r"!?\[([^\[\]]{0,500})\]\([^()]{0,500}\)", r"\1", text)
    text = _EMPHASIS.sub("", text.replace("**", ""))
    return re.sub(r"\s+", " ", text.replace("`", "").replace("&nbsp;", " ")).strip()


class _Roles:
    """Knows whether we are inside a fence, and of which language."""

    def __init__(self, page: bool, *, inside: bool = False) -> None:
        """`inside`: the first line is in a fence that was opened before it."""
        self._page = page
        self._fence: str | None = "```" if inside else None
        self._language = ""
        self._in_log = False  # the line before, outside of fences, was printed by a program
        self._in_session = False  # a command was typed, and nothing but output stands since
        self._indented = False  # in a block that four spaces make
        self._directive = -1  # the indent of a directive of reStructuredText whose block this is

    def take(self, line: Line, *, indented: bool = False) -> list[PageLine]:
        """`indented`: the line is in a block indented by four spaces, which counts as a fence."""
        edge = [PageLine(line, FENCE)] if indented != self._indented else []
        self._indented = indented
        return edge + ([self._inside(line)] if indented and line.text.strip() else self._take(line))

    def _take(self, line: Line) -> list[PageLine]:
        text = line.text
        if self._directive >= 0 and text.strip() and len(text) - len(text.lstrip()) <= self._directive:
            self._directive, self._fence = -1, None
            return [PageLine(line, FENCE), *self._take(line)]
        if self._page and self._fence is None and (opened := _DIRECTIVE.match(text)):
            self._directive, self._fence, self._language = (
                len(text) - len(text.lstrip()),
                "::",
                opened["language"].lower(),
            )
            return [PageLine(line, FENCE)]
        found = _MARK.match(text)
        if found and (self._fence is None or found["ticks"].startswith(self._fence[:3])):
            return self._at_fence(line, found)
        if self._fence is not None:
            return [self._inside(line)]
        if not text.strip():
            self._in_log = False
            return [PageLine(line, BLANK)]
        one = self._outside(line)
        self._in_log = one.role in (LOG, COMMAND)
        self._in_session = one.launches or (self._in_session and self._in_log)
        return [one]

    def _at_fence(self, line: Line, found: re.Match[str]) -> list[PageLine]:
        mark, rest = PageLine(line, FENCE), found["rest"]
        if self._fence is not None:
            self._fence = None
            return [mark]
        if rest.rstrip().endswith("```"):  # ```one``` in a line of prose opens nothing
            inner = Line(line.number, rest.rstrip().removesuffix("```"), line.t)
            return [mark, self._inside(inner), PageLine(line, FENCE)]
        self._fence = found["ticks"]
        name = rest.strip()
        if not name or _LANGUAGE.fullmatch(name):
            self._language = name.lower().strip("{.}")
            return [mark]
        self._language = ""
        return [mark, self._inside(Line(line.number, rest, line.t))]  # it opens on the first line of the log itself

    def _inside(self, line: Line) -> PageLine:
        if self._language in _CODES:
            return PageLine(line, CODE, language=self._language)
        if self._language in _CONFIGS:
            return PageLine(line, CONFIG, language=self._language)
        if self._language in _SHELLS and (typed := prompts.launched(line.text)):
            return PageLine(line, COMMAND, command=typed, launches=True, language=self._language)
        return _command(line) or PageLine(_without_breaks(line), LOG, language=self._language)

    def _outside(self, line: Line) -> PageLine:
        if len(line.text) > _LONGEST_SAID:
            return PageLine(line, LOG)
        if command := _command(line):
            return command
        shown = _without_breaks(line)
        heading = _HEADING.match(shown.text)
        title = heading["title"].rstrip().rstrip("#") if heading else ""
        if heading and self._page and (is_only(title) or not _MACHINE.match(title)):
            return PageLine(shown, HEADING, said=said(title), level=len(heading["marks"]))
        bold = _BOLD.match(shown.text)
        if bold and self._page:
            return PageLine(shown, HEADING, said=said(bold["title"]), level=7)
        plain = said(shown.text)
        if not self._page:
            return PageLine(shown, LOG, said=plain)
        if _TABLE.match(shown.text):
            return PageLine(shown, TABLE, said=plain)
        printed = is_printed(shown.text, plain, after_printed=self._in_log or self._in_session)
        printed = printed or (self._in_log and is_only(plain))  # the settings that a script prints first
        printed = printed or (self._in_log and self._in_session and not _is_written(shown.text))
        if printed and not self._in_log and is_only(plain):
            return PageLine(shown, PROSE, said=plain)
        return PageLine(shown, LOG if printed else PROSE, said=plain)


def _command(line: Line) -> PageLine | None:
    typed = prompts.typed(line.text) if len(line.text) <= _LONGEST_SAID else None
    return PageLine(line, COMMAND, command=typed.command, launches=typed.launches) if typed is not None else None


def _without_breaks(line: Line) -> Line:
    return Line(line.number, _BREAK.sub("  ", line.text), line.t) if "<" in line.text else line


def _without_answers(lines: list[PageLine]) -> list[PageLine]:
    """Of what Assay wrote itself, only the tables: a figure changed by hand is found there."""
    own, inside = set[int](), False
    for at, line in enumerate(lines):
        mark = line.text.strip()
        if inside or mark in (ANSWER_BEGINS, ANSWER_ENDS):
            own.add(at)
        inside = (inside or mark == ANSWER_BEGINS) and mark != ANSWER_ENDS
    own = own if not inside else {at for at in own if lines[at].text.strip() in (ANSWER_BEGINS, ANSWER_ENDS)}
    return [PageLine(one.line, BLANK) if at in own and one.role != TABLE else one for at, one in enumerate(lines)]


def _underlined(lines: list[PageLine]) -> list[PageLine]:
    """A line with a rule of its length below it is a heading, as in plain text and reStructuredText."""
    result, levels = list(lines), list[str]()
    for at in range(1, len(lines)):
        title, rule = lines[at - 1], _UNDERLINE.fullmatch(lines[at].text)
        if rule is None or title.role not in (PROSE, LOG) or not title.said or len(title.said) > 100:
            continue
        over = at >= 2 and lines[at - 2].text.strip() == lines[at].text.strip()  # a rule above it, too
        alone = at == 1 or over or lines[at - 2].role in (BLANK, HEADING, FENCE)
        if alone and abs(len(lines[at].text.strip()) - len(title.text.strip())) <= 2:
            levels += [rule["mark"]] if rule["mark"] not in levels else []
            level = 1 if rule["mark"] == "=" else 2 if rule["mark"] in "-~" else 1 + levels.index(rule["mark"])
            result[at - 1] = replace(title, role=HEADING, level=level)
            result[at] = PageLine(lines[at].line, BLANK)
            if over:
                result[at - 2] = PageLine(lines[at - 2].line, BLANK)
    return result


def _with_bars(lines: list[PageLine]) -> list[PageLine]:
    """Rows need no bars at their ends: the line of dashes under the heads says that it is a table."""
    result = list(lines)
    for at in range(1, len(lines)):
        is_head = "|" in lines[at - 1].text and lines[at - 1].role in (PROSE, LOG)
        if not is_head or "|" not in lines[at].text or not is_rule(lines[at].text):
            continue
        last = at
        while last + 1 < len(lines) and lines[last + 1].role in (PROSE, LOG, TABLE) and "|" in lines[last + 1].text:
            last += 1
        result[at - 1 : last + 1] = [
            replace(one, role=TABLE, said=one.said or said(one.text)) for one in lines[at - 1 : last + 1]
        ]
    return result


# --- fences ----------------------------------------------------------------------------------------------------------

_CODE = re.compile(
    r"^\s*(?:import |from \w[\w.]* import |def |class |return\b|for \w+ in |while |if .*:$|elif |else:|with .*:$|try:|"
    r"except|@\w|print\(|#include|public |int main|\w[\w.\[\]'\"]* = \w|[\w.]+\([^()]*\)$)"
)
_OUTPUT = re.compile(
    r"^\s*(?:Traceback \(most|File \"[^\"]+\", line \d|TrainOutput\(|\d+\s+\d+\.\d+|\[ *\d+/\d+ |"
    r"\[?\d{4}-\d\d-\d\d[ T]\d\d:|(?i:step|epoch|iter(?:ation)?)\b[ :=\[]*\d+.{0,40}loss|"
    r"\"(?:train|eval|test|predict)_\w+\": |\"(?:final_|best_|val_)?(?:loss|accuracy|acc|f1|perplexity)\": ?\d|"
    r"\{['\"](?:train|eval|test)?_?(?:loss|accuracy|runtime))|%\|.{0,40}\| *\d+/\d+ \["
)
_QUOTES = re.compile(r"\s*[rRbBuU]{0,2}(?P<quotes>\'\'\'|\"\"\")\s*")


def _begins_inside(texts: Sequence[str]) -> bool:
    """Whether a page was cut out of a larger one in the middle of a fence: then its first mark closes it."""
    marks = [found["rest"] for found in map(_MARK.match, texts) if found and not found["rest"].rstrip().endswith("```")]
    if not marks or marks[0].strip():
        return False
    ends = _MARK.match(next((text for text in reversed(texts) if text.strip()), "")) is not None

    def fits(inside: bool) -> bool:
        for rest in marks:
            if inside and rest.strip() and _LANGUAGE.fullmatch(rest.strip()):
                return False  # what names a language opens
            inside = not inside
        return not (inside and ends)

    return not fits(False) and fits(True)


def _printed_code(lines: list[PageLine]) -> list[PageLine]:
    """Output in a fence that is said to hold code is output; so is a log between lines of three quotes."""
    result, at = list(lines), 0
    while at < len(lines):
        end = at
        while end < len(lines) and lines[end].role in (CODE, CONFIG):
            end += 1
        texts = [line.text for line in lines[at:end]]
        spans = [(0, len(texts))] if texts and _holds_output(texts) else _quoted(texts)
        for first, last in spans:
            result[at + first : at + last] = [replace(one, role=LOG) for one in lines[at + first : at + last]]
        at = end + 1
    return result


def _holds_output(texts: Sequence[str]) -> bool:
    """Whether what stands in a fence of code was printed, whatever language the fence names."""
    filled = [text for text in texts if text.strip()]
    printed = sum(_OUTPUT.search(text) is not None for text in filled)
    code = sum(_CODE.match(text) is not None and not _OUTPUT.search(text) for text in filled)
    traced = any("Traceback (most recent call last)" in text for text in filled)
    stored = bool(filled) and filled[0].lstrip()[:1] in ("{", "[")  # a file of results, most of which is no figure
    if (
        code == 0
        and len(filled) >= 8
        and sum(_REPORTED.search(text) is not None for text in filled) >= 0.5 * len(filled)
    ):
        return not any(text.rstrip().endswith((";", "{", "(")) for text in filled)
    return printed >= 1 and (traced or stored or (code == 0 and 3 * printed >= len(filled)))


#: a name with a number, a date, a row of numbers: what a program reports
_REPORTED = re.compile(r"\w ?[:=] ?-?\d|\b\d\d:\d\d:\d\d\b|\d\s+\d[\d.]*\s*$")


def _quoted(texts: Sequence[str]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    opened: tuple[int, str] | None = None
    for at, text in enumerate(texts):
        mark = _QUOTES.fullmatch(text)
        if mark and opened is None:
            opened = (at + 1, mark["quotes"])
        elif mark and opened is not None and mark["quotes"] == opened[1]:
            found += [(opened[0], at)] if at - opened[0] >= 3 and is_a_log(texts[opened[0] : at]) else []
            opened = None
    return found


def _indented(texts: Sequence[str]) -> frozenset[int]:
    """Lines of Markdown that four spaces make a block of code, as far as a program printed it."""
    found: set[int] = set()
    fenced = in_item = False
    at, four = 0, ("    ", "\t")
    while at < len(texts):
        text = texts[at]
        fenced ^= _MARK.match(text) is not None
        if text.strip() and not text.startswith(four):
            in_item = re.match(r"\s{0,3}(?:[-*+]|\d{1,3}[.)])\s", text) is not None or (in_item and text[:1].isspace())
        end = at
        if (
            not fenced
            and not in_item
            and text.startswith(four)
            and text.strip()
            and (at == 0 or not texts[at - 1].strip())
        ):
            while end < len(texts) and (not texts[end].strip() or texts[end].startswith(four)):
                end += 1
            while not texts[end - 1].strip():
                end -= 1
            found |= set(range(at, end)) if is_a_log(one for one in texts[at:end] if one.strip()) else set()
        at = max(end, at + 1)
    return frozenset(found)


# --- people and programs ---------------------------------------------------------------------------------------------

#: as only a program's lines begin: a date, a level, a rank, a tuple, a bar, a key in quotes
_MACHINE = re.compile(
    r"^\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:|\[\d\d:\d\d|\[\d\d/\d\d \d\d:\d\d:\d\d|\[(?:INFO|WARN|ERROR|info|"
    r"warning|titan)|"
    r"\[(?:rank|default|Rank ?)\d+\]|[IWE]\d{4} \d\d:\d\d:\d\d|\d+%\||[A-Z_]{3,}=|/\w+/|Traceback|File \"|\{['\"]|"
    r"\(\w+\): |srun: |slurmstepd|Epoch|Step|INFO:|WARNING:|ERROR:|DEBUG:|Processed \d|"
    r"(?:epoch|step|iter)[ :=\[#]+\d[^\n]*(?:\b|_)[Ll]oss[ :=]|Train(?:ing)? [Ee]poch|Namespace\(|"
    r"Accuracy of the [\w ]+ images: |\[\s*\d+,\s*\d+\] \w+:|\d+/\d+ \[[=>.]+\]|(?:train|val|test)_\w+ ?[:=] ?\d|"
    r"(?:# )?Elapsed time {2,}CPU|Test set: Average loss: \d|(?:\d+: )?:::MLLOG |DLLL \{|\[epoch=\d+\]|"
    r"(?:Train|Eval) [a-z]\w*/[\w/-]+: |iteration +\d+/ *\d+ \||completed step: \d|validation loss at |Config param |"
    r"TrainOutput\(|wandb: |\w+ \.{5,} \S|\*{3,} [\w ]+ \*{3,}|-{5,} [\w /]{1,60} -{5,}|"
    r"\"[\w/. ()-]{1,80}\": ?(?:[-\d\[{\"]|true|false|null)|[\]}]{1,4},?\s*$|[a-z]+(?:_[a-z]+)+(?:/\w+)*: \S+$)"
)
_PAIR = re.compile(r"[A-Za-z_)\]]\"?\s?[:=]\s*[-+]?\d[\d.,]*(?:[eE][-+]?\d+)?")
#: one name and its value, and no more: a person's word above a log, a program's within it
_ALONE = re.compile(r"[\w ()&.,/-]{2,90}\s?[=:]\s*[-+]?\d[\d.,eE+-]*\s?(?:%|s|ms|seconds|[KMGT]i?B|\w+/s(?:ec)?)?$")
_COUNTS = re.compile(r"(?i)\b(?:loss|step|iter(?:ation)?)\b")
_SETS = re.compile(r"(?i)\b(?:batch[ _]?size|learning[ _]rate|epochs) ?[:=]")
_RESULT = re.compile(r"(?i)->|=>|\b(?:accuracy|loss|took|throughput)\b")
_WORDS = re.compile(r"[A-Za-z][a-z']+")
_WRITTEN = re.compile(r"\s*(?:#{1,6} ?\w|```|~~~|[-*] \w+ \w+ \w+|\d+[.)] [A-Z])")
_SMALL = frozenset(
    [
        "the",
        "a",
        "an",
        "is",
        "was",
        "are",
        "of",
        "to",
        "and",
        "i",
        "we",
        "in",
        "for",
        "with",
        "that",
        "this",
        "it",
        "der",
        "die",
        "das",
        "und",
        "ist",
        "le",
        "la",
        "les",
        "et",
        "est",
        "una",
        "el",
        "los",
        "y",
        "es",
        "и",
        "в",
        "на",
        "с",
        "по",
        "не",
        "что",
        "для",
        "это",
        "como",
        "que",
        "por",
        "del",
        "las",
    ]
)
_FEWEST_WORDS = 6


def is_printed(text: str, plain: str, *, after_printed: bool) -> bool:
    """Whether a program wrote a line; `plain` is without markup, `after_printed`: it printed the line before."""
    if _MACHINE.match(text) or "%|" in text or _looks_printed(plain):
        return True
    if after_printed and len(plain) < 100 and _ALONE.match(plain):
        return True
    pairs = len(list(islice(_PAIR.finditer(plain), 20)))
    if pairs < 2 or plain.rstrip().endswith((".", "!", "?")) or not _COUNTS.search(plain) or _SETS.search(plain):
        return False
    return len(_WORDS.findall(plain[:2000])) <= 4 * (pairs + 1)


def is_a_log(texts: Iterable[str]) -> bool:
    """Whether nobody has written a word into a file that may be either: no sentence, no heading, no fence, no list."""
    return not any(_WRITTEN.match(text) or _is_sentence(text) or _is_result(text) for text in texts)


def is_spoken(text: str) -> bool:
    """`The endpoint delivered 6.4 requests/s, which is a lot.`: what a person says of a log is no part of it."""
    words = text.split()
    return (
        len(words) >= _FEWEST_WORDS and text.rstrip("*_` ").endswith((".", "!")) and text[:1].isupper()
        and not any(sign in text for sign in "=|{") and sum(word.lower().strip(",;:") in _SMALL for word in words) >= 2
    )  # fmt: skip


def _is_written(text: str) -> bool:
    """Whether a person wrote a line right below a command and its output: a sentence, an item of a list, a label."""
    words = _WORDS.findall(text[:2000])
    return _WRITTEN.match(text) is not None or _is_sentence(text) or (len(words) > 2 and text.rstrip()[-1:] in ".!?:")


def _is_result(text: str) -> bool:
    """`batch size = 8, epochs = 10 -> accuracy 98.11%`: settings and what came of them."""
    return _SETS.search(text) is not None and _RESULT.search(text) is not None and not _MACHINE.match(text)


def _is_sentence(text: str) -> bool:
    words = [] if "|" in text else text.split()
    if len(words) < _FEWEST_WORDS or _MACHINE.match(text):
        return False
    return sum(word.lower() in _SMALL for word in words) >= 2


def _looks_printed(text: str) -> bool:
    """More signs than words: a line that a machine wrote, in a page that does not fence its logs."""
    if len(list(islice(_WORDS.finditer(text), 3))) == 3:
        return False
    symbols = sum(not (c.isalnum() or c.isspace() or c in ".,'’\"()-:;!?%") for c in text)
    return symbols > len(text) * 0.15
