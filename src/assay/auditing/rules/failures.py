"""`result-after-failure`; and what each failed run died of, with its remedy, under the error's own code."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import pairwise

from assay.auditing.case import Case, Run, Sentence
from assay.language.cues import has
from assay.language.lex import lex
from assay.model.event import Metric, Result
from assay.model.failure import Failure
from assay.model.finding import DOUBTFUL, NOTE, Evidence, Finding

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
            hint=error.hint or _look(run),
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
    return run.measured("seen by the recorder; the output does not mention it") if line is None else run.at(line)


def _look(run: Run) -> str:
    return f"read the end of its output: assay show --output {run.id}" if run.is_fresh else "read the end of its log"


def _plain(message: str) -> str:
    """Without the `[time] [module] [level]` that loggers put before it."""
    rest = message.strip()
    while rest.startswith("[") and "]" in rest:
        rest = rest.partition("]")[2].strip()
    return rest or message


def _by_line(case: Case) -> tuple[list[int], list[Sentence]]:
    ordered = sorted(case.sentences, key=lambda one: one.line)
    return [one.line for one in ordered], ordered


def _too_many_tasks(case: Case) -> Iterator[Finding]:
    """`When it is set to 32, the job fails`: 32 tasks of 16 a node do not fit on one node."""
    for sentence in case.sentences:
        if not has(sentence.text, "failed", "undone"):
            continue
        lines, sentences = case.once(_by_line)
        begin = bisect_left(lines, sentence.line - _NEAR_LINES)
        near = " ".join(one.text for one in sentences[begin : bisect_right(lines, sentence.line + _NEAR_LINES)])
        per_node, nodes = _number_after(near, "tasks-per-node", "per node"), _number_after(near, "--nodes")
        tasks = _asked_for(sentence.text)
        if "task" in near.lower() and per_node and nodes and tasks > per_node * nodes:
            yield Finding(
                code="impossible-request",
                severity=NOTE,
                message=f"{tasks} tasks of {per_node} a node do not fit on "
                + ("one node" if nodes == 1 else f"{nodes} nodes"),
                hint=f"--nodes {-(-tasks // per_node)}",
                source=sentence.source,
                evidence=(sentence.evidence(),),
            )


def _asked_for(text: str) -> int:
    """`set to 32`, `with 32`, `ntasks = 32`: the first."""
    tokens = [token for token in lex(text) if token.text != "="]
    for before, token in pairwise(tokens):
        if (
            token.number is not None
            and token.number.whole
            and (before.text in ("to", "with") or before.term == "num_tasks")
        ):
            return int(token.number.value)
    return 0


def _number_after(text: str, *names: str) -> int:
    """The whole number that follows the first of these names, or 0."""
    lower = text.lower()
    for name in names:
        for piece in lower.split(name)[1:]:
            word = next(iter(piece.lstrip(" =`*").split()), "").rstrip(".,;:`*)")
            if word.isdecimal():
                return int(word)
    return 0
