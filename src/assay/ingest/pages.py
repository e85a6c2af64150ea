"""From a document to its runs: logs first, then claims about them, then runs that appear only in prose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from assay import systems
from assay.ingest.commands import with_commands
from assay.ingest.document import Document
from assay.ingest.page import Page, Section, likely_systems, sections_of
from assay.ingest.parts import COMMAND, FENCE, HEADING, LOG, PROSE, TABLE, Part
from assay.ingest.repeated import without_repeated
from assay.ingest.shown import shown_settings
from assay.ingest.statements import Statement, file_name_statements, flag_statements, is_only, is_told
from assay.ingest.titles import titled
from assay.ingest.told import with_prose
from assay.ingest.wholes import whole_results
from assay.language.lex import lex
from assay.language.numbers import NONE, Number
from assay.model.event import End, Error
from assay.model.values import Value, number
from assay.reading.found import Found, from_draft
from assay.reading.guard import in_time
from assay.reading.splitter import Draft, Splitter
from assay.reading.stream import Sieve

_ARROW = re.compile(r"\s(?:-+>|=+>|→)\s")
_COMMENT = re.compile(r"^\s*(?://+|#+)\s*(?=\S)")
_SENTENCES = 600  # a longer line is a paragraph: its settings are spread over several sentences


def runs_of(document: Document, only: str | None = None) -> list[Found]:
    """Every run of a document, in order of where it stands."""
    return survey(document, only)[0]


def survey(document: Document, only: str | None = None) -> tuple[list[Found], Page]:
    """The runs, and the page that they stand on."""
    likely = likely_systems(document)
    wholes = whole_results(document, only)
    drafts, taken = _drafts(document, only, likely, {line for one in wholes for line in one.lines})
    drafts = _without_quotations(drafts, document)
    page = Page(document, sections_of(document), taken, likely)
    found = [run for draft in drafts for run in from_draft(draft, page.system_of(draft))]
    found = sorted(found + [run for one in wholes for run in one.found], key=lambda run: run.first_line)
    found = without_repeated(found, document)
    found = with_commands(_claimed(found, page), page)
    if document.is_page and only is None:
        found = with_prose(found, page)
    found = [titled(run) for run in _file_claims(found, document.name)]
    return sorted(found, key=lambda run: (run.first_line, run.device or "")), page


def _drafts(document: Document, only: str | None, likely: list[str], read: set[int]) -> tuple[list[Draft], set[int]]:
    """Feed the readers all lines that are not read yet; also which lines are taken."""
    drafts: list[Draft] = []
    taken = set(read)
    kit = systems.kit()
    splitter, sieve = Splitter(drafts.append, kit, only=only, likely=likely), Sieve(kit, only)
    hearing = {name for name, kind in kit.readers.items() if kind.hears_commands}
    for part in in_time(document.parts, document.name):
        if part.kind in (HEADING, FENCE):
            splitter.boundary(number=part.number, fence=part.kind == FENCE)
        elif part.kind == COMMAND:
            command = part.command if part.launches else None
            splitter.boundary(command=command, number=part.number, typed=part.command or "")
            taken.add(part.number)
            if heard := sieve.names(part.line.text) & hearing:
                splitter.feed(part.line, log=False, names=heard)
        # what a person writes above a log is what is claimed of it, however much it looks like a program's words
        said = document.is_page and part.kind in (PROSE, HEADING) and is_only(part.said) and not splitter.reporting
        said = said or (document.is_page and part.kind == PROSE and is_told(part.said))
        if part.kind in (LOG, PROSE, TABLE, HEADING) and not said and part.number not in read:
            names = None if splitter.wants_all else sieve.names(part.line.text)
            if (names is None or names) and splitter.feed(part.line, log=part.kind == LOG, names=names):
                taken.add(part.number)
    splitter.finish()
    return drafts, taken


def _without_quotations(drafts: list[Draft], document: Document) -> list[Draft]:
    """A sentence that quotes how a run failed is not a second run where the page shows its log."""
    prose = {part.number for part in document.parts if part.kind in (PROSE, HEADING)}
    shown = {draft.error.code for draft in drafts if draft.error and draft.error.line not in prose}
    return [draft for draft in drafts if not _is_quotation(draft, prose, shown)]


def _is_quotation(draft: Draft, prose: set[int], shown: set[str]) -> bool:
    error = draft.error
    return (
        error is not None
        and error.code in shown
        and draft.first_line == draft.last_line
        and error.line in prose
        and not (draft.reader is not None and draft.reader.strong)
        and not draft.generic.strong
    )


def _claimed(found: list[Found], page: Page) -> list[Found]:
    """Give each run the settings that were stated for it: by its command, before it, in its headings, or just after."""
    result: list[Found] = []
    previous = 0
    shown = {item for run in found for item in run.params().items()}
    for index, run in enumerate(found):
        if index and (run.first_line, run.last_line) == (found[index - 1].first_line, found[index - 1].last_line):
            shared = result[-1]  # the other device of the same table
            result.append(replace(run, claims=shared.claims, claim_lines=shared.claim_lines))
            continue
        following = next(
            (other.first_line for other in islice(found, index + 1, None) if other.first_line > run.last_line), 10**9
        )
        stated = [one for one in _stated(run, page, previous, following) if _is_of(one, run)]
        stated = [one for one in stated if not _is_of_another(one, run, shown, page)]
        claims: dict[str, Value] = {}
        lines: dict[str, int] = {}
        for statement in stated:
            if statement.name not in claims:
                claims[statement.name], lines[statement.name] = _as_ran(statement, run), statement.line
        if index and _repeats(found[index - 1], run, page):
            before = result[-1]
            claims, lines = {**before.claims, **claims}, {**before.claim_lines, **lines}
        result.append(run.with_claims(claims, lines))
        previous = max(previous, run.last_line)
    return result


def _is_of_another(one: Statement, run: Found, shown: set[tuple[str, Value]], page: Page) -> bool:
    """`The run with 64 requests …` in a summary above the log of 8, where a log below shows the 64: said of that one.

    What stands in the run's own heading, right above its log or in it is said of it, be it so or not.
    """
    ran = run.params().get(one.name)
    if ran is None or ran in (one.value, *one.others) or (one.name, one.value) not in shown or not one.line:
        return False
    above = page.said_between(0, run.first_line)[:1]
    own = {section.first_line for section in page.section(run.first_line).chain}
    near = {number for part in above for number in (part.number, *(line for _, line in part.starts))}
    return one.line < run.first_line and one.line not in own | near


def _repeats(before: Found, run: Found, page: Page) -> bool:
    """`Here it is with 4 tasks:` above two logs of the same run, with nothing between them, is about both."""
    if (before.system, before.command, before.params()) != (run.system, run.command, run.params()):
        return False
    between = page.parts_between(before.last_line, run.first_line)
    return not any(part.kind in (PROSE, HEADING, TABLE) and part.said for part in between)


def _as_ran(statement: Statement, run: Found) -> int | float:
    """`1k` is 1024 where 1024 ran."""
    ran = run.params().get(statement.name)
    return next((one for one in statement.others if one == ran), statement.value)


def _is_of(statement: Statement, run: Found) -> bool:
    """Whether the statement can be of this run: a failed attempt needs an error, a part of a run is not its length."""
    done = any(isinstance(one, End) and one.status == "completed" for one in run.events)
    if statement.failed and done and not any(isinstance(one, Error) for one in run.events):
        return False
    ran = number(run.params().get(statement.name)) if statement.part else None
    return ran is None or statement.value >= ran


def _stated(run: Found, page: Page, previous: int, following: int) -> list[Statement]:
    """Nearest first."""
    section = page.section(run.first_line)
    stated = list(_own_line(run, page))
    if run.command:
        stated += flag_statements(run.command, run.first_line)
    floor = max(previous, _hard(section).first_line - 1)
    excerpts = {id(part) for part in page.excerpts(floor, run.first_line)}
    for part in page.said_between(floor, run.first_line):
        stated += _of_part(part, page) if id(part) not in excerpts else []
    for above in section.chain:
        if above.title and above.first_line <= run.first_line:
            stated += page.statements(above.title, above.first_line)
    if page.document.is_page:
        stated += shown_settings(page, floor, run.first_line, after_log=floor == previous > 0)
    ceiling = page.next_heading(run.last_line)
    alone = following >= ceiling and previous < _hard(section).first_line  # else it introduces the run that follows
    if alone and page.document.is_page:
        for part in reversed(page.said_between(run.last_line, ceiling)):
            stated += [one for one in _of_part(part, page) if one.changed_from is None]
    elif not previous and following == 10**9 and not page.document.is_page:
        stated += _noted(run, page, ceiling)
    return stated


def _noted(run: Found, page: Page, before: int) -> Iterator[Statement]:
    """What someone has noted below a log, in comments: `# epochs = 20`."""
    for part in page.parts_between(run.last_line, before):
        text = _COMMENT.sub("", part.line.text)
        if part.number not in page.taken and text != part.line.text and len(text) <= _SENTENCES:
            yield from page.statements(text, part.number)


def _own_line(run: Found, page: Page) -> list[Statement]:
    """`10 Epochs: Accuracy on test set: 97.67%`, `bs 320 -> | Train …`: the claim stands on the line of the figure."""
    part = page.first_part(run.first_line) if run.first_line == run.last_line else None
    if part is None:
        return []
    before, arrow, _ = _ARROW.sub("\0", part.said or part.line.text, count=1).partition("\0")
    if arrow and before.strip():
        return page.statements(before, part.number)
    claims = page.document.is_page and part.said and not systems.of(run.system).traps.pairs_are_figures
    return page.statements_of(part) if claims else []


def _of_part(part: Part, page: Page) -> list[Statement]:
    if len(part.said) > _SENTENCES:
        return []
    found = page.statements_of(part)
    if not found and part.kind == HEADING and page.batch_sizes:
        tokens = lex(part.said, page.decimal_comma)
        numbers = [token.number for token in tokens if token.number is not None]
        of_others = any(token.term not in ("", "batch_size") for token in tokens)  # `2 GPUs`
        if len(numbers) == 1 and not of_others and _is_batch(numbers[0], page):
            found = [Statement("batch_size", int(numbers[0].value), part.number, part.said)]
    return found


def _is_batch(number: Number, page: Page) -> bool:
    """Whether the number is one of the batch sizes that the page lists; the 2 in `CS-2` does not count."""
    return number.unit == NONE and not number.in_words and number.value in page.batch_sizes and number.value >= 2


def _hard(section: Section) -> Section:
    """The real heading above; a line in bold or with a colon does not end the text before it."""
    return next((one for one in section.chain if 0 < one.level <= 6), Section("", 0, 0))


def _file_claims(found: list[Found], name: str) -> list[Found]:
    """Claims in the file's name, for the run that they fit, else for the last run."""
    stated = {one.name: one.value for one in file_name_statements(name)}
    logs = [run for run in found if not run.prose]
    if not stated or not logs:
        return found
    fitting = [
        run for run in logs if run.params().items() >= {k: v for k, v in stated.items() if k in run.params()}.items()
    ]
    chosen = logs if len(logs) == 1 else [run for run in fitting if stated.keys() & run.params().keys()] or logs[-1:]
    if chosen[0].device:
        chosen = [run for run in logs if run.first_line == chosen[0].first_line]
    ids = {id(run) for run in chosen}
    return [
        replace(run, claims={**stated, **run.claims}, claim_lines={**dict.fromkeys(stated, 0), **run.claim_lines})
        if id(run) in ids
        else run
        for run in found
    ]
