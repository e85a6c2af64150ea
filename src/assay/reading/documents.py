"""From a page to its runs: its logs, the rows of its tables, what its lists and sentences give, and who claims what.

    logs         lines that a program printed go to the splitter; a heading, a fence or a prompt may end a run
    tables       a row is a run, named by its label; several tables with the same labels are told apart by headings
    text         `- Mongo: 10 sec`, `accuracy 96.62 %`: figures of the run that their line, label or heading names
    claims       settings said above a log, in its headings, its command, its fence of code, or the file's name

The trap: a page repeats its figures. A run pasted as table and log is one run, and a sentence that sums up a log adds
no second one.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from assay import systems
from assay.lines import Line
from assay.model.event import End, Error, Event, How, Param, Result
from assay.model.values import Value, number
from assay.quantities import settings as all_settings
from assay.reading.blocks import CODE, COMMAND, CONFIG, FENCE, HEADING, LOG, PROSE, TABLE, Document, PageLine, is_spoken
from assay.reading.found import Found, from_draft, with_profile
from assay.reading.guard import in_time
from assay.reading.outline import outlined, text_runs
from assay.reading.reports import lines_of_formats, said_by_command
from assay.reading.results import runs_in
from assay.reading.rows import curve_of, figure_of, runs_of
from assay.reading.splitter import Draft, Kit, Splitter
from assay.reading.stated import Stated, is_only, settings_in, settings_of_command, settings_of_name
from assay.reading.stream import Sieve
from assay.reading.tables import Table, clean

_ARROW = re.compile(r"\s(?:-+>|=+>|→)\s")
_COMMENT = re.compile(r"^\s*(?://+|#+)\s*(?=\S)")
_SENTENCES = 600  # a longer line is a paragraph: its settings are spread over several sentences
_FAR = 10**9


def read_document(document: Document, only: str | None = None) -> list[Found]:
    """Every run of a document, in order of where it stands."""
    page = Page(document)
    found = _objects(document) if only in (None, "serving", "accounting") else []
    read = {line for one in found for line in range(one.first_line, one.last_line + 1)}
    tables = _tables(document, page, read) if only is None else []
    read |= {line for table in tables for line in range(table.first_line, table.last_line + 1)}
    drafts = _drafts(document, only, page, {*read, *(outlined(document) if only is None else ())})
    found += [run for draft in drafts for run in from_draft(draft, page.system_of(draft))]
    found = _without_repeated(found, document)
    found = _claimed(sorted(found, key=lambda run: run.first_line), page)
    if only is None:
        rows = [row for one in tables if one.form != "pairs" for row in _of_table(one, page)]
        rows += _of_boxes([one for one in tables if one.form == "pairs"], page)
        found = _joined(found, _row_names(rows), page)
        if document.is_page:
            found = _joined(found, text_runs(document, page.taken | read, [*found], page.system_near), page)
    found = _named_by_headings(found, page)
    found = [titled(run) for run in _named_by_file(found, document.name)]
    return sorted(found, key=lambda run: (run.first_line, run.device or ""))


# --- which system a text names ---------------------------------------------------------------------------------------


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    """By system: what names it. A pattern in small letters is looked for in a text of small letters, which is quick."""
    written = {name: one.words for name, one in systems.every().items() if one.words}
    return {name: re.compile(words, 0 if words.islower() else re.IGNORECASE) for name, words in written.items()}


def systems_in(text: str) -> list[str]:
    """Systems that a text names, the one named most first."""
    small = text.lower()
    counts = {name: len(pattern.findall(small)) for name, pattern in _patterns().items()}
    return sorted((name for name, count in counts.items() if count), key=lambda name: -counts[name])


class Page:
    """A document with what can be asked of it while its runs are read."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.taken: set[int] = set()  # lines that a reader understood
        self.lines = document.lines
        self._numbers = [line.number for line in self.lines]
        self._hard = [line.number for line in self.lines if line.role == HEADING and line.level <= 6]
        spoken = [one for one in self.lines if one.role in (HEADING, PROSE, TABLE, COMMAND)]
        self.likely = systems_in(document.name) or systems_in("\n".join(one.text for one in spoken))
        self._closed = _closed(self.lines)
        self.batch_sizes = {
            value for one in self.lines if one.role in (PROSE, HEADING) and "batch" in one.said.lower()
            for value in _listed(one.said)
        }  # fmt: skip

    def between(self, after: int, before: int) -> list[PageLine]:
        """Strictly between two lines."""
        return self.lines[bisect_right(self._numbers, after) : bisect_left(self._numbers, before)]

    def at(self, number: int) -> PageLine | None:
        place = bisect_left(self._numbers, number)
        return self.lines[place] if place < len(self._numbers) and self._numbers[place] == number else None

    def next_heading(self, number: int) -> int:
        at = bisect_right(self._hard, number)
        return self._hard[at] if at < len(self._hard) else _FAR

    def heading_above(self, number: int) -> int:
        """The line of the real heading above; a line in bold or with a colon does not end the text before it."""
        at = bisect_right(self._hard, number)
        return self._hard[at - 1] if at else 0

    def said_between(self, after: int, before: int) -> list[PageLine]:
        """Prose and headings strictly between two lines, nearest to the second one first."""
        inside = [one for one in self.between(after, before) if one.role in (PROSE, HEADING, LOG)]
        return [one for one in reversed(inside) if one.said and (one.role != LOG or one.number not in self.taken)]

    def excerpts(self, after: int, before: int) -> list[PageLine]:
        """The text in fences that are closed between two lines: code, unless it is a run."""
        begin, end = bisect_right(self._numbers, after), bisect_left(self._numbers, before)
        return [
            one
            for at, one in enumerate(self.lines[begin:end], begin)
            if one.role in (CODE, CONFIG, LOG) and self._closed[at] < before
        ]

    def section_text(self, number: int) -> str:
        above = self.heading_above(number)
        kinds = (HEADING, PROSE, TABLE, COMMAND)
        return "\n".join(one.text for one in self.between(above - 1, self.next_heading(number)) if one.role in kinds)

    def system_of(self, draft: Draft) -> str:
        if draft.system:
            return draft.system
        if draft.error is None and draft.generic.strong and not draft.slurm.waiting:
            return "generic"
        lines = [one.text for one in self.between(draft.first_line - 1, draft.last_line + 1)[:400]]
        return self.system_near(draft.first_line, [draft.command or "", " ".join(lines)])

    def system_near(self, line: int, texts: list[str] | None = None) -> str:
        """By the words of the thing itself, else of its headings, else of its section, else of the page."""
        headings = self.document.headings_at(line)
        for text in [*(texts or []), *reversed(headings), self.section_text(line)]:
            for name in systems_in(text):
                return name
        return self.likely[0] if self.likely else "generic"


