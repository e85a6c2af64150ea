"""A document with its sections, and what can be asked of it: what stands near a line, and which system that names."""

from __future__ import annotations

from dataclasses import dataclass, field

from assay.ingest import systems
from assay.ingest.document import CODE, COMMAND, FENCE, HEADING, LOG, PROSE, TABLE, Document, Part
from assay.ingest.statements import listed_values
from assay.readers.splitter import Draft


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


def sections_of(document: Document) -> list[Section]:
    """Per part, the section it stands in; all parts before the first heading share one."""
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
    """Those that the file's name speaks of, else those that its words and commands do."""
    return systems.named(document.name) or systems.named(
        "\n".join(part.line.text for part in document.parts if part.kind in (HEADING, PROSE, TABLE, COMMAND))
    )


class Page:
    """A document with what can be asked of it."""

    def __init__(self, document: Document, sections: list[Section], taken: set[int], likely: list[str]) -> None:
        """`likely` are the systems that it names, `taken` the lines that a reader understood."""
        self.document, self.taken = document, taken
        self._sections = sections
        self._by_line = {part.number: section for part, section in zip(document.parts, sections, strict=True)}
        self._named = likely
        prose_text = [part.said for part in document.parts if part.kind in (PROSE, HEADING)]
        self.batch_sizes = set().union(*(listed_values(text, "batch_size") for text in prose_text), set())

    def section(self, line: int) -> Section:
        while line > 0 and line not in self._by_line:
            line -= 1
        return self._by_line.get(line, Section("", 0, 0))

    def system_of(self, draft: Draft) -> str:
        if draft.system:
            return draft.system
        texts = [draft.command or "", " ".join(self._lines(draft.first_line, draft.last_line))]
        if draft.error is None and draft.generic.strong and not draft.slurm.waiting:
            return "generic"
        return self.system_near(draft.first_line, texts)

    def system_near(self, line: int, texts: list[str] | None = None) -> str:
        """By the words of the thing itself, else of its section, else of the page."""
        for text in texts or []:
            for name in systems.named(text):
                return name
        for section in self.section(line).chain:
            for text in (section.title, "\n".join(section.text)):
                for name in systems.named(text):
                    return name
        return self._named[0] if self._named else "generic"

    def _lines(self, first: int, last: int) -> list[str]:
        return [part.line.text for part in self.document.parts if first <= part.number <= last][:400]

    def excerpts(self, after: int, before: int) -> list[Part]:
        """What stands between two lines in fences that are closed before the second: code, where it is no run."""
        found: list[Part] = []
        block: list[Part] = []
        fenced = False
        for part in self.document.parts:
            if part.number >= before:
                break
            if part.kind == FENCE:
                found += block
                fenced, block = not fenced, []
            elif fenced and part.kind in (CODE, LOG) and part.number > after:
                block.append(part)
        return found

    def said_between(self, after: int, before: int) -> list[Part]:
        """Prose and headings strictly between two lines, nearest to the second one first."""
        kinds = (PROSE, HEADING, LOG)
        inside = [p for p in self.document.parts if after < p.number < before and p.kind in kinds]
        return [part for part in reversed(inside) if part.said and (part.kind != LOG or part.number not in self.taken)]
