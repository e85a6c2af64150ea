"""In what order the runs of several groups were made: in rounds, mixed, or one group after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import NamedTuple, TypeAlias

from assay.comparing.rows import Row

#: a share of all differences in time that the groups explain; from here on they were run one after the other
_LISTED = 0.5


class Start(NamedTuple):
    """When a run was started, and as which repeat of which study; the id of a recorded run has the millisecond."""

    when: tuple[str, str]
    study: str | None
    repeat: int | None


Starts: TypeAlias = Sequence[Sequence[Start]]


@dataclass(frozen=True, kw_only=True)
class Order:
    """`rounds` has the round of each run, where there are any; `places` its place among all.

    `listed`: the groups were run one after the other, so that a drift of the machine looks like a difference.
    """

    rounds: list[list[int]] | None
    places: list[list[float]]
    listed: bool


class Orders:
    """The order of each set of runs, computed once, because most metrics have the same runs."""

    def __init__(self) -> None:
        # by identity: the caller keeps the rows alive
        self._found: dict[tuple[tuple[int, ...], ...], Order | None] = {}

    def of(self, rows: Sequence[Sequence[Row]]) -> Order | None:
        key = tuple(tuple(map(id, one)) for one in rows)
        if key not in self._found:
            self._found[key] = order_of(rows)
        return self._found[key]


def order_of(rows: Sequence[Sequence[Row]]) -> Order | None:
    """The order in which the runs were made; None if it is unknown for a run, as for imported logs."""
    if any(row.summary.how != "executed" or not row.summary.started for one in rows for row in one):
        return None
    starts = [list(map(_start, one)) for one in rows]
    placed = _places(starts)
    return Order(rounds=_counted(starts) or _told_by_order(placed), places=placed, listed=_is_listed(placed))


def _start(row: Row) -> Start:
    summary = row.summary
    return Start((summary.started or "", summary.id), summary.study, summary.repeat)


def _places(starts: Starts) -> list[list[float]]:
    ordered = sorted(start.when for one in starts for start in one)
    places = {when: float(place) for place, when in enumerate(ordered)}
    return [[places[start.when] for start in one] for one in starts]


def _is_listed(placed: Sequence[Sequence[float]]) -> bool:
    if len(placed) < 2:
        return False
    middle = fmean(place for one in placed for place in one)
    total = sum((place - middle) ** 2 for one in placed for place in one)
    between = sum(len(one) * (fmean(one) - middle) ** 2 for one in placed)
    return total > 0 and between / total > _LISTED


def _counted(starts: Starts) -> list[list[int]] | None:
    """The rounds of a study, which may lack a run that failed: each ended before the next began."""
    numbers = [[start.repeat for start in one] for one in starts]
    known = [[number for number in one if number is not None] for one in numbers]
    studies = {start.study for one in starts for start in one}
    if known != numbers or len(studies) > 1 or None in studies or any(len(set(one)) < len(one) for one in known):
        return None
    spans: dict[int, list[tuple[str, str]]] = {}
    for one in starts:
        for start in one:
            spans.setdefault(start.repeat or 0, []).append(start.when)
    ordered = [spans[number] for number in sorted(spans)]
    apart = all(max(before) < min(after) for before, after in pairwise(ordered))
    return known if apart and len(ordered) > 1 else None


def _told_by_order(placed: Sequence[Sequence[float]]) -> list[list[int]] | None:
    """Rounds found from the order alone: each group once, then each again."""
    size, runs = len(placed), len(placed[0])
    if any(len(one) != runs for one in placed) or runs < 2:
        return None
    rounds = [[int(place) // size for place in one] for one in placed]
    return rounds if all(sorted(one) == list(range(runs)) for one in rounds) else None
