"""`cached-compile`: one run compiled for a quarter of an hour, the other found the result on disk."""

from __future__ import annotations

from collections.abc import Iterator

from assay.auditing import language
from assay.auditing.case import Case, Run
from assay.auditing.language import metrics_of
from assay.ingest.bounded import Bounded
from assay.model.finding import DOUBTFUL, Finding

CODE = "cached-compile"
_LONGER = Bounded(r"(?i)\b(?:faster|slower|longer|shorter|quick\w*|(?:less|more) time|reduc\w+ in (?:time|duration))\b")


_DURATION = Bounded(r"(?i)\d\s*(?:s|sec|seconds?|min|minutes?|hours?|h)\b")
_KNOWN = Bounded(r"(?i)\bcach\w*|\bpre-?compiled\b|\balready compiled\b|\bcompil\w+ (?:time|was skipped)")


def check(case: Case) -> Iterator[Finding]:
    for sentence in case.sentences:
        if "time" not in metrics_of(sentence.text) or not _compares_time(sentence.text):
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


def _compares_time(text: str) -> bool:
    """One lasted longer than the other, in words or by two durations; who names the cache has seen it."""
    if not language.is_plain(text) or _KNOWN.search(text):
        return False
    return _LONGER.search(text) is not None or len(_DURATION.findall(text)) > 1


def _pair(case: Case, system: str) -> tuple[Run, Run] | None:
    """Of one system, one that reused and one that compiled, and whose seconds include it."""
    runs = case.of(system)
    built = {run.system: run for run in reversed(runs) if run.summary.compile_cached is False}
    reused = (run for run in runs if run.summary.compile_cached is True and run.system in built)
    return next(((run, built[run.system]) for run in reused), None)


def _seconds(run: Run) -> str:
    seconds = run.phase_s("compile")
    return f" ({seconds:,.0f} s)" if seconds else ""
