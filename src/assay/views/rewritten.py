"""A page rewritten: what its evidence contradicts is replaced by what it shows, with the line that shows it.

Prose stays the author's. A log becomes one line a run, made of what its reader found. A sentence that no log supports
stays and is marked; what was replaced is listed at the end, so that nothing is lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, product
from pathlib import Path

from assay.auditing.audit import judge
from assay.auditing.case import Run
from assay.auditing.load import case_of_reading
from assay.auditing.rules.claims import differs
from assay.errors import AssayError
from assay.ingest.document import Document
from assay.ingest.files import Source
from assay.ingest.hold import hold
from assay.ingest.parts import BLANK, CODE, COMMAND, FENCE, HEADING, LOG, Part
from assay.ingest.statements import listed_values
from assay.language.sentences import placed
from assay.model.finding import NOTE, Evidence, Finding
from assay.model.values import number
from assay.views.markup import plain_text, quoted
from assay.views.words import phase_words, result_words, status_words

_PRINTED = (LOG, FENCE, COMMAND, CODE)
#: what makes a line an item of a list or a heading
_MARK = re.compile(r"^\s*(?:[-*+]|\d+[.)]|#{1,6})\s+")
_TAG = re.compile(r"</?(?:u|b|i|br|center|font|span|div|p)\b[^<>]{0,200}>", re.IGNORECASE)
_UNSEEN = "no log here shows this"
_MOST_PROOFS = 4


@dataclass(frozen=True, kw_only=True)
class _Change:
    line: int
    before: str
    code: str


@dataclass
class _Sentence:
    """What becomes of a sentence: what is said instead, or what is remarked on it."""

    text: str
    instead: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    proofs: list[Evidence] = field(default_factory=list)

    @property
    def shown(self) -> str:
        if self.instead:
            return " ".join(f"**{plain_text(text)}**" for text in dict.fromkeys(self.instead))
        return self.text + "".join(f" *({plain_text(text)})*" for text in dict.fromkeys(self.remarks))


@dataclass(frozen=True, kw_only=True)
class _Contradicted:
    """A setting that was claimed and is not what ran, wherever else the page says it."""

    name: str
    claimed: float
    words: str

    def is_restated(self, text: str) -> bool:
        return self.claimed in listed_values(text, self.name)


@dataclass
class _Writer:
    """Collects lines; what was replaced is remembered for the end."""

    findings: list[Finding]
    raw: dict[int, str]
    parts: dict[int, list[Part]]
    name: str
    contradicted: list[_Contradicted]
    lines: list[str] = field(default_factory=list)
    changes: list[_Change] = field(default_factory=list)

    def said(self, number: int) -> None:
        """A line of prose, a heading, a table: as it stands, unless something is found against it."""
        told = [(one, place) for one in self.findings for place in self._places(one) if place.line == number]
        text = next((part.said for part in self.parts.get(number, []) if part.said), "")
        again = [one for one in self.contradicted if one.is_restated(text)]
        if not text or not (told or again):
            self.lines.append(self.raw[number])
            return
        mark = _MARK.match(self.raw[number])
        body = _MARK.sub("", text, count=1) if mark else text
        parts = list(placed(body))
        sentences = [_Sentence(one) for _, one in parts]
        for finding, place in told:
            found = next((one for one in sentences if place.text in one.text or one.text in place.text), sentences[0])
            self._judge(found, finding, place)
        for sentence, claim in product(sentences, again):
            if not sentence.instead and claim.is_restated(sentence.text):
                sentence.remarks.append(claim.words)
        before = (mark[0] if mark else "") + body[: parts[0][0]]
        self.lines.append(before + " ".join(one.shown for one in sentences))
        self.lines += _proof_lines([proof for one in sentences for proof in one.proofs], self.name)

    def _judge(self, sentence: _Sentence, finding: Finding, place: Evidence) -> None:
        first = self._places(finding)[0]
        if finding.code == "no-evidence":
            sentence.remarks.append(_UNSEEN)
        elif finding.severity == NOTE:
            sentence.remarks.append(_note(finding, place))
        elif place != first:
            sentence.remarks.append(f"see line {first.line}")
        else:
            sentence.instead.append(_sentence(finding.instead or finding.message))
            sentence.proofs += [one for one in finding.evidence if one not in self._places(finding)]
            self.changes.append(_Change(line=place.line, before=sentence.text, code=finding.code))

    def _places(self, finding: Finding) -> list[Evidence]:
        """The prose that it speaks against. Where it knows what could be said instead, that is one sentence."""
        places = [
            place for place in finding.evidence
            if place.line and not any(part.kind in (*_PRINTED, BLANK) for part in self.parts.get(place.line, []))
        ]  # fmt: skip
        return places[:1] if finding.instead else places

    def printed(self, numbers: Sequence[int], runs: Sequence[Run]) -> None:
        """A log or a command: its runs in a line each, else as it stands."""
        if not runs:
            self.lines += [self.raw[number] for number in numbers]
            return
        self.lines += ["", f"*What the log shows (lines {numbers[0]}–{numbers[-1]} of {self.name}):*", ""]
        for run in runs:
            self.lines.append(f"- {_run_words(run)}")
            for finding in self.findings:
                if finding.run == run.id and not self._places(finding):
                    self.lines.append(
                        f"  - `{finding.code}`: {plain_text(finding.message)}. {plain_text(_sentence(finding.hint))}"
                    )
                    self.lines += [f"    {line}" for line in _proof_lines(finding.evidence, self.name) if line]
        self.lines.append("")


def rewrite(source: Source, section: str = "") -> str:
    """The page as Markdown; of one section, without its heading."""
    reading = hold(source).read()
    if reading is None or reading.page is None or not reading.page.document.is_page:
        raise AssayError(f"`{source.name}` is not a page that can be rewritten", "name a page of prose with its logs")
    case = case_of_reading(source, reading)
    document = reading.page.document
    parts: dict[int, list[Part]] = {}
    for part in document.parts:
        parts.setdefault(part.number, []).append(part)
    findings = judge([case])
    writer = _Writer(
        findings=findings,
        contradicted=list(_contradicted(findings, case.runs)),
        raw={number: _TAG.sub("", raw.decode("utf-8", "replace")).rstrip() for number, raw in reading.physical},
        parts=parts,
        name=Path(source.name).name,
    )
    first, last = _section(document, section, max(writer.raw, default=0))
    numbers = [number for number in sorted(writer.raw) if first <= number <= last]
    for is_printed, group in groupby(_marked(numbers, parts), key=lambda pair: pair[1]):
        chunk = [number for number, _ in group]
        if is_printed:
            writer.printed(
                chunk, [run for run in case.runs if not run.is_prose and chunk[0] <= run.lines[0] <= chunk[-1]]
            )
        else:
            for number in chunk:
                if not _goes_on(parts.get(number, []), writer.raw[number]):
                    writer.said(number)
    return "\n".join([*_squeezed(writer.lines), *_closing(writer)]) + "\n"


def _contradicted(findings: Sequence[Finding], runs: Sequence[Run]) -> Iterator[_Contradicted]:
    for finding in findings:
        run = next((one for one in runs if one.id == finding.run), None)
        if finding.code != "setting-not-in-effect" or run is None:
            continue
        for name, value in run.claims.items():
            claimed, shown = number(value), run.params.get(name)
            if claimed is not None and shown is not None and differs(value, shown):
                yield _Contradicted(name=name, claimed=claimed, words=f"{name} = {value}: the log shows {shown}")


def _marked(numbers: Sequence[int], parts: dict[int, list[Part]]) -> Iterator[tuple[int, bool]]:
    """Each line, and whether a program printed it; a fence counts as a whole."""
    inside = False
    for line in numbers:
        kinds = [part.kind for part in parts.get(line, [])]
        if FENCE in kinds:
            yield line, True
            inside = not inside
        else:
            yield line, inside or any(kind in _PRINTED for kind in kinds)


def _goes_on(parts: Sequence[Part], raw: str) -> bool:
    """A line whose words were put to those of the line before."""
    return bool(raw.strip()) and bool(parts) and all(part.kind == "prose" and not part.said for part in parts)


def _section(document: Document, title: str, last: int) -> tuple[int, int]:
    if not title:
        return 1, last
    headings = [part for part in document.parts if part.kind == HEADING]
    for at, part in enumerate(headings):
        if title.casefold() in part.said.casefold():
            after = (one.number - 1 for one in headings[at + 1 :] if one.level <= part.level)
            return part.number + 1, next(after, last)
    known = ", ".join(f"`{part.said}`" for part in headings[:8])
    raise AssayError(f"no heading of `{document.name}` contains `{title}`", f"there are {known}" if known else None)


def _note(finding: Finding, place: Evidence) -> str:
    """An error need not be said twice."""
    text = _TAG.sub("", place.text).strip()
    return finding.hint if text and text in finding.message else f"{finding.message}: {finding.hint}"


def _run_words(run: Run) -> str:
    settings = ", ".join(f"{name} {value}" for name, value in run.params.items())
    samples, seconds = run.value("samples"), run.value("train_s") or run.value("reported_s")
    counted = f"{samples:,.0f} samples" if samples else ""
    counted += f" in {seconds:,.2f} s" if samples and seconds else ""
    alone = (
        f"{'trained for' if run.value('train_s') else 'reports'} {seconds:,.2f} s" if seconds and not samples else ""
    )
    on_chip = [(run.value("on_chip_latency_ms"), "ms"), (run.value("on_chip_inferences_per_s"), "inferences/s")]
    chip = ", ".join(f"{value:,.6g} {unit}" for value, unit in on_chip if value is not None)
    words = [
        status_words(run.summary),
        settings,
        counted or alone,
        result_words(run.summary) or "",
        f"on chip {chip}" if chip else "",
        phase_words(run.summary) or "",
    ]
    device = run.summary.device
    title = f"{run.system} ({device})" if device and device != run.system else run.system
    return plain_text(f"{title}: {' · '.join(word for word in words if word)}")


def _proof_lines(proofs: Sequence[Evidence], name: str) -> list[str]:
    shown = [f"> {name}:{one.line}: {quoted(one.text)}  " for one in dict.fromkeys(proofs) if one.line][:_MOST_PROOFS]
    return ["", *shown, ""] if shown else []


def _closing(writer: _Writer) -> list[str]:
    if not writer.changes:
        return []
    told = [f"- line {one.line}, `{one.code}`: {plain_text(one.before)}" for one in writer.changes]
    return ["", "*Replaced, because its evidence shows something else:*", "", *told]


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:] if not re.match(r"\w+ = ", text) else text
    return text if text.endswith((".", "!", "?", ")")) else f"{text}."


def _squeezed(lines: list[str]) -> list[str]:
    """No two empty lines after each other."""
    return [line for at, line in enumerate(lines) if line.strip() or (at and lines[at - 1].strip())]
