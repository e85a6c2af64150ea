"""`wrong-arithmetic` of one sentence: sums that are written out, clock times, and what several runs took in all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.auditing.case import Case, Run, Sentence
from assay.auditing.language import runs_counted
from assay.auditing.meant import candidates, figure_of
from assay.language.lex import lex
from assay.language.modality import DONE
from assay.language.numbers import NONE, SECONDS
from assay.language.said import Said, Value
from assay.language.worked import worked_out
from assay.model.finding import WRONG, Evidence, Finding

CODE = "wrong-arithmetic"
_WORKED = 0.015  # of the total: figures are rounded before they are added
_DAY_S = 86400.0
_TOTALS = ("train_s", "wall_s", "reported_s")


def check(case: Case, sentence: Sentence) -> Iterator[Finding]:
    yield from _clock(sentence)
    yield from _worked(sentence)
    for said in sentence.said():
        yield from _totals(case, sentence, said)


def _totals(case: Case, sentence: Sentence, said: Said) -> Iterator[Finding]:
    """`25.5 s in all`: of the runs of the page, or of those of the section."""
    for value in said.values:
        if value.name != "time" or value.average != "total" or value.modality != DONE or value.denied:
            continue
        if value.scope or len([one for one in said.values if one.name == "time"]) > 1 or value.number.unit != SECONDS:
            continue
        runs = [run for run in candidates(case, sentence) if run.summary.status != "failed"]
        counted = runs_counted(said)
        if not counted and any(one.is_setting for one in said.values):
            continue  # the total of one run
        if len(runs) < 2 or counted not in (0, len(runs)):
            continue  # of fewer runs than are here
        yield from _summed(sentence, value, runs)


def _summed(sentence: Sentence, value: Value, runs: Sequence[Run]) -> Iterator[Finding]:
    slack = max(value.number.slack, value.number.rounded) + (0.05 if value.about else 0.005) * value.number.value
    sums = []
    for field in _TOTALS:
        seconds = [one for run in runs if (one := figure_of(run, field)) is not None]
        if len(seconds) == len(runs):
            sums.append(sum(seconds))
        if any(abs(one - value.number.value) <= slack for one in seconds):
            return  # one run's own total
    if not sums or any(abs(one - value.number.value) <= slack for one in sums):
        return
    if value.bound and any((one - value.number.value) * value.bound > 0 for one in sums):
        return  # `less than five minutes`: it is
    text = f"{value.number.value:,.6g} s in all does not follow: the {len(runs)} runs take {sums[0]:,.6g} s together"
    yield wrong(sentence, text, "add the times up again", *(run.proof(*_TOTALS) for run in runs[:3]))


def _clock(sentence: Sentence) -> Iterator[Finding]:
    """`took 25 minutes (it began at 05:47:29 and finished at 06:12:26)`"""
    numbers = [token.number for token in lex(sentence.text, sentence.decimal_comma) if token.number is not None]
    clocks = [one for one in numbers if one.written == "clock"]
    lengths = [one for one in numbers if one.unit == SECONDS and one.written.startswith(("min", "h"))]
    if len(clocks) != 2 or len(lengths) != 1:
        return
    passed_s, said_s = (clocks[1].value - clocks[0].value) % _DAY_S, lengths[0].value
    if abs(passed_s - said_s) > max(60.0, 0.06 * said_s):
        message = (
            f"the page states {said_s / 60:g} minutes, but {passed_s / 60:.1f} minutes lie between the two clock times"
        )
        yield wrong(sentence, message, "work it out again from the two times")


def _worked(sentence: Sentence) -> Iterator[Finding]:
    """`175.2 + 210.9 + 304.5 = 590.6`: written out, and not what it comes to."""
    for one in worked_out(sentence.text):
        allowed = max(
            _WORKED * abs(one.right), one.said.slack * 1.2, 1.0 if one.said.whole and one.said.unit == NONE else 0.1
        )
        if abs(one.said.value - one.right) > allowed:
            message = f"`{one.shown}` does not follow: it comes to {one.right:,.10g}"
            yield wrong(sentence, message, "work it out again")


def wrong(sentence: Sentence, message: str, hint: str, *proofs: Evidence) -> Finding:
    """The finding of a sentence that does not add up."""
    return Finding(
        code=CODE,
        severity=WRONG,
        message=message,
        hint=hint,
        source=sentence.source,
        evidence=(sentence.evidence(), *proofs),
    )
