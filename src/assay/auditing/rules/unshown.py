"""`no-evidence`: what the accuracy rose from, or how long training took, where no run here shows such a figure."""

from __future__ import annotations

from collections.abc import Iterator

from assay.auditing import language
from assay.auditing.case import Case, Run, Sentence
from assay.language.claims import said_in
from assay.language.cues import has
from assay.language.modality import DONE
from assay.language.numbers import PERCENT, SECONDS, Number, numbers_in
from assay.language.said import Said, Value
from assay.language.tables import figure
from assay.model.event import Metric, Result
from assay.model.finding import NOTE, Finding

CODE = "no-evidence"
_FAR = 1.5  # times, beyond what a rounded number of minutes explains
_NEAR = 0.1


def check(case: Case) -> Iterator[Finding]:
    for sentence in case.sentences:
        if not language.is_plain(sentence.text) or language.of_one_run(sentence.text):
            continue
        for one in said_in(sentence.text):
            yield from _from_nowhere(case, sentence, one)
            yield from _never_so_long(case, sentence, one)


def _from_nowhere(case: Case, sentence: Sentence, one: Said) -> Iterator[Finding]:
    """`The accuracy improved from 94.8 % to 98.3 %`, where the log shows the second alone."""
    for value in one.values:
        if value.name not in ("accuracy", "loss") or value.was is None or value.modality != DONE:
            continue
        logs = [run for run in case.shown(sentence.system) if not run.is_prose]
        now, before = figure(value.name, value.number), figure(value.name, value.was)
        if now is None or before is None or not any(_is_told(run, value.name, value.number, now) for run in logs):
            continue
        if any(_is_told(run, value.name, value.was, before) for run in case.shown(sentence.system)):
            continue
        if not _stands_elsewhere(case, sentence, value.was):
            yield _finding(sentence, f"no run here shows the earlier {value.name} of {_words(sentence, value.was)}")


def _is_told(run: Run, name: str, number: Number, wanted: float) -> bool:
    """In the end or on the way, of whatever part of the data."""
    slack = max(number.slack, number.rounded) / (100 if number.unit == PERCENT else 1) + 1e-9
    values = [run.value(name)]
    for event in run.events:
        if isinstance(event, (Metric, Result)):
            values += [event.figure(one) for one in (name, f"train_{name}", f"val_{name}", f"test_{name}")]
    return any(value is not None and abs(value - wanted) <= slack for value in values)


def _stands_elsewhere(case: Case, sentence: Sentence, number: Number) -> bool:
    others = [one.text for one in case.sentences if one != sentence]
    others += [cell for table in case.tables for _, row in table.rows for cell in row]
    return any(one.value == number.value for text in others for one in numbers_in(text))


def _never_so_long(case: Case, sentence: Sentence, one: Said) -> Iterator[Finding]:
    """`Training took ten minutes with either batch size`, where the longest training took four."""
    if "training" not in one.text.lower() or has(one.text, "covers_more", "all_of_it"):
        return
    for value in one.values:
        spans = case.once(_spans, sentence.system, sentence.source)
        if not _is_a_length(value) or not spans or None in spans:
            continue
        known = [span for span in spans if span is not None]
        said_s = value.number.value
        if max(known) * _FAR < said_s and not _is_of_more(case, sentence, said_s, sum(known)):
            shown = " and ".join(f"{span:,.0f} s" for span in sorted(known)[:3])
            yield _finding(sentence, f"no training here took {_words(sentence, value.number)}: the logs show {shown}")


def _is_a_length(value: Value) -> bool:
    plain = not value.scope and not value.average and not value.bound and not value.listed and value.was is None
    in_words = value.number.in_words  # one in digits is held against the run that it quotes
    return value.name == "time" and value.number.unit == SECONDS and value.modality == DONE and plain and in_words


def _is_of_more(case: Case, sentence: Sentence, said_s: float, together_s: float) -> bool:
    """A log as a whole, or all trainings together, did take so long."""
    runs = case.once(_logs, sentence.system, sentence.source)
    spans = [run.value(name) for run in runs for name in ("wall_s", "reported_s")]
    spans += [sum(run.summary.phases.values()) for run in runs]
    return any(span and abs(span - said_s) <= _NEAR * said_s for span in (*spans, together_s))


def _logs(case: Case, system: str, source: str) -> list[Run]:
    return [run for run in case.of(system) if run.source == source and not run.is_prose]


def _spans(case: Case, system: str, source: str) -> list[float | None]:
    return [run.value("train_s") or run.phase_s("train") for run in case.once(_logs, system, source)]


def _words(sentence: Sentence, number: Number) -> str:
    text = next((one.text for one in said_in(sentence.text) if number.end <= len(one.text)), sentence.text)
    return text[number.start : number.end]


def _finding(sentence: Sentence, message: str) -> Finding:
    return Finding(
        code=CODE,
        severity=NOTE,
        message=message,
        hint="add the log of that run, or say where the figure comes from",
        source=sentence.source,
        evidence=(sentence.evidence(),),
    )