def _closed(lines: list[PageLine]) -> list[int]:
    """For each line, where its fence is closed; a very large number outside fences."""
    result, opened = [_FAR] * len(lines), None
    for at, line in enumerate(lines):
        if line.role == FENCE and opened is not None:
            result[opened:at] = [line.number] * (at - opened)
            opened = None
        elif line.role == FENCE:
            opened = at
    return result


def _listed(text: str) -> set[int]:
    """`batch sizes, specifically 2048 and 512`: every value that a sentence lists for it."""
    found = re.search(r"(?i)batch[ _-]?sizes?\b(.{0,200})", text)
    return {int(one) for one in re.findall(r"(?<![\w.])\d{1,6}(?![\w.%])", found[1])} if found else set()


# --- logs ------------------------------------------------------------------------------------------------------------


def _drafts(document: Document, only: str | None, page: Page, read: set[int]) -> list[Draft]:
    """Feed the readers all lines that are not read yet; `page.taken` says which they understood."""
    drafts: list[Draft] = []
    kit = systems.kit()
    splitter, sieve = Splitter(drafts.append, kit, only=only, likely=page.likely), Sieve(kit, only)
    hearing = {name for name, kind in kit.readers.items() if kind.hears_commands}
    for one in in_time(document.lines, document.name):
        if one.role in (HEADING, FENCE):
            splitter.boundary(number=one.number, fence=one.role == FENCE)
        elif one.role == COMMAND:
            splitter.boundary(command=one.command if one.launches else None, number=one.number, typed=one.command or "")
            page.taken.add(one.number)
            if heard := sieve.names(one.text) & hearing:
                splitter.feed(one.line, log=False, names=heard)
        # what a person writes above a log is what is claimed of it, however much it looks like a program's words
        said = document.is_page and one.role in (PROSE, HEADING) and is_only(one.said) and not splitter.reporting
        said = said or (document.is_page and one.role == PROSE and is_spoken(one.said))
        if one.role in (LOG, PROSE, TABLE, HEADING) and not said and one.number not in read:
            names = None if splitter.wants_all else sieve.names(one.text)
            if (names is None or names) and splitter.feed(one.line, log=one.role == LOG, names=names):
                page.taken.add(one.number)
    splitter.finish()
    spans = [(draft.first_line, draft.last_line) for draft in drafts]
    page.taken = {line for line in page.taken if any(first <= line <= last for first, last in spans)}
    return _without_quotations(drafts, document)


