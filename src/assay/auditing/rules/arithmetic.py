"""`wrong-arithmetic`: "memory increases by ~1.6 %", from 2,742 MB to 4,411 MB."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from assay.auditing import language
from assay.auditing.case import Case, Run, Sentence
from assay.auditing.language import Change
from assay.auditing.pairs import explicit_changes, worked_out
from assay.auditing.ratios import Ratios, fits
from assay.auditing.rules.columns import check as check_columns
from assay.ingest.bounded import Bounded
from assay.model.finding import WRONG, Evidence, Finding
from assay.model.values import number

CODE = "wrong-arithmetic"
_CLOCK = Bounded(
    r"(?i)(?P<minutes>\d+(?:\.\d+)?)\s*min(?:ute)?s?\b[^.]{0,40}?(?P<h1>\d\d?):(?P<m1>\d\d)(?::(?P<s1>\d\d))?[^.\d]{1,40}?"
    r"(?P<h2>\d\d?):(?P<m2>\d\d)(?::(?P<s2>\d\d))?"
)
_CLOCK_FIRST = Bounded(
    r"(?i)(?<![\d:])(?P<h1>\d\d?):(?P<m1>\d\d)(?::(?P<s1>\d\d))?(?![\d:])[^.\d]{1,40}?"
    r"(?P<h2>\d\d?):(?P<m2>\d\d)(?::(?P<s2>\d\d))?(?![\d:])[^.\d]{0,30}?\b(?:took|takes|lasted|is|was|total of|in)\s+"
    r"(?:about |around |roughly |~)?(?P<minutes>\d+(?:\.\d+)?)\s*min(?:ute)?s?\b"
)
_OTHERS = Bounded(
    r"(?i)\b(?:than|to|with|versus|vs\.?|over)\s+(?:\w+\s+){0,3}?(?P<what>cpus?|gpus?|laptop|desktop|pc|machines?|a100s?|"
    r"h100s?|v100s?|colab|baseline|sample|course|paper|literature|classmates?|others?|expected|previous|published)\b"
)
#: a statement over groups of runs, with its statistics: no two figures of a page are what it was worked out from
_OVER_REPEATS = Bounded(r"(?i)\b9\d ?% (?:confidence )?interval\b|\bn = \d+ \+ \d+")
#: a part of a run, of which no whole duration tells
_PART = Bounded(
    r"(?i)\b(?:queu\w*|wait\w*|compil\w*|load(?:ing|s)?|checkpoint\w*|start-?up|set-?up|interval|sampling)\b"
)
_NUMBER = Bounded(r"(?<![\w.])\d[\d,]*(?:\.\d+)?")
_LARGEST, _SMALLEST = Bounded(r"(?i)\b(?:larg|bigg|high)est\b"), Bounded(r"(?i)\b(?:small|low)est\b")
_LATENCIES = ("latency_ms", "on_chip_latency_ms")
_INFERENCES = ("inferences_per_s", "on_chip_inferences_per_s")
_SPEEDS = (*language.FIELDS["rate"], *_LATENCIES, *_INFERENCES)
_TRAINED = "train"  # the phase, where a log tells no other seconds
_WORKED = 0.015  # of the total: figures are rounded before they are added


def check(case: Case) -> Iterator[Finding]:
    for sentence in case.sentences:
        yield from _clock(sentence)
        yield from _worked(sentence)
        explicit = [pair for pair in explicit_changes(sentence.text) if not _are_settings(case, pair)]
        for change in language.changes(sentence.text):
            finding = _within(sentence, change, explicit) if explicit else _against_runs(case, sentence, change)
            if finding:
                yield finding
    for table in case.tables:
        yield from check_columns(table)


def _within(sentence: Sentence, change: Change, explicit: list[tuple[str | None, float, float]]) -> Finding | None:
    """`from 100 to 150, a 30 % increase`: the sentence holds all it takes, if no pair in it fits."""
    if change.kind == "points":
        return None
    for _, old, new in explicit:
        rounded = replace(change, slack=change.slack + _rounding(change, old, new))
        if fits(rounded, old, new) or fits(rounded, new, old):
            return None
        if change.metric == "accuracy" and abs(abs(new - old) - change.value) <= change.slack:
            return None
    spoken_of = [(old, new) for metric, old, new in explicit if language.same_kind(change.metric, metric)]
    return _finding(sentence, change, spoken_of[0], ()) if len(spoken_of) == 1 else None


def _rounding(change: Change, old: float, new: float) -> float:
    """What the last digits of the two figures may hide: `from 2.7 GB to 4.3 GB` is anything from 55 to 64 %."""
    share = sum(0.5 * 10.0 ** -len(f"{value:.10g}".partition(".")[2]) / value for value in (old, new))
    return share * (100 * new / old if change.kind == "percent" else max(new / old, old / new))


def _are_settings(case: Case, pair: tuple[str | None, float, float]) -> bool:
    """`from 500 to 1000` where runs of the page have batch sizes of 500 and 1000."""
    told = case.once(_settings)
    return pair[1] in told and pair[2] in told


def _settings(case: Case) -> set[float | None]:
    return {number(value) for run in case.runs for value in run.settings.values()}


def _against_runs(case: Case, sentence: Sentence, change: Change) -> Finding | None:
    """A difference between the run of this section and another one, or between the only two that it can mean."""
    if change.kind == "points" or change.metric == "accuracy":
        return None
    if change.metric == "time" and _PART.search(sentence.text):
        return None
    if _compares_with_others(case, sentence) or _OVER_REPEATS.search(sentence.text) or _holds(case, sentence, change):
        return None
    for field in _fields(change):
        known = case.once(_known, sentence.system, field)
        own = case.once(_known_by_section, sentence.system, field).get(sentence.section, [])
        meant = known if len(known) == 2 else _named(case, sentence, field)
        if len(meant) == 2:
            a, b = meant
        elif len(known) > 2 and len(own) == 1:
            a, b = next(run for run in known if run is not own[0]), own[0]
        else:
            continue
        pair = (_value(a, field) or 0.0, _value(b, field) or 0.0)
        return _finding(sentence, change, pair, (a.showing(field), b.showing(field)))
    return None


def _known(case: Case, system: str, field: str) -> list[Run]:
    return [run for run in case.of(system) if _value(run, field)]


def _known_by_section(case: Case, system: str, field: str) -> dict[int, list[Run]]:
    found: dict[int, list[Run]] = {}
    for run in case.once(_known, system, field):
        found.setdefault(case.section_of(run), []).append(run)
    return found


def _by_setting(case: Case, system: str, field: str) -> list[dict[float, Run]]:
    """For each setting that has another value in every run: the run by that value."""
    runs = case.once(_known, system, field)
    every = [
        {value: run for run in runs if (value := number(run.settings.get(setting))) is not None}
        for setting in ("batch_size", "epochs", "num_tasks", "seq_len")
    ]
    return [dict(sorted(values.items())) for values in every if len(values) == len(runs) > 0]


def _named(case: Case, sentence: Sentence, field: str) -> list[Run]:
    """The two runs that a sentence names by a setting: `from 512 to 2048`, `the largest … the smallest batch`."""
    text = sentence.text
    for values in case.once(_by_setting, sentence.system, field):
        said = {float(one.replace(",", "")) for one in _NUMBER.findall(text)}
        found = [values[value] for value in sorted(said) if value in values]
        if len(found) == 2:
            return found
        if _LARGEST.search(text) and _SMALLEST.search(text) and not found:
            by_value = list(values.values())
            return [by_value[0], by_value[-1]]
    return []


def _fields(change: Change) -> tuple[str, ...]:
    """`faster` may be said of a rate or a latency where no whole duration is known."""
    return language.FIELDS[change.metric] + ((*_SPEEDS, _TRAINED) if change.metric == "time" else ())


def _value(run: Run, field: str) -> float | None:
    return run.phase_s("train") if field == _TRAINED else run.value(field)


def _compares_with_others(case: Case, sentence: Sentence) -> bool:
    """`100x faster than my laptop`: the other side is not on the page."""
    found = _OTHERS.search(sentence.text)
    return found is not None and found["what"].lower() not in case.once(_devices, sentence.system)


def _devices(case: Case, system: str) -> set[str]:
    return {str(run.summary.device or run.system).lower() for run in case.of(system)}


def _holds(case: Case, sentence: Sentence, change: Change) -> bool:
    """Any two figures of the kind fit: a sentence may speak of a pair that we did not think of."""
    return any(ratios.any_fits(change) for ratios in case.once(_ratios, sentence.system, change.metric))


def _ratios(case: Case, system: str, metric: str) -> list[Ratios]:
    return [Ratios(values) for values in _comparable(metric, case.of(system))]


def _comparable(metric: str, runs: list[Run]) -> Iterator[list[float]]:
    """Figures that may be set against each other: one field over all runs, a chip's own beside those of its host,
    and, where time is spoken of, the time that a step, a sample or a phase took."""
    fields = language.FIELDS[metric]
    if metric in ("time", "latency"):
        yield [value for run in runs for name in _LATENCIES if (value := run.value(name))]
    if metric in ("time", "rate"):
        yield [value for run in runs for name in _INFERENCES if (value := run.value(name))]
    if metric == "time":
        fields += _SPEEDS
        yield [step_s for run in runs if (step_s := _ratio(run, "train_s", "steps"))]
        yield [epoch_s for run in runs if (epoch_s := _epoch_s(run))]
        for phase in {name for run in runs for name in run.summary.phases}:
            yield [seconds for run in runs if (seconds := run.phase_s(phase))]
    for field in fields:
        yield [value for run in runs if (value := run.value(field))]


def _ratio(run: Run, above: str, below: str) -> float | None:
    a, b = run.value(above), run.value(below)
    return a / b if a and b else None


def _epoch_s(run: Run) -> float | None:
    epochs, train_s = number(run.params.get("epochs")), run.phase_s("train")
    return train_s / epochs if epochs and train_s else None


def checked(case: Case) -> list[tuple[Sentence, Change]]:
    """Percentages and ratios that do follow from figures of the page: worth telling, since they were looked at."""
    return [
        (sentence, change)
        for sentence in case.sentences
        for change in language.changes(sentence.text)
        if change.metric != "accuracy" and change.kind != "points" and _holds(case, sentence, change)
    ]


def _finding(sentence: Sentence, change: Change, pair: tuple[float, float], proofs: tuple[Evidence, ...]) -> Finding:
    old, new = pair
    right = f"{100 * (new - old) / old:+.1f} %" if change.kind == "percent" else f"{new / old:.2f} times"
    message = f"`{change.shown}` does not follow: from {_shown(old)} to {_shown(new)} is {right}"
    return _wrong(sentence, message, "work it out again from the two figures", *proofs)


def _shown(value: float) -> str:
    return f"{value / 1024**2:,.0f} MiB" if value > 1e8 else f"{value:,.6g}"


def _clock(sentence: Sentence) -> Iterator[Finding]:
    """`took 25 minutes (it began at 05:47:29 and finished at 06:12:26)`"""
    found = _CLOCK.search(sentence.text) or _CLOCK_FIRST.search(sentence.text)
    if found is None:
        return
    begin, end = ((int(found[f"h{i}"]) * 60 + int(found[f"m{i}"])) * 60 + int(found[f"s{i}"] or 0) for i in (1, 2))
    passed_min = ((end - begin) % 86400) / 60
    said_min = float(found["minutes"])
    if abs(passed_min - said_min) > max(1.0, 0.06 * said_min):
        message = f"{said_min:g} minutes are said, and from one clock time to the other pass {passed_min:.1f}"
        yield _wrong(sentence, message, "work it out again from the two times")


def _worked(sentence: Sentence) -> Iterator[Finding]:
    """`175.2 + 210.9 + 304.5 = 590.6`: written out, and not what it comes to."""
    for one in worked_out(sentence.text):
        if abs(one.said - one.right) > max(_WORKED * one.right, 1.0 if one.said.is_integer() else 0.1):
            message = f"`{one.shown}` does not follow: it comes to {one.right:,.10g}"
            yield _wrong(sentence, message, "work it out again")


def _wrong(sentence: Sentence, message: str, hint: str, *proofs: Evidence) -> Finding:
    return Finding(
        code=CODE,
        severity=WRONG,
        message=message,
        hint=hint,
        source=sentence.source,
        evidence=(sentence.evidence(), *proofs),
    )
