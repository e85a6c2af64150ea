"""A document with its sections, and what can be asked of it: what stands near a line, and which system that names."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field, replace
from functools import cached_property

from assay.errors import AssayError
from assay.ingest import naming
from assay.ingest.document import Document
from assay.ingest.parts import CODE, COMMAND, FENCE, HEADING, LOG, PROSE, TABLE, Part
from assay.ingest.prose import figures
from assay.ingest.statements import Statement, is_only, listed_values, statements
from assay.language.known import is_known
from assay.language.numbers import uses_decimal_commas
from assay.reading.splitter import Draft


@dataclass
class Section:
    """From one heading to the next, whatever their levels."""

    title: str
    level: int
    first_line: int
    parents: list[Section] = field(default_factory=list)
    text: list[str] = field(default_factory=list)

    @property
    def chain(self) -> list[Section]:
        return [self, *reversed(self.parents)]

    @cached_property
    def system(self) -> str | None:
        """That its text names; asked for once all of the text is there."""
        return next(iter(naming.named("\n".join(self.text))), None)

    @cached_property
    def named(self) -> str | None:
        """The system that a section is about, by its title, its text or the section around it."""
        own = next(iter(naming.named(self.title)), None) or self.system
        return own or (self.parents[-1].named if self.parents else None)


def sections_of(document: Document) -> list[Section]:
    """The section of each part; all parts before the first heading share one."""
    current = Section("", 0, 0)
    stack: list[Section] = []
    result: list[Section] = []
    for part in document.parts:
        if part.kind == HEADING:
            stack = [section for section in stack if section.level < part.level]
            current = Section(part.said, part.level, part.number, list(stack))
            stack.append(current)
        elif part.kind in (PROSE, TABLE, COMMAND):
            current.text.append(part.line.text)
        result.append(current)
    return result


def likely_systems(document: Document) -> list[str]:
    """The systems that the file's name mentions, else those in its words and commands."""
    return naming.named(document.name) or naming.named(
        "\n".join(part.line.text for part in document.parts if part.kind in (HEADING, PROSE, TABLE, COMMAND))
    )


class Page:
    """A document with what can be asked of it."""

    def __init__(self, document: Document, sections: list[Section], taken: set[int], likely: list[str]) -> None:
        """`likely` are the systems that it names, `taken` the lines that a reader understood."""
        self.document, self.taken = document, taken
        self.problems: list[AssayError] = []  # parts of it that could not be read
        self._numbers = [part.number for part in document.parts]
        self._sections = sections
        self._named = likely
        self._headings = [part.number for part in document.parts if part.kind == HEADING and part.level <= 6]
        self._closed = _closed(document.parts)
        prose_text = [part.said for part in document.parts if part.kind in (PROSE, HEADING)]
        tables = [part.said for part in document.parts if part.kind == TABLE]
        self.decimal_comma = uses_decimal_commas("\n".join((*prose_text, *tables)))
        self.is_readable = is_known(prose_text)
        self._prose_text = prose_text

    @cached_property
    def batch_sizes(self) -> set[float]:
        """Those that its prose lists."""
        listed = (listed_values(text, "batch_size", self.decimal_comma) for text in self._prose_text)
        return set[float]().union(*listed)

    def statements(self, text: str, line: int, also: tuple[str, ...] = ()) -> list[Statement]:
        """Settings that one of its lines states, as the page writes numbers; none in a language that is not known."""
        return statements(text, line, self.decimal_comma, also) if self.is_readable or is_only(text) else []

    def statements_of(self, part: Part) -> list[Statement]:
        """Settings that a paragraph states, each with the line that its sentence begins on."""
        stated = self.statements(part.said, part.number)
        return [replace(one, line=part.line_at(one.place)) for one in stated] if part.starts else stated

    def figures(self, text: str) -> dict[str, float]:
        """Figures that one of its lines gives of one run."""
        return figures(text, self.decimal_comma) if self.is_readable else {}

    def section(self, line: int) -> Section:
        """That of the last part on the line, or before it."""
        at = bisect_right(self._numbers, line)
        return self._sections[at - 1] if at else Section("", 0, 0)

    def parts_between(self, after: int, before: int) -> list[Part]:
        """Strictly between two lines."""
        return self.document.parts[bisect_right(self._numbers, after) : bisect_left(self._numbers, before)]

    def first_part(self, line: int) -> Part | None:
        at = bisect_left(self._numbers, line)
        return self.document.parts[at] if at < len(self._numbers) and self._numbers[at] == line else None

    def next_heading(self, line: int) -> int:
        at = bisect_right(self._headings, line)
        return self._headings[at] if at < len(self._headings) else 10**9

    def system_of(self, draft: Draft) -> str:
        if draft.system:
            return draft.system
        if draft.error is None and draft.generic.strong and not draft.slurm.waiting:
            return "generic"
        lines = [part.line.text for part in self.parts_between(draft.first_line - 1, draft.last_line + 1)[:400]]
        return self.system_near(draft.first_line, [draft.command or "", " ".join(lines)])

    def system_near(self, line: int, texts: list[str] | None = None) -> str:
        """By the words of the thing itself, else of its section, else of the page."""
        for text in texts or []:
            for name in naming.named(text):
                return name
        return self.section(line).named or (self._named[0] if self._named else "generic")

    def excerpts(self, after: int, before: int) -> list[Part]:
        """The text in fences that are closed between two lines: code, unless it is a run."""
        begin, end = bisect_right(self._numbers, after), bisect_left(self._numbers, before)
        parts = self.document.parts
        return [parts[at] for at in range(begin, end) if parts[at].kind in (CODE, LOG) and self._closed[at] < before]

    def said_between(self, after: int, before: int) -> list[Part]:
        """Prose and headings strictly between two lines, nearest to the second one first."""
        kinds = (PROSE, HEADING, LOG)
        inside = [part for part in self.parts_between(after, before) if part.kind in kinds]
        return [part for part in reversed(inside) if part.said and (part.kind != LOG or part.number not in self.taken)]


def _closed(parts: list[Part]) -> list[int]:
    """For each part, the line where its fence is closed; a very large number outside fences."""
    result, opened = [10**9] * len(parts), None
    for at, part in enumerate(parts):
        if part.kind == FENCE and opened is not None:
            result[opened:at] = [part.number] * (at - opened)
            opened = None
        elif part.kind == FENCE:
            opened = at
    return result
