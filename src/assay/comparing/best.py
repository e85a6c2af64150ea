"""Which group is best in a metric, named only if its difference from all others is significant."""

from __future__ import annotations

from dataclasses import dataclass

from assay.comparing.families import Families
from assay.comparing.figures import Figure
from assay.stats import LEVEL, mean


@dataclass(frozen=True, kw_only=True)
class Best:
    """`winner` is None if the leader is not significantly ahead of those in `tied`, or has only one run (`once`)."""

    figure: Figure
    winner: str | None
    tied: list[str]
    once: str | None = None


def best_of(one: Figure, families: Families) -> Best | None:
    """None where there is nothing to win: one group, a figure that is neither good nor bad, unequal work."""
    runners = [group for group in families.groups if not group.simulated and group.sample(one.name)]
    if not one.better or len(runners) < 2:
        return None
    if any(families.refusal(one, runners[0], other) for other in runners[1:]):
        return None
    ranked = sorted(runners, key=lambda group: -one.better * mean(group.sample(one.name)))
    leader, rest = ranked[0], ranked[1:]
    even = [other.label for other in rest if mean(other.sample(one.name)) == mean(leader.sample(one.name))]
    if len(leader.sample(one.name)) < 2 and even:
        return Best(figure=one, winner=None, tied=[leader.label, *even])
    if len(leader.sample(one.name)) < 2:
        return Best(figure=one, winner=None, tied=[], once=leader.label)
    ps = [judged.p_family if (judged := families.judged(one, leader, other)) else None for other in rest]
    tied = [other.label for other, p in zip(rest, ps, strict=True) if p is None or p >= 1 - LEVEL]
    return Best(figure=one, winner=None if tied else leader.label, tied=[leader.label, *tied] if tied else [])
