"""`mislabelled-unit`: `training_sequences_per_second` that counts tokens; 2.2 ms told as 2.2 seconds."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from assay import systems
from assay.auditing.case import Case, Run, Sentence
from assay.ingest.bounded import Bounded
from assay.model.finding import NOTE, WRONG, Finding
from assay.systems.system import Mislabelled

CODE = "mislabelled-unit"
_TOLERANCE = 0.01
#: `the latency for 1000 inferences`: not of one
_MANY = Bounded(r"(?i)\b[\d,]*\d{2,} (?:inferences|samples|runs|times|iterations|images|inputs|requests)\b|\btotal\b")
_NUMBER = r"(?<![\w.])(?P<value>\d[\d,]*(?:\.\d+)?)\s*"

_BLOCK = Bounded(rf"(?i)\b(?:token|context) block(?: size)?(?: of|=|:| is| was)?\s*{_NUMBER}")


@dataclass(frozen=True, kw_only=True)
class Slip:
    """A figure of a summary, what it is in, and the unit that people give it by mistake."""

    field: str
    right: str
    wrong: Bounded
    words: Bounded  # names this figure in a sentence


#: three digits must agree, so that a chance number is not taken for the figure
SLIPS = (
    Slip(
        field="latency_ms",
        right="ms",
        wrong=Bounded(rf"(?i){_NUMBER}(?P<unit>s|sec|seconds)\b"),
        words=Bounded(r"(?i)\blatenc"),
    ),
    Slip(
        field="train_s",
        right="s",
        wrong=Bounded(rf"(?i){_NUMBER}(?P<unit>minutes|mins?|hours)\b"),
        words=Bounded(r"(?i)\b(?:train\w*|took|time|processed|ran|run|finished|completed)\b"),
    ),
    Slip(
        field="tokens_per_s",
        right="tokens per second",
        wrong=Bounded(rf"(?i){_NUMBER}(?P<unit>(?:samples|sequences|sentences)\s*(?:/|per)\s*s\w*)"),
        words=Bounded(""),
    ),
    Slip(
        field="samples_per_s",
        right="samples per second",
        wrong=Bounded(rf"(?i){_NUMBER}(?P<unit>(?:tokens|words)\s*(?:/|per)\s*s\w*)"),
        words=Bounded(""),
    ),
    Slip(
        field="samples_per_s_avg",
        right="samples per second",
        wrong=Bounded(rf"(?i){_NUMBER}(?P<unit>(?:tokens|words)\s*(?:/|per)\s*s\w*)"),
        words=Bounded(""),
    ),
)


def check(case: Case) -> Iterator[Finding]:
    for run in case.runs:
        for one in systems.of(run.system).traps.mislabelled:
            yield from _called_otherwise(run, one)
    for sentence in case.sentences:
        finding = _slip(case, sentence) or _block(case, sentence)
        if finding:
            yield finding


def _slip(case: Case, sentence: Sentence) -> Finding | None:
    """The figure of a log, digit for digit, under another unit; a figure of the log in that unit excuses it."""
    for slip in SLIPS:
        if slip.field == "latency_ms" and _MANY.search(sentence.text):
            continue
        for found in slip.wrong.finditer(sentence.text) if slip.words.search(sentence.text) else ():
            run = _telling(case, sentence.system, slip.field, found["value"])
            if run is None or any(_telling(case, sentence.system, name, found["value"]) for name in _excuses(slip)):
                continue
            return Finding(
                code=CODE,
                severity=WRONG,
                message=f"`{found[0].strip()}` is {run.value(slip.field):,.6g} {slip.right} in the log",
                hint=f"write {slip.right}",
                source=sentence.source,
                evidence=(sentence.evidence(), run.proof(slip.field)),
                run=run.id,
            )
    return None


def _telling(case: Case, system: str, field: str, text: str) -> Run | None:
    """The first log in which the figure is this number."""
    figures = case.once(_figures, system, field)
    value = float(text.replace(",", ""))
    begin = bisect_left(figures, (value / 1.001 - 1, -1))
    end = bisect_left(figures, (value / 0.999 + 1, -1))
    at = min((at for told, at in figures[begin:end] if _tells(text, told)), default=None)
    return None if at is None else case.of(system)[at]


def _figures(case: Case, system: str, field: str) -> list[tuple[float, int]]:
    """Of the logs, sorted, each with the place of its run."""
    runs = enumerate(case.of(system))
    return sorted((value, at) for at, run in runs if not run.is_prose and (value := run.value(field)) is not None)


def _excuses(slip: Slip) -> list[str]:
    per_second = ["tokens_per_s", "samples_per_s", "samples_per_s_avg", "samples_per_s_own"]
    return [name for name in per_second if name.partition("_")[0] != slip.field.partition("_")[0]]


def _block(case: Case, sentence: Sentence) -> Finding | None:
    """`a token block size of 1024`, where 1024 is how many sequences a step takes."""
    found = _BLOCK.search(sentence.text)
    run = case.once(_by_batch_size, sentence.system).get(found["value"]) if found else None
    if found is None or run is None:
        return None
    return Finding(
        code=CODE,
        severity=WRONG,
        message=f"{found['value']} is the batch size in the log, not a length in tokens",
        hint="call it the batch size: how many sequences one step takes",
        source=sentence.source,
        evidence=(sentence.evidence(), run.proof("batch_size")),
        run=run.id,
    )


def _by_batch_size(case: Case, system: str) -> dict[str, Run]:
    return {str(run.params.get("batch_size")): run for run in reversed(case.of(system)) if not run.is_prose}


def _called_otherwise(run: Run, one: Mislabelled) -> Iterator[Finding]:
    """The label says what another figure is, yet one is a whole multiple of the other."""
    counted, meant = run.value(one.figure), next((value for name in one.beside if (value := run.value(name))), None)
    line = _labelled_line(run, one)
    if not counted or not meant or line is None:
        return
    ratio = counted / meant
    if ratio < 16 or abs(ratio - round(ratio)) > _TOLERANCE * ratio:
        return
    yield Finding(
        code=CODE,
        severity=NOTE,
        message=f"`{one.label}` {counted:,.0f} is {one.counts}: {round(ratio)} times the {meant:,.0f} {one.called}",
        hint=f"quote the {one.called}, or call the other figure {one.counts} per second",
        source=run.source,
        evidence=(run.at(line),),
        run=run.id,
    )


def _labelled_line(run: Run, one: Mislabelled) -> int | None:
    for event in reversed(run.events):
        if event.line and event.value(one.figure) is not None and one.label in run.text(event.line):
            return event.line
    lines = {event.line for event in run.events if event.line}
    return next((line for line in sorted(lines, reverse=True) if one.label in run.text(line)), None)


def _tells(text: str, value: float | None) -> bool:
    """The number is this figure as far as it is written out, and is written to three digits at least."""
    digits = text.replace(",", "")
    if value is None or len(digits.replace(".", "").strip("0")) < 3:
        return False
    return abs(float(digits) - value) <= max(0.5 * 10.0 ** -len(digits.partition(".")[2]), 0.0005 * value)
