"""`time-covers-more`: "Processed 1024000 samples in 1025.6 s", of which 920 s were training."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from statistics import median

from assay import systems
from assay.auditing import language
from assay.auditing.case import Case, Run, Sentence
from assay.auditing.language import metrics_of
from assay.auditing.rules.requests import more_than_answers
from assay.language.cues import has
from assay.language.lex import Token, lex
from assay.language.modality import DONE
from assay.language.numbers import NONE, SECONDS, Number, numbers_in
from assay.language.said import Said, Value
from assay.language.tables import cell_number, head
from assay.model.event import Metric, Phase
from assay.model.finding import DOUBTFUL, NOTE, Evidence, Finding
from assay.model.values import number

CODE = "time-covers-more"
_MORE = 1.05
_FIRST_STEP = 5.0  # times the median: a compile, not a warm-up
_FIRST_STEP_S = 0.5  # and worth a word
_COVERS_MORE = "covers_more"  # the author mentions it


def check(case: Case) -> Iterator[Finding]:
    for run in case.runs:
        if run.is_prose:
            made = _rate_of_more(run)
            yield from [made] if made else []
            continue
        finding = _reported(run) or _first_step(run)
        if finding:
            yield finding
    yield from _compile_as_duration(case)
    yield from _bar_with_compile(case)
    yield from _said_of_training(case)
    yield from more_than_answers(case)


def _reported(run: Run) -> Finding | None:
    """The end line's seconds against the span of training itself."""
    reported_s, train_s, what = run.value("reported_s"), _training_s(run), "training"
    if train_s is None:  # an evaluation alone
        train_s, what = run.phase_s("eval"), "the evaluation"
    if reported_s is None or not train_s or reported_s <= _MORE * train_s or reported_s - train_s < 1:
        return None
    return Finding(
        code=CODE,
        severity=DOUBTFUL,
        message=f"the {reported_s:,.0f} s that the end line reports cover more than {what}, which took "
        f"{train_s:,.0f} s{_rest(run)}",
        hint="for a rate, divide by the seconds of training; for a cost, say what is included",
        source=run.source,
        evidence=(run.proof("reported_s"), run.proof("samples_per_s_avg", "samples_per_s")),
        run=run.id,
    )


def _training_s(run: Run) -> float | None:
    samples, rate = run.value("samples"), run.value("samples_per_s_avg")
    return run.phase_s("train") or (samples / rate if samples and rate else None)


def _rest(run: Run) -> str:
    """Only what follows training, or is inside the reported span for sure, is not named: this says what was seen."""
    named = [f"{name} {seconds:,.0f} s"
             for name in ("queue", "compile", "load", "input", "eval", "checkpoint", "teardown")
             if (seconds := run.phase_s(name)) and seconds >= 1]  # fmt: skip
    return f" (the log also shows {', '.join(named)})" if named else ""


def _first_step(run: Run) -> Finding | None:
    """Of a fresh run: a first interval far slower than the rest, with no compile phase to explain it."""
    if not run.is_fresh or run.phase_s("compile") or run.phase_s("warmup"):
        return None
    steps = [(event.at_s, event.figure("step")) for event in run.events if isinstance(event, Metric)]
    points = sorted({step: at for at, step in steps if at is not None and step is not None}.items())
    gaps = [(b_at - a_at) / (b - a) for (a, a_at), (b, b_at) in pairwise(points) if b > a]
    begin_s = _train_begin_s(run)
    if len(gaps) < 5 or begin_s is None:
        return None
    count, took_s, usual_s = max(1.0, points[0][0]), points[0][1] - begin_s, median(gaps)
    if took_s < _FIRST_STEP * usual_s * count or took_s - usual_s * count < _FIRST_STEP_S:
        return None
    first = "the first step" if count == 1 else f"the first {count:.0f} steps"
    return Finding(
        code=CODE,
        severity=NOTE,
        message=f"{first} took {took_s:.2f} s and the later ones {usual_s:.3g} s each: a compile inside?",
        hint="mark it: with assay.phase('compile'), or leave the first steps out of the rate",
        source=run.source,
        evidence=(
            run.measured(f"train began at {begin_s:.2f} s, step {points[0][0]:.0f} was logged at {points[0][1]:.2f} s"),
        ),
        run=run.id,
    )


