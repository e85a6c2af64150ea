"""The verdict on one group against another in one metric, and the one place where it becomes a sentence."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from assay.comparing.figures import OUTCOME, Figure, show_spread, show_value
from assay.comparing.margins import Amount
from assay.comparing.once import Once
from assay.comparing.ratios import between, ratio_digits
from assay.comparing.robust import Robust
from assay.stats import LEVEL, Difference, Ratio, is_vague, repeats_needed
from assay.units import two_digits

#: runs each from which a test without any assumption on the spread can first say "different" (2 of 70 orders of 8)
FEWEST = 4
#: different: beyond chance, among all pairs of the figure; equivalent: shown to differ by less than the margin that was
#: asked for; not-shown: that could be chance, which does not make them equal; drift: a drift of the machine could
#: explain it; once: one run each; identical: repeats without any spread; refused: the two cannot be compared
Kind: TypeAlias = Literal["different", "equivalent", "not-shown", "drift", "once", "identical", "refused"]


@dataclass(frozen=True, kw_only=True)
class Quoted:
    """The estimate that a sentence quotes and its interval: a ratio, or a difference in the figure's unit."""

    scale: Literal["ratio", "difference"]
    value: float
    low: float | None
    high: float | None
    level: float = LEVEL


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """`group` against `baseline`. `p` is for this pair, `p_corrected` for all `comparisons` of the family."""

    figure: Figure
    group: str
    baseline: str
    n: tuple[int, int]
    means: tuple[float, float]
    difference: Difference
    ratio: Ratio
    p_corrected: float | None = None
    comparisons: int = 1
    sd: float | None = None  # from run to run, in the figure's unit, at the size of the baseline
    freedom: int = 0  # on which the spread is known
    spread_of: str = ""  # where the spread comes from, if not from these two groups
    assumptions: tuple[str, ...] = field(default=())
    refused: str = ""
    margin: Amount | None = None
    p_same: float | None = None  # that they differ by more than the margin, among all pairs
    once: Once | None = None  # what one run each can carry
    robust: Robust | None = None  # by trimmed means, where a run lies far off and they say otherwise
    drift: bool = False  # the groups were run one after the other, and a drift could explain it

    @property
    def kind(self) -> Kind:
        if self.refused:
            return "refused"
        if self.p_corrected is None:
            return "once" if max(self.n) == 1 else "identical"
        if self.same:
            return "equivalent"
        if self.different:
            return "different"
        return "drift" if self.drift and min(self.n) > 1 else "not-shown"

    @property
    def different(self) -> bool | None:
        """None if the data do not show it."""
        if self.refused or self.p_corrected is None:
            return None
        return min(self.n) > 1 and self.p_corrected < 1 - LEVEL  # a single run shows nothing of how far runs scatter

    @property
    def same(self) -> bool:
        """Whether the two are shown to differ by less than the margin: they may still differ significantly."""
        return self.p_same is not None and self.p_same < 1 - LEVEL

    @property
    def p(self) -> float | None:
        return self.difference.p

    @property
    def in_points(self) -> bool:
        """Whether it is reported as a difference, not a ratio: outcomes, and metrics without a true zero."""
        return self.figure.kind == OUTCOME or self.figure.points or not self.ratio.value > 0

    @property
    def estimate(self) -> Quoted:
        if self.in_points:
            found = self.difference
            return Quoted(scale="difference", value=found.delta, low=found.low, high=found.high)
        return Quoted(scale="ratio", value=self.ratio.value, low=self.ratio.low, high=self.ratio.high)

    @property
    def needed(self) -> int | None:
        """The runs of each that would show a difference of this size, if it is there: more than were made."""
        if not self.sd or self.freedom < 1:
            return None
        needed = repeats_needed(self.difference.delta, (self.sd, self.freedom), self.comparisons)
        return None if needed is None else max(needed, max(self.n) + 1)

    @property
    def text(self) -> str:
        return sentence(self)


def sentence(verdict: Verdict) -> str:
    """The sentence of a verdict of any kind."""
    kind = verdict.kind
    if kind == "refused":
        return verdict.refused
    if kind == "once":
        return _once(verdict)
    if kind == "identical":
        return _identical(verdict)
    return _judged(verdict) + _robust(verdict)


