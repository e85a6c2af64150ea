"""`setting-not-in-effect`, said of all runs at once: "all runs were done with 20 epochs", where each log shows 10."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.auditing.case import Case, Run, Sentence
from assay.auditing.in_effect import is_open
from assay.auditing.meant import candidates, has
from assay.language.modality import DONE
from assay.language.said import Said, Value
from assay.model.finding import WRONG, Finding

CODE = "setting-not-in-effect"


def check(case: Case) -> Iterator[Finding]:
    for sentence in case.sentences:
        for said in sentence.said():
            if "all_runs" in said.roles and not said.roles & {"not", "instead"}:
                for value in said.values:
                    if _is_common(said, value):
                        yield from _held(sentence, value, candidates(case, sentence))


def _is_common(said: Said, value: Value) -> bool:
    if not value.is_setting or value.modality != DONE or value.denied or value.bound or value.listed or value.failed:
        return False
    return not value.scope and value.number.upper is None and value.was is None and not value.part and not said.changes


def _held(sentence: Sentence, value: Value, runs: Sequence[Run]) -> Iterator[Finding]:
    """Only where no run has it, in effect or by its own claim."""
    shown = [run for run in runs if value.name in run.params and not run.is_prose]
    if not shown or any(has(run, value.name, value.number.readings) for run in runs):
        return
    claimed, ran = f"{value.number.value:g}", shown[0].params[value.name]
    if any(is_open(run, value.name, value.number.value, run.params[value.name]) for run in shown):
        return
    yield Finding(
        code=CODE,
        severity=WRONG,
        message=f"{value.name} = {claimed} is claimed for all runs, and {value.name} = {ran} is what ran",
        hint="give the value that the logs show",
        source=sentence.source,
        evidence=(sentence.evidence(), shown[0].proof(value.name)),
        instead=f"{value.name} = {ran} (not {claimed})",
    )
