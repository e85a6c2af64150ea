"""In what order the runs of several groups were made: in rounds, mixed, or one group after the other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean

from assay.comparing.rows import Row

#: a share of all differences in time that the groups explain; from here on they were run one after the other
_LISTED = 0.5


def rounds_of(rows: Sequence[Sequence[Row]]) -> list[list[int]] | None:
    """The round of each run, where each round holds every group once and ended before the next began.

    Rounds that a study counted may lack a run that failed; others are told by their order alone.
    """
    if not _are_dated(rows):
        return None
    return _counted(rows) or _told_by_order(rows)


def ranks(rows: Sequence[Sequence[Row]]) -> list[list[float]]:
    """The place of each run among all, by when it was started."""
    ordered = sorted(_when(row) for one in rows for row in one)
    places = {when: float(place) for place, when in enumerate(ordered)}
    return [[places[_when(row)] for row in one] for one in rows]


def is_listed(rows: Sequence[Sequence[Row]]) -> bool:
    """Whether the groups were run one after the other, so that a drift of the machine looks like a difference."""
    if len(rows) < 2 or not _are_dated(rows):
        return False
    placed = ranks(rows)
    middle = fmean(place for one in placed for place in one)
    total = sum((place - middle) ** 2 for one in placed for place in one)
    between = sum(len(one) * (fmean(one) - middle) ** 2 for one in placed)
    return total > 0 and between / total > _LISTED


def _are_dated(rows: Sequence[Sequence[Row]]) -> bool:
    return all(row.summary.how == "executed" and row.summary.started for one in rows for row in one)


def _when(row: Row) -> tuple[str, str]:
    """The id of a recorded run begins with its time, to the millisecond."""
    return row.summary.started or "", row.summary.id


def _counted(rows: Sequence[Sequence[Row]]) -> list[list[int]] | None:
    numbers = [[row.summary.repeat for row in one] for one in rows]
    known = [[number for number in one if number is not None] for one in numbers]
    studies = {row.summary.study for one in rows for row in one}
    if known != numbers or len(studies) > 1 or None in studies or any(len(set(one)) < len(one) for one in known):
        return None
    spans: dict[int, list[tuple[str, str]]] = {}
    for one in rows:
        for row in one:
            spans.setdefault(row.summary.repeat or 0, []).append(_when(row))
    ordered = [spans[number] for number in sorted(spans)]
    apart = all(max(before) < min(after) for before, after in pairwise(ordered))
    return known if apart and len(ordered) > 1 else None


def _told_by_order(rows: Sequence[Sequence[Row]]) -> list[list[int]] | None:
    size, runs = len(rows), len(rows[0])
    if any(len(one) != runs for one in rows) or runs < 2:
        return None
    rounds = [[int(place) // size for place in one] for one in ranks(rows)]
    return rounds if all(sorted(one) == list(range(runs)) for one in rounds) else None
