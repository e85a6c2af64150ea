"""The one place where a verdict becomes a sentence: the estimate, its interval, and whether it is significant."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.comparing.figures import show_spread, show_value
from assay.comparing.ratios import between, ratio_digits
from assay.stats import LEVEL, is_vague
from assay.units import two_digits

if TYPE_CHECKING:
    from assay.comparing.verdict import Verdict

#: runs each from which a test without any assumption on the spread can first say "different" (2 of 70 orders of 8)
FEWEST = 4


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
