"""`within-noise`: 0.7 points explained at length, where identical runs differ by 1.5."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

from assay.auditing import language
from assay.auditing.case import Case, Run, Sentence
from assay.auditing.language import metrics_of
from assay.auditing.meant import FIELDS, both, candidates, fields_of, figure_of, runs_of
from assay.auditing.noise import known
from assay.auditing.scatter import repeats_of, shown_apart
from assay.core.distinguishing import tells
from assay.language.lex import lex
from assay.language.modality import DONE
from assay.language.said import Comparison, Ranking
from assay.model.finding import DOUBTFUL, Finding
from assay.model.known import KnownSpread
from assay.stats import difference

CODE = "within-noise"
#: of settings, in logs that show one each
_MANY = 200
#: settings of which each is held against each other
_MANY_REPEATED = 30
_POINTS = ("percent", "points")
_SMALL_POINTS = 2.0  # a larger gain is not called small without repeats


def check(case: Case) -> Iterator[Finding]:
    told: set[tuple[str, str]] = set()
    inherited: dict[int, str] = {}
    for sentence in case.sentences:
        overlapping = _overlap(case, sentence)
        if overlapping is not None:
            yield overlapping
            continue
        metrics = metrics_of(sentence.text)
        before = inherited.get(sentence.paragraph)
        if "accuracy" in metrics:
            inherited[sentence.paragraph] = "accuracy"
        if any("noise" in token.roles for token in lex(sentence.text)):
            continue  # the author says so
        if not language.compares(sentence.text) or language.of_one_run(sentence.text):
            continue
        if _is_shown_apart(case, sentence, before):
            continue
        finding = None
        if "accuracy" in metrics or before == "accuracy":
            finding = _stated(case, sentence, before) or (_repeats(case, sentence) if "accuracy" in metrics else None)
        finding = finding or next((one for name in metrics if (one := _all_alike(case, sentence, name))), None)
        if finding and (finding.message, finding.source) not in told:
            told.add((finding.message, finding.source))
            yield finding


def _overlap(case: Case, sentence: Sentence) -> Finding | None:
    """`A is faster than B`, where runs of A and of B were repeated, and lie among each other in every figure of it."""
    for said in sentence.said():
        for one in said.comparisons:
            if one.modality == DONE and not one.denied and one.sign and len(one.of) == 1 and len(one.than) == 1:
                finding = _among(candidates(case, sentence), sentence, one)
                if finding is not None:
                    return finding
        for ranked in said.rankings:
            if ranked.modality == DONE and not ranked.denied and len(ranked.of) == 1:
                finding = _ahead(candidates(case, sentence), sentence, ranked)
                if finding is not None:
                    return finding
    return None


def _ahead(runs: Sequence[Run], sentence: Sentence, one: Ranking) -> Finding | None:
    """`A has the better speed`, of two."""
    setting, of = runs_of(runs, one.of[0])
    others = [run for run in runs if run not in of and setting in run.settings]
    if not setting or len({str(run.settings[setting]) for run in others}) != 1:
        return None
    return _apart(sentence, one.name, of, others)


def _among(runs: Sequence[Run], sentence: Sentence, one: Comparison) -> Finding | None:
    _, of, than = both(runs, one.of[0], one.than[0])
    return _apart(sentence, one.name, of, than)


def _apart(sentence: Sentence, name: str, of: Sequence[Run], than: Sequence[Run]) -> Finding | None:
    """What is said of two sides whose repeats lie among each other in every figure of the metric."""
    found: tuple[str, list[Run], list[Run]] | None = None
    for field, _ in fields_of(name, [*of, *than]):
        a, b = ([run for run in side if figure_of(run, field) is not None] for side in (of, than))
        if min(len(a), len(b)) == 0 or max(len(a), len(b)) < 2:
            return None
        first, second = ([figure_of(run, field) or 0.0 for run in side] for side in (a, b))
        if min(len(a), len(b)) == 1:
            if not _is_among(first, second):
                return None
        elif min(first) > max(second) or min(second) > max(first) or difference(first, second).different:
            return None  # the ranges of ten repeats can overlap although their means differ significantly
        found = found or (field, a, b)
    if found is None:
        return None
    field, a, b = found
    first, second = ([figure_of(run, field) or 0.0 for run in side] for side in (a, b))
    gap = abs(sum(first) / len(first) - sum(second) / len(second))
    spread = max(max(first) - min(first), max(second) - min(second))
    scale, unit = (100.0, " points") if field == "accuracy" else (1.0, "")
    why = f"repeats of one setting on this page differ by {scale * spread:.3g}{unit}"
    return _finding(sentence, f"{scale * gap:.3g}{unit}", why, [a[0], b[0]], field)


def _is_among(first: Sequence[float], second: Sequence[float]) -> bool:
    """A single run no further from the mean of repeats than these lie apart."""
    (one,), repeats = sorted((first, second), key=len)
    return abs(one - sum(repeats) / len(repeats)) <= max(repeats) - min(repeats)


def _is_shown_apart(case: Case, sentence: Sentence, inherited: str | None) -> bool:
    """A gain that the page's own means, spreads and number of runs bear out."""
    gains = (one for one in language.changes(sentence, inherited) if one.name == "accuracy" and one.kind in _POINTS)
    return any(shown_apart(case, sentence.source, one.value) for one in gains)


