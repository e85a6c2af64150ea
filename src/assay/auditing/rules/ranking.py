"""`wrong-ranking`: "batch 8 was the fastest", where batch 16 has the higher rate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.auditing.case import Case, Run, Sentence
from assay.auditing.meant import LOW, Group, candidates, fields_of, figure_of, groups, runs_of
from assay.language.modality import DONE
from assay.language.said import Comparison, Effect, Ranking, Subject
from assay.model.finding import WRONG, Finding
from assay.quantities import BY_NAME
from assay.units import show_number

CODE = "wrong-ranking"
#: figures that are closer than this are equal, however they are rounded
_EQUAL = 0.002
_NO_EFFECT = 1.2


def check(case: Case) -> Iterator[Finding]:
    for sentence in case.sentences:
        for said in sentence.said():
            runs = candidates(case, sentence)
            for ranking in said.rankings:
                if ranking.modality == DONE and not ranking.denied and len(ranking.of) == 1:
                    yield from _ranked(sentence, runs, ranking)
            for one in said.comparisons:
                if one.modality == DONE and not one.denied and len(one.of) == 1 and len(one.than) == 1:
                    yield from _compared(sentence, runs, one)
            for effect in said.effects:
                if effect.modality == DONE and not effect.denied:
                    yield from _moved(sentence, runs, effect)


def _ranked(sentence: Sentence, runs: Sequence[Run], ranking: Ranking) -> Iterator[Finding]:
    setting, meant = runs_of(runs, ranking.of[0])
    sign = ranking.sign or (ranking.better * (-1 if ranking.name in LOW else 1))
    if not setting or not meant or not ranking.name:
        return
    against: list[tuple[str, Group, Group]] = []
    for field, way in fields_of(ranking.name, runs):
        all_groups = groups(runs, setting, field)
        own = next((one for one in all_groups if one.runs[0] in meant), None)
        if own is None or len(all_groups) < 2:
            continue
        best = max(all_groups, key=lambda one: sign * way * one.mean)
        if not _beats(best, own, sign * way):
            return
        against.append((field, own, best))
    if against:
        yield _finding(sentence, setting, *against[0])


def _beats(best: Group, own: Group, sign: int) -> bool:
    """Every run of the one is ahead of every run of the other."""
    if sign > 0:
        return min(best.figures) > max(own.figures) * (1 + _EQUAL)
    return max(best.figures) < min(own.figures) * (1 - _EQUAL)


def _compared(sentence: Sentence, runs: Sequence[Run], one: Comparison) -> Iterator[Finding]:
    against: list[tuple[str, Group, Group]] = []
    setting, of, than = _both(runs, one.of[0], one.than[0])
    for field, way in fields_of(one.name, [*of, *than]):
        a, b = _group(of, field), _group(than, field)
        if a is None or b is None:
            continue
        if not _beats(b, a, one.sign * way):
            return
        against.append((field, a, b))
    if against and setting:
        yield _finding(sentence, setting, *against[0])


def _both(runs: Sequence[Run], a: Subject, b: Subject) -> tuple[str, list[Run], list[Run]]:
    """The two sides; a bare number takes the setting of the other side."""
    first, second = runs_of(runs, a), runs_of(runs, b)
    setting = first[0] or second[0]
    if setting and a.readings and b.readings:
        first = runs_of(runs, Subject(name=setting, readings=a.readings))
        second = runs_of(runs, Subject(name=setting, readings=b.readings))
    return setting, first[1], second[1]


def _group(runs: Sequence[Run], field: str) -> Group | None:
    known = [run for run in runs if figure_of(run, field) is not None and run.summary.status != "failed"]
    return (
        Group(value=0.0, runs=tuple(known), figures=tuple(figure_of(run, field) or 0.0 for run in known))
        if known
        else None
    )


def _moved(sentence: Sentence, runs: Sequence[Run], effect: Effect) -> Iterator[Finding]:
    """`fewer tasks are faster`: wrong where the order of the figures is the other way round from end to end."""
    against: list[tuple[str, Group, Group]] = []
    for field, way in fields_of(effect.name, runs):
        all_groups = groups(runs, effect.setting, field)
        if len(all_groups) < 2:
            continue
        low, high = all_groups[0], all_groups[-1]
        if effect.sign == 0:
            if not _apart(low, high):
                return
        elif not _beats(low, high, effect.sign * way):
            return
        against.append((field, high, low))
    if against:
        yield _finding(sentence, effect.setting, *against[0])


def _apart(a: Group, b: Group) -> bool:
    """Far beyond what anyone would call no difference."""
    larger, smaller = max(a.mean, b.mean), min(a.mean, b.mean)
    return smaller > 0 and larger / smaller > _NO_EFFECT and (_beats(a, b, 1) or _beats(b, a, 1))


def _finding(sentence: Sentence, setting: str, field: str, own: Group, best: Group) -> Finding:
    noun = BY_NAME[field].noun if field in BY_NAME else field
    unit = BY_NAME[field].heading if field in BY_NAME else ""
    of, other = _called(setting, own), _called(setting, best)
    return Finding(
        code=CODE,
        severity=WRONG,
        message=f"the {noun} of {other} is {show_number(best.mean)} and that of {of} {show_number(own.mean)}"
        + (f" ({unit})" if unit and unit != noun else ""),
        hint="name the one that the figures show, or say which figure is meant",
        source=sentence.source,
        evidence=(sentence.evidence(), own.runs[0].showing(field), best.runs[0].showing(field)),
    )


def _called(setting: str, group: Group) -> str:
    value = group.runs[0].settings.get(setting)
    return f"{setting} = {value}" if value is not None else group.runs[0].name
