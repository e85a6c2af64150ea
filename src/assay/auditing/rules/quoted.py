"""`misquoted-figure`: "reached 92.1 %", where the log shows 0.912; and "214.6 minutes", where it shows seconds.

A figure is right where any line of a run that could be meant shows it, rounded as it is given. Only where the run
shows the metric itself, and no line has this value for it, is the quotation wrong. A figure of a run that failed, or of
one that nobody ran, has nothing behind it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.auditing.case import Case, Run
from assay.auditing.meant import (
    FIELDS,
    LATENCIES,
    PERCENTILES,
    candidates,
    figure_of,
    has,
    is_called,
    is_here,
)
from assay.auditing.ondevice import on_device
from assay.auditing.printed import logs, measured_of, numbers_of
from assay.auditing.quoted_of import called, meant, named
from assay.auditing.quotes import Quote, quotes
from assay.auditing.rules.bounds import as_shown, beyond, is_beyond, noun
from assay.auditing.rules.cells import check as check_cells
from assay.auditing.rules.coverage import covered
from assay.auditing.rules.requests import is_of_an_answer
from assay.auditing.rules.rounding import is_sum, near, readings_of, slack_of, unit_slip
from assay.language.lex import lex
from assay.language.said import Subject, Value
from assay.model.finding import DOUBTFUL, WRONG, Finding

CODE, UNIT, UNSEEN, FAILED = "misquoted-figure", "mislabelled-unit", "no-evidence", "result-after-failure"
_THREE_DIGITS = 0.006
_ONE_DEVICE, _SEVERAL = "tokens_per_s_per_device", 1.5
_MOMENT = ("epoch", "after")  # `in epoch 3`, `after four epochs`: of a run on its way
#: metrics that a log gives the mean of itself
_MEANS = frozenset({"ttft_mean_ms", "tpot_mean_ms", "itl_mean_ms", "e2e_mean_ms", "cpu", "samples_per_s_avg"})


def check(case: Case) -> Iterator[Finding]:
    yield from case.once(found)


def found(case: Case) -> list[Finding]:
    of_logs = [finding for quote in case.once(quotes) for finding in _held(case, quote)]
    told = {(one.source, one.evidence[0].text) for one in of_logs}
    return [*of_logs, *(one for one in check_cells(case) if (one.source, one.evidence[0].text) not in told)]


def _held(case: Case, quote: Quote) -> Iterator[Finding]:
    everyone = [
        run
        for run in candidates(case, quote.sentence)
        if not run.is_prose and not is_of_an_answer(run, quote.value, quote.sentence)
    ]
    of_device = on_device(everyone, quote.pieces, quote.after)
    everyone, quote = (of_device, replace(quote, beside=())) if of_device else (everyone, quote)
    by_name = called(everyone, quote)
    of = named(everyone, quote.of)
    if of is None:
        return  # `the 2024 run`: nobody knows which one that is
    quote = replace(quote, of=of)
    runs = by_name or meant(everyone, quote.of)
    if not runs:
        yield from _of_no_run(quote, everyone)
        return
    of_others = any(_is_of_more(case, subject, runs) for subject in quote.of) or not _is_of_these(quote, runs)
    if of_others and not by_name:
        return
    if not quote.of:
        here = [run for run in runs if is_here(case, run, quote.sentence)]
        if quote.value.average == "total" and len(here) != 1:
            return  # the sum of several
        if is_sum(quote.value, everyone):
            return
        runs = here or runs
    known = (len(runs) > 1 and _all_told(everyone, quote.of)) or (len(everyone) == 1 and quote.value.name in _MEANS)
    if quote.value.average == "mean" and not known:
        return  # which runs it is the mean of, is not known
    good = [run for run in runs if run.summary.status != "failed"]
    if quote.of and not good:
        if not any(_is_shown(case, run, one, quote.value) for run in everyone for one in readings_of(quote.value)):
            yield from _of_failed(quote, runs)  # and no second try of it
        return
    yield from _against(case, quote, good or runs)


def _is_of_more(case: Case, subject: Subject, runs: Sequence[Run]) -> bool:
    """Figures of 4, 12 and 24 tasks over one log that does not show how many: it belongs to one of them, but it is
    unclear to which.
    """
    unknown = [run for run in runs if not subject.extreme and subject.name not in run.settings]
    return bool(unknown) and len(case.once(_told_of, subject.name)) > len(unknown)


def _is_of_these(quote: Quote, runs: Sequence[Run]) -> bool:
    """Several figures whose runs are not named: at most as many as runs, and one of them matches a run on the page."""
    if not quote.beside:
        return True
    return len(runs) > len(quote.beside) and any(
        near(one, figure_of(run, field) or 0.0, value)
        for value in quote.beside
        for run in runs
        for field in _fields(value, run)
        for one in readings_of(value)
    )


def _told_of(case: Case, setting: str) -> set[float]:
    """Values of a setting that a page gives figures of, and no run is known to have."""
    told = {one.readings[0] for quote in case.once(quotes) for one in quote.of if one.name == setting and one.readings}
    logs_here = [run for run in case.runs if not run.is_prose]
    return {one for one in told if not any(has(run, setting, (one,)) for run in logs_here)}


def _all_told(runs: Sequence[Run], of: Sequence[Subject]) -> bool:
    """Every run shows, or is said to have, each setting that is named."""
    return all(one.name in run.settings for one in of for run in runs)


def _against(case: Case, quote: Quote, runs: Sequence[Run]) -> Iterator[Finding]:
    value = quote.value
    if all(run.lines[0] == run.lines[1] for run in runs):
        return  # one line, quoted from a log that is not here
    known = [(run, field) for run in runs for field in _fields(value, run)]
    if not known or len({run.id for run, _ in known}) < len(runs):
        return  # some run that could be meant does not show it
    readings = list(readings_of(value))
    figures = [(run, field, figure_of(run, field) or 0.0) for run, field in known]
    levels = [figure for _, _, figure in figures] + list(_of_all(figures))
    if value.bound:
        yield from _bounded(quote, figures, levels)
        return
    if any(near(one, figure, value) for one in readings for figure in levels):
        return
    if {field for _, field in known} == {_ONE_DEVICE} and readings[0] > _SEVERAL * max(levels):
        return  # of all devices together, where the log has the rate of one
    if value.name == "time" and covered(case, quote.sentence, value):
        return  # what else it covers is a separate finding
    if value.average == "mean" and any(min(levels) <= one <= max(levels) for one in readings):
        return  # the mean of some of them
    slips = [(run, field) for run, field, figure in figures if unit_slip(value, figure, field)]
    shown_by = runs if quote.of else case.once(logs, quote.sentence.system) or runs
    if not slips and any(_is_shown(case, run, one, value) for run in shown_by for one in readings):
        return
    run, field = slips[0] if slips else min(figures, key=lambda one: abs(one[2] - readings[0]))[:2]
    about = run.source == quote.sentence.source or (run.is_fresh and case.once(_is_about_recorded))
    certain = about and (_is_surely(case, quote, runs) if quote.of else len(runs) == 1)
    yield _finding(quote, run, field, bool(slips), certain)


def _bounded(quote: Quote, figures: list[tuple[Run, str, float]], levels: Sequence[float]) -> Iterator[Finding]:
    """Beyond the bound whichever run and figure is meant; of all runs alike, the first one that is."""
    value, ids = quote.value, list(dict.fromkeys(run.id for run, _, _ in figures))
    for each in [(one,) for one in ids] if quote.every else [ids]:
        own = [(run, field, figure) for run, field, figure in figures if run.id in each]
        held = [figure for _, _, figure in own] if quote.every else levels
        if all(is_beyond(value, one, figure) for one in readings_of(value) for figure in held):
            yield beyond(quote, own[0][0], own[0][1], certain=len(each) == 1)
            return


def _is_about_recorded(case: Case) -> bool:
    """The page calls a recorded run by name, or gives a figure of one to three digits."""
    runs = [run for run in case.beside if run.is_fresh]
    if any(is_called(run.summary, one.text) for run in runs for one in case.sentences):
        return True
    return any(
        near(reading, figure_of(run, field) or 0.0, quote.value)
        for quote in case.once(quotes)
        if quote.value.number.rounded <= _THREE_DIGITS * abs(quote.value.number.value)
        for run in runs
        for field in _fields(quote.value, run)
        for reading in readings_of(quote.value)
    )


def _is_surely(case: Case, quote: Quote, runs: Sequence[Run]) -> bool:
    """Their logs show the settings; or they are said to have them, and no other run has the figure."""
    if all(one.name in run.params for one in quote.of for run in runs):
        return True
    others = [run for run in case.once(logs, quote.sentence.system) if run not in runs]
    shown = any(_is_shown(case, run, one, quote.value) for run in others for one in readings_of(quote.value))
    return not shown and all(one.name in run.settings for one in quote.of for run in runs)


def _of_no_run(quote: Quote, runs: Sequence[Run]) -> Iterator[Finding]:
    """`with 12 tasks it took 403.9 s`, where every run on the page is known to have other values."""
    named = [one for one in quote.of if one.name and not one.extreme]
    strange = [one for one in named if runs and all(one.name in run.settings for run in runs)]
    strange = [one for one in strange if not any(has(run, one.name, one.readings) for run in runs)]
    if (
        not strange
        or quote.value.average == "total"
        or any(token.text in _MOMENT for token in lex(quote.sentence.text))
    ):
        return
    one = strange[0]
    yield Finding(
        code=UNSEEN,
        severity=DOUBTFUL,
        message=f"{quote.text} is quoted for a run with {one.name} = {one.readings[0]:g}, and there is no log of one",
        hint="keep the log of that run beside the page, or leave the figure out",
        source=quote.sentence.source,
        evidence=(quote.sentence.evidence(),),
    )


def _of_failed(quote: Quote, runs: Sequence[Run]) -> Iterator[Finding]:
    """A result of a run that ended in an error before it had one."""
    if any(True for run in runs for _ in _fields(quote.value, run)):
        return  # it got so far
    run = runs[0]
    error = run.summary.error
    yield Finding(
        code=FAILED,
        severity=DOUBTFUL,
        message=f"{quote.text} is quoted for a run that failed: its log shows no such result",
        hint=(error.hint if error else "") or "run it again, or say that it failed",
        source=quote.sentence.source,
        evidence=(quote.sentence.evidence(), run.at(error.line) if error and error.line else run.whole()),
        run=run.id,
    )


def _of_all(figures: list[tuple[Run, str, float]]) -> Iterator[float]:
    """What a sentence gives of several runs may be their mean, or the time of all together, whatever it calls it."""
    for field in {name for _, name, _ in figures}:
        own = [figure for _, name, figure in figures if name == field]
        yield sum(own) / len(own)
        if field.endswith("_s") and not field.endswith("_per_s"):
            yield sum(own)


def _fields(value: Value, run: Run) -> Iterator[str]:
    """Fields of the run that hold this metric, of the same split."""
    if value.name == "accuracy" and value.split and run.summary.accuracy_of not in (None, "", value.split):
        return
    if value.name == "loss" and value.split in ("val", "test"):
        if run.value(f"{value.split}_loss") is not None:
            yield f"{value.split}_loss"
        return
    if value.average in PERCENTILES:
        percentile = f"{LATENCIES[value.name]}_{PERCENTILES[value.average]}_ms"
        yield from (percentile,) if run.value(percentile) is not None else ()
        return
    for field, _ in FIELDS[value.name]:
        of_part = value.name != "perplexity" or not value.split or field.startswith(f"{value.split}_")
        if figure_of(run, field) is not None and of_part:
            yield field


def _is_shown(case: Case, run: Run, said: float, value: Value) -> bool:
    """Some line has it; what is only about right must be right of the metric itself."""
    vague = value.about or value.number.in_words
    numbers = case.once(measured_of, run.id, value.name) if vague else case.once(numbers_of, run.id)
    slack = slack_of(value, said)
    at = bisect_left(numbers, said - slack)
    return at < len(numbers) and numbers[at] <= said + slack


def _finding(quote: Quote, run: Run, field: str, slip: bool, certain: bool) -> Finding:
    shown = as_shown(field, figure_of(run, field) or 0.0)
    return Finding(
        code=UNIT if slip else CODE,
        severity=WRONG if certain else DOUBTFUL,
        message=f"{noun(quote.value)} is given as {quote.text}, and the log shows {shown}",
        hint="quote the figure of the log with its unit" if slip else "quote the figure as the log has it",
        source=quote.sentence.source,
        evidence=(quote.sentence.evidence(), run.showing(field)),
        run=run.id,
        instead=f"{shown} (not {quote.text})",
    )