def _without_quotations(drafts: list[Draft], document: Document) -> list[Draft]:
    """A sentence that quotes how a run failed is not a second run where the page shows its log."""
    prose = {line.number for line in document.lines if line.role in (PROSE, HEADING)}
    shown = {draft.error.code for draft in drafts if draft.error and draft.error.line not in prose}

    def is_quotation(draft: Draft) -> bool:
        error = draft.error
        alone = draft.first_line == draft.last_line and not draft.generic.strong
        known = draft.reader is not None and draft.reader.strong
        return error is not None and error.code in shown and alone and error.line in prose and not known

    return [draft for draft in drafts if not is_quotation(draft)]


# --- JSON ------------------------------------------------------------------------------------------------------------

_OPENS = re.compile(r"\s*(?:[\[{]|\[\s*\{|[\[{]\s*[\"{\[].*[^}\]\s])\s*")
#: words of which an object must hold one: most JSON on a page is a configuration
_WORTH = re.compile(r"throughput|ttft|latency|tokens|avg_ts|resources_used|\"jobs\"|eval_duration|log_history", re.IGNORECASE)
_MOST_LINES, _MOST_TRIES = 5000, 64


def _objects(document: Document) -> list[Found]:
    """Results that make sense only as a whole: a JSON document in the middle of a page or a log."""
    lines, found = document.lines, list[Found]()
    at = tries = 0
    while at < len(lines) and tries < _MOST_TRIES:
        if lines[at].role not in (CODE, CONFIG, LOG) or _OPENS.fullmatch(lines[at].text[:2000]) is None:
            at += 1
            continue
        tries += 1
        texts = []
        for line in lines[at : at + _MOST_LINES]:
            if line.role not in (CODE, CONFIG, LOG) and line.text.strip():
                break
            texts.append(line.text)
        text = "\n".join(texts).lstrip()
        try:
            value, end = json.JSONDecoder().raw_decode(text) if _WORTH.search(text) else (None, 0)
        except (ValueError, RecursionError):
            value, end = None, 0
        count = text.count("\n", 0, end) + 1
        found += runs_in(value, lines[at].number, lines[at + count - 1].number) if value is not None else []
        at += count
    return found


# --- tables ----------------------------------------------------------------------------------------------------------


def _tables(document: Document, page: Page, read: set[int]) -> list[Table]:
    """The tables that no reader of a tool knows: its own lines are for the splitter."""
    lines: dict[int, list[PageLine]] = {}
    for line in document.lines:
        lines.setdefault(line.number, []).append(line)
    kit = systems.kit()
    sieve = Sieve(kit)
    found = []
    described = lines_of_formats(line.line for line in document.lines if line.role not in (HEADING, FENCE))
    for table in document.tables(read):
        inside = [line for number_ in range(table.first_line, table.last_line + 1) for line in lines.get(number_, ())]
        if _is_of_a_tool(inside[:_PROBED], page, kit, sieve):
            continue
        if 2 * sum(row.line in described for row in table.rows) > len(table.rows):
            continue
        if any(re.fullmatch(r"\d+/\d+", row.cells[0].text) for row in table.rows[:3]):
            continue  # rows that a training prints as it goes
        found.append(table)
    return found


#: lines of a table from which it is known whether a tool prints its like
_PROBED = 100
_ANYONE = {"generic", "slurm", "trouble"}