def _stated(case: Case, sentence: Sentence, inherited: str | None) -> Finding | None:
    """A gain that the sentence gives a size: against what is known of repeats."""
    for change in language.changes(sentence, inherited):
        if change.name != "accuracy" or change.kind not in _POINTS or change.value > _SMALL_POINTS:
            continue
        points, shown = change.value / 100, language.shown(sentence, change)
        if shown_apart(case, sentence.source, change.value) is False:
            return _finding(sentence, shown, "the page's own spread and number of runs do not show it", [])
        spread = case.once(_spread, sentence.system)
        if spread is not None and points <= spread[0]:
            if case.once(_has_apart, sentence.system):
                return None
            return _finding(
                sentence, shown, f"identical runs on this page differ by {100 * spread[0]:.2f} points", spread[1]
            )
        table, repeats = known(case, sentence, "accuracy"), case.once(repeats_of, sentence.source)
        if table is not None and points <= table.pair / math.sqrt(repeats or 1):
            return _finding(sentence, shown, _by_table(table, repeats), [])
        if spread is None and table is None and repeats is None and points <= 0.01:
            return _finding(sentence, shown, "one run each does not show how far repeats differ", [])
    return None


def _repeats(case: Case, sentence: Sentence) -> Finding | None:
    """No size given: the runs themselves, where some are repeats of each other whatever was claimed of them."""
    spread = case.once(_spread, sentence.system)
    if spread is None or case.once(_has_apart, sentence.system):
        return None
    low, high = case.once(_range, sentence.system)
    if high - low > spread[0] * 1.5:
        return None
    shown = f"{100 * (high - low):.2f} points"
    return _finding(
        sentence, shown, f"runs with the same settings in effect differ by {100 * spread[0]:.2f} points", spread[1]
    )


def _spread(case: Case, system: str, source: str | None = None) -> tuple[float, list[Run]] | None:
    return _own_spread([run for run in case.of(system) if source in (None, run.source)])


def _has_apart(case: Case, system: str) -> bool:
    """Whether repeats of two settings differ by more than chance gives: their ranges say little of their means."""
    repeated: dict[object, list[float]] = {}
    for run in case.of(system):
        if not run.is_prose and run.value("accuracy") is not None:
            told = sorted((name, str(value)) for name, value in run.settings.items() if tells(name))
            repeated.setdefault(tuple(told), []).append(_accuracy(run))
    samples = [sample for sample in repeated.values() if len(sample) > 1][:_MANY_REPEATED]
    return any(difference(one, other).different for one, other in combinations(samples, 2))


def _range(case: Case, system: str) -> tuple[float, float]:
    values = [_accuracy(run) for run in case.of(system) if run.value("accuracy") is not None]
    return min(values), max(values)


