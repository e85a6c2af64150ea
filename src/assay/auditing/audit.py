"""The audit: every rule over every case, and over all of them together where two can contradict each other."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from assay.auditing.case import Case, together
from assay.auditing.load import case_of_file, case_of_runs
from assay.auditing.recorded import FOLDER, with_recorded
from assay.auditing.rules import RULES
from assay.errors import AssayError, UsageError
from assay.model.finding import SEVERITIES, Finding
from assay.reading.guard import guarded, steps
from assay.reading.sources import NoLogs, Source, Tell, sources
from assay.store.find import find_run, list_runs
from assay.store.layout import RunDir


def judge(cases: Sequence[Case], problems: list[AssayError] | None = None) -> list[Finding]:
    """Findings, the most severe first; what a single case shows is not repeated for all. A check that fails costs
    itself, and becomes one of the `problems`.
    """
    problems = [] if problems is None else problems
    found: dict[tuple[object, ...], Finding] = {}
    for case in _beside_each_other(cases):
        for finding in steps(case.name, [partial(rule.check, case) for rule in RULES], problems):
            found.setdefault(_key(finding), finding)
    if len(cases) > 1:
        for finding in steps("the sources together", [partial(across, together("all", cases))], problems):
            found.setdefault(_key(finding), finding)
    return sorted(gathered(found.values()), key=lambda one: SEVERITIES.index(one.severity))


def gathered(findings: Iterable[Finding]) -> list[Finding]:
    """What the records of several runs show alike is one finding with its list; lines of a page stand alone."""
    found: dict[object, list[Finding]] = {}
    for number, one in enumerate(findings):
        recorded = one.run is not None and one.evidence and not any(proof.line for proof in one.evidence)
        cause = (one.code, one.severity, one.message, one.hint) if recorded else number
        found.setdefault(cause, []).append(one)
    return [_as_one(alike) for alike in found.values()]


def _as_one(alike: Sequence[Finding]) -> Finding:
    if len(alike) == 1:
        return alike[0]
    evidence = tuple(proof for one in alike for proof in one.evidence)
    return replace(alike[0], message=f"{alike[0].message} (in {len(alike)} runs)", evidence=evidence, run=None)


def _beside_each_other(cases: Sequence[Case]) -> list[Case]:
    """Each page with the logs in its folder or below, because a page may refer to a log in a separate file."""
    below: dict[Path, list[Case]] = {}
    for case in cases:
        for folder in Path(case.name).parents:
            below.setdefault(folder, []).append(case)
    result = []
    for case in cases:
        others = below.get(Path(case.name).parent, []) if case.sentences else []
        logs = [run for one in others if one is not case for run in one.runs if not run.is_prose]
        known = {run.id for run in logs}
        logs += [run for run in case.beside if run.id not in known]
        result.append(replace(case, beside=logs) if logs else case)
    return result


def across(whole: Case) -> list[Finding]:
    """What only several runs or pages together can show."""
    return [finding for rule in RULES if rule.across for finding in rule.check(whole)]


def findings_of(run: RunDir) -> list[Finding]:
    """Findings about one run alone; an active run is not judged yet."""
    case = case_of_runs(run.path.name, [run])
    return [] if case.runs[0].summary.status == "running" else judge([case])


def _key(finding: Finding) -> tuple[object, ...]:
    places = frozenset((one.source, one.line, one.text) for one in finding.evidence)
    return finding.code, places or finding.message


def load(
    words: Iterable[str],
    runs_dir: Path,
    tell: Tell | None = None,
    base: Path = Path(),
    evidence: Path | None = None,
) -> tuple[list[Case], list[AssayError]]:
    """Cases from runs, and from files and folders as seen from `base`; unreadable files are reported, and the rest is
    read. `evidence` is the folder of the runs that pages are about; else it is the one beside each page.
    """
    cases: list[Case] = []
    problems: list[AssayError] = []
    named: list[RunDir] = []
    add = partial(_add, cases=cases, problems=problems, tell=tell, evidence=evidence)
    for word in words:
        path = base / word
        if word and (path / "run.json").is_file():
            named.append(RunDir(path.absolute()))
        elif word and path.is_dir():
            _add_folder(path, sources([word], base), cases, problems, add)
        elif (word and path.exists()) or any(sign in word for sign in "*?[") or word == "-":
            for source in sources([word], base):
                add(source)
        else:
            _add_named(word, runs_dir, named, problems)
    if named:
        _add_runs(str(runs_dir), named, cases, problems)
    return cases, problems


def _add_folder(
    folder: Path,
    files: Iterable[Source | AssayError],
    cases: list[Case],
    problems: list[AssayError],
    add: Callable[[Source | AssayError], None],
) -> None:
    """Add the files of a folder and the runs below it; files in the folder of a run belong to that run."""
    before = len(cases), len(problems)
    runs: dict[Path, list[RunDir]] = {}
    for root, folders, names in os.walk(folder):
        if "run.json" in names:
            runs.setdefault(Path(root).parent, []).append(RunDir(Path(root)))
            folders.clear()
    inside = {run.path for group in runs.values() for run in group}
    for source in files:
        if isinstance(source, NoLogs) and runs:
            continue
        if isinstance(source, AssayError) or source.path is None or inside.isdisjoint(source.path.parents):
            add(source)
    for parent in sorted(runs):
        _add_runs(str(parent), list_runs(parent), cases, problems)
    if before == (len(cases), len(problems)):
        problems.append(AssayError(f"nothing to read in `{folder}`", "it holds no log, no page and no run"))


def _add_named(word: str, runs_dir: Path, named: list[RunDir], problems: list[AssayError]) -> None:
    try:
        named.append(find_run(runs_dir, word))
    except UsageError:
        raise
    except AssayError as problem:
        known = Path(word).name == word and not Path(word).suffix and list_runs(runs_dir)
        missing = AssayError(f"no file, folder or run is called `{word}`", problem.hint if known else None)
        problems.append(problem if known and "could be" in problem.message else missing)


def _add_runs(name: str, runs: list[RunDir], cases: list[Case], problems: list[AssayError]) -> None:
    """A run that cannot be read, of a newer Assay or half copied, keeps none of the others from being judged."""
    readable = []
    for run in runs:
        try:
            run.asked()
        except AssayError as problem:
            problems.append(problem)
        else:
            readable.append(run)
    if readable:
        cases += steps(name, [lambda: [case_of_runs(name, readable)]], problems)


def _add(
    source: Source | AssayError,
    cases: list[Case],
    problems: list[AssayError],
    tell: Tell | None,
    evidence: Path | None,
) -> None:
    if isinstance(source, AssayError):
        problems.append(source)
        return
    try:
        with guarded(source.name):
            case = case_of_file(replace(source, tell=tell))
            folder = evidence or (source.path.absolute().parent / FOLDER if source.path else None)
            cases.append(with_recorded(case, folder) if folder else case)
    except AssayError as problem:
        problems.append(problem)
