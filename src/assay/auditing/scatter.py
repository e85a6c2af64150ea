"""Whether two means that a page states with their spread are apart: by its own ± and n."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

from assay.auditing.case import Case
from assay.language.scatter import CI, SD, SEM, Scatter, kind_of, repeats_in, scatters_in
from assay.stats import LEVEL, t_point

#: points of accuracy that rounding may hide between two means and their difference
_ROUNDED = 0.011
#: where a page does not say how many runs a standard error or an interval comes from
_NORMAL = 1.96


def repeats_of(case: Case, source: str) -> int | None:
    """How many runs of each setting the page says that it rests on."""
    counts = {count for text in case.once(_texts, source) if (count := repeats_in(text)) is not None and count > 1}
    return counts.pop() if len(counts) == 1 else None


def shown_apart(case: Case, source: str, points: float) -> bool | None:
    """Whether a difference of so many points is beyond the spreads that the page gives; None where it gives none."""
    pairs = [pair for pair in case.once(_pairs, source) if abs(abs(pair[0].value - pair[1].value) - points) <= _ROUNDED]
    count = case.once(repeats_of, source)
    judged = [apart for one, other in pairs if (apart := _apart(one, other, count)) is not None]
    return any(judged) if judged else None


def _texts(case: Case, source: str) -> list[str]:
    told = [one.text for one in case.sentences if one.source == source]
    told += [cell for table in case.tables if table.source == source for _, cells in table.rows for cell in cells]
    return told + [cell for table in case.tables if table.source == source for cell in table.head]


def _pairs(case: Case, source: str) -> list[tuple[Scatter, Scatter]]:
    texts = case.once(_texts, source)
    kind = next((kind for text in texts if (kind := kind_of(text))), SD)
    found = list(dict.fromkeys(_in_points([one for text in texts for one in scatters_in(text, kind)])))
    return list(combinations(found, 2)) if len(found) <= 30 else []


def _in_points(found: Sequence[Scatter]) -> Iterator[Scatter]:
    """Accuracies between 0 and 1 as per cent."""
    for one in found:
        scale = 100 if one.value <= 1 else 1
        yield Scatter(value=scale * one.value, off=scale * one.off, kind=one.kind)


def _apart(one: Scatter, other: Scatter, count: int | None) -> bool | None:
    errors = [_error(side, count) for side in (one, other)]
    if None in errors or not any(errors):
        return None
    squares = [(error or 0.0) ** 2 for error in errors]
    reach = _NORMAL
    if count is not None:  # Welch and Satterthwaite, for as many runs on both sides
        freedom = (count - 1) * sum(squares) ** 2 / sum(square**2 for square in squares)
        reach = t_point(freedom, LEVEL)
    return abs(one.value - other.value) > reach * math.sqrt(sum(squares))


def _error(one: Scatter, count: int | None) -> float | None:
    """The standard error of the mean; None where a spread is given without the number of runs."""
    if one.kind == SEM:
        return one.off
    if one.kind == CI:
        return one.off / (t_point(count - 1, LEVEL) if count else _NORMAL)
    return one.off / math.sqrt(count) if count else None