def _is_of_a_tool(lines: list[PageLine], page: Page, kit: Kit, sieve: Sieve) -> bool:
    named = [frozenset(one for one in sieve.names(line.text) if one[0] != "~") for line in lines]
    if not any(names - _ANYONE for names in named):
        return False
    drafts: list[Draft] = []
    splitter = Splitter(drafts.append, kit, likely=page.likely)
    for line, names in zip(lines, named, strict=True):
        splitter.feed(line.line, log=line.role == LOG, names=None if splitter.wants_all else names)
    splitter.finish()
    read = {
        event.line for draft in drafts if draft.system for event in draft.events if event.source != "reader:generic"
    }
    return len(read) >= 2 or any(draft.account is not None and draft.account.strong for draft in drafts)


def _of_table(table: Table, page: Page) -> list[Found]:
    """A run a row, or the one training that the rows follow."""
    system = page.system_near(table.first_line)
    if curve := curve_of(table):
        name = next((title for title in reversed(table.headings) if title), None)
        end = End(source="reader:table", line=table.last_line, status="completed")
        return [
            Found(
                system=system,
                first_line=table.first_line,
                last_line=table.last_line,
                events=[*curve, end],
                name=name,
                prose=True,
            )
        ]
    found = []
    common, steps = _of_each(table, page)
    for run in runs_of([table]):
        claims = {**common, **run.settings}
        text = "\n".join((run.name, *(f"{key} {value}" for key, value in run.figures.items())))
        end = End(source="reader:table", line=run.line, status="completed")
        found.append(
            Found(
                system=system,
                first_line=run.line,
                last_line=run.line if not table.sideways else table.last_line,
                events=[*with_profile([run.event], run.line), *steps, end],
                claims=claims,
                claim_lines=dict.fromkeys(claims, run.line),
                name=run.name,
                prose=True,
                text=text.encode(),
                headings=table.headings,
                caption=table.caption,
            )
        )
    return found


def _of_each(table: Table, page: Page) -> tuple[dict[str, Value], list[Event]]:
    """`Each run did 505 steps`, above a table: what all of its rows have in common."""
    above = page.said_between(page.heading_above(table.first_line) - 1, table.first_line)
    said = [one for one in above if re.search(r"(?i)\b(?:each|every|all|both|same)\b", one.said)]
    for one in said:
        steps = re.search(r"(?i)\b(?:steps?\s+(\d[\d,]*)|(\d[\d,]*) steps)\b", one.said)
        if steps:
            count = int((steps[1] or steps[2]).replace(",", ""))
            return {}, [Result(source="reader:prose", line=one.number, values={"step": count})]
    return {}, []


def _of_boxes(tables: list[Table], page: Page) -> list[Found]:
    """Boxes of names and values, each a moment of the run whose heading they share: `| ep_rew_mean | 195 |`."""
    runs: dict[tuple[str, ...], list[Table]] = {}
    for table in tables:
        runs.setdefault(table.headings, []).append(table)
    found = []
    for headings, boxes in runs.items():
        events: list[Event] = []
        for box in boxes:
            facts: dict[str, float] = {}
            for row in box.rows:
                key, value = figure_of(row.label, row.cells[1]) or ("", 0.0)
                if key:
                    facts.setdefault(key, value)
            events.append(Result(source="reader:table", line=box.first_line, values=facts))
        first, last = boxes[0].first_line, boxes[-1].last_line
        events.append(End(source="reader:table", line=last, status="completed"))
        name = clean(boxes[0].caption or (headings[-1] if headings else "")) or None
        found.append(
            Found(
                system=page.system_near(first),
                first_line=first,
                last_line=last,
                events=events,
                name=name,
                prose=True,
                text="\n".join(row.label for box in boxes for row in box.rows).encode(),
                headings=headings[:-1],
            )
        )
    return [run for run in found if run.facts()]


def _row_names(rows: list[Found]) -> list[Found]:
    """Rows of several tables with one label, told apart by what differs in the headings and captions above them."""
    alike: dict[str | None, list[Found]] = {}
    for run in rows:
        alike.setdefault(run.name, []).append(run)
    shared = {name: set.intersection(*(set(_above(run)) for run in runs)) for name, runs in alike.items()}
    named = []
    for run in rows:
        own = [title for title in _above(run) if title not in shared[run.name]] if len(alike[run.name]) > 1 else []
        head = " / ".join(clean(title)[:48] for title in own[-2:])
        named.append(replace(run, name=f"{head}: {run.name}" if head else run.name))
    return named


