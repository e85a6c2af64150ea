"""`wrong-ranking`: "batch 8 was the fastest", where batch 16 has the higher rate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.auditing.case import Case, Run, Sentence
from assay.auditing.meant import LOW, Group, both, candidates, fields_of, figure_of, groups, runs_of
from assay.auditing.named import piece_at
from assay.auditing.rules.gridded import compared, ranked
from assay.auditing.rules.ranked_by import is_of_all
from assay.language.lex import lex
from assay.language.modality import DONE
from assay.language.said import Comparison, Effect, Ranking
from assay.model.finding import WRONG, Finding
from assay.quantities import BY_NAME
from assay.units import show_number

CODE = "wrong-ranking"
#: figures that are closer than this are equal, however they are rounded
_EQUAL = 0.002
_NO_EFFECT = 1.15
#: of the gain that a linear growth would give
_LINEAR = 0.8
_SOME = 1.5
#: a figure that moves by less than this says nothing for or against what another one shows
_NEUTRAL = 0.03


def check(case: Case) -> Iterator[Finding]:
    for sentence in (one for one in case.sentences if not one.cut):
        for said in sentence.said():
            runs = candidates(case, sentence)
            for ranking in said.rankings:
                piece = piece_at(lex(said.text, sentence.decimal_comma), ranking.start)
                if ranking.modality == DONE and not ranking.denied and is_of_all(piece, ranking):
                    found = list(_ranked(sentence, runs, ranking)) if len(ranking.of) == 1 else []
                    yield from found or ranked(case, sentence, said, ranking)
            for one in said.comparisons:
                if one.modality == DONE and not one.denied:
                    sided = len(one.of) == 1 and len(one.than) == 1
                    found = list(_compared(sentence, runs, one)) if sided else []
                    yield from found or compared(case, sentence, said, one)
            for effect in said.effects:
                if effect.modality == DONE and not effect.denied:
                    yield from _moved(sentence, runs, effect)


def _ranked(sentence: Sentence, runs: Sequence[Run], ranking: Ranking) -> Iterator[Finding]:
    setting, meant = runs_of(runs, ranking.of[0])
    sign = ranking.sign or (ranking.better * (-1 if ranking.name in LOW else 1))
    if not setting or not meant:
        return
    weighed: list[Weighed] = []
    for field, way in fields_of(ranking.name, runs) if ranking.name else _in_whatever(runs):
        all_groups = groups(runs, setting, field)
        own = next((one for one in all_groups if one.runs[0] in meant), None)
        others = [one for one in all_groups if one is not own]
        if own is not None and others:
            best = max(others, key=lambda one: sign * way * one.mean)
            weighed.append(Weighed(field=field, own=own, other=best, sign=sign * way))
    yield from _judged(sentence, setting, weighed)


def _in_whatever(runs: Sequence[Run]) -> Iterator[tuple[str, int]]:
    """`the best learning rate is 0.1` names no figure: it may be of the accuracy, of a loss, of the speed."""
    for metric in ("accuracy", "loss", "speed"):
        sign = -1 if metric in LOW else 1
        yield from ((field, sign * way) for field, way in fields_of(metric, runs))


@dataclass(frozen=True, kw_only=True)
class Weighed:
    """Two groups in one field: `own` is said to be ahead of `other`, in the direction of `sign`."""

    field: str
    own: Group
    other: Group
    sign: int

    @property
    def is_wrong(self) -> bool:
        return _beats(self.other, self.own, self.sign)

    @property
    def is_level(self) -> bool:
        a, b = self.own.mean, self.other.mean
        return abs(a - b) <= _NEUTRAL * max(abs(a), abs(b))


def _judged(sentence: Sentence, setting: str, weighed: Sequence[Weighed]) -> Iterator[Finding]:
    """Wrong if some figure shows the opposite, and none supports the claim by more than a hair."""
    against = [one for one in weighed if one.is_wrong]
    excused = [one for one in weighed if not one.is_wrong]
    clear = [one for one in against if not one.is_level]
    if not setting or any(not one.is_level for one in excused) or not (clear if excused else against):
        return
    worst = (clear or against)[0]
    yield _finding(sentence, setting, worst.field, worst.own, worst.other)


def _beats(best: Group, own: Group, sign: int) -> bool:
    """Every run of the one is ahead of every run of the other."""
    if sign > 0:
        return min(best.figures) > max(own.figures) * (1 + _EQUAL)
    return max(best.figures) < min(own.figures) * (1 - _EQUAL)


def _compared(sentence: Sentence, runs: Sequence[Run], one: Comparison) -> Iterator[Finding]:
    setting, of, than = both(runs, one.of[0], one.than[0])
    weighed: list[Weighed] = []
    for field, way in fields_of(one.name, [*of, *than]):
        a, b = _group(of, field), _group(than, field)
        if a is not None and b is not None:
            weighed.append(Weighed(field=field, own=a, other=b, sign=one.sign * way))
    if one.sign:
        yield from _judged(sentence, setting, weighed)
    elif setting and weighed and all(_apart(pair.own, pair.other) for pair in weighed):
        yield _finding(sentence, setting, weighed[0].field, weighed[0].own, weighed[0].other)


def _group(runs: Sequence[Run], field: str) -> Group | None:
    known = [run for run in runs if figure_of(run, field) is not None and run.summary.status != "failed"]
    return (
        Group(value=0.0, runs=tuple(known), figures=tuple(figure_of(run, field) or 0.0 for run in known))
        if known
        else None
    )


def _moved(sentence: Sentence, runs: Sequence[Run], effect: Effect) -> Iterator[Finding]:
    """`fewer tasks are faster`: wrong where the order of the figures is the other way round from end to end."""
    weighed: list[Weighed] = []
    for field, way in fields_of(effect.name, runs):
        all_groups = groups(runs, effect.setting, field)
        if len(all_groups) > 1:
            weighed.append(Weighed(field=field, own=all_groups[-1], other=all_groups[0], sign=effect.sign * way))
    if effect.sign:
        yield from _judged(sentence, effect.setting, weighed)
    elif weighed and all(_apart(one.own, one.other) for one in weighed):
        yield _finding(sentence, effect.setting, weighed[0].field, weighed[0].own, weighed[0].other)
    if effect.linear and effect.sign > 0 and not sentence.text[:1].islower():  # a part of `does not scale linearly`
        yield from _scaled(sentence, effect, [one for one in weighed if one.sign > 0])


def _scaled(sentence: Sentence, effect: Effect, weighed: Sequence[Weighed]) -> Iterator[Finding]:
    """`scales linearly with the batch size`, where four times the batch gives one and a half times the rate."""
    for one in weighed:
        times = one.own.value / one.other.value if one.other.value > 0 else 0.0
        gain = min(one.own.figures) / max(one.other.figures) if min(one.other.figures) > 0 else 0.0
        best = max(one.own.figures) / min(one.other.figures) if min(one.other.figures) > 0 else 0.0
        if times < _SOME or gain <= 0 or best - 1 >= _LINEAR * (times - 1):
            return
    if weighed:
        one = weighed[0]
        gain, times = one.own.mean / one.other.mean, one.own.value / one.other.value
        noun = BY_NAME[one.field].noun if one.field in BY_NAME else one.field
        yield Finding(
            code=CODE,
            severity=WRONG,
            message=f"that is not linear: {times:g} times the {effect.setting} gives {gain:.2f} times the {noun}",
            hint="give the factor that the figures show",
            source=sentence.source,
            evidence=(
                sentence.evidence(),
                one.other.runs[0].showing(one.field),
                one.own.runs[0].showing(one.field),
            ),
        )


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
