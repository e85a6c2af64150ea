"""The critical batch size: beyond it a larger batch mostly costs samples (McCandlish and others, 2018).

Samples to a target grow as E = E₀·(1 + B / B_crit): a straight line over the batch size, whose quotient is B_crit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from assay.stats.linear import Linear, fit_parts
from assay.units import show_number

#: a law that misses by less serves, whatever the repeats say; without repeats, one that misses by more does not
_GOOD_ENOUGH, _UNTESTED = 0.02, 0.05


@dataclass(frozen=True, kw_only=True)
class Critical:
    """Sentences about the critical batch size, and the figures behind them; both may be empty."""

    says: list[str] = field(default_factory=list)
    figures: dict[str, object] = field(default_factory=dict)


def critical_batch(samples: Mapping[float, Sequence[float]]) -> Critical:
    """From the samples that each run needed, by batch size; fewer than three sizes give no result."""
    if len(samples) < 3:
        return Critical()
    line = fit_parts([((1.0, size), spent) for size, found in samples.items() for spent in found])
    why = _refusal(line)
    if line is None or why:
        return Critical(says=[f"no critical batch size: {why}"])
    found, growth = line.quotient((1, 0), (0, 1)), line.quotient((0, 1), (1, 0))
    law = f"law of gradient noise, off by at most {100 * line.worst:.1f} %"
    figures: dict[str, object] = {"critical_batch_low": None, "critical_batch_high": None}
    if found.low is None or found.high is None:
        if growth.high is None or growth.high <= 0:
            return Critical(says=["no critical batch size: these runs do not determine it; repeat them"])
        figures["critical_batch_low"] = 1 / growth.high
        return Critical(says=[f"the critical batch size is at least {_size(1 / growth.high)} ({law})"], figures=figures)
    figures = {
        "critical_batch": found.value,
        "critical_batch_low": max(0.0, found.low),
        "critical_batch_high": found.high,
    }
    smallest = min(samples)
    if found.high <= smallest:
        return Critical(
            says=[f"the critical batch size is below {_size(smallest)}, the smallest that was tried ({law})"],
            figures=figures,
        )
    if found.low <= 0:
        return Critical(says=[f"the critical batch size is at most {_size(found.high)} ({law})"], figures=figures)
    ends = f"95 % interval {_size(found.low)}–{_size(found.high)}"
    beyond = "" if found.value <= max(samples) else ", larger than was tried"
    return Critical(says=[f"the critical batch size is {_size(found.value)} ({ends}; {law}){beyond}"], figures=figures)


def _refusal(line: Linear | None) -> str:
    if line is None:
        return "the samples do not grow along a line with the batch size"
    off = f"the law of gradient noise misses by up to {100 * line.worst:.1f} %"
    if line.p_fit is None and line.worst > _UNTESTED:
        return f"{off}, and there are no repeats to judge that by"
    if line.p_fit is not None and line.p_fit < 0.05 and line.worst > _GOOD_ENOUGH:
        return f"{off}, more than noise explains"
    growth = line.quotient((0, 1), (1, 0))
    if growth.high is not None and growth.high < 0:
        return "a larger batch needs fewer samples here"
    return ""


def _size(value: float) -> str:
    """Two digits, because nobody sets a batch of 413."""
    digits = max(0, math.floor(math.log10(value)) - 1) if value > 0 else 0
    return show_number(round(value, -digits))