def _above(run: Found) -> list[str]:
    return [*run.headings, *([run.caption] if run.caption else [])]


def _joined(found: list[Found], more: list[Found], page: Page) -> list[Found]:
    """Runs of tables and of text beside those of logs: one that repeats the figures of a log is that run."""
    result = list(found)
    own = [run.facts() for run in found]
    logs = [at for at, run in enumerate(found) if not run.prose]
    for run in more:
        facts = run.facts()
        twins = [at for at in logs if _is_same(facts, own[at]) or _sums_up(run, facts, found[at], own[at])]
        if len(twins) == 1:
            other = result[twins[0]]
            ran = other.params()
            claims = {
                k: v
                for k, v in run.claims.items()
                if k not in other.claims and ran.get(k, v) == v and isinstance(v, (int, float))
            }
            result[twins[0]] = replace(
                other, claims={**other.claims, **claims},
                claim_lines={**other.claim_lines, **{k: v for k, v in run.claim_lines.items() if k in claims}},
            )  # fmt: skip
        elif not twins:
            result.append(run)
    return result


def _is_same(told: dict[str, float], logged: dict[str, float]) -> bool:
    """Whether a log has all figures of a row or a sentence, as far as it rounds them."""
    common = [name for name in told if name in logged and name not in ("step", "epoch", "epochs")]
    agreed = sum(_rounds_to(logged[name], told[name]) for name in common)
    return bool(common) and agreed == len(common) and 2 * agreed >= len(told)


def _without_repeated(found: list[Found], document: Document) -> list[Found]:
    """A table that a reader of a tool knows, and that sums up the logs of the page, adds no runs."""
    rows = {line.number for line in document.lines if line.role == TABLE}
    logs = [run for run in found if run.last_line not in rows]
    return [
        run
        for run in found
        if run.last_line not in rows or not any(_sums_up(run, run.facts(), log, log.facts()) for log in logs)
    ]


def _sums_up(row: Found, told: dict[str, float], log: Found, logged: dict[str, float]) -> bool:
    """Whether a row has the settings of a log and most of its figures, whatever it calls them."""
    ran, own = {**log.claims, **log.params()}, {**row.claims, **row.params()}
    common = [name for name in own if name in ran]
    if not common or any(ran[name] != own[name] for name in common) or not told:
        return False
    agreed = sum(any(_rounds_to(value, figure) for value in logged.values()) for figure in told.values())
    return 2 * agreed >= len(told)


def _rounds_to(exact: float, shown: float) -> bool:
    """Prose rounds: 7.14844 is given as 7.15, 304.403 as 304."""
    return exact == shown or (abs(exact - shown) <= 0.006 * abs(exact) and f"{exact:.2g}" == f"{shown:.2g}")


# --- claims ----------------------------------------------------------------------------------------------------------


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
        following = next((one.first_line for one in found[index + 1 :] if one.first_line > run.last_line), _FAR)
        claims: dict[str, Value] = {}
        lines: dict[str, int] = {}
        for one in _stated(run, page, previous, following):
            if one.name not in claims and not _is_of_another(one, run, shown, page):
                claims[one.name], lines[one.name] = one.value, one.line
        if index and _repeats(found[index - 1], run, page):
            before = result[-1]
            claims, lines = {**before.claims, **claims}, {**before.claim_lines, **lines}
        if any(event.source == "reader:serving" for event in run.events):
            text = "\n".join(one.text for one in page.between(max(0, run.first_line - 40), run.last_line + 1))
            asked = said_by_command(f"{text}\n{run.command}" if run.command else text)
            hows = [event for event in run.events if isinstance(event, How)]
            named_by = {name for one in hows for name in ("model", "engine") if getattr(one, name)}
            words = {name: word for name, word in (asked.words if asked else {}).items() if name not in named_by}
            if words:
                more = How(
                    source="reader:serving", line=run.first_line, model=words.get("model"), engine=words.get("engine")
                )
                run = replace(run, events=[*run.events, more])
            claims = {**claims, **{k: v for k, v in (asked.settings if asked else {}).items() if k not in claims}}
        result.append(run.with_claims(claims, lines))
        previous = max(previous, run.last_line)
    return result