def _train_begin_s(run: Run) -> float | None:
    for event in run.events:
        if isinstance(event, Phase) and event.begins("train"):
            return event.at_s
    return None


def _compile_as_duration(case: Case) -> Iterator[Finding]:
    """`16 ntasks - Duration 819`, where 819 s is when the compile ended."""
    for run in case.runs:
        compile_s = run.phase_s("compile")
        trap = systems.of(run.system).traps.duration_is_compile
        if not trap or not compile_s or run.phase_s("train") or run.value("train_s"):
            continue
        said = case.once(_durations).get(f"{compile_s:.0f}")
        if said:
            yield Finding(
                code=CODE,
                severity=DOUBTFUL,
                message=f"the {compile_s:,.0f} s given as a duration are the compile alone; no training is in this log",
                hint="the training log has the same name in another folder: the slurm file points to it",
                source=run.source,
                evidence=(said, run.whole()),
                run=run.id,
            )


def _rate_of_more(run: Run) -> Finding | None:
    """A row that gives the log's own rate, and another that was made with seconds that cover more."""
    total_s, rate = run.value("reported_s"), run.value("samples_per_s_avg") or run.value("samples_per_s")
    batch, steps = number(run.settings.get("batch_size")), run.value("steps")
    samples = run.value("samples") or (batch * steps if batch and steps else None)
    if not total_s or not rate or not samples or total_s <= _MORE * samples / rate:
        return None
    row = run.whole()
    made = samples / total_s
    if not any(abs(one.value - made) <= 0.005 * made for one in numbers_in(row.text)):
        return None
    return Finding(
        code=CODE,
        severity=DOUBTFUL,
        message=f"{made:,.4g} samples/s divides by {total_s:,.0f} s, but at {rate:,.4g} samples/s training took "
        f"{samples / rate:,.0f} s",
        hint="the seconds cover more than training: compare the log's own rates, or say what is included",
        source=run.source,
        evidence=(row,),
        run=run.id,
    )


def _durations(case: Case) -> dict[str, Evidence]:
    """The first sentence that gives each number as a duration, else the row of a table that does."""
    found: dict[str, Evidence] = {}
    for table in case.tables:
        heads = [head(text) for text in table.head]
        timed = [at for at, one in enumerate(heads) if one.name == "time" and not has(table.head[at], _COVERS_MORE)]
        for line, row in table.rows:
            shown = Evidence(source=table.source, line=line, text=" | ".join(row))
            cells = [cell_number(row[at], heads[at].unit, table.decimal_comma) for at in timed if at < len(row)]
            found = _whole_seconds(cells, shown) | found
    for one in reversed(case.sentences):
        numbers = numbers_in(one.text, decimal_comma=one.decimal_comma)
        if not has(one.text, _COVERS_MORE) and (has(one.text, "time") or any(n.unit == SECONDS for n in numbers)):
            found |= _whole_seconds(numbers, one.evidence())
    return found


def _whole_seconds(numbers: Iterable[Number | None], shown: Evidence) -> dict[str, Evidence]:
    return {f"{one.value:.0f}": shown for one in numbers if one and one.unit in (NONE, SECONDS) and one.whole}


def _said_of_training(case: Case) -> Iterator[Finding]:
    """`Training took 25 minutes`, where the log's training took 211 s and the whole of it 25 minutes."""
    for sentence in case.sentences:
        if has(sentence.text, _COVERS_MORE) or not language.is_plain(sentence.text):
            continue
        for said in sentence.said():
            for value in said.values:
                if _is_of_training(said, value):
                    yield from _as_the_whole(case, sentence, value, said.text[value.start : value.end])