def _all_alike(case: Case, sentence: Sentence, metric: str) -> Finding | None:
    """No size given and no repeats: all figures of the kind on the page lie as close together as repeats would."""
    table = known(case, sentence, metric)
    where = sentence.system, sentence.source
    if table is None or (metric == "accuracy" and case.once(_spread, *where) is not None):
        return None
    for field, _ in FIELDS[metric]:
        ends = case.once(_ends, *where, field)
        if ends is None:
            continue
        (low, lowest), (high, highest) = ends
        repeats = case.once(repeats_of, sentence.source)
        if low == high or table.difference(low, high) > table.pair / math.sqrt(repeats or 1):
            return None
        gap = table.difference(low, high)
        shown = (
            f"{100 * gap:.2f} %"
            if table.relative
            else f"{100 * gap:.2f} points"
            if metric == "accuracy"
            else f"{gap:.3g}"
        )
        return _finding(sentence, shown, _by_table(table, repeats), [lowest, highest], field)
    return None


def _ends(case: Case, system: str, source: str, field: str) -> tuple[tuple[float, Run], tuple[float, Run]] | None:
    """The lowest and the highest figure of a page, where it has two."""
    runs = [run for run in case.of(system) if run.source == source]
    told = [(value, run) for run in runs if (value := run.value(field)) is not None]
    return (min(told, key=_first), max(told, key=_first)) if len(told) > 1 else None


def _first(pair: tuple[float, Run]) -> float:
    return pair[0]


def _own_spread(runs: list[Run]) -> tuple[float, list[Run]] | None:
    """The widest gap among runs that had the same settings in effect, as far as their logs show."""
    widest: tuple[float, list[Run]] | None = None
    logs = [run for run in runs if not run.is_prose and run.value("accuracy") is not None and run.params]
    for same in _alike(logs):
        values = [_accuracy(run) for run in same]
        gap = max(values) - min(values)
        if len(same) > 1 and gap > 0 and (widest is None or gap > widest[0]):
            widest = (gap, [min(same, key=_accuracy), max(same, key=_accuracy)])
    return widest


def _alike(logs: list[Run]) -> Iterator[list[Run]]:
    """Runs that agree with one of them; where there are many, those that agree in everything."""
    equal: dict[object, list[Run]] = {}
    for run in logs:
        told = (sorted((name, str(value)) for name, value in one.items()) for one in (run.params, run.claims))
        equal.setdefault((run.system, *map(tuple, told)), []).append(run)
    groups = list(equal.values())
    if len(groups) > _MANY:
        yield from groups
        return
    for one, *_ in groups:
        yield [run for group in groups if group[0].system == one.system and _agree(group[0], one) for run in group]


def _agree(a: Run, b: Run) -> bool:
    """Nothing that both logs show differs, and what only one shows is not claimed otherwise of the other."""
    shared = a.params.keys() & b.params.keys()
    told = {name for name in a.claims.keys() | b.claims.keys() if name not in shared and tells(name)}
    return (
        bool(shared)
        and all(a.params[name] == b.params[name] for name in shared)
        and all(a.settings.get(name) == b.settings.get(name) for name in told)
    )


def _accuracy(run: Run) -> float:
    return run.value("accuracy") or 0.0


def _by_table(table: KnownSpread, repeats: int | None = None) -> str:
    unit, pair = "%" if table.relative else "points", table.pair / math.sqrt(repeats or 1)
    size = f"{100 * pair:.1f} {unit}" if table.relative or table.figure == "accuracy" else f"{pair:.2g}"
    what = f"means of {repeats} runs" if repeats else "two single runs of one setting"
    return f"{what} differ by up to {size} ({table.source})"


def _finding(sentence: Sentence, shown: str, why: str, runs: list[Run], field: str = "accuracy") -> Finding:
    return Finding(
        code=CODE,
        severity=DOUBTFUL,
        message=f"a difference of {shown} is within the noise: {why}",
        hint="repeat each setting and compare the groups: assay run --repeat 5 -- COMMAND, then assay compare",
        source=sentence.source,
        evidence=(sentence.evidence(), *(run.showing(field) for run in runs)),
        instead=f"No difference is shown: {shown} could be noise, since {why}.",
    )
