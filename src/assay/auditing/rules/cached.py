"""`cached-compile`: one run compiled for a quarter of an hour, the other found the result on disk."""

from __future__ import annotations

from collections.abc import Iterator

from assay.auditing import language
from assay.auditing.case import Case, Run, Sentence
from assay.auditing.language import metrics_of
from assay.language.lex import Token, lex
from assay.language.numbers import SECONDS
from assay.model.finding import DOUBTFUL, Finding

CODE = "cached-compile"


def check(case: Case) -> Iterator[Finding]:
    for sentence in case.sentences:
        if "time" not in metrics_of(sentence.text) or not _compares_time(sentence):
            continue
        pair = case.once(_pair, sentence.system)
        if pair:
            cached, compiled = pair
            yield Finding(
                code=CODE,
                severity=DOUBTFUL,
                message=f"durations are compared, and {cached.name} reused a compiled program while {compiled.name} "
                f"compiled its own{_seconds(compiled)}",
                hint="compare the seconds of training alone, or compile both",
                source=sentence.source,
                evidence=(sentence.evidence(), cached.proof("compile_cached"), compiled.proof("compile_cached")),
                run=cached.id,
            )
            return


def _compares_time(sentence: Sentence) -> bool:
    """One lasted longer than the other, in words or by two durations; who names the cache has seen it."""
    if not language.is_plain(sentence.text) or any("cached" in one.roles for one in sentence.said()):
        return False
    tokens = lex(sentence.text, sentence.decimal_comma)
    if any(_is_longer(tokens, at) for at in range(len(tokens))):
        return True
    return sum(token.number is not None and token.number.unit == SECONDS for token in tokens) > 1


def _is_longer(tokens: tuple[Token, ...], at: int) -> bool:
    """`faster`, `shorter`, `a reduction in duration`."""
    roles = tokens[at].roles
    following = tokens[at + 1 : at + 3]
    of_time = len(following) == 2 and following[0].text in ("in", "of") and following[1].term == "time"
    return any(way in roles and (roles[way] in ("speed", "time") or of_time) for way in ("up", "down"))


def _pair(case: Case, system: str) -> tuple[Run, Run] | None:
    """Of one system, one that reused and one that compiled, and whose seconds include it."""
    runs = case.of(system)
    built = {run.system: run for run in reversed(runs) if run.summary.compile_cached is False}
    reused = (run for run in runs if run.summary.compile_cached is True and run.system in built)
    return next(((run, built[run.system]) for run in reused), None)


def _seconds(run: Run) -> str:
    seconds = run.phase_s("compile")
    return f" ({seconds:,.0f} s)" if seconds else ""