def _stated(run: Found, page: Page, previous: int, following: int) -> Iterator[Stated]:
    """Nearest first."""
    yield from _own_line(run, page)
    if run.command:
        yield from settings_of_command(run.command, run.first_line)
    for one in page.between(run.first_line - 1, min(run.last_line, run.first_line + 20)):
        if one.text.lstrip().startswith("--"):  # a command over several lines
            yield from settings_of_command(one.text, one.number)
    above = page.heading_above(run.first_line)
    floor = max(previous, above - 1)
    excerpts = {id(one) for one in page.excerpts(floor, run.first_line)}
    for one in page.said_between(floor, run.first_line):
        if id(one) not in excerpts:
            yield from _of_line(one, page)
    for number_, title in _titles(page, run.first_line):
        yield from _of_line(PageLine(Line(number_, title), HEADING, said=title), page)
    if page.document.is_page:
        yield from _shown(page, floor, run.first_line, after_log=floor == previous > 0)
    ceiling = page.next_heading(run.last_line)
    alone = following >= ceiling and previous < above  # else it introduces the run that follows
    if (alone or (not previous and following == _FAR and not above)) and page.document.is_page:
        for one in reversed(page.said_between(run.last_line, ceiling)):
            yield from (said for said in _of_line(one, page) if said.was is None)
    elif not previous and following == _FAR and not page.document.is_page:
        for one in page.between(run.last_line, ceiling):  # what someone has noted below a log: `# epochs = 20`
            text = _COMMENT.sub("", one.text)
            if one.number not in page.taken and text != one.text and len(text) <= _SENTENCES:
                yield from settings_in(text, one.number)


def _titles(page: Page, number_: int) -> list[tuple[int, str]]:
    """The headings above a line with their lines, the nearest first."""
    chain = list(page.document.headings_at(number_))
    found = []
    for one in reversed(page.between(0, number_ + 1)):
        if chain and one.role == HEADING and one.said == chain[-1]:
            found.append((one.number, chain.pop()))
    return found


def _own_line(run: Found, page: Page) -> list[Stated]:
    """`10 Epochs: Accuracy on test set: 97.67%`, `bs 320 -> | Train …`: the claim stands on the line of the figure."""
    line = page.at(run.first_line) if run.first_line == run.last_line else None
    if line is None:
        return []
    before, arrow, _ = _ARROW.sub("\0", line.said or line.text, count=1).partition("\0")
    if arrow and before.strip():
        return settings_in(before, line.number)
    claims = page.document.is_page and line.said and not systems.of(run.system).traps.pairs_are_figures
    return _of_line(line, page) if claims else []


def _of_line(line: PageLine, page: Page) -> list[Stated]:
    if len(line.said) > _SENTENCES:
        return []
    found = settings_in(line.said, line.number, decimal_comma=page.document.decimal_comma)
    if not found and line.role == HEADING and page.batch_sizes:  # `## 1024`, of a page that lists batch sizes
        values = [int(one) for one in re.findall(r"(?<![\w.-])\d{1,6}(?![\w.%-])", line.said)]
        if len(values) == 1 and values[0] >= 2 and values[0] in page.batch_sizes:
            return [Stated(name="batch_size", value=values[0], line=line.number)]
    return found


def _shown(page: Page, after: int, before: int, *, after_log: bool) -> list[Stated]:
    """An excerpt of code or a table of names and values above a log; a setting with two values is given none."""
    lines = [
        one for one in page.excerpts(after, before) if one.role in (CODE, CONFIG, LOG) and one.number not in page.taken
    ]
    words = [one.said for one in page.between(after, before) if one.role in (PROSE, HEADING) and one.said]
    mine = not (after_log and not words) and not any(
        re.search(r"(?i)\b(?:default|original|course|given)\b", one) for one in words[-1:]
    )
    found: list[Stated] = []
    if mine and 0 < len(lines) <= 15:
        for one in lines:
            text = re.sub(r"(?:#|//).*$", "", one.text).rstrip().removeprefix("+")  # a diff: `-` is what it was before
            if not text.startswith("-") and is_only(text):
                found += settings_in(text, one.number)
    rows = [one for one in page.between(after, before) if one.role == TABLE]
    if mine and rows and len(rows) <= 16:
        for text, number_ in _pairs_of_rows(rows):
            if is_only(text):
                found += settings_in(text, number_)
    values = {one.name: {two.value for two in found if two.name == one.name} for one in found}
    return [one for one in found if len(values[one.name]) == 1]


