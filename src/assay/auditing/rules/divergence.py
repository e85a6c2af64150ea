"""`diverged`: an accuracy of 9.6 % in ten classes is chance; it is not overfitting."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import median

from assay import systems
from assay.auditing import language
from assay.auditing.case import Case, Run, Sentence
from assay.language.lex import Token, lex
from assay.language.numbers import numbers_in
from assay.model.event import Metric
from assay.model.finding import DOUBTFUL, NOTE, WRONG, Evidence, Finding
from assay.model.values import number

CODE = "diverged"
_CHANCE = 0.13  # in ten classes: 10 %, and what a test set of some thousand may add
_TEN_CLASSES = ("mnist", "cifar10", "svhn", "digits")
_NOT_WITHIN = 3  # words
_POINTS = 10


def check(case: Case) -> Iterator[Finding]:
    for run in case.runs:
        finding = _at_chance(case, run) or _not_a_number(run) or _rose(run)
        if finding:
            yield finding


def _at_chance(case: Case, run: Run) -> Finding | None:
    accuracy = run.value("accuracy")
    if accuracy is None or not 0 < accuracy <= _CHANCE or not _has_ten_classes(case, run):
        return None
    called_so = case.once(_overfitting, run.source)
    overfit = next((one for one in called_so if _is_meant(case, run, one)), None)
    called = ", which is called overfitting" if overfit else ""
    evidence: tuple[Evidence, ...] = (run.proof("accuracy"), *((overfit.evidence(),) if overfit else ()))
    return Finding(
        code=CODE,
        severity=WRONG if overfit else DOUBTFUL,
        message=f"an accuracy of {100 * accuracy:.2f} % in ten classes is chance: {_why(run)}{called}",
        hint="look at the loss, and at the learning rate: an overfitted model is good on what it was trained on",
        source=run.source,
        evidence=evidence,
        run=run.id,
    )


def _overfitting(case: Case, source: str) -> list[Sentence]:
    """Sentences that say so plainly."""
    here = [one for one in case.sentences if one.source == source and _says_overfit(lex(one.text))]
    return [one for one in here if language.is_plain(one.text)]


def _says_overfit(tokens: Sequence[Token]) -> bool:
    """And not `rather than overfitting`."""
    said = [at for at, token in enumerate(tokens) if "overfit" in token.roles]
    near = [token for at in said for token in tokens[max(0, at - _NOT_WITHIN) : at]]
    return bool(said) and not any(token.roles.keys() & {"not", "instead"} for token in near)


def _is_meant(case: Case, run: Run, sentence: Sentence) -> bool:
    """Not another run: one whose settings or accuracy the sentence names, and not this one's."""
    said = {one.value for one in numbers_in(sentence.text, decimal_comma=sentence.decimal_comma)}
    return not said & case.once(_all_names, run.source) or bool(said & _names(run))


def _all_names(case: Case, source: str) -> set[float]:
    return set().union(*(_names(one) for one in case.runs if one.source == source), set())


def _names(run: Run) -> set[float]:
    """Numbers by which a sentence may mean this run."""
    accuracy = run.value("accuracy")
    settings = [value for one in run.settings.values() if (value := number(one)) is not None]
    return {*settings, *((round(100 * accuracy, 2), round(100 * accuracy, 1)) if accuracy is not None else ())}


def _why(run: Run) -> str:
    """A loss that goes down while the accuracy is still chance has only begun."""
    losses = [value for event in run.events if (value := event.figure("loss")) is not None]
    falls = len(losses) > 1 and losses[-1] < losses[0]
    return "nothing was learned yet, though the loss falls" if falls else "training diverged"


def _has_ten_classes(case: Case, run: Run) -> bool:
    """By the names of the model, the data or the command, of the file, or of the page."""
    names = [run.summary.model, run.summary.data, run.summary.name, run.summary.source]
    names += [run.asked.said_command, " ".join(run.asked.command)]
    if any(_names_ten_classes(str(name)) for name in names if name):
        return True
    course = systems.of(run.system).course
    if course is None or not course.ten_classes:
        return False
    said = course.ten_classes.lower() in run.proof("accuracy").text.lower()
    return said or case.once(_speaks_of_ten, run.source)


def _speaks_of_ten(case: Case, source: str) -> bool:
    return any(_names_ten_classes(one.text) for one in case.sentences if one.source == source)


def _names_ten_classes(text: str) -> bool:
    """`CIFAR-10`, and not `CIFAR-100`."""
    lower = text.lower().replace("-", "").replace("cifar100", "")
    return any(name in lower for name in _TEN_CLASSES)


def _not_a_number(run: Run) -> Finding | None:
    """A loss that stays so: one that is a number again, as after a step that mixed precision skips, has recovered."""
    lost: tuple[Metric, float] | None = None
    for event in run.events:
        loss = event.value("loss") if isinstance(event, Metric) else None
        if number(loss) is not None:
            lost = None
        elif lost is None and isinstance(event, Metric) and isinstance(loss, float):
            lost = event, loss
    if lost is None:
        return None
    first, loss = lost
    at = first.figure("step")
    step = "" if at is None else f" at step {at:,.0f}"
    told = run.measured(f"the program's own record: loss {loss}{step}") if run.is_fresh else run.whole()
    called = "NaN" if math.isnan(loss) else "infinite"
    place = run.at(first.line) if first.line else told
    return _finding(run, WRONG, f"the loss became {called}{step}, and what follows is not training", (place,))


def _rose(run: Run) -> Finding | None:
    """The loss of the last fifth lies above that of the first fifth: it rose, and stayed."""
    told = [event.figure("loss") for event in run.events if isinstance(event, Metric)]
    losses = [loss for loss in told if loss is not None]
    if len(losses) < _POINTS:
        return None
    fifth = max(2, len(losses) // 5)
    first, last = median(losses[:fifth]), median(losses[-fifth:])
    if last <= 1.2 * first or last <= 0:
        return None
    proof = run.place_of("loss", kinds=("metric",)) or run.whole()
    return _finding(run, NOTE, f"the loss rose from about {first:.4g} to {last:.4g} and stayed there", (proof,))


def _finding(run: Run, severity: str, message: str, evidence: tuple[Evidence, ...]) -> Finding:
    return Finding(
        code=CODE,
        severity=severity,
        message=message,
        hint="lower the learning rate, or find the step where it turned: assay show --live",
        source=run.source,
        evidence=evidence,
        run=run.id,
    )
