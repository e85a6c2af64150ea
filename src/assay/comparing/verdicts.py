"""What a difference comes to, in a sentence: by the repeats, corrected for how many differences were looked at."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from assay.comparing.families import Families
from assay.comparing.figures import OUTCOME, Figure, show_spread, show_value
from assay.comparing.groups import Group
from assay.stats import LEVEL, Difference, Ratio, mean, repeats_needed

#: runs each from which a test without any assumption on the spread can first say "different" (2 of 70 orders of 8)
_FEWEST = 4


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """One group against the baseline in one figure. `different` is None where the data cannot tell."""

    figure: Figure
    group: str
    baseline: str
    n: tuple[int, int]
    base: float  # the baseline's mean
    difference: Difference
    ratio: Ratio
    sd: float | None
    freedom: int = 0  # on which the spread is known
    spread_of: str = ""  # where the spread comes from, if not from these two groups
    p_corrected: float | None = None
    comparisons: int = 1
    refused: str = ""
    drift: bool = False  # the groups were run one after the other, and a drift could explain it

    @property
    def different(self) -> bool | None:
        if self.refused or self.p_corrected is None:
            return None
        return self.p_corrected < 1 - LEVEL

    @property
    def needed(self) -> int | None:
        """The runs of each that would show a difference of this size, if it is there: more than were made."""
        if not self.sd or self.freedom < 1:
            return None
        needed = repeats_needed(self.difference.delta, (self.sd, self.freedom), self.comparisons)
        return None if needed is None else max(needed, max(self.n) + 1)

    @property
    def text(self) -> str:
        return self.refused or _sentence(self)


def judge(figures: Sequence[Figure], families: Families, baseline: Group) -> list[Verdict]:
    """Every group against the baseline in every figure, each figure's pairs corrected for together."""
    return [
        _verdict(one, other, baseline, families)
        for one in figures
        for other in families.groups
        if other is not baseline and other.simulated == baseline.simulated
        if other.sample(one.name) and baseline.sample(one.name)
    ]


def _verdict(one: Figure, group: Group, baseline: Group, families: Families) -> Verdict:
    a, b = group.sample(one.name), baseline.sample(one.name)
    n, base = (len(a), len(b)), mean(b)
    judged = families.judged(one, group, baseline)
    if judged is None:
        delta = Difference(delta=mean(a) - base, low=None, high=None, p=None, different=None)
        factor = Ratio(value=mean(a) / base if base else math.nan, low=None, high=None, p=None)
        refused = families.refusal(one, group, baseline) or "not compared: other groups stand between them"
        return Verdict(
            figure=one, group=group.label, baseline=baseline.label, n=n, base=base, difference=delta, ratio=factor,
            sd=None, refused=refused,
        )  # fmt: skip
    return Verdict(
        figure=one,
        group=group.label,
        baseline=baseline.label,
        n=n,
        base=base,
        difference=judged.difference,
        ratio=judged.ratio,
        sd=judged.sd,
        freedom=judged.freedom,
        spread_of=judged.spread_of,
        p_corrected=judged.p_family,
        comparisons=judged.comparisons,
        drift=judged.drift,
    )


def _sentence(verdict: Verdict) -> str:
    found, size = verdict.difference, _size(verdict)
    if found.p is None:
        return _cannot_tell(verdict, size)
    counts = f"n = {verdict.n[0]} + {verdict.n[1]}"
    if found.assumed and max(verdict.n) > 1:
        counts += f" (the spread of the {max(verdict.n)} taken for both)"
    if verdict.different:
        borrowed = f", by the spread of {verdict.spread_of}" if verdict.spread_of else ""
        return f"{size}, {_interval(verdict)}, {counts}{borrowed}"
    if verdict.drift:
        order = "the groups were run one after the other, so a steady drift of the machine could explain it"
        return f"{size}, {counts}; {order}: run them in turns (assay run --grid)"
    if found.different:
        among = f"not beyond chance among {verdict.comparisons} comparisons (p = {verdict.p_corrected:.2g})"
        return f"{size}, {_interval(verdict)}, {counts}; {among}"
    sd = verdict.sd or 0.0
    if abs(found.delta) <= sd:
        return f"{_size(verdict, signed=False)}: inside the run-to-run spread of {_spread(verdict)}"
    advice = _advice(verdict)
    if max(verdict.n) == 1:
        source = f" (run-to-run spread {_spread(verdict)}, from {verdict.spread_of})"
        return f"one run each: cannot tell{advice}{source}"
    return f"{size}: not told from the run-to-run spread of {_spread(verdict)} with {counts}{advice}"


def _advice(verdict: Verdict) -> str:
    return f"; repeat {verdict.needed} times to see a difference of this size" if verdict.needed else ""


def _cannot_tell(verdict: Verdict, size: str) -> str:
    if max(verdict.n) == 1:
        if not verdict.difference.delta:
            return "one run each: the same"
        return f"one run each: cannot tell ({size}); repeat {_FEWEST} times, the fewest that tell it from chance"
    if not verdict.difference.delta:
        return "the same to the last digit, in every run"
    return f"{size}; the repeats are identical to the last digit, so they say nothing about the spread"


def _in_points(verdict: Verdict) -> bool:
    """Told as a difference rather than a ratio: outcomes, and whatever has no meaningful zero here."""
    return verdict.figure.kind == OUTCOME or verdict.figure.points or not verdict.ratio.value > 0


def _size(verdict: Verdict, *, signed: bool = True) -> str:
    one, delta = verdict.figure, verdict.difference.delta
    if not _in_points(verdict):
        return f"{verdict.ratio.value:.{_ratio_digits(verdict)}f} × the {one.noun}"
    size = _shown(verdict, abs(delta))
    if one.points:
        word = (" more" if delta > 0 else " less") if signed and delta else ""
        return f"{size} points of {one.noun}{word}"
    return f"{one.noun} {'higher' if delta > 0 else 'lower'} by {size}" if signed else f"{size} of {one.noun}"


def _interval(verdict: Verdict) -> str:
    if not _in_points(verdict):
        digits = _ratio_digits(verdict)
        low, high = verdict.ratio.low, verdict.ratio.high
        return f"95 % interval {low:.{digits}f}–{high:.{digits}f}" if low is not None else "no interval"
    low, high = verdict.difference.low, verdict.difference.high
    if low is None or high is None:
        return "no interval"
    if verdict.difference.delta < 0:
        low, high = -high, -low  # the sentence says "less"
    return f"95 % interval {_shown(verdict, low)}–{_shown(verdict, high)}".replace("–-", " to -")


def _shown(verdict: Verdict, value: float) -> str:
    if verdict.figure.points:
        return f"{100 * value:.2f}"
    return show_value(verdict.figure, value, verdict.sd or None)


def _spread(verdict: Verdict) -> str:
    sd = verdict.sd or 0.0
    if not _in_points(verdict):
        return f"{100 * sd / verdict.base:.2g} %"
    return f"{100 * sd:.2f}" if verdict.figure.points else show_spread(verdict.figure, sd)


def _ratio_digits(verdict: Verdict) -> int:
    """Enough that the two ends of the interval can be told apart, and that a small ratio has two figures."""
    low, high, value = verdict.ratio.low, verdict.ratio.high, verdict.ratio.value
    small = 2 if value >= 0.1 else min(6, 1 - math.floor(math.log10(value)))
    if low is None or high is None or high - low >= 0.01:
        return small
    return max(small, 3 if high - low >= 0.001 else 4)
