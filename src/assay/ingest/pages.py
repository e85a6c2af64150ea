"""From a document to its runs: logs first, then what prose claims of them, then what only prose tells of."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

from assay.events import Event
from assay.ingest import prose, systems
from assay.ingest.document import COMMAND, FENCE, HEADING, LOG, PROSE, TABLE, Document, Part
from assay.ingest.found import Found, from_draft
from assay.ingest.statements import (
    Statement,
    file_name_statements,
    flag_statements,
    listed_values,
    statements,
)
from assay.readers.splitter import Draft, Splitter

_BARE_NUMBER = re.compile(r"(?<![\w.])(\d[\d,]*)(?![\w.]|\s*%)")
_SENTENCES = 600  # a longer line is a paragraph: its settings are spread over several sentences


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


def runs_of(document: Document, only: str | None = None) -> list[Found]:
    """Every run of a document, in order of where it stands."""
    return survey(document, only)[0]


def survey(document: Document, only: str | None = None) -> tuple[list[Found], Page]:
    """The runs, and the page that they stand on."""
    drafts, taken = _drafts(document, only)
    sections = _sections(document)
    page = Page(document, sections, taken)
    found = [run for draft in drafts for run in from_draft(draft, page.system_of(draft))]
    found = _claimed(found, page)
    if document.is_page and only is None:
        found = _with_prose(found, page)
    return sorted(_file_claims(found, document.name), key=lambda run: (run.first_line, run.device or "")), page


def _drafts(document: Document, only: str | None) -> tuple[list[Draft], set[int]]:
    """Feed the readers; also which lines they took."""
    drafts: list[Draft] = []
    taken: set[int] = set()
    splitter = Splitter(drafts.append, only=only)
    for part in document.parts:
        if part.kind in (HEADING, FENCE):
            splitter.boundary(number=part.number)
        elif part.kind == COMMAND:
            splitter.boundary(command=part.command if part.launches else None, number=part.number)
            taken.add(part.number)
        if part.kind in (LOG, PROSE, TABLE, HEADING) and splitter.feed(part.line, log=part.kind == LOG):
            taken.add(part.number)
    splitter.finish()
    return drafts, taken


def _sections(document: Document) -> list[Section]:
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


class Page:
    """A document with what can be asked of it."""

    def __init__(self, document: Document, sections: list[Section], taken: set[int]) -> None:
        self.document, self.taken = document, taken
        self._sections = sections
        self._by_line = {part.number: section for part, section in zip(document.parts, sections, strict=True)}
        self._named = systems.named(document.name) or systems.named(
            "\n".join(part.line.text for part in document.parts if part.kind in (HEADING, PROSE, TABLE, COMMAND))
        )
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

    def said_between(self, after: int, before: int) -> list[Part]:
        """Prose and headings strictly between two lines, nearest to the second one first."""
        kinds = (PROSE, HEADING, LOG)
        inside = [p for p in self.document.parts if after < p.number < before and p.kind in kinds]
        return [part for part in reversed(inside) if part.said and (part.kind != LOG or part.number not in self.taken)]


def _claimed(found: list[Found], page: Page) -> list[Found]:
    """Give each run the settings that were stated for it: by its command, before it, in its headings, or just after."""
    result: list[Found] = []
    for index, run in enumerate(found):
        if index and (run.first_line, run.last_line) == (found[index - 1].first_line, found[index - 1].last_line):
            shared = result[-1]  # the other device of the same table
            result.append(replace(run, claims=shared.claims, claim_lines=shared.claim_lines))
            continue
        previous = max((other.last_line for other in found[:index]), default=0)
        following = next((other.first_line for other in found[index + 1 :] if other.first_line > run.last_line), 10**9)
        stated = list(_stated(run, page, previous, following))
        claims: dict[str, Any] = {}
        lines: dict[str, int] = {}
        for statement in stated:
            if statement.name not in claims:
                claims[statement.name], lines[statement.name] = statement.value, statement.line
        result.append(run.with_claims(claims, lines))
    return result


def _stated(run: Found, page: Page, previous: int, following: int) -> list[Statement]:
    """Nearest first."""
    section = page.section(run.first_line)
    stated = list(_own_line(run, page))
    if run.command:
        stated += flag_statements(run.command, run.first_line)
    floor = max(previous, _hard(section).first_line - 1)
    for part in page.said_between(floor, run.first_line):
        stated += _of_part(part, page)
    for above in section.chain:
        if above.title and above.first_line <= run.first_line:
            stated += statements(above.title, above.first_line)
    ceiling = _next_heading(page, run.last_line)
    alone = following >= ceiling and previous < _hard(section).first_line  # else it introduces the run that follows
    if alone and page.document.is_page:
        for part in reversed(page.said_between(run.last_line, ceiling)):
            stated += [one for one in _of_part(part, page) if one.changed_from is None]
    return stated


def _own_line(run: Found, page: Page) -> list[Statement]:
    """`10 Epochs: Accuracy on test set: 97.67%`: the claim stands on the line of the figure."""
    if run.first_line != run.last_line or not page.document.is_page:
        return []
    part = next((p for p in page.document.parts if p.number == run.first_line), None)
    return statements(part.said, part.number) if part and part.said and run.system != "cerebras" else []


def _of_part(part: Part, page: Page) -> list[Statement]:
    if len(part.said) > _SENTENCES:
        return []
    found = statements(part.said, part.number)
    if not found and part.kind == HEADING and page.batch_sizes:
        numbers = [float(text.replace(",", "")) for text in _BARE_NUMBER.findall(part.said)]
        if len(numbers) == 1 and numbers[0] in page.batch_sizes and numbers[0] >= 2:
            found = [Statement("batch_size", int(numbers[0]), part.number, part.said)]
    return found


def _hard(section: Section) -> Section:
    """The real heading above: a line in bold or with a colon does not end what was said before it."""
    return next((one for one in section.chain if 0 < one.level <= 6), Section("", 0, 0))


def _next_heading(page: Page, line: int) -> int:
    return next(
        (p.number for p in page.document.parts if p.number > line and p.kind == HEADING and p.level <= 6), 10**9
    )


def _file_claims(found: list[Found], name: str) -> list[Found]:
    """What the file's name says, of the run it fits; of the last one if it fits none."""
    stated = {one.name: one.value for one in file_name_statements(name)}
    logs = [run for run in found if not run.prose]
    if not stated or not logs:
        return found
    fitting = [
        run for run in logs if _params(run).items() >= {k: v for k, v in stated.items() if k in _params(run)}.items()
    ]
    chosen = logs if len(logs) == 1 else [run for run in fitting if stated.keys() & _params(run).keys()] or logs[-1:]
    if chosen[0].device:
        chosen = [run for run in logs if run.first_line == chosen[0].first_line]
    return [
        replace(run, claims={**stated, **run.claims}, claim_lines={**dict.fromkeys(stated, 0), **run.claim_lines})
        if any(run is one for one in chosen)
        else run
        for run in found
    ]