def _pairs_of_rows(rows: list[PageLine]) -> list[tuple[str, int]]:
    cells = [([cell.strip() for cell in one.said.strip().strip("|").split("|")], one.number) for one in rows]
    cells = [(row, line) for row, line in cells if not all(re.fullmatch(r"[\s:=-]*", cell) for cell in row)]
    if all(len(row) == 2 for row, _ in cells):
        return [(f"{row[0]} = {row[1]}", line) for row, line in cells]
    if len(cells) == 2 and len(cells[0][0]) == len(cells[1][0]):
        return [(f"{name} = {value}", cells[1][1]) for name, value in zip(cells[0][0], cells[1][0], strict=True)]
    return []


def _is_of_another(one: Stated, run: Found, shown: set[tuple[str, Value]], page: Page) -> bool:
    """`The run with 64 requests …` in a summary above the log of 8, where a log below shows the 64: said of that one.

    What stands in the run's own heading, right above its log or in it is said of it, be it so or not.
    """
    ran = run.params().get(one.name)
    done = any(isinstance(event, End) and event.status == "completed" for event in run.events)
    failed = any(isinstance(event, Error) for event in run.events)
    if ran is None or ran == one.value or (one.name, one.value) not in shown or not one.line or (failed and not done):
        return False
    above = page.said_between(0, run.first_line)[:1]
    near = {number_ for number_, _ in _titles(page, run.first_line)} | {line.number for line in above}
    return one.line < run.first_line and one.line not in near


def _repeats(before: Found, run: Found, page: Page) -> bool:
    """`Here it is with 4 tasks:` above two logs of the same run, with nothing between them, is about both."""
    if (before.system, before.command, before.params()) != (run.system, run.command, run.params()):
        return False
    between = page.between(before.last_line, run.first_line)
    return not any(one.role in (PROSE, HEADING, TABLE) and one.said for one in between)


def _named_by_file(found: list[Found], name: str) -> list[Found]:
    """Claims in the file's name, for the run that they fit, else for the last run."""
    stated = {one.name: one.value for one in settings_of_name(name)}
    logs = [run for run in found if not run.prose]
    if not stated or not logs:
        return found
    fitting = [run for run in logs if all(stated.get(k, v) == v for k, v in run.params().items())]
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


def _named_by_headings(found: list[Found], page: Page) -> list[Found]:
    """Several logs of scripts on one page are called what stands above them, where that differs."""
    logs = [run for run in found if not run.prose and run.system == "generic" and not run.name]
    if len(logs) < 2:
        return found
    above = {id(run): page.document.headings_at(run.first_line) for run in logs}
    often = Counter(titles[-1] for titles in above.values() if titles)
    named = {key: titles[-1] for key, titles in above.items() if titles and often[titles[-1]] == 1}
    return [replace(run, name=clean(named[id(run)])[:120]) if id(run) in named else run for run in found]


def titled(run: Found) -> Found:
    """Named by engine and model or by job, where a reader of benchmarks or accounts read it and no tool named it."""
    speakers = {event.source for event in run.events}
    if run.name or not speakers & {"reader:serving", "reader:accounting"}:
        return run
    said = [event for event in run.events if isinstance(event, How)]
    job = next((str(event.job) for event in said if event.job is not None), "")
    if "reader:serving" not in speakers:
        return replace(run, name=f"job-{job}") if job else run
    engine = next((event.engine for event in reversed(said) if event.engine), "")
    model = next((event.model for event in reversed(said) if event.model), "").rpartition("/")[2]
    words = [word.replace(" ", "-") for word in (engine, model) if word]
    known: dict[str, object] = dict(run.claims)
    for event in run.events:
        if isinstance(event, Param):
            known.update(event.facts())
    short = [
        f"{one.short}{known[one.name]:g}"
        for one in all_settings()
        if one.short and number(known.get(one.name)) is not None
    ]
    return replace(run, name="-".join([*words, *short])[:60]) if words else run