def _judged(verdict: Verdict) -> str:
    kind, found = verdict.kind, f"{size(verdict)} ({beside(verdict)})"
    if kind == "equivalent":
        return found + _equivalent(verdict)
    if kind == "different":
        return f"{found}; the difference is significant"
    if kind == "drift":
        order = "the groups were run one after the other, so a steady drift of the machine could explain it"
        return f"{found}, but {order}. Run them in turns (assay run --grid)"
    return found + _not_shown(verdict)


def _equivalent(verdict: Verdict) -> str:
    assert verdict.margin is not None
    small = f"less than {verdict.margin.text(verdict.figure)} apart (p = {verdict.p_same:.2g})"
    return f"; significantly different, but shown to be {small}" if verdict.different else f"; shown to be {small}"


def _robust(verdict: Verdict) -> str:
    """The verdict by trimmed means, if a run is an outlier and they disagree."""
    other = verdict.robust
    if other is None:
        return ""
    if not verdict.in_points:
        told = f"{other.value:.2f} ×" + (f", 95 % interval {other.low:.2f}–{other.high:.2f}" if other.low else "")
    else:
        told = f"{_shown(verdict, abs(other.value))} {'more' if other.value > 0 else 'less'}"
    significant = "significant" if other.different else "not significant"
    return f". One run is an outlier; by trimmed means, which ignore it, the difference is {significant} ({told})"


def _not_shown(verdict: Verdict) -> str:
    """The difference is not shown, which does not mean that the two are equal."""
    p, delta = verdict.p or 0.0, verdict.difference.delta
    if p < 1 - LEVEL and min(verdict.n) == 1:
        single = "each was" if max(verdict.n) == 1 else "one of the two was"
        return f", but {single} run once, so this could be chance. Run each at least {FEWEST} times"
    if p < 1 - LEVEL:
        corrected = f"correcting for {verdict.comparisons} comparisons (p = {verdict.p_corrected:.2g})"
        return f", not significant after {corrected}"
    noise = f"(runs vary by {spread(verdict)})"
    if abs(delta) <= (verdict.sd or 0.0):
        return f", which is within the noise {noise}"
    return f", but that could be noise {noise}{_advice(verdict)}"


def _advice(verdict: Verdict) -> str:
    return f". About {verdict.needed} runs of each would show a difference of this size" if verdict.needed else ""


def _once(verdict: Verdict) -> str:
    found = verdict.once
    if not verdict.difference.delta:
        return f"the same {verdict.figure.noun}, from one run each"
    if found is None:
        return f"{size(verdict)} from one run each, which could be chance. Run each at least {FEWEST} times"
    steps = "" if found.low is None or found.high is None else f"{found.low:.2f}–{found.high:.2f} by their steps alone"
    text = f"{size(verdict)} from one run each"
    if found.within:
        return f"{text}, which the noise within the runs could explain ({steps}). Run each at least {FEWEST} times"
    told = f"{text} ({steps}); " if steps else f"{text}; "
    told += f"chance could explain it only if {unless(verdict)}"
    return f"{told}{_elsewhere(verdict)}"


def unless(verdict: Verdict) -> str:
    """How much runs would have to vary for chance to explain a difference of one run each."""
    return f"runs vary by more than {_amount(verdict, verdict.once.scatter if verdict.once else 0.0)}"


def _elsewhere(verdict: Verdict) -> str:
    """How much other runs varied, if it is unclear whether they did the same task."""
    known = verdict.once.elsewhere if verdict.once else None
    if known is None:
        return ""
    amount = f"{two_digits(100 * known.sd)} %" if known.relative else _amount(verdict, known.sd)
    return f" ({known.of} varied by {amount}; nothing shows that these are of the same task)"


def _identical(verdict: Verdict) -> str:
    if not verdict.difference.delta:
        return f"the same {verdict.figure.noun} to the last digit, in every run"
    return f"{size(verdict)}; the repeats are identical to the last digit, so they do not show how far runs differ"


def size(verdict: Verdict) -> str:
    """`2.30 × the throughput`, `0.15 points of accuracy less`, `loss higher by 0.34`"""
    one, delta = verdict.figure, verdict.difference.delta
    if not verdict.in_points:
        return f"{verdict.ratio.value:.{_digits(verdict)}f} × the {one.noun}"
    if not delta:
        return f"the same {one.noun}"
    amount = _shown(verdict, abs(delta))
    if one.points:
        return f"{amount} points of {one.noun} {'more' if delta > 0 else 'less'}"
    return f"{one.noun} {'higher' if delta > 0 else 'lower'} by {amount}"


