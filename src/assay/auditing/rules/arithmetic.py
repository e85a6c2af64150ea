"""`wrong-arithmetic`: "memory increases by ~1.6 %", from 2,742 MB to 4,411 MB; "27 s in all" of 12.1 s and 13.4 s."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.auditing.case import Case, Run, Sentence
from assay.auditing.meant import (
    FIELDS,
    both,
    candidates,
    fields_of,
    figure_of,
    is_here,
    runs_of,
    settings_that_vary,
)
from assay.auditing.ratios import Ratios, fits
from assay.auditing.rules.aggregates import check as check_aggregates
from assay.auditing.rules.columns import check as check_columns
from assay.auditing.rules.gridded import changed
from assay.auditing.rules.pairs import does_not_follow, may_be_of, moved, within
from assay.auditing.rules.products import check as check_products
from assay.auditing.rules.row_means import check as check_means
from assay.auditing.rules.rows import check as check_rows
from assay.auditing.rules.sums import check as check_sums
from assay.language.lex import lex
from assay.language.modality import DONE
from assay.language.plainly import has_condition
from assay.language.said import Change, Said
from assay.model.finding import DOUBTFUL, Finding
from assay.model.values import number

_ROUNDED, _POINTS_ROUNDED = 0.005, 0.06  # two figures that were rounded before one was taken from the other
_MOST_STEPS = 40
_LATENCIES, _INFERENCES = ("latency_ms", "on_chip_latency_ms"), ("inferences_per_s", "on_chip_inferences_per_s")


def check(case: Case) -> Iterator[Finding]:
    for sentence in (one for one in case.sentences if not one.cut):
        yield from check_sums(case, sentence)
        for said in sentence.said():
            yield from _changes(case, sentence, said)
    yield from check_products(case)
    yield from check_aggregates(case)
    for table in case.tables:
        yield from check_columns(table)
        yield from check_means(table)


def _changes(case: Case, sentence: Sentence, said: Said) -> Iterator[Finding]:
    pairs = moved(said)
    before: Change | None = None
    for change in said.changes:
        change = _of_the_same(case, sentence, change, before)
        before = change if change.of and change.than else before
        if change.modality != DONE or change.denied or change.name not in FIELDS:
            continue
        own = [pair for pair in pairs if may_be_of(change, pair)]
        finding = within(sentence, change, own) if own else _between(case, sentence, said, change)
        if finding is None and not own and all(run.is_prose for run in candidates(case, sentence)):
            finding = check_rows(case, sentence, change)
        if finding is not None and not own and _may_be_of_something_else(sentence, said, finding):
            finding = None
        elif finding is None and not own:
            finding = changed(case, sentence, said, change)
        if finding:
            yield finding


def _may_be_of_something_else(sentence: Sentence, said: Said, finding: Finding) -> bool:
    """`bf16 was 3 times faster after we fixed the loader`: no run or row of the page need show that."""
    if finding.severity != DOUBTFUL and finding.evidence[1:]:
        return False  # two runs whose settings the sentence names
    return has_condition(lex(said.text, sentence.decimal_comma))


def _of_the_same(case: Case, sentence: Sentence, change: Change, before: Change | None) -> Change:
    """`From 32 to 512 saves 39 % of the time, but accuracy falls by 14 points after the same epochs`: of those two."""
    if before is None:
        return change
    varies = settings_that_vary(candidates(case, sentence))
    if any(one.name in varies or not one.name for one in (*change.of, *change.than)):
        return change
    return replace(change, of=before.of, than=before.than)


def _between(case: Case, sentence: Sentence, said: Said, change: Change) -> Finding | None:
    """A difference between the two sides that the sentence names, or the only two that there are."""
    absolute = change.kind in ("points", "difference")
    if (change.name == "accuracy" and not absolute) or change.bound < 0 or change.scope:
        return None
    runs = candidates(case, sentence)
    of, than = _sides(runs, change)
    unnamed = not (change.of or change.than)
    if unnamed and not of:
        of, than = _of_the_section(case, sentence, runs, change)
    if not of or not than or (unnamed and _is_of_others(case, sentence, said, change)):
        return None
    against: list[tuple[str, Run, Run]] = []
    for field, _ in fields_of(change.name, [*of, *than]):
        a = [run for run in of if figure_of(run, field)]
        b = [run for run in than if figure_of(run, field)]
        if not a or not b:
            continue
        if any(_is_so(change, field, old, new) for old in _levels(b, field) for new in _levels(a, field)):
            return None
        against.append((field, b[0], a[0]))
    if not against:
        return None
    field, old_run, new_run = against[0]
    pair = (figure_of(old_run, field) or 0.0, figure_of(new_run, field) or 0.0)
    finding = does_not_follow(sentence, change, pair, (old_run.showing(field), new_run.showing(field)))
    return finding if _differences([old_run, new_run]) else replace(finding, severity=DOUBTFUL)


def _of_the_section(case: Case, sentence: Sentence, runs: Sequence[Run], change: Change) -> tuple[list[Run], list[Run]]:
    """`The memory increases by 1.6 %` under the heading of one run: against the first of the others."""
    known = [run for run in runs if any(figure_of(run, field) for field, _ in FIELDS[change.name])]
    own = [run for run in known if is_here(case, run, sentence)]
    if len(own) != 1 or len(known) < 3:
        return [], []
    return own, [next(run for run in known if run is not own[0])]


def _is_so(change: Change, field: str, old: float, new: float) -> bool:
    """Whether from old to new is what the sentence says, in the unit of the field."""
    if change.kind not in ("points", "difference"):
        return fits(change, old, new)
    scale = 100.0 if change.kind == "points" else 0.001 if field.endswith("_ms") else 1.0
    rounding = _POINTS_ROUNDED if change.kind == "points" else _ROUNDED * scale * max(old, new)
    return abs(scale * abs(new - old) - change.value) <= change.slack + rounding


def _is_of_others(case: Case, sentence: Sentence, said: Said, change: Change) -> bool:
    """`100x faster than my laptop`, or two figures on the page fit: the sentence may mean that pair."""
    if {"than", "machines"} <= said.roles or said.roles & {"elsewhere", "others"} or _names_a_side(said, change):
        devices = {str(run.summary.device or "") for run in candidates(case, sentence)}
        if len(devices) < 2:
            return True
    return any(ratios.any_fits(change) for ratios in case.once(_ratios, sentence.system, change.name))


def _names_a_side(said: Said, change: Change) -> bool:
    """`1.35 times as fast as bf16`: the other side has a name, but no known setting has it."""
    words = said.text[change.end :].lower().split()
    compared = [
        at for at, word in enumerate(words) if word == "than" or (word == "as" and at and words[at - 1] != "times")
    ]
    compared = [at for at in compared if at > 1 or words[at] == "than"]  # the first `as` of `as fast as` names no one
    last = compared[-1] if compared else len(words)
    return last + 1 < len(words) and words[last + 1] not in ("the", "a", "before", "it", "this", "that")


def _ratios(case: Case, system: str, metric: str) -> list[Ratios]:
    return [Ratios(figures) for figures in _comparable(metric, case.of(system))]


def _comparable(metric: str, runs: Sequence[Run]) -> Iterator[list[float]]:
    """Figures that may be set against each other: one field over all runs, a chip's own beside those of its host,
    and, where time is spoken of, the time that a step, an epoch or a phase took."""
    timed = metric in ("time", "speed", "latency", "rate") or metric.endswith("_per_s")
    for names in (_LATENCIES, _INFERENCES) if timed else ():
        yield [value for run in runs for name in names if (value := run.value(name))]
    for field, _ in FIELDS[metric] + (FIELDS["speed"] if timed else ()):
        yield [value for run in runs if (value := figure_of(run, field))]
    if metric in ("time", "speed"):
        yield [took / steps for run in runs if (took := run.value("train_s")) and (steps := run.value("steps"))]
        for phase in {name for run in runs for name in run.summary.phases}:
            yield [seconds for run in runs if (seconds := run.phase_s(phase))]
            yield [seconds / epochs for run in runs if (seconds := run.phase_s(phase)) and (epochs := _epochs(run))]


def _epochs(run: Run) -> float | None:
    return number(run.params.get("epochs"))


def _levels(runs: Sequence[Run], field: str) -> list[float]:
    """Each figure, and their mean; of the time of a step, all that were printed."""
    if field == "step_ms":
        return [value for run in runs for event in run.events if (value := number(event.value(field)))][-_MOST_STEPS:]
    values = [value for run in runs if (value := figure_of(run, field))]
    return [*values, sum(values) / len(values)]


def _sides(runs: Sequence[Run], change: Change) -> tuple[list[Run], list[Run]]:
    if len(change.of) == 1 and len(change.than) == 1:
        return both(runs, change.of[0], change.than[0])[1:]
    sided = (*change.of, *change.than)
    if len(sided) == 2 and not (change.of and change.than) and _may_be_two(change):
        return both(runs, sided[1], sided[0])[1:]
    if len(sided) == 1 and not sided[0].order:
        setting, meant = runs_of(runs, sided[0])
        others = [run for run in runs if run not in meant and setting in run.settings]
        if setting and len({str(run.settings.get(setting)) for run in others}) == 1:
            return (meant, others) if change.of else (others, meant)
    known = any(one.name in run.settings or not one.name for one in sided for run in runs)
    if not known and len(runs) == 2 and _differences(runs) <= 1:
        return [runs[1]], [runs[0]]
    return [], []


def _differences(runs: Sequence[Run]) -> int:
    """How many settings tell them apart, as far as is known."""
    return len(settings_that_vary(runs)) + (runs[0].summary.device != runs[1].summary.device)


def _may_be_two(change: Change) -> bool:
    """`12 s shorter with 8 tasks than with 2`; in `39 times at 128 and 53 times at 256` they are two pairs."""
    return change.of[:1] != change.of[1:] or (change.kind == "difference" and change.than[:1] != change.than[1:])


def checked(case: Case) -> list[tuple[Sentence, Change]]:
    """Differences that follow from the very runs and the metric that the sentence names."""
    found = []
    for sentence in case.sentences:
        for said in sentence.said():
            for change in said.changes:
                if (
                    change.modality == DONE
                    and change.kind in ("percent", "factor")
                    and _follows(case, sentence, change)
                ):
                    found.append((sentence, change))
    return found


def _follows(case: Case, sentence: Sentence, change: Change) -> bool:
    of, than = _sides(candidates(case, sentence), change)
    if not of or not than or change.name not in FIELDS:
        return False
    fields = list(fields_of(change.name, [*of, *than]))
    return bool(fields) and all(
        any(fits(change, old, new) for old in _levels(than, field) for new in _levels(of, field))
        for field, _ in fields
        if _levels_known(of, field) and _levels_known(than, field)
    )


def _levels_known(runs: Sequence[Run], field: str) -> bool:
    return any(figure_of(run, field) for run in runs)
