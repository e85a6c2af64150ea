"""`wrong-arithmetic`: "memory increases by ~1.6 %", from 2,742 MB to 4,411 MB."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import permutations

from assay.audit import language
from assay.audit.case import Case, Run, Sentence, Table
from assay.audit.finding import WRONG, Evidence, Finding
from assay.audit.language import Change

CODE = "wrong-arithmetic"
_CLOCK = re.compile(
    r"(?i)(?P<minutes>\d+(?:\.\d+)?)\s*min(?:ute)?s?\b[^.]{0,40}?(?P<h1>\d\d?):(?P<m1>\d\d)(?::(?P<s1>\d\d))?[^.\d]{1,40}?"
    r"(?P<h2>\d\d?):(?P<m2>\d\d)(?::(?P<s2>\d\d))?"
)
_OTHERS = re.compile(
    r"(?i)\b(?:than|to|with|versus|vs\.?|over)\s+(?:\w+\s+){0,3}?(?P<what>cpus?|gpus?|laptop|desktop|pc|machines?|a100s?|"
    r"h100s?|v100s?|colab|baseline|sample|course|paper|literature|classmates?|others?|expected|previous|published)\b"
)
#: a statement over groups of runs, with its statistics: no two figures of a page are what it was worked out from
_OVER_REPEATS = re.compile(r"(?i)\b9\d ?% (?:confidence )?interval\b|\bn = \d+ \+ \d+")
_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
_SPEEDUP = re.compile(r"(?i)speed-?up|\bratio\b|×|\bx faster")
_TIMED = re.compile(r"(?i)\b(?:time|seconds|duration|latency)\b|\(s\)|\(ms\)")
_RATED = re.compile(r"(?i)throughput|samples|rate|ips\b|per s")


def check(case: Case) -> Iterator[Finding]:
    for sentence in case.sentences:
        yield from _clock(sentence)
        explicit = language.explicit_changes(sentence.text)
        for change in language.changes(sentence.text):
            finding = _within(sentence, change, explicit) if explicit else _against_runs(case, sentence, change)
            if finding:
                yield finding
    for table in case.tables:
        yield from _table(table)


def _within(sentence: Sentence, change: Change, explicit: list[tuple[str | None, float, float]]) -> Finding | None:
    """`from 100 to 150, a 30 % increase`: the sentence holds all it takes, if no pair in it fits."""
    if change.kind == "points":
        return None
    for _, old, new in explicit:
        if _fits(change, old, new) or _fits(change, new, old):
            return None
        if change.metric == "accuracy" and abs(abs(new - old) - change.value) <= change.slack:
            return None
    spoken_of = [(old, new) for metric, old, new in explicit if language.same_kind(change.metric, metric)]
    return _finding(sentence, change, spoken_of[0], ()) if len(spoken_of) == 1 else None


def _against_runs(case: Case, sentence: Sentence, change: Change) -> Finding | None:
    """A difference between the run of this section and another one, or between the only two there are."""
    if change.kind == "points" or change.metric == "accuracy":
        return None
    runs = case.of(sentence.system)
    if _compares_with_others(sentence.text, runs) or _OVER_REPEATS.search(sentence.text):
        return None
    here = [run for run in runs if sentence.section <= run.lines[0] and _section_of(case, run) == sentence.section]
    for field in language.FIELDS[change.metric]:
        known = [run for run in runs if run.value(field)]
        own = [run for run in here if run.value(field)]
        if len(known) < 2 or not (len(own) == 1 or len(known) == 2):
            continue
        if _holds(change, runs):
            return None
        a, b = next((a, b) for a, b in permutations(known, 2) if len(known) == 2 or b is own[0])
        pair = (a.value(field) or 0.0, b.value(field) or 0.0)
        return _finding(sentence, change, pair, (a.showing(field), b.showing(field)))
    return None


def _compares_with_others(text: str, runs: list[Run]) -> bool:
    """`100x faster than my laptop`: the other side is not on the page."""
    found = _OTHERS.search(text)
    known = {str(run.summary.get("device") or run.system).lower() for run in runs}
    return found is not None and found["what"].lower() not in known


def _holds(change: Change, runs: list[Run]) -> bool:
    """Any two figures of the kind fit: a sentence may speak of a pair that we did not think of."""
    for field in language.FIELDS[change.metric]:
        values = [value for run in runs if (value := run.value(field))]
        if any(_fits(change, old, new) for old, new in permutations(values, 2)):
            return True
    return False


def checked(case: Case) -> list[tuple[Sentence, Change]]:
    """Percentages and ratios that do follow from figures of the page: worth telling, since they were looked at."""
    return [
        (sentence, change)
        for sentence in case.sentences
        for change in language.changes(sentence.text)
        if change.metric != "accuracy" and change.kind != "points" and _holds(change, case.of(sentence.system))
    ]


def _section_of(case: Case, run: Run) -> int:
    return max(
        (one.section for one in case.sentences if one.source == run.source and one.section <= run.lines[0]), default=0
    )


def _fits(change: Change, old: float, new: float) -> bool:
    """Whether going from old to new is what the sentence says; a reading that is merely generous is allowed."""
    if old <= 0 or new <= 0:
        return False
    if change.kind == "factor":
        factors = [new / old, old / new, new / old - 1]
        return any(abs(factor - change.value) <= change.slack for factor in factors)
    moved = 100 * (new - old) / old
    readings = [moved, -100 * (old - new) / new] if change.direction else [abs(moved)]
    if change.direction:
        readings = [value for value in readings if value * change.direction > 0]
        # "23 % faster" may mean 23 % less time or 23 % more speed
        readings += [-moved] if change.metric in ("time", "latency") else []
    return any(abs(abs(value) - change.value) <= change.slack for value in readings)


def _finding(sentence: Sentence, change: Change, pair: tuple[float, float], proofs: tuple[Evidence, ...]) -> Finding:
    old, new = pair
    right = f"{100 * (new - old) / old:+.1f} %" if change.kind == "percent" else f"{new / old:.2f} times"
    return Finding(
        code=CODE,
        severity=WRONG,
        message=f"`{change.shown}` does not follow: from {_shown(old)} to {_shown(new)} is {right}",
        hint="work it out again from the two figures",
        source=sentence.source,
        evidence=(sentence.evidence(), *proofs),
    )


def _shown(value: float) -> str:
    return f"{value / 1024**2:,.0f} MiB" if value > 1e8 else f"{value:,.6g}"


def _clock(sentence: Sentence) -> Iterator[Finding]:
    """`took 25 minutes (it began at 05:47:29 and finished at 06:12:26)`"""
    found = _CLOCK.search(sentence.text)
    if found is None:
        return
    begin, end = ((int(found[f"h{i}"]) * 60 + int(found[f"m{i}"])) * 60 + int(found[f"s{i}"] or 0) for i in (1, 2))
    passed_min = ((end - begin) % 86400) / 60
    said_min = float(found["minutes"])
    if abs(passed_min - said_min) > max(1.0, 0.06 * said_min):
        yield Finding(
            code=CODE,
            severity=WRONG,
            message=f"{said_min:g} minutes are said, and from one clock time to the other pass {passed_min:.1f}",
            hint="work it out again from the two times",
            source=sentence.source,
            evidence=(sentence.evidence(),),
        )


def _table(table: Table) -> Iterator[Finding]:
    """A column of speed-ups against the column of times or rates beside it, the first row being 1."""
    speedups = [i for i, head in enumerate(table.head) if _SPEEDUP.search(head)]
    bases = [
        i for i, head in enumerate(table.head) if i not in speedups and (_TIMED.search(head) or _RATED.search(head))
    ]
    for column in speedups:
        said = [(line, _figure(cells, column), [_figure(cells, base) for base in bases]) for line, cells in table.rows]
        reference = next((values for _, value, values in said if value == 1), None)
        if reference is None:
            continue
        for line, value, values in said:
            ratios = [new / old for old, new in zip(reference, values, strict=True) if old and new]
            if value is None or not ratios:
                continue
            if not any(abs(r - value) <= max(0.06, 0.03 * value) for ratio in ratios for r in (ratio, 1 / ratio)):
                shown = " or ".join(f"{max(ratio, 1 / ratio):.2f}" for ratio in ratios)
                yield Finding(
                    code=CODE,
                    severity=WRONG,
                    message=f"the table gives {value:g} where its own figures give {shown}",
                    hint="work the column out again",
                    source=table.source,
                    evidence=(Evidence(source=table.source, line=line, text=" | ".join(dict(table.rows)[line])),),
                )


def _figure(cells: list[str], column: int) -> float | None:
    found = _NUMBER.search(cells[column]) if column < len(cells) else None
    return float(found[0].replace(",", "")) if found else None
