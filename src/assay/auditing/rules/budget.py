"""`unequal-budget`: losses of 512,000 and 2,048,000 samples compared because both ran 1,000 steps."""

from __future__ import annotations

from collections.abc import Iterator

from assay.auditing import language
from assay.auditing.case import Case, Run, Sentence
from assay.auditing.language import metrics_of
from assay.ingest.bounded import Bounded
from assay.language.claims import said_in
from assay.language.lex import lex
from assay.model.finding import DOUBTFUL, Finding
from assay.model.values import number

CODE = "unequal-budget"
_UNEQUAL = 1.5
_QUALITY = Bounded(r"(?i)\b(?:loss|losses|accuracy|accuracies|model|converg\w+|learn(?:s|ed|ing)?(?! rate)|quality)\b")
_MODEL = Bounded(
    r"(?i)\b(?:best|better|worse|worst) model\b|\bconverg\w+|"
    r"\bmodel (?:trained|with|of)\b[^.]{0,40}\b(?:better|best|worse|worst)\b"
)
#: and in the sentence itself: `but that run saw twice the data`
_SAW = Bounded(
    r"(?i)\b(?:s[ae]w|seen|process\w*|trained on|but|although|though|since|because|at)\b[^.;]{0,30}"
    r"\b(?:half|twice|double|fewer|more|different|unequal|less|[\d.]+ ?[x×]|[\d.]+ times|\w+ times)\b"
    r"[^.;]{0,25}\b(?:samples|data|examples|sequences|budgets?)\b(?!\s*(?:/|per))|"
    r"\b(?:samples|data|examples|sequences)\b(?!\s*(?:/|per))[^.;]{0,40}"
    r"\b(?:half|twice|doubled?|fewer|more|different|unequal|less|larger|smaller|bigger|[\d.]+ ?[x×]|\w+ times)\b"
)
#: settings that add work as well as workers
_PARALLEL = ("num_tasks", "num_nodes", "num_procs")
_PACE = Bounded(r"(?i)\b(?:performance|speed|faster|quicker|fast|time|duration|efficien\w+)\b")
_RATE = Bounded(
    r"(?i)\b(?:through-?put|(?:samples|tokens|sequences|images) (?:per|a|each) second|weak scaling|rate)\b|/s\b"
)
_ADMITTED = Bounded(
    r"(?i)\b(?:half|twice|double|fewer|more|same|equal|different|unequal|\d+ ?x|\d+ times)\b"
    r"[^.]{0,40}\b(?:samples|data|examples|budget)\b"
)


def check(case: Case) -> Iterator[Finding]:
    yield from _no_difference(case)
    for sentence in case.sentences:
        if not language.compares(sentence.text) or _QUALITY.search(sentence.text) is None:
            continue
        if "loss" not in metrics_of(sentence.text) and _MODEL.search(sentence.text) is None:
            continue
        if _SAW.search(sentence.text) or language.of_one_run(sentence.text):
            continue
        beside = case.once(_paragraphs)[sentence.paragraph]
        if any(_ADMITTED.search(one.text) for one in beside if one != sentence):
            continue
        group = case.once(_unequal, sentence.system)
        if group:
            yield _finding(sentence, group)
            return


def _no_difference(case: Case) -> Iterator[Finding]:
    """`All took the same time, so the tasks make no difference`, where each did three times the work of the other."""
    for sentence in case.sentences:
        roles = {role for one in said_in(sentence.text) for role in one.roles}
        if "same" not in roles or not language.is_plain(sentence.text) or _PACE.search(sentence.text) is None:
            continue
        beside = case.once(_paragraphs)[sentence.paragraph]
        if any(_SAW.search(one.text) or _ADMITTED.search(one.text) or _RATE.search(one.text) for one in beside):
            continue
        group = case.once(_unequal, sentence.system)
        varied = [name for name in _PARALLEL if len({run.settings.get(name) for run in group} - {None}) > 1]
        if group and any(token.term in varied for token in lex(sentence.text)):
            yield _at_equal_steps(sentence, group)
            return


def _at_equal_steps(sentence: Sentence, group: list[Run]) -> Finding:
    least, most = group[0], group[-1]
    ratio = _samples(most) / _samples(least)
    return Finding(
        code=CODE,
        severity=DOUBTFUL,
        message=f"each did {least.value('steps'):,.0f} steps, but {most.name} processed {ratio:.3g} times the samples "
        f"of {least.name}: the same seconds are not the same performance",
        hint="compare samples per second, or the time for equal samples",
        source=sentence.source,
        evidence=(sentence.evidence(), *(run.proof("samples", "loss") for run in group)),
    )


def _paragraphs(case: Case) -> dict[int, list[Sentence]]:
    found: dict[int, list[Sentence]] = {}
    for one in case.sentences:
        found.setdefault(one.paragraph, []).append(one)
    return found


def _unequal(case: Case, system: str) -> list[Run]:
    """Runs of one system after equal steps and unequal samples."""
    groups: dict[tuple[str, float | None], list[Run]] = {}
    for run in case.of(system):
        if _samples(run) and run.value("steps") and run.value("loss") is not None:
            groups.setdefault((run.system, run.value("steps")), []).append(run)
    for equal in groups.values():
        samples = [_samples(run) for run in equal]
        if len(equal) > 1 and max(samples) > _UNEQUAL * min(samples):
            return sorted(equal, key=_samples)
    return []


def _samples(run: Run) -> float:
    """As told, else steps times the batch size that is told."""
    told, steps, batch = run.value("samples"), run.value("steps"), number(run.settings.get("batch_size"))
    return told or (steps * batch if steps and batch else 0.0)


def _finding(sentence: Sentence, group: list[Run]) -> Finding:
    least, most = group[0], group[-1]
    ratio = _samples(most) / _samples(least)
    losses = ", ".join(f"{run.value('loss'):g}" for run in group)
    return Finding(
        code=CODE,
        severity=DOUBTFUL,
        message=f"losses are compared after {least.value('steps'):,.0f} steps each, but {most.name} saw "
        f"{ratio:.3g} times the samples of {least.name}",
        hint="compare at equal samples (assay compare --axis samples), or say that the budgets differ",
        source=sentence.source,
        evidence=(sentence.evidence(), *(run.proof("samples", "loss") for run in group)),
        instead=f"After {least.value('steps'):,.0f} steps each, {most.name} had seen {ratio:.3g} times the samples of "
        f"{least.name}: their losses ({losses}) belong to unequal budgets, and none is shown to be the better model.",
    )
