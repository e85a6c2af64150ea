"""A difference and the two figures in the same sentence: `from 100 to 150, a 30 % increase`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from assay.auditing import language
from assay.auditing.case import Sentence
from assay.auditing.ratios import fits
from assay.auditing.rules.sums import wrong
from assay.language.numbers import Number
from assay.language.said import Change, Said
from assay.model.finding import Evidence, Finding


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two figures that a sentence sets against each other; `share` is what their last digits may hide."""

    name: str
    old: float
    new: float
    share: float


def explicit(said: Said) -> list[Pair]:
    """`from 175 to 304 seconds`, `450 IPS and 18,000 IPS, which is`, and each two of three."""
    by_name: dict[tuple[str, str], list[Number]] = {}
    for one in said.values:
        if not one.is_setting and one.name not in ("samples", "steps", "tokens"):
            kind = "latency" if one.name == "e2e_mean_ms" else one.name
            by_name.setdefault((kind, one.scope), []).extend([one.was, one.number] if one.was else [one.number])
    return [
        Pair(name=name, old=a.value, new=b.value, share=a.slack / a.value + b.slack / b.value)
        for (name, _), numbers in by_name.items()
        for a, b in combinations(numbers[:4], 2)
        if a.value > 0 and b.value > 0
    ]


def moved(said: Said) -> list[Pair]:
    """Without those of `while the time stayed the same: 455 s and 441 s`, where the sentence has them."""
    pairs = explicit(said)
    if "same" not in said.roles:
        return pairs
    return [pair for pair in pairs if abs(pair.new / pair.old - 1) > _SAME]


#: what people call the same
_SAME = 0.05


def within(sentence: Sentence, change: Change, pairs: Sequence[Pair]) -> Finding | None:
    """`from 100 to 150, a 30 % increase`: the sentence holds all it takes, if no pair in it fits."""
    if change.kind in ("points", "difference"):
        return _apart(sentence, change, pairs)
    for pair in pairs:
        wider = pair.share * _scale(change, pair)
        rounded = replace(change, slack=change.slack + wider)
        if fits(rounded, pair.old, pair.new) or fits(rounded, pair.new, pair.old):
            return None
        if change.name == "accuracy" and abs(abs(pair.new - pair.old) - change.value) <= change.slack:
            return None
    spoken_of = [pair for pair in pairs if same_kind(change.name, pair.name)]
    return does_not_follow(sentence, change, (spoken_of[0].old, spoken_of[0].new), ()) if spoken_of else None


def may_be_of(change: Change, pair: Pair) -> bool:
    """`3 times as fast, but the accuracy falls from 91 % to 87 %`: a pair of another metric has no part in it."""
    return same_kind(change.name, pair.name) or (_is_clocked(change.name) == _is_clocked(pair.name) is not None)


def _is_clocked(name: str) -> bool | None:
    """Whether it is a length or a rate of the whole; None for a latency, of which a run has several."""
    return None if name.endswith("_ms") else name in ("time", "speed", "latency", "rate") or "_per_s" in name


def _apart(sentence: Sentence, change: Change, pairs: Sequence[Pair]) -> Finding | None:
    """`84.3 % against 90.2 %, 6 points more`, `48 s longer (168 s against 120 s)`."""
    spoken_of = [pair for pair in pairs if pair.name == change.name]
    if len(pairs) != 1 or not spoken_of or change.scope or change.bound:
        return None
    pair = pairs[0]
    scale = 100.0 if change.kind == "points" and max(pair.old, pair.new) <= 1 else 1.0
    slack = change.slack + pair.share * scale * max(pair.old, pair.new)
    if abs(scale * abs(pair.new - pair.old) - change.value) <= slack:
        return None
    return does_not_follow(sentence, change, (pair.old, pair.new), (), scale)


def _scale(change: Change, pair: Pair) -> float:
    """What a share of the figures makes of the difference."""
    ratio = pair.new / pair.old
    return 100 * ratio if change.kind == "percent" else max(ratio, 1 / ratio)


def same_kind(said: str, shown: str) -> bool:
    """Whether a difference is about these figures: `66 % faster` can mean a rate, a latency or a time."""
    if said == shown or (said == "e2e_mean_ms" and shown == "latency"):
        return True
    if said == "speed":
        return shown in ("time", "latency") or shown.endswith(("_per_s", "_per_s_avg")) or shown == "rate"
    return (said == "rate" and "_per_s" in shown) or (said == "time" and shown == "latency")


def does_not_follow(
    sentence: Sentence,
    change: Change,
    pair: tuple[float, float],
    proofs: tuple[Evidence, ...],
    points: float = 100.0,
) -> Finding:
    """`points` is how many of them one of the figures' unit is."""
    old, new = pair
    right = {
        "percent": f"{100 * (new - old) / old:+.1f} %",
        "points": f"{points * (new - old):+.2f} points",
        "difference": f"{_shown(abs(new - old))} {'more' if new > old else 'less'}",
    }.get(change.kind, f"{new / old:.2f} times")
    message = f"`{language.shown(sentence, change)}` does not follow: from {_shown(old)} to {_shown(new)} is {right}"
    return wrong(sentence, message, "work it out again from the two figures", *proofs)


def _shown(value: float) -> str:
    return f"{value / 1024**2:,.0f} MiB" if value > 1e8 else f"{value:,.6g}"
