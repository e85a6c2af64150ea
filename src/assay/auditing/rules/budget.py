"""`unequal-budget`: losses of 512,000 and 2,048,000 samples compared because both ran 1,000 steps."""

from __future__ import annotations

from collections.abc import Iterator

from assay.auditing import language
from assay.auditing.case import Case, Run, Sentence
from assay.auditing.language import metrics_of
from assay.auditing.meant import PARALLEL, both, candidates
from assay.language.claims import said_in
from assay.language.cues import follows, has
from assay.language.lex import lex
from assay.language.modality import DONE
from assay.model.finding import DOUBTFUL, Finding
from assay.model.values import number

CODE = "unequal-budget"
_UNEQUAL = 1.5
#: 1,000 and 1,010 steps are as many
_SAME_STEPS = 0.02
#: what someone means who says that a run was faster or took less time
_HASTE = ("time", "speed")
#: settings that add work as well as workers
_NEAR = 6  # words


def check(case: Case) -> Iterator[Finding]:
    yield from _no_difference(case)
    for sentence in case.sentences:
        if not language.compares(sentence.text) or language.of_one_run(sentence.text):
            continue
        sooner = _sooner(case, sentence)
        if sooner and not (
            _knows_of_budgets(sentence.text) or _admitted(case, sentence) or _gives_rates(case, sentence)
        ):
            yield sooner
            continue
        if "loss" not in metrics_of(sentence.text) and not _judges_models(sentence.text):
            continue
        if _knows_of_budgets(sentence.text) or _admitted(case, sentence):
            continue
        group = case.once(_unequal, sentence.system)
        if group:
            yield _finding(sentence, group)
            return


def _no_difference(case: Case) -> Iterator[Finding]:
    """`All took the same time, so the tasks make no difference`, where each did three times the work of the other."""
    for sentence in case.sentences:
        roles = {role for one in said_in(sentence.text) for role in one.roles}
        if "same" not in roles or not language.is_plain(sentence.text) or not _is_of_pace(sentence.text):
            continue
        if _admitted(case, sentence) or _knows_of_budgets(sentence.text) or _gives_rates(case, sentence):
            continue
        group = case.once(_unequal, sentence.system)
        varied = [name for name in PARALLEL if len({run.settings.get(name) for run in group} - {None}) > 1]
        if group and any(token.term in varied for token in lex(sentence.text)):
            yield _at_equal_steps(sentence, group)
            return


def _is_of_pace(text: str) -> bool:
    return has(text, "pace") or not {"time", "rate"}.isdisjoint(metrics_of(text))


def _judges_models(text: str) -> bool:
    """`The best model was …`, `the model with 2048 is better`."""
    better = any(token.text in ("better", "best", "worse", "worst") for token in lex(text))
    return has(text, "models") or (better and has(text, "model"))


def _sets_budgets_apart(text: str) -> bool:
    """`But that run saw twice the data`."""
    return any(follows(text, a, b, _NEAR) for a, b in (("unequal", "data"), ("data", "unequal"), ("factor", "data")))


def _knows_of_budgets(text: str) -> bool:
    """`… because the number of processed samples is two times larger`."""
    return _sets_budgets_apart(text) or follows(text, "data", "larger", _NEAR)


def _admitted(case: Case, sentence: Sentence) -> bool:
    """Another sentence of the paragraph says how the budgets compare."""
    others = [one.text for one in case.once(_paragraphs)[sentence.paragraph] if one != sentence]
    return any(_sets_budgets_apart(text) or follows(text, "equal", "data", _NEAR) for text in others)


def _gives_rates(case: Case, sentence: Sentence) -> bool:
    """The paragraph compares what was done in a second."""
    tokens = [token for one in case.once(_paragraphs)[sentence.paragraph] for token in lex(one.text)]
    return any(
        token.rate or "weak" in token.roles or token.term.endswith("_per_s")
        or (token.term == "rate" and "speed" not in token.text)
        for token in tokens
    )  # fmt: skip


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
    """Runs of one system after as many steps, or nearly, and unequal samples."""
    known = [run for run in case.of(system) if _samples(run) and _steps(run) and run.value("loss") is not None]
    groups: list[list[Run]] = []
    for run in sorted(known, key=lambda run: (run.system, _steps(run))):
        first = groups[-1][0] if groups else None
        if first is not None and first.system == run.system and _steps(run) <= (1 + _SAME_STEPS) * _steps(first):
            groups[-1].append(run)
        else:
            groups.append([run])
    for equal in groups:
        samples = [_samples(run) for run in equal]
        if len(equal) > 1 and max(samples) > _UNEQUAL * min(samples):
            return sorted(equal, key=_samples)
    return []


def _sooner(case: Case, sentence: Sentence) -> Finding | None:
    """`512 finished faster than 1,024`, where it did half the work, and at the lower rate."""
    for said in sentence.said():
        for one in said.comparisons:
            if one.modality != DONE or one.denied or one.name not in _HASTE or len(one.of) != 1 or len(one.than) != 1:
                continue
            _, of, than = both(candidates(case, sentence), one.of[0], one.than[0])
            if len(of) == len(than) == 1 and _is_less_work(of[0], than[0]):
                return _less_work(sentence, of[0], than[0])
    return None


def _is_less_work(quick: Run, other: Run) -> bool:
    """As many steps in less time, with so much smaller ones that fewer samples were done in a second."""
    times = quick.value("train_s"), other.value("train_s")
    if None in times or not all(map(_steps, (quick, other))) or not all(map(_samples, (quick, other))):
        return False
    same = abs(_steps(quick) - _steps(other)) <= _SAME_STEPS * _steps(other)
    slower = _samples(quick) / (times[0] or 1.0) < _samples(other) / (times[1] or 1.0)
    return same and slower and (times[0] or 0.0) < (times[1] or 0.0) and _samples(other) > _UNEQUAL * _samples(quick)


def _less_work(sentence: Sentence, quick: Run, other: Run) -> Finding:
    took = [run.value("train_s") or 1.0 for run in (quick, other)]
    rates = [f"{_samples(run) / seconds:,.0f}" for run, seconds in zip((quick, other), took, strict=True)]
    return Finding(
        code=CODE,
        severity=DOUBTFUL,
        message=f"{quick.name} took {took[0]:,.0f} s and {other.name} {took[1]:,.0f} s for {_steps(other):,.0f} steps, "
        f"but {other.name} processed {_samples(other):,.0f} samples and {quick.name} {_samples(quick):,.0f}: "
        f"{quick.name} did {rates[0]} samples/s and {other.name} {rates[1]}",
        hint="compare samples per second, or the time for equal samples",
        source=sentence.source,
        evidence=(sentence.evidence(), *(run.proof("samples", "train_s") for run in (quick, other))),
    )


def _steps(run: Run) -> float:
    return run.value("steps") or 0.0


def _samples(run: Run) -> float:
    """The reported samples, else steps times the reported batch size."""
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
