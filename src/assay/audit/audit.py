"""The audit: every rule over every case, and over all of them together where two can contradict each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from assay.audit.case import Case, together
from assay.audit.finding import SEVERITIES, Finding
from assay.audit.load import case_of_file, case_of_runs
from assay.audit.rules import RULES
from assay.errors import AssayError
from assay.ingest.files import Source, sources
from assay.store.find import find_run, list_runs
from assay.store.layout import RunDir

Tell = Callable[[Source], None]


def judge(cases: Sequence[Case]) -> list[Finding]:
    """Findings, the gravest first; what a single case shows already is not said again of all."""
    found: dict[tuple[object, ...], Finding] = {}
    for case in cases:
        for rule in RULES:
            for finding in rule.check(case):
                found.setdefault(_key(finding), finding)
    if len(cases) > 1:
        for finding in across(together("all", cases)):
            found.setdefault(_key(finding), finding)
    return sorted(found.values(), key=lambda one: SEVERITIES.index(one.severity))


def across(whole: Case) -> list[Finding]:
    """What only several runs or pages together can show."""
    return [finding for rule in RULES if rule.across for finding in rule.check(whole)]


def findings_of(run: RunDir) -> list[Finding]:
    """What can be said of one run by itself; a run that goes on is not judged yet."""
    case = case_of_runs(run.path.name, [run])
    return [] if case.runs[0].summary.get("status") == "running" else judge([case])


def _key(finding: Finding) -> tuple[object, ...]:
    places = frozenset((one.source, one.line, one.text) for one in finding.evidence)
    return finding.code, places or finding.message


def load(words: Iterable[str], runs_dir: Path, tell: Tell = lambda source: None) -> tuple[list[Case], list[AssayError]]:
    """Cases from runs, files and folders; what cannot be read is told, and the rest goes on."""
    cases: list[Case] = []
    problems: list[AssayError] = []
    runs: list[RunDir] = []
    for word in words:
        path = Path(word)
        if path.is_dir() and not (path / "run.json").exists() and list_runs(path):
            cases.append(case_of_runs(word, list_runs(path)))
        elif (path.exists() and not (path / "run.json").exists()) or any(sign in word for sign in "*?[") or word == "-":
            for source in sources([word]):
                _add(source, cases, problems, tell)
        else:
            runs.append(find_run(runs_dir, word))
    if runs:
        cases.append(case_of_runs(str(runs_dir), runs))
    return cases, problems


def _add(source: Source | AssayError, cases: list[Case], problems: list[AssayError], tell: Tell) -> None:
    if isinstance(source, AssayError):
        problems.append(source)
        return
    tell(source)
    try:
        cases.append(case_of_file(source))
    except AssayError as problem:
        problems.append(problem)