def _params(run: Found) -> dict[str, Any]:
    params: dict[str, Any] = {}
    for event in run.events:
        if event["kind"] == "param":
            params.update({k: v for k, v in event.items() if k not in ("v", "kind", "from", "line", "t", "device")})
    return params


def _with_prose(found: list[Found], page: Page) -> list[Found]:
    """Add what only prose tells of; what it repeats of a log's run becomes that run's claim."""
    told = _told_by_lines(page) + _told_by_sections(page) + _told_by_tables(page)
    result = list(found)
    for run in sorted(told, key=lambda run: run.first_line):
        twin = next((i for i, other in enumerate(result) if _same(run, other)), None)
        if twin is None:
            lone = all(other.prose for other in found) and run.system != "generic"
            if run.claims or lone or run.system == "psrecord":
                result.append(run)
            continue
        other = result[twin]
        kept = {k: v for k, v in run.claims.items() if k not in other.claims}
        lines = {k: v for k, v in run.claim_lines.items() if k in kept}
        if sum(_same(run, one) for one in result) == 1:
            result[twin] = replace(other, claims={**other.claims, **kept}, claim_lines={**other.claim_lines, **lines})
    return result


def _told_by_lines(page: Page) -> list[Found]:
    runs = []
    for part in page.document.parts:
        if part.kind not in (PROSE, HEADING) or part.number in page.taken:
            continue
        figures = {k: v for k, v in prose.figures(part.said).items() if k not in ("cpu_pct", "rss_bytes", "wall_s")}
        if not any(name in figures for name in prose.RESULTS):
            continue
        stated = statements(part.said, part.number)
        runs.append(_told(page, part.number, part.number, figures, stated))
    return runs