def beside(verdict: Verdict) -> str:
    """`95 % interval 2.28–2.32, n = 3 + 3`, and whose noise was used."""
    return ", ".join(filter(None, [interval(verdict), counts(verdict)]))


def counts(verdict: Verdict) -> str:
    """`n = 3 + 3`, and whose noise is used for groups that were run once."""
    text = f"n = {verdict.n[0]} + {verdict.n[1]}"
    if verdict.spread_of:
        return f"{text}, by the spread of {verdict.spread_of}"
    several = max(verdict.n)
    return (
        f"{text}, with the noise of the {several} runs assumed for both"
        if verdict.difference.assumed and several > 1
        else text
    )


def interval(verdict: Verdict) -> str:
    """`95 % interval 2.28–2.32`, in the direction of the sentence; may be empty."""
    low, high = verdict.estimate.low, verdict.estimate.high
    if low is None or high is None:
        return ""
    if not verdict.in_points:
        if is_vague(low, high):
            return "95 % interval wider than a factor of 100"
        digits = _digits(verdict)
        return f"95 % interval {low:.{digits}f}–{high:.{digits}f}"
    if verdict.difference.delta < 0:
        low, high = -high, -low  # the sentence says "less"
    return f"95 % interval {between(_shown(verdict, low), _shown(verdict, high))}"


def apart(verdict: Verdict) -> str:
    """How far two are apart, where the sentence has named them: `2.30 ×, 95 % interval 2.28–2.32`, `8 % more, …`"""
    return ", ".join(filter(None, apart_and_ends(verdict)))


def apart_and_ends(verdict: Verdict) -> tuple[str, str]:
    """`8 % more` and `95 % interval 5–11 %`; the second may be empty."""
    if verdict.in_points:
        return _points_apart(verdict), interval(verdict)
    if 0.8 < verdict.ratio.value < 1.25:
        return _percent_apart(verdict)
    return f"{verdict.ratio.value:.{_digits(verdict)}f} ×", interval(verdict)


def _points_apart(verdict: Verdict) -> str:
    delta = verdict.difference.delta
    if not delta:
        return "no difference"
    unit, words = (" points", ("more", "less")) if verdict.figure.points else ("", ("higher", "lower"))
    return f"{_shown(verdict, abs(delta))}{unit} {words[delta < 0]}"


def _percent_apart(verdict: Verdict) -> tuple[str, str]:
    """`8 % more` and `95 % interval 5–11 %`"""
    off, low, high = verdict.ratio.value - 1, verdict.ratio.low, verdict.ratio.high
    if not off:
        return "no difference", ""
    told = f"{two_digits(100 * abs(off))} % {'more' if off > 0 else 'less'}"
    if low is None or high is None:
        return told, ""
    ends = (low - 1, high - 1) if off > 0 else (1 - high, 1 - low)
    digits = max(0, _digits(verdict) - 2, -math.floor(math.log10(max(50 * (high - low), 1e-6))))
    digits = max(digits, 1) if abs(off) < 0.095 and high - low < 0.05 else digits
    low_end, high_end = (f"{100 * end:.{digits}f}" for end in ends)
    return told, f"95 % interval {between(low_end, high_end)} %"


def spread(verdict: Verdict) -> str:
    """How far runs vary: a share of their mean, or in the figure's unit."""
    return _amount(verdict, verdict.sd or 0.0)


def _amount(verdict: Verdict, sd: float) -> str:
    if not verdict.in_points:
        return f"{two_digits(100 * sd / verdict.means[1])} %"
    return f"{100 * sd:.2f} points" if verdict.figure.points else show_spread(verdict.figure, sd)


def _digits(verdict: Verdict) -> int:
    return ratio_digits(verdict.ratio.value, verdict.ratio.low, verdict.ratio.high)


def _shown(verdict: Verdict, value: float) -> str:
    if verdict.figure.points:
        return f"{100 * value:.2f}"
    return show_value(verdict.figure, value, verdict.sd or None)
