"""Which group is best in a metric, named only if its difference from all others is significant."""

from __future__ import annotations

from dataclasses import dataclass

from assay.comparing.families import Families
from assay.comparing.figures import Figure
from assay.stats import mean


@dataclass(frozen=True, kw_only=True)
class Best:
    """`winner` is None if the leader is not significantly ahead of those in `tied`, or if single runs, its own or those
    of all that it is not ahead of, cannot show that it is (`once`)."""

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
    pairs = [(other, families.judged(one, leader, other)) for other in rest]
    tied = [other for other, judged in pairs if judged is None or not judged.significant]
    if tied and all(len(other.sample(one.name)) < 2 for other in tied) and not even:
        return Best(figure=one, winner=None, tied=[], once=leader.label)
    labels = [leader.label, *(other.label for other in tied)]
    return Best(figure=one, winner=None if tied else leader.label, tied=labels if tied else [])
