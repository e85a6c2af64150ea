"""Which group is best in a figure, said only where the data can tell it from the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.comparing.figures import OUTCOME, TOTAL, Figure
from assay.comparing.groups import Group
from assay.comparing.verdicts import Verdict, compare_samples, other_task, same_work
from assay.stats import LEVEL, holm, mean


@dataclass(frozen=True, kw_only=True)
class Best:
    """`winner` is None where the leader cannot be told from those in `tied`, or was run only `once`."""

    figure: Figure
    winner: str | None
    tied: list[str]
    once: str | None = None


def best_of(
    one: Figure, groups: Sequence[Group], verdicts: Sequence[Verdict] = (), *, guarded: Sequence[str] = (TOTAL,)
) -> Best | None:
    """None where there is nothing to win: one group, a figure that is neither good nor bad, unequal work."""
    runners = [group for group in groups if not group.simulated and group.sample(one.name)]
    if not one.better or len(runners) < 2:
        return None
    if one.kind == OUTCOME and any(other_task(runners[0], other) for other in runners[1:]):
        return None
    if one.kind in guarded and not all(same_work(runners[0], other) for other in runners[1:]):
        return None
    ranked = sorted(runners, key=lambda group: -one.better * mean(group.sample(one.name)))
    leader, rest = ranked[0], ranked[1:]
    even = [other.label for other in rest if mean(other.sample(one.name)) == mean(leader.sample(one.name))]
    if len(leader.sample(one.name)) < 2 and even:
        return Best(figure=one, winner=None, tied=[leader.label, *even])
    if len(leader.sample(one.name)) < 2:
        return Best(figure=one, winner=None, tied=[], once=leader.label)
    ps = [compare_samples(one, leader.sample(one.name), other.sample(one.name))[0].p for other in rest]
    told = [verdict for verdict in verdicts if verdict.figure.name == one.name]
    tied = [
        other.label
        for other, p, alone in zip(rest, ps, holm(ps), strict=True)
        if not _is_told(leader.label, other.label, p, alone, told)
    ]
    return Best(figure=one, winner=None if tied else leader.label, tied=[leader.label, *tied] if tied else [])


def _is_told(leader: str, other: str, p: float | None, alone: float | None, verdicts: Sequence[Verdict]) -> bool:
    """As the verdict on these two says, if there is one: a table must not mark what its sentences call chance.

    Any other pair is held to as many comparisons as the verdicts are; where there are none, to those of this figure.
    """
    for verdict in verdicts:
        if {verdict.group, verdict.baseline} == {leader, other}:
            return bool(verdict.different)
    if p is None or alone is None:
        return False
    return max(alone, p * max((verdict.comparisons for verdict in verdicts), default=1)) < 1 - LEVEL
