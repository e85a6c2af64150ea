"""Which group is best in a figure, said only where the data can tell it from the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from assay.compare.figures import TOTAL, Figure
from assay.compare.groups import Group
from assay.compare.verdicts import same_work
from assay.stats import LEVEL, difference, holm


@dataclass(frozen=True, kw_only=True)
class Best:
    """`winner` is None where the leader cannot be told from those in `tied`."""

    figure: Figure
    winner: str | None
    tied: list[str]


def best_of(one: Figure, groups: Sequence[Group]) -> Best | None:
    """None where there is nothing to win: one group, a figure that is neither good nor bad, unequal work."""
    runners = [group for group in groups if not group.simulated and group.sample(one.name)]
    if not one.better or len(runners) < 2:
        return None
    if one.kind == TOTAL and not all(same_work(runners[0], other) for other in runners[1:]):
        return None
    ranked = sorted(runners, key=lambda group: -one.better * fmean(group.sample(one.name)))
    leader, rest = ranked[0], ranked[1:]
    # a single run may not borrow another's spread here: to be called best it has to be repeated
    ps = [
        difference(leader.sample(one.name), other.sample(one.name)).p
        if min(len(leader.sample(one.name)), len(other.sample(one.name))) > 1
        else None
        for other in rest
    ]
    tied = [other.label for other, p in zip(rest, holm(ps), strict=True) if p is None or p >= 1 - LEVEL]
    return Best(figure=one, winner=None if tied else leader.label, tied=[leader.label, *tied] if tied else [])
