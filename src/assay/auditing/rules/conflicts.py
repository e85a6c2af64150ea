"""`conflicting-claims`: one page says a larger batch is faster, another that it is slower, on the same system."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from assay.auditing import language
from assay.auditing.case import Case, Sentence
from assay.ingest.bounded import Bounded
from assay.model.finding import DOUBTFUL, Finding

CODE = "conflicting-claims"
_SETTINGS = {
    "batch_size": r"batch(?:[ _-]?sizes?)?",
    "epochs": r"(?:number of )?(?:training )?epochs?",
    "lr": r"learning[ _-]?rates?|\blr\b",
    "num_tasks": r"(?:number of )?(?:n?tasks?|ntasks)\b",
    "num_procs": r"(?:number of )?(?:processes|workers|processors)\b",
    "seq_len": r"(?:max(?:imum)? )?sequence[ _-]?lengths?",
}
_MORE = r"(?:increas\w+|larger|bigger|higher|greater|more|rais\w+|doubl\w+|longer)"
_LESS = r"(?:decreas\w+|smaller|lower\w*|fewer|less|reduc\w+|halv\w+|dropping|shorter)"
_CAUSE = {
    name: Bounded(rf"(?i)\b(?:(?P<more>{_MORE})|(?P<less>{_LESS}))\s+(?:(?:the|in|training|train)\s+)*(?:{words})")
    for name, words in _SETTINGS.items()
}
#: a word that says by itself which figure moved, and which way
_EFFECTS = (
    ("speed", Bounded(r"(?i)\b(?:(?P<up>faster|quicker|speeds? up|sped up)|(?P<down>slower))\b")),
    ("time", Bounded(r"(?i)\b(?:(?P<down>shorter|less time)|(?P<up>longer|more time))\b")),
    (
        "accuracy",
        Bounded(
            r"(?i)(?:(?P<up>increas\w*|improv\w*|higher|better|rais\w*)|(?P<down>decreas\w*|drop\w*|lower\w*|worse\w*|reduc\w*))"
            r"\s+(?:(?:in\s+)?(?:the|test|set|model'?s?|validation)\s+)*accurac|"
            r"accurac(?:y|ies)\s+(?:\w+\s+){0,2}?(?:(?P<up2>increas\w*|improv\w*|rose|rises)|(?P<down2>decreas\w*|drop\w*|fell|falls|declin\w*))"
        ),
    ),
    (
        "loss",
        Bounded(
            r"(?i)(?:(?P<up>increas\w*|higher|larger)|(?P<down>decreas\w*|lower\w*|reduc\w*|smaller))\s+(?:(?:in\s+)?(?:the|final|training)\s+)*loss\b"
        ),
    ),
    (
        "rate",
        Bounded(
            r"(?i)(?:(?P<up>increas\w*|higher|faster|better|improv\w*|more|doubled)|"
            r"(?P<down>decreas\w*|lower\w*|reduc\w*|slower|halved))"
            r"\s+(?:(?:in\s+)?(?:the|training|processing|overall)\s+)*"
            r"(?:throughput|(?<!learning )rates?\b|samples per)|"
            r"throughput\s+(?:\w+\s+){0,2}?(?:(?P<up2>increas\w*|improv\w*|rose|rises|doubled)|"
            r"(?P<down2>decreas\w*|drop\w*|fell|falls|halved))"
        ),
    ),
)
#: `faster per sample` and `longer for 1000 steps` are both true of a larger batch: of what, has to be left open
_MEASURED_BY = Bounded(
    r"(?i)\b(?:per|each|every|a) (?:sample|step|epoch|image|iteration|batch|second)|"
    r"\b(?:samples|steps|rate|throughput)\b|\b(?:same|equal|fixed) (?:data|number|amount|work)"
)
_TURNED = Bounded(r"(?i)\b(?:not|but|while|however|whereas)\b|n't\b")


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
    """One cause and one effect, in that order: a sentence with more of either is left alone."""
    if not language.is_plain(sentence.text) or sentence.system == "generic" or _TURNED.search(sentence.text):
        return
    causes = [(name, found) for name, pattern in _CAUSE.items() for found in pattern.finditer(sentence.text)]
    if len(causes) != 1:
        return
    setting, cause = causes[0]
    rest = sentence.text[: cause.start()] + " ; " + sentence.text[cause.end() :]
    for metric, pattern in _EFFECTS:
        effects = list(pattern.finditer(rest))
        if len(effects) == 1 and not (metric in ("speed", "time") and _MEASURED_BY.search(rest)):
            groups = effects[0].groupdict()
            up = groups.get("up") or groups.get("up2")
            sign = (1 if cause["more"] else -1) * (1 if up else -1)
            yield _Claim(system=sentence.system, setting=setting, metric=metric, sign=sign, sentence=sentence)


def _finding(a: _Claim, b: _Claim) -> Finding:
    return Finding(
        code=CODE,
        severity=DOUBTFUL,
        message=f"on {a.system}, more {a.setting} is said to give "
        f"{_word(a)} {a.metric} in one place and {_word(b)} in another: both cannot hold",
        hint="look at what each was measured with; repeat both settings on one machine",
        source=b.sentence.source,
        evidence=(a.sentence.evidence(), b.sentence.evidence()),
    )


def _word(claim: _Claim) -> str:
    return "more" if claim.sign > 0 else "less"
