"""`same-figures`: batch 32 and batch 256 with the same CPU, memory and seconds to the last digit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from assay.auditing.case import Case, Run, Table
from assay.auditing.meant import PARALLEL
from assay.core.distinguishing import tells
from assay.language.cues import has
from assay.language.tables import head
from assay.model.finding import DOUBTFUL, WRONG, Evidence, Finding
from assay.model.values import number

CODE = "same-figures"
#: figures that never come out equal twice; a result may (a fixed seed, a deterministic chip)
_CLOCKED = (
    "wall_s", "train_s", "reported_s", "samples_per_s", "samples_per_s_avg", "inferences_per_s", "tokens_per_s",
)  # fmt: skip
_VOLATILE = (*_CLOCKED, "cpu_pct_mean", "rss_bytes_mean")
_LOG_LINES, _LOG_MOST = 2, 5000
_SHORT, _CLOCKS = 5, 2  # a short log is one that was pasted twice only where it shows so many times
_ALIKE, _SCALES = 0.003, 0.1
_MOST_ALIKE = 20  # of what stands under so many settings, the rest adds nothing
_PRECISE = 6  # digits that do not repeat by chance


def check(case: Case) -> Iterator[Finding]:
    told: set[frozenset[str]] = set()
    for a, b in _pairs([run for run in case.runs if not run.is_fresh]):
        if not _differ(a, b) or frozenset((a.id, b.id)) in told:
            continue
        equal = _equal(a, b)
        if equal or _one_log(a, b):
            told.add(frozenset((a.id, b.id)))
            yield _finding(a, b, equal) if equal else _pasted(a, b)
    yield from _without_effect(case)
    known = {frozenset(run.lines[0] for run in case.runs if run.id in pair) for pair in told}
    for table in case.tables:
        yield from (one for one in _rows(table) if frozenset(place.line for place in one.evidence) not in known)


def _without_effect(case: Case) -> Iterator[Finding]:
    """12 tasks with the rate and the loss of 6, where 3 have half of it: the 12 were 6."""
    for name in PARALLEL:
        told = [(count, run) for run in case.runs if (count := _claimed_count(run, name)) is not None]
        for (few, fewer), (many, more) in combinations(sorted(told, key=lambda one: one[0]), 2):
            others = [(count, run) for count, run in told if run not in (fewer, more)]
            scales = any(abs(_ratio(fewer, run, "samples_per_s") * count / few - 1) < _SCALES for count, run in others)
            alike = all(abs(_ratio(fewer, more, field) - 1) < _ALIKE for field in ("samples_per_s", "loss"))
            if alike and scales and many >= 1.5 * few and fewer.system == more.system:
                yield _as_fewer(name, few, fewer, many, more)


def _claimed_count(run: Run, name: str) -> float | None:
    """Said of a run that gives a rate and a loss, and does not show it."""
    known = run.value("samples_per_s") and run.value("loss") and not run.is_fresh and name not in run.params
    return number(run.claims.get(name)) or None if known else None


def _ratio(a: Run, b: Run, field: str) -> float:
    return (a.value(field) or 0.0) / (b.value(field) or 1.0)


def _as_fewer(name: str, few: float, fewer: Run, many: float, more: Run) -> Finding:
    return Finding(
        code=CODE,
        severity=DOUBTFUL,
        message=f"{name} = {many:g} has the same rate and loss as {name} = {few:g}, "
        "although still fewer are slower in proportion",
        hint="check in the log whether the larger number was in effect",
        source=more.source,
        evidence=(more.proof("samples_per_s"), fewer.proof("samples_per_s")),
        run=more.id,
    )


def _pairs(runs: list[Run]) -> Iterator[tuple[Run, Run]]:
    """Two of one system and device that may be one: they share a figure, or their logs begin and end alike."""
    alike: dict[object, list[int]] = {}
    for at, run in enumerate(runs):
        marks = [(name, value) for name in _VOLATILE if (value := run.value(name)) is not None]
        if not run.is_prose and _LOG_LINES <= run.lines[1] - run.lines[0] < _LOG_MOST:
            marks.append((run.text(run.lines[0]) + run.text(run.lines[1]), run.lines[1] - run.lines[0]))
        for mark in marks:
            alike.setdefault((run.system, run.summary.device, mark), []).append(at)
    places = {pair for group in alike.values() for pair in combinations(group[:_MOST_ALIKE], 2)}
    yield from ((runs[a], runs[b]) for a, b in sorted(places))


def _differ(a: Run, b: Run) -> bool:
    """They differ in a setting that both are claimed to have."""
    return _told_apart(a, b) is not None


def _equal(a: Run, b: Run) -> list[str]:
    """Those that both have, where all are equal, and more than one clock or enough digits say so."""
    shared = [name for name in _VOLATILE if a.value(name) is not None and b.value(name) is not None]
    if not shared or any(a.value(name) != b.value(name) for name in shared):
        return []
    return shared if _sources(shared) > 1 or _digits(a, shared) >= _PRECISE else []


def _sources(names: Sequence[str]) -> int:
    """How many of them were measured: the rates of one amount of work follow from its seconds."""
    return len(set(names) - set(_CLOCKED)) + any(name in _CLOCKED for name in names)


def _digits(run: Run, names: Sequence[str]) -> int:
    told = {name: len(f"{run.value(name):.12g}".replace(".", "").strip("0")) for name in names}
    clocked = max((count for name, count in told.items() if name in _CLOCKED), default=0)
    return clocked + sum(count for name, count in told.items() if name not in _CLOCKED)


def fingerprint(run: Run) -> tuple[object, ...] | None:
    """Figures that are equal only if one run was pasted twice: clock times with enough digits."""
    told = tuple((name, run.value(name)) for name in _VOLATILE if run.value(name) is not None)
    digits = sum(len(f"{value:.12g}".replace(".", "").strip("0")) for _, value in told)
    return (run.system, run.summary.device, *told) if digits >= 2 * _PRECISE else None


def _one_log(a: Run, b: Run) -> bool:
    """The same lines, to the last sign, with a result in them: no two runs print that."""
    length = a.lines[1] - a.lines[0]
    if a.is_prose or b.is_prose or not _LOG_LINES <= length < _LOG_MOST or length != b.lines[1] - b.lines[0]:
        return False
    if not all(any(run.value(name) is not None for name in ("accuracy", "loss")) for run in (a, b)):
        return False
    if a.source == b.source and a.lines == b.lines:
        return False
    if length < _SHORT and len({event.value("epoch_s") for event in a.events} - {None}) < _CLOCKS:
        return False
    return all(a.text(a.lines[0] + n) == b.text(b.lines[0] + n) for n in range(length + 1))


def _pasted(a: Run, b: Run) -> Finding:
    setting = _told_apart(a, b) or ""
    return Finding(
        code=CODE,
        severity=WRONG,
        message=f"the same log is shown for {setting} = {a.claims[setting]} and {setting} = {b.claims[setting]}",
        hint="one of them was pasted under the wrong setting, or never run: run it again",
        source=b.source,
        evidence=(a.claim(setting), b.claim(setting), b.whole()),
        run=b.id,
    )


def _rows(table: Table) -> Iterator[Finding]:
    """Rows of two settings whose measured cells are all equal, and too precise to be so by chance."""
    settings = [i for i, text in enumerate(table.head) if head(text).is_setting or has(text, "set_by_hand")]
    measured = [i for i, text in enumerate(table.head) if i not in settings and not has(text, "counts", "samples")]
    mark = "," if table.decimal_comma else "."
    alike: dict[tuple[str, ...], list[int]] = {}
    for at, (_, row) in enumerate(table.rows):
        if len(row) == len(table.head) and sum(_is_precise(row[i], mark) for i in measured) > 1:
            alike.setdefault(tuple(row[i] for i in measured), []).append(at)
    for one, other in sorted(pair for group in alike.values() for pair in combinations(group[:_MOST_ALIKE], 2)):
        (a_line, a), (b_line, b) = table.rows[one], table.rows[other]
        if any(a[i] != b[i] for i in settings):
            cells = [a[i] for i in measured if any(map(str.isdigit, a[i]))]
            setting = next(i for i in settings if a[i] != b[i])
            name = table.head[setting]
            yield Finding(
                code=CODE,
                severity=DOUBTFUL,
                message=f"{name} {a[setting]} and {name} {b[setting]} have the same figures ({', '.join(cells[:3])})",
                hint="one of the rows was copied: look the figures up in the logs",
                source=table.source,
                evidence=tuple(
                    Evidence(source=table.source, line=line, text=" | ".join(row))
                    for line, row in ((a_line, a), (b_line, b))
                ),
            )


def _is_precise(cell: str, mark: str) -> bool:
    """Two digits or more behind the point."""
    before, _, after = cell.partition(mark)
    return before[-1:].isdigit() and len(after) > 1 and after[:2].isdecimal()


def _told_apart(a: Run, b: Run) -> str | None:
    shared = ((name, (a.claims[name], b.claims[name])) for name in a.claims if name in b.claims)
    return next((name for name, values in shared if values[0] != values[1] and tells(name, values)), None)


def _finding(a: Run, b: Run, equal: list[str]) -> Finding:
    setting = _told_apart(a, b) or ""
    said = ", ".join(_shown(name, a.value(name) or 0) for name in equal[:3])
    return Finding(
        code=CODE,
        severity=WRONG if len(equal) > 1 else DOUBTFUL,
        message=f"{setting} = {a.claims[setting]} and {setting} = {b.claims[setting]} have the same figures ({said})",
        hint="one of them was pasted under the wrong setting, or never run: run it again",
        source=b.source,
        evidence=tuple(run.showing(name) for run in (a, b) for name in equal[:2]),
        run=b.id,
    )


def _shown(name: str, value: float) -> str:
    if name.startswith("rss_bytes"):
        return f"memory {value / 1024**2:,.2f} MiB"
    if name.startswith("cpu_pct"):
        return f"CPU load {value:g} %"
    return f"{value:,.6g} {'s' if name in ('wall_s', 'train_s', 'reported_s') else name.replace('_per_s', '/s')}"