def _told_by_sections(page: Page) -> list[Found]:
    """Averages of a profile stand in a list, one to a line: a section of them is one run."""
    runs: list[Found] = []
    groups: dict[int, list[Part]] = {}
    for part in page.document.parts:
        if part.kind == PROSE and part.number not in page.taken:
            groups.setdefault(page.section(part.number).first_line, []).append(part)
    for parts in groups.values():
        figures: dict[str, float] = {}
        lines: list[int] = []
        for part in parts:
            said = {k: v for k, v in prose.figures(part.said).items() if k in ("cpu_pct", "rss_bytes", "wall_s")}
            if said:
                lines.append(part.number)
                figures = {**said, **figures}
        if not ({"cpu_pct", "rss_bytes"} & figures.keys()):
            continue
        section = page.section(lines[0])
        stated = statements(section.title, section.first_line)
        for text in section.text:
            stated += flag_statements(text.replace('"', " "), section.first_line)
        runs.append(_told(page, lines[0], lines[-1], figures, stated))
    return runs


def _told_by_tables(page: Page) -> list[Found]:
    runs: list[Found] = []
    header: list[str] = []
    for part in page.document.parts:
        if part.kind != TABLE or part.number in page.taken:
            header = header if part.kind == TABLE else []
            continue
        cells = [cell.strip() for cell in part.said.strip("|").split("|")]
        if re.fullmatch(r"[\s|:-]+", part.said):
            continue
        if not header:
            header = cells
            continue
        figures, settings = prose.table_row(header, cells)
        if any(name in figures for name in (*prose.RESULTS, "latency_ms", "inferences_per_s", "tokens_per_s")):
            stated = [Statement(k, v, part.number, part.said) for k, v in settings.items()]
            runs.append(_told(page, part.number, part.number, figures, stated))
    return runs


def _told(page: Page, first: int, last: int, figures: dict[str, float], stated: list[Statement]) -> Found:
    claims: dict[str, Any] = {}
    lines: dict[str, int] = {}
    for one in stated:
        if one.name not in claims:
            claims[one.name], lines[one.name] = one.value, one.line
    event: Event = {"v": 1, "kind": "result", "from": "reader:prose", "line": first, **figures}
    events = [event]
    if "cpu_pct" in figures or "rss_bytes" in figures:  # averages of a profile: one sample that stands for all
        sample: Event = {"v": 1, "kind": "sample", "from": "probe:psrecord", "line": first}
        sample.update({name: event.pop(name) for name in ("cpu_pct", "rss_bytes") if name in event})
        events.append(sample)
    return Found(
        system=page.system_near(first, [" ".join(page.section(first).text)] if "cpu_pct" in figures else None),
        first_line=first,
        last_line=last,
        events=events,
        claims=claims,
        claim_lines=lines,
        prose=True,
    )


_COMPARED = (
    "accuracy", "loss", "samples", "train_s", "samples_per_s", "samples_per_s_avg", "tokens_per_s", "reported_s",
    "step", "cpu_pct", "rss_bytes", "wall_s", "latency_ms", "inferences_per_s",
)  # fmt: skip


def _same(told: Found, other: Found) -> bool:
    """Whether prose repeats a run: at least one figure that is not a mere count agrees, and none contradicts."""
    ours, theirs = told.facts(), other.facts()
    common = [name for name in _COMPARED if name in ours and name in theirs]
    if not any(name not in ("step", "samples") for name in common):
        return False
    if other.prose and not told.claims.items() <= other.claims.items():
        return False
    return all(_rounds_to(theirs[name], ours[name]) for name in common)


def _rounds_to(exact: float, shown: float) -> bool:
    """Prose rounds: 7.14844 is told as 7.15, 304.403 as 304."""
    if exact == shown:
        return True
    return abs(exact - shown) <= 0.005 * abs(exact) and f"{exact:.3g}"[:3] == f"{shown:.3g}"[:3]
