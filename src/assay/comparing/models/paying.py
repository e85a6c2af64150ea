"""Up to how many processes more of them pay: each step up is tested, and none is called that could be either."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from assay.stats import LEVEL, mean, pooled_sd, t_point
from assay.units import show_number

#: a step up pays where it gives at least this share of what it adds: half again the rate for twice the processes
PAYS = 0.5


@dataclass(frozen=True, kw_only=True)
class Step:
    """From `before` to `after` processes: by what factor the rate grows. `pays` is None if the runs do not show it."""

    before: float
    after: float
    gain: float
    low: float | None
    high: float | None

    @property
    def least(self) -> float:
        """The factor from which on it pays."""
        return 1 + PAYS * (self.after / self.before - 1)

    @property
    def pays(self) -> bool | None:
        if self.low is None or self.high is None:
            return None
        return True if self.low >= self.least else False if self.high < self.least else None


def steps_up(rates: Mapping[float, Sequence[float]]) -> list[Step]:
    """With intervals that all hold together (Bonferroni), by the relative spread of all runs."""
    logs = {count: [math.log(rate) for rate in rates[count]] for count in sorted(rates)}
    spread = pooled_sd(list(logs.values()))
    found = []
    for (before, old), (after, new) in pairwise(logs.items()):
        delta, half = mean(new) - mean(old), None
        if spread is not None and spread[0] > 0:
            level = 1 - (1 - LEVEL) / (len(logs) - 1)
            half = t_point(spread[1], level) * spread[0] * math.sqrt(1 / len(old) + 1 / len(new))
        low, high = (None, None) if half is None else (math.exp(delta - half), math.exp(delta + half))
        found.append(Step(before=before, after=after, gain=math.exp(delta), low=low, high=high))
    return found


def paying_words(steps: Sequence[Step], word: str) -> list[str]:
    """The first step that is shown not to pay, and what stands before it; else up to where all is shown to pay."""
    first = next((place for place, step in enumerate(steps) if step.pays is not True), None)
    if first is None:
        return [f"more {word} paid up to {show_number(steps[-1].after)}, the most that was tried"]
    stop, says = steps[first], list[str]()
    if first:
        says.append(f"more {word} paid up to {show_number(stop.before)}: each step gave at least half of what it added")
    if stop.pays is False:
        return [*says, f"they stop paying from {_ends(stop)}: {_gain(stop, word)}"] if says else [_not(stop, word)]
    says.append(f"whether {word} still pay from {_ends(stop)} is not shown: {_gain(stop, word)}{_advice(stop)}")
    later = next((step for step in steps[first:] if step.pays is False), None)
    return [*says, _not(later, word)] if later else says


def _not(step: Step, word: str) -> str:
    return f"more {word} do not pay from {_ends(step)}: {_gain(step, word)}"


def _ends(step: Step) -> str:
    return f"{show_number(step.before)} to {show_number(step.after)}"


def _gain(step: Step, word: str) -> str:
    ends = f" (95 % interval {_share(step.low)} to {_share(step.high)})" if step.low and step.high else ""
    return f"{_share(step.gain)} throughput{ends} for {_share(step.after / step.before)} {word}"


def _share(factor: float | None) -> str:
    return f"{100 * ((factor or 1) - 1):+.0f} %".replace("-", "−")


def _advice(step: Step) -> str:
    return "; repeat each at least twice" if step.low is None else "; more repeats would narrow it"
