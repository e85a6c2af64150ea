"""`result-after-failure`; and what each failed run died of, with its remedy, under the error's own code."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from assay.auditing.case import Case, Run, Sentence
from assay.ingest.bounded import Bounded
from assay.model.event import Metric, Result
from assay.model.failure import Failure
from assay.model.finding import DOUBTFUL, NOTE, Evidence, Finding

_FAILS = Bounded(r"(?i)\b(?:fail(?:s|ed)?|error(?:s|ed)?|invalid|not available|refus\w+)\b")
_SET_TO = Bounded(r"(?i)(?:set to|with|to|ntasks\s*=?)\s+(?P<tasks>\d+)\b")
_PER_NODE = Bounded(r"(?i)(?:n?tasks-per-node|per node)\s*[= ]*\s*(?P<n>\d+)")
_NODES = Bounded(r"(?i)--nodes\s*[= ]\s*(?P<n>\d+)")
_HEAD = re.compile(r"^(?:\[[^\]]*\]\s*)+")
_NEAR_LINES = 6
_TOTALS = ("reported_s", "train_s", "samples", "accuracy", "samples_per_s_avg")


def after(case: Case) -> Iterator[Finding]:
    for run in case.runs:
        error = run.summary.error
        if run.summary.status != "failed" or error is None or not error.line:
            continue
        total = _total_after(run, error.line)
        if total is not None:
            yield Finding(
                code="result-after-failure",
                severity=DOUBTFUL,
                message="a total was printed after the run had failed: it is not a result",
                hint=error.hint or "run it again",
                source=run.source,
                evidence=(run.at(error.line), run.at(total)),
                run=run.id,
            )


def _total_after(run: Run, error_line: int) -> int | None:
    for event in reversed(run.events):
        later = isinstance(event, (Metric, Result)) and event.line is not None and event.line > error_line
        if later and any(event.value(name) is not None for name in _TOTALS):
            return event.line
    return None


def why(case: Case) -> Iterator[Finding]:
    for run in case.runs:
        error = run.summary.error
        if error is None:
            continue
        said = run.summary.status or "ended"
        yield Finding(
            code=error.code,
            severity=NOTE,
            message=f"{run.name} {said}: {_plain(error.message)}"[:300],
            hint=error.hint or "look at the last lines of its output",
            source=run.source,
            evidence=(_place(run, error),),
            run=run.id,
        )
    yield from _too_many_tasks(case)


def _place(run: Run, error: Failure) -> Evidence:
    """Its line; else, of a run that we saw ourselves, where it was printed, or what the recorder saw."""
    if error.line:
        return run.at(error.line)
    if not run.is_fresh and run.whole().text:
        return run.whole()
    line = run.last_with(error.message)
    if line is None and error.code == "unknown":  # nothing but an exit code: its last words may say why
        line = run.last_with("")
    return run.measured("seen by the recorder; no line of its output tells it") if line is None else run.at(line)


def _plain(message: str) -> str:
    """Without the `[time] [module] [level]` that loggers put before it."""
    return _HEAD.sub("", message).strip() or message


def _by_line(case: Case) -> tuple[list[int], list[Sentence]]:
    ordered = sorted(case.sentences, key=lambda one: one.line)
    return [one.line for one in ordered], ordered


def _too_many_tasks(case: Case) -> Iterator[Finding]:
    """`When it is set to 32, the job fails`: 32 tasks of 16 a node do not fit on one node."""
    for sentence in case.sentences:
        if _FAILS.search(sentence.text) is None:
            continue
        lines, sentences = case.once(_by_line)
        begin = bisect_left(lines, sentence.line - _NEAR_LINES)
        near = " ".join(one.text for one in sentences[begin : bisect_right(lines, sentence.line + _NEAR_LINES)])
        if "task" not in near.lower():
            continue
        per_node, nodes = _PER_NODE.search(near), _NODES.search(near)
        asked = _SET_TO.search(sentence.text)
        if not (per_node and nodes and asked):
            continue
        tasks, fit = int(asked["tasks"]), int(per_node["n"]) * int(nodes["n"])
        if tasks > fit:
            yield Finding(
                code="impossible-request",
                severity=NOTE,
                message=f"{tasks} tasks of {per_node['n']} a node do not fit on "
                + ("one node" if int(nodes["n"]) == 1 else f"{nodes['n']} nodes"),
                hint=f"--nodes {-(-tasks // int(per_node['n']))}",
                source=sentence.source,
                evidence=(sentence.evidence(),),
            )
