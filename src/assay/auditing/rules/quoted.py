"""`misquoted-figure`: "reached 92.1 %", where the log shows 0.912; and "214.6 minutes", where it shows seconds.

A figure is right where any line of a run that could be meant shows it, rounded as it is given. Only where the run
shows the metric itself, and no line has this value for it, is the quotation wrong.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from assay.auditing.case import Case, Run, Sentence
from assay.auditing.meant import FIELDS, figure_of, named_in, spoken_of
from assay.language.modality import DONE
from assay.language.numbers import BYTES, NONE, PERCENT, SECONDS, numbers_in
from assay.language.said import Said, Value
from assay.model.finding import DOUBTFUL, WRONG, Finding
from assay.units import show_number

CODE, UNIT = "misquoted-figure", "mislabelled-unit"
_LINES = 4000  # of one log, from its end
_QUOTED = frozenset(FIELDS) - {"speed"}
#: figures whose units have a rule of their own
_LEFT_TO_UNITS = ("latency_ms", "train_s")
_VAGUE = 0.08  # about
_MILLI = ("_ms",)
_UNITS_OF_TIME = (1e-3, 1.0, 60.0, 3600.0)
_UNITS_OF_MEMORY = (1.0, 1024.0, 1024.0**2, 1024.0**3, 1e3, 1e6, 1e9)


def check(case: Case) -> Iterator[Finding]:
    for sentence in case.sentences:
        for said in sentence.said():
            for value in said.values:
                if _is_quoted(said, value):
                    yield from _held(case, sentence, said, value)


def _is_quoted(said: Said, value: Value) -> bool:
    """A result of one run, plainly given; sums, means, parts and bounds are of others."""
    if value.name not in _QUOTED or value.modality != DONE or value.denied or value.bound:
        return False
    if value.average in ("total", "std", "min", "initial", "mean", "median", "p99", "max") or value.scope:
        return False
    if value.failed or value.number.upper is not None or value.number.in_words or value.listed or said.respectively:
        return False
    return value.was is None and not said.changes


def _held(case: Case, sentence: Sentence, said: Said, value: Value) -> Iterator[Finding]:
    runs = [run for run in spoken_of(case, sentence, said) if not run.is_prose]
    known = [(run, field) for run in runs for field in _fields(value, run)]
    if not known or len({run.id for run, _ in known}) < len(runs):
        return  # some run that could be meant does not show it
    readings = list(_readings(value))
    shown_by = runs if named_in(said) else case.once(_logs, sentence.system) or runs
    if any(_is_shown(case.once(_numbers_of, run.id), one, value) for run in shown_by for one in readings):
        return
    figures = [(run, field, figure_of(run, field) or 0.0) for run, field in known]
    shown = [figure for _, _, figure in figures] + list(_of_all(figures))
    if any(_near(one, figure, value) for one in readings for figure in shown):
        return
    slips = [(run, field) for run, field, figure in figures if _unit_slip(value, figure, field)]
    if any(field in _LEFT_TO_UNITS for _, field in slips):
        return
    run, field = slips[0] if slips else min(figures, key=lambda one: abs(one[2] - readings[0]))[:2]
    certain = run.source == sentence.source and (len(runs) == 1 or bool(named_in(said)))
    yield _finding(sentence, value, run, field, certain)


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
    for field, _ in FIELDS[value.name]:
        if figure_of(run, field) is not None:
            yield field


def _readings(value: Value) -> Iterator[float]:
    """In the units of a summary: shares of 1, milliseconds, bytes."""
    for one in value.number.readings:
        if (value.number.unit == PERCENT and value.name != "cpu") or (
            value.name == "accuracy" and value.number.unit == NONE and one > 1
        ):
            yield one / 100
        elif value.number.unit == SECONDS and value.name not in ("time",):
            yield one * 1000
        else:
            yield one


def _numbers(run: Run) -> set[float]:
    """Every number that the log of a run shows, as it stands and in the units of a summary."""
    first, last = run.lines
    found: set[float] = set()
    for line in range(max(first, last - _LINES) if last < 1 << 40 else first, min(last, first + _LINES) + 1):
        for one in numbers_in(run.text(line)):
            for reading in one.readings:
                found.add(reading)
                if one.unit == PERCENT or one.unit == NONE:
                    found.add(reading / 100)
                if one.unit in (SECONDS, NONE):
                    found.update((reading * 1000, reading / 1000))
                if one.unit == NONE:
                    found.update(reading * unit for unit in _UNITS_OF_MEMORY[1:4])
    found.update(
        value for value in run.summary.figures(field for fields in FIELDS.values() for field, _ in fields).values()
    )
    return found


def _logs(case: Case, system: str) -> list[Run]:
    return [run for run in case.shown(system) if not run.is_prose]


def _numbers_of(case: Case, run_id: str) -> list[float]:
    """In order, worked out once."""
    run = next((one for one in (*case.runs, *case.beside) if one.id == run_id), None)
    return sorted(_numbers(run)) if run else []


def _is_shown(numbers: list[float], said: float, value: Value) -> bool:
    slack = _slack(value, said)
    at = bisect_left(numbers, said - slack)
    return at < len(numbers) and numbers[at] <= said + slack


def _near(said: float, shown: float, value: Value) -> bool:
    return abs(said - shown) <= max(_slack(value, said), 1e-9 * abs(shown))


def _slack(value: Value, said: float) -> float:
    """Half of the last digit; trailing zeros and `about` allow more."""
    scale = abs(said / value.number.value) if value.number.value else 1.0
    slack = max(value.number.slack, value.number.rounded if value.number.unit != PERCENT else 0.0) * scale * 1.05
    return max(slack, (_VAGUE if value.about else 0.0) * abs(said), 0.0005 * abs(said))


def _finding(sentence: Sentence, value: Value, run: Run, field: str, certain: bool) -> Finding:
    figure = figure_of(run, field) or 0.0
    slip = _unit_slip(value, figure, field)
    shown = _as_shown(field, figure)
    said = _text(sentence, value)
    return Finding(
        code=UNIT if slip else CODE,
        severity=WRONG if certain else DOUBTFUL,
        message=f"{_noun(value)} is given as {said}, and the log shows {shown}",
        hint="quote the figure of the log with its unit" if slip else "quote the figure as the log has it",
        source=sentence.source,
        evidence=(sentence.evidence(), run.showing(field)),
        run=run.id,
        instead=f"{shown} (not {said})",
    )


def _text(sentence: Sentence, value: Value) -> str:
    for said in sentence.said():
        if value in said.values:
            return said.text[value.start : value.end]
    return show_number(value.number.value)


def _noun(value: Value) -> str:
    return {"time": "the time", "rate": "the throughput", "cpu": "the CPU use"}.get(
        value.name, f"the {value.name.replace('_', ' ')}"
    )


def _unit_slip(value: Value, figure: float, field: str) -> bool:
    """The digits are those of the log, and only the unit is another."""
    if value.number.unit == SECONDS:
        base = figure / 1000 if field.endswith(_MILLI) else figure
        units: tuple[float, ...] = _UNITS_OF_TIME
    elif value.number.unit == BYTES:
        base, units = figure, _UNITS_OF_MEMORY
    else:
        return False
    return any(
        abs(value.number.value * other / own - base) <= max(value.number.slack * other / own, 0.001 * base)
        for own in units
        for other in units
        if own != other
    )


def _as_shown(field: str, figure: float) -> str:
    if field == "accuracy":
        return f"{100 * figure:.4g} %"
    if field.endswith("_ms"):
        return f"{figure:.4g} ms"
    if field.endswith("_s") and not field.endswith("_per_s"):
        return f"{figure:.5g} s"
    if "bytes" in field:
        return f"{figure / 1024**2:,.1f} MiB"
    return show_number(figure)
