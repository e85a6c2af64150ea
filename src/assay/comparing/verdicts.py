"""Every group against the baseline in every figure: by the repeats, corrected for how many differences there are."""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.comparing.families import Families
from assay.comparing.figures import Figure
from assay.comparing.groups import Group
from assay.comparing.verdict import Verdict
from assay.stats import Difference, Ratio, mean


def judge(figures: Sequence[Figure], families: Families, baseline: Group) -> list[Verdict]:
    """Every group against the baseline in every figure, each figure's pairs corrected for together."""
    return [
        verdict_of(one, other, baseline, families)
        for one in figures
        for other in families.groups
        if other is not baseline and other.simulated == baseline.simulated
        if other.sample(one.name) and baseline.sample(one.name)
    ]


def verdict_of(one: Figure, group: Group, baseline: Group, families: Families) -> Verdict:
    """The verdict on two groups that both have the figure."""
    a, b = group.sample(one.name), baseline.sample(one.name)
    judged = families.judged(one, group, baseline)
    if judged is None:
        return _refused(one, group, baseline, families)
    return Verdict(
        figure=one,
        group=group.label,
        baseline=baseline.label,
        n=(len(a), len(b)),
        means=(mean(a), mean(b)),
        difference=judged.difference,
        ratio=judged.ratio,
        p_corrected=judged.p_family,
        comparisons=judged.comparisons,
        sd=judged.sd,
        freedom=judged.freedom,
        spread_of=judged.spread_of,
        assumptions=judged.rests_on,
        drift=judged.drift,
        margin=families.margin(one),
        p_same=judged.p_same,
        once=judged.once,
        robust=judged.robust,
    )


def _refused(one: Figure, group: Group, baseline: Group, families: Families) -> Verdict:
    a, b = group.sample(one.name), baseline.sample(one.name)
    means = mean(a), mean(b)
    return Verdict(
        figure=one,
        group=group.label,
        baseline=baseline.label,
        n=(len(a), len(b)),
        means=means,
        difference=Difference(delta=means[0] - means[1], low=None, high=None, p=None, different=None),
        ratio=Ratio(value=means[0] / means[1] if means[1] else math.nan, low=None, high=None, p=None),
        refused=families.refusal(one, group, baseline) or "not compared: other groups lie between them",
    )
