"""`wrong-trend`: "the validation loss kept falling", where the log shows it rising from the third epoch on.

A sentence is held against every curve that it may mean: only where none of them did what it says is it wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from assay.auditing.case import Case, Run, Sentence
from assay.auditing.curves import EPOCH, Curve, Point, curves_of
from assay.auditing.meant import candidates, is_here
from assay.auditing.rules.quoted import found as misquoted
from assay.language.modality import DONE
from assay.language.numbers import NONE
from assay.language.trends import Extreme, Level, Trend, trends_of
from assay.model.finding import DOUBTFUL, WRONG, Evidence, Finding
from assay.units import show_number

CODE = "wrong-trend"
#: the value of an epoch is a quoted figure, and the epoch of the best one a ranking
_CODES: dict[type, str] = {Trend: CODE, Extreme: "wrong-ranking", Level: "misquoted-figure"}
#: of the range of the curve: what is less than this is no move
_STILL, _BACK = 0.02, 0.1
#: with more of them on a page, nobody can say which one a sentence means
_MOST_RUNS = 60


def check(case: Case) -> Iterator[Finding]:
    for sentence in (one for one in case.sentences if not one.cut):
        yield from _ends(case, sentence)
        for claim in trends_of(sentence.text, sentence.decimal_comma):
            curves = _curves(case, sentence, claim.metric, claim.split, claim.unit)
            if not curves or claim.modality != DONE:
                continue
            if isinstance(claim, Level) and (sentence.source, sentence.text) in case.once(_misquoted):
                continue  # the same figure, held against the whole run
            against = [_against(curve, claim) for curve in curves]
            if all(one is not None for one in against) and against[0]:
                certain = len(curves) == 1 or _is_one_run(curves)
                yield replace(_finding(sentence, curves[0], against[0], certain), code=_CODES[type(claim)])


def _misquoted(case: Case) -> set[tuple[str, str]]:
    return {(one.source or "", one.evidence[0].text) for one in case.once(misquoted)}


def _ends(case: Case, sentence: Sentence) -> Iterator[Finding]:
    """`climbed from 58.8 % to 77.2 %`, where no epoch of the only run shows the one or the other."""
    for said in sentence.said():
        for value in said.values:
            metric, split = _METRICS.get(value.name, ("", ""))
            if not metric or value.was is None or value.modality != DONE or value.denied or value.about:
                continue
            curves = _curves(case, sentence, metric, value.split or split, "")
            if not curves or not _is_one_run(curves) or len(case.runs) > 1:
                continue
            points = [point.value for curve in case.once(curves_of, curves[0].run.id) for point in curve.points]
            for one in (value.was, value.number):
                scale = 100.0 if metric == "accuracy" and one.unit == NONE and one.value <= 1 else 1.0
                slack = 1.2 * scale * max(one.slack, one.rounded) + 1e-9
                if not any(abs(point - scale * one.value) <= slack for point in points):
                    found = _finding(sentence, curves[0], (curves[0].points[0], curves[0].points[-1]), True)
                    yield replace(found, code=_CODES[Level])
                    return


_METRICS = {
    "accuracy": ("accuracy", ""),
    "loss": ("loss", ""),
    "val_loss": ("loss", "val"),
    "test_loss": ("loss", "test"),
}


def _with_curves(case: Case) -> frozenset[str]:
    return frozenset(run.id for run in case.runs if not run.is_prose)


def _is_one_run(curves: Sequence[Curve]) -> bool:
    return len({one.run.id for one in curves}) == 1


def _curves(case: Case, sentence: Sentence, metric: str, split: str, unit: str) -> list[Curve]:
    """Those that the sentence may mean: of its section, where a run is there; of the part of the data that it names."""
    own = case.once(_with_curves)
    if len(own) > _MOST_RUNS:
        return []
    runs = [run for run in candidates(case, sentence) if run.id in own]
    here = [run for run in runs if is_here(case, run, sentence)]
    found = [one for run in here or runs for one in case.once(curves_of, run.id) if one.metric == metric]
    found = [one for one in found if not unit or one.unit == unit]
    named = [one for one in found if one.split == split] if split else found
    if split == "train" and not named:
        named = [one for one in found if not one.split]
    shown = {one.run.id for one in named}
    return named if shown == {run.id for run in here or runs} else []


def _against(curve: Curve, claim: Trend | Extreme | Level) -> tuple[Point, ...] | None:
    """The points that show the opposite; None where the curve is as the sentence says, or may be."""
    if isinstance(claim, Trend):
        return _moved_otherwise(curve, claim)
    if isinstance(claim, Extreme):
        return _is_elsewhere(curve, claim)
    return _is_another(curve, claim)


def _moved_otherwise(curve: Curve, claim: Trend) -> tuple[Point, ...] | None:
    points = _since(curve, claim)
    if len(points) < 2 or not curve.range:
        return None
    moves = [claim.sign * (b.value - a.value) for a, b in pairwise(points)]
    net = claim.sign * (points[-1].value - points[0].value)
    if claim.each:
        worst = min(range(len(moves)), key=moves.__getitem__)
        back = moves[worst] < -_STILL * curve.range
        return (points[worst], points[worst + 1]) if back and (curve.unit == EPOCH or net < 0) else None
    if claim.throughout:
        best = max(points[:-1], key=lambda point: claim.sign * point.value)
        fell_back = claim.sign * (points[-1].value - best.value) < -_BACK * curve.range
        return (best, points[-1]) if fell_back or net < -_STILL * curve.range else None
    if all(move <= 0 for move in moves) and (net < -_STILL * curve.range or (all(moves) and len(moves) > 1)):
        return points[0], points[-1]
    return None


def _since(curve: Curve, claim: Trend) -> tuple[Point, ...]:
    """The part of the curve that is spoken of: all of it, from a moment on, or the last epoch."""
    if claim.since is None:
        return curve.points
    if claim.since < 0:
        return curve.points[-2:]
    begin = curve.at(claim.since)
    return tuple(point for point in curve.points if begin is not None and point.at >= begin.at)


def _is_elsewhere(curve: Curve, claim: Extreme) -> tuple[Point, ...] | None:
    """`the best accuracy came in epoch 5`, where epoch 4 has a higher one."""
    named = curve.at(claim.moment)
    if named is None or len(curve.points) < 3:
        return None
    best = max(curve.points, key=lambda point: claim.sign * point.value)
    return (best, named) if claim.sign * (best.value - named.value) > 1e-9 else None


def _is_another(curve: Curve, claim: Level) -> tuple[Point, ...] | None:
    """`after the first epoch it was at 85 %`; a curve that is not printed there shows nothing."""
    point = curve.at(claim.moment)
    if point is None:
        return None
    said = claim.number.value
    if curve.metric == "accuracy" and claim.number.unit == NONE and said <= 1:
        said *= 100
    slack = 1.2 * max(claim.number.slack, claim.number.rounded) * (100 if said != claim.number.value else 1)
    near = [point, *(curve.at(claim.moment + n) for n in (-1, 1) if claim.moment > 0 and claim.moment + n >= 0)]
    slack = max(slack, 0.05 * abs(said)) if claim.about else slack
    return None if any(one and abs(one.value - said) <= slack + 1e-9 for one in near) else (point,)


def _finding(sentence: Sentence, curve: Curve, points: tuple[Point, ...], certain: bool) -> Finding:
    noun = f"{_SPLITS.get(curve.split, '')}{_NOUNS[curve.metric]}"
    unit = " %" if curve.metric == "accuracy" else " s" if curve.metric == "time" else ""
    shown = " and ".join(f"{show_number(one.value)}{unit} at {curve.unit} {one.at:g}" for one in points)
    return Finding(
        code=CODE,
        severity=WRONG if certain else DOUBTFUL,
        message=f"the log shows a {noun} of {shown}",
        hint="describe the curve as the log has it, or name the run and the moment that you mean",
        source=sentence.source,
        evidence=(sentence.evidence(), *(_line(curve.run, one) for one in points)),
        run=curve.run.id,
    )


_SPLITS = {"train": "training ", "val": "validation ", "test": "test "}
_NOUNS = {"loss": "loss", "accuracy": "accuracy", "time": "time"}


def _line(run: Run, point: Point) -> Evidence:
    return run.at(point.line) if point.line else run.whole()
