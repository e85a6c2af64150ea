"""`mixed-code`: runs of two versions of a program, compared or averaged as if only their settings differed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence

from assay.auditing.case import Case, Run, Sentence
from assay.auditing.meant import both, candidates
from assay.language.modality import DONE
from assay.language.said import Comparison
from assay.model.finding import DOUBTFUL, NOTE, Evidence, Finding
from assay.spec import short_id

CODE = "mixed-code"


def check(case: Case) -> Iterator[Finding]:
    """A study claims that its runs are repeats, a sentence that a setting matters; a folder claims nothing."""
    runs = [run for run in case.runs if _hash(run) and run.summary.status == "completed" and not run.summary.warmup]
    if len({_hash(run) for run in runs}) < 2:
        return
    for study, members in _grouped(runs, lambda run: run.summary.study).items():
        standing = _standing(members)
        if study is not None and _is_mixed(standing):
            yield _of_study(str(study), standing)
    alone = [run for run in runs if run.summary.study is None]
    for members in _grouped(alone, lambda run: (run.work, _script(run))).values():
        if _is_mixed(members):
            yield _of_repeats(members)
    for sentence in case.sentences:
        for said in sentence.said():
            for one in said.comparisons:
                finding = _of_sentence(candidates(case, sentence), sentence, one)
                if finding is not None:
                    yield finding


def _hash(run: Run) -> str | None:
    return run.summary.code.version if run.summary.code else None


def _script(run: Run) -> str:
    return (run.summary.code.script if run.summary.code else None) or "the program"


def _grouped(runs: Sequence[Run], key: Callable[[Run], Hashable]) -> dict[Hashable, list[Run]]:
    found: dict[Hashable, list[Run]] = {}
    for run in runs:
        found.setdefault(key(run), []).append(run)
    return found


def _standing(runs: Sequence[Run]) -> list[Run]:
    """Of each unit of a study the last run: those before it were done again."""
    found = {}
    for run in sorted(runs, key=lambda run: run.id):
        found[run.summary.cell, run.summary.repeat, run.summary.seed] = run
    return list(found.values())


def _is_mixed(runs: Sequence[Run]) -> bool:
    return len({_hash(run) for run in runs}) > 1


def _by_age(runs: Sequence[Run]) -> dict[Hashable, list[Run]]:
    return _grouped(sorted(runs, key=lambda run: run.id), _hash)


def _of_study(study: str, runs: Sequence[Run]) -> Finding:
    versions = _by_age(runs)
    within = any(_is_mixed(alike) for alike in _grouped(runs, lambda run: run.summary.cell).values())
    what = "repeats of one setting" if within else "the settings it compares"
    return _finding(
        runs,
        DOUBTFUL,
        f"the study `{study}` mixes {len(versions)} versions of `{_script(runs[0])}` in {what}",
        "run the older ones again: assay study FILE --redo",
    )


def _of_repeats(runs: Sequence[Run]) -> Finding:
    said = f"{len(runs)} runs with the same settings used {len(_by_age(runs))} versions of `{_script(runs[0])}`"
    return _finding(runs, NOTE, f"{said}, so they are not repeats of each other", "do not average them")


def _of_sentence(runs: Sequence[Run], sentence: Sentence, one: Comparison) -> Finding | None:
    """`A is faster than B`, where no version of the program ran both."""
    if one.modality != DONE or one.denied or not one.sign or len(one.of) != 1 or len(one.than) != 1:
        return None
    _, of, than = both(runs, one.of[0], one.than[0])
    codes = [{_hash(run) for run in side} for side in (of, than)]
    if not all(codes) or any(None in each for each in codes) or codes[0] & codes[1]:
        return None
    told = "the two sides of this comparison ran different versions of the program, which may explain the difference"
    found = _finding([*of, *than], DOUBTFUL, told, "run both with the same code")
    return Finding(
        code=CODE,
        severity=DOUBTFUL,
        message=found.message,
        hint=found.hint,
        source=sentence.source,
        evidence=(sentence.evidence(), *found.evidence),
    )


def _finding(runs: Sequence[Run], severity: str, message: str, do: str) -> Finding:
    versions = _by_age(runs)
    firsts = [alike[0] for alike in versions.values()]
    see = f"see what changed with: assay diff {short_id(firsts[0].id)} {short_id(firsts[-1].id)}"
    return Finding(
        code=CODE,
        severity=severity,
        message=message,
        hint=f"{do}; {see}",
        source=firsts[0].source,
        evidence=tuple(_evidence(code, alike) for code, alike in list(versions.items())[:4]),
    )


def _evidence(code: Hashable, runs: Sequence[Run]) -> Evidence:
    names = ", ".join(dict.fromkeys(run.name for run in runs[:4])) + (", …" if len(runs) > 4 else "")
    return runs[0].measured(f"code {code} ran {len(runs)} time{'s' if len(runs) > 1 else ''}: {names}")