def _is_of_training(said: Said, value: Value) -> bool:
    plain = not (value.scope or value.average or value.bound or value.listed or value.denied or value.was)
    before = said.text[: value.start].lower().split()
    trained = any(word.startswith(("training", "trained")) for word in before)
    return value.name == "time" and value.number.unit == SECONDS and value.modality == DONE and plain and trained


def _as_the_whole(case: Case, sentence: Sentence, value: Value, text: str) -> Iterator[Finding]:
    found = covered(case, sentence, value)
    if found is not None:
        run, train_s = found
        yield Finding(
            code=CODE,
            severity=DOUBTFUL,
            message=f"{text} is the whole of the log; training took {train_s:,.0f} s{_rest(run)}",
            hint="say what the time covers, or give the seconds of training",
            source=sentence.source,
            evidence=(sentence.evidence(), run.proof("samples_per_s_avg", "samples_per_s")),
            run=run.id,
        )


def covered(case: Case, sentence: Sentence, value: Value) -> tuple[Run, float] | None:
    """The run whose whole log takes about as long as is said, and the seconds that its training took of them."""
    said_s, spans = value.number.value, case.once(_spans, sentence.system, sentence.source)
    if not spans or said_s <= 1.3 * case.once(_longest_s, sentence.system, sentence.source):
        return None
    for run, train_s, wall_s in spans:
        if train_s and wall_s and abs(said_s - wall_s) <= 0.1 * wall_s:
            return run, train_s
    return None


def _spans(case: Case, system: str, source: str) -> list[tuple[Run, float | None, float | None]]:
    runs = [run for run in case.of(system) if run.source == source and not run.is_prose]
    return [(run, _training_s(run), run.value("wall_s")) for run in runs]


def _longest_s(case: Case, system: str, source: str) -> float:
    """Of the runs' trainings; no bound where one of them is not known."""
    known = [train_s for _, train_s, _ in case.once(_spans, system, source)]
    return max((math.inf if train_s is None else train_s for train_s in known), default=math.inf)


def _bar_with_compile(case: Case) -> Iterator[Finding]:
    """Seconds of a bar that began with a compile, where someone compares seconds."""
    for run in case.runs:
        compile_s, train_s = run.phase_s("compile"), run.phase_s("train")
        covered = systems.of(run.system).traps.train_covers_compile and not run.is_prose
        if not covered or not compile_s or not train_s or compile_s < 0.1 * train_s:
            continue
        said = case.once(_of_time)
        if said:
            yield Finding(
                code=CODE,
                severity=NOTE,
                message=f"the bar's {train_s:,.0f} s begin with {compile_s:,.0f} s of compiling",
                hint="subtract the compile, or compare runs that all found it in the cache",
                source=run.source,
                evidence=(said.evidence(), run.whole()),
                run=run.id,
            )


def _of_time(case: Case) -> Sentence | None:
    return next((one for one in case.sentences if _speaks_of_time(one)), None)


def _speaks_of_time(sentence: Sentence) -> bool:
    """`Training longer improved the accuracy` compares no seconds."""
    if not systems.of(sentence.system).traps.train_covers_compile or not language.compares(sentence.text):
        return False
    tokens = [token for token in lex(sentence.text) if token.text != "for"]
    return "time" in metrics_of(sentence.text) and any(_is_of_time(tokens, at) for at in range(len(tokens)))


def _is_of_time(tokens: Sequence[Token], at: int) -> bool:
    implied = {str(tokens[at].roles.get(role, "")).rstrip("+-") for role in ("up", "down", "best")}
    longer = tokens[at].text == "longer" and at > 0 and tokens[at - 1].text.startswith("train")
    return tokens[at].term == "time" or (bool(implied & {"time", "speed"}) and not longer)
