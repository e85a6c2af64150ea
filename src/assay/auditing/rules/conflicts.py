"""`conflicting-claims`: one page says a larger batch is faster, another that it is slower, on the same system."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from assay.auditing import language
from assay.auditing.case import Case, Sentence
from assay.language.cues import has
from assay.language.modality import DONE
from assay.language.said import Change, Said
from assay.language.sentences import turns
from assay.model.finding import DOUBTFUL, Finding

CODE = "conflicting-claims"
#: `faster per sample` and `longer for 1000 steps` are both true of a larger batch: of what, has to be left open
_MEASURED_BY = ("scope", "samples", "steps", "rate", "samples_per_s", "equal")


@dataclass(frozen=True, kw_only=True)
class _Claim:
    """When `setting` goes up, `metric` goes up (1) or down (-1)."""

    system: str
    setting: str
    metric: str
    sign: int
    sentence: Sentence


def check(case: Case) -> Iterator[Finding]:
    said: dict[tuple[str, str, str], list[_Claim]] = {}
    for sentence in case.sentences:
        for claim in _claims(sentence):
            said.setdefault((claim.system, claim.setting, claim.metric), []).append(claim)
    for first, *others in said.values():
        against = next((one for one in others if one.sign != first.sign), None)
        if against:
            yield _finding(first, against)


def _claims(sentence: Sentence) -> Iterator[_Claim]:
    """One cause and one effect: a sentence with more of either is left alone."""
    if sentence.system == "generic" or not language.is_plain(sentence.text) or turns(sentence.text):
        return
    found = {claim for said in sentence.said() for claim in _effects(said)}
    for setting, metric, sign in found if len(found) == 1 else ():
        if not (metric in ("speed", "time") and has(sentence.text, *_MEASURED_BY)):
            yield _Claim(system=sentence.system, setting=setting, metric=metric, sign=sign, sentence=sentence)


def _effects(said: Said) -> Iterator[tuple[str, str, int]]:
    """As a setting does it, or as two values of a setting differ: `from 16 to 8 tasks halved the throughput`."""
    for one in said.effects:
        if one.modality == DONE and not one.denied and one.sign:
            yield one.setting, one.name, one.sign
    for change in said.changes:
        sign = _moved(change)
        if sign and change.modality == DONE and not change.denied:
            yield change.of[0].name, change.name, sign


def _moved(change: Change) -> int:
    if len(change.of) != 1 or len(change.than) != 1 or not change.of[0].name:
        return 0
    of, than = change.of[0], change.than[0]
    if of.name != than.name or not of.readings or not than.readings or of.readings[0] == than.readings[0]:
        return 0
    return change.direction * (1 if of.readings[0] > than.readings[0] else -1)


def _finding(a: _Claim, b: _Claim) -> Finding:
    return Finding(
        code=CODE,
        severity=DOUBTFUL,
        message=f"on {a.system}, more {a.setting} is said to give "
        f"{_word(a)} {a.metric} in one place and {_word(b)} in another: both cannot be true",
        hint="look at what each was measured with; repeat both settings on one machine",
        source=b.sentence.source,
        evidence=(a.sentence.evidence(), b.sentence.evidence()),
    )


def _word(claim: _Claim) -> str:
    return "more" if claim.sign > 0 else "less"
