"""How large a difference matters: `2%`, `loss 0.05`, `samples_per_s_avg -2%`, and where that lies on the scale of a
test.

A per cent of an accuracy is a point: from 93 % to 92 % is `-1%`. Of everything else it is a share of the baseline.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace

from assay.comparing.figures import Figure, show_value
from assay.errors import UsageError
from assay.stats import LOG, Estimate, Scale

_AMOUNT = re.compile(
    r"(?:(?P<figure>[A-Za-z][\w.]{0,80})\s{1,8})?(?P<sign>[+-])?\s{0,8}(?P<number>\d{1,20}(?:\.\d{1,20})?)\s{0,8}(?P<unit>%)?"
)
#: per cent; a fall of 100 % or more has no logarithm
_MOST = 100.0


@dataclass(frozen=True, kw_only=True)
class Amount:
    """The size of a change: `relative` to the baseline, or in the figure's unit. Without a figure it applies to all."""

    value: float  # 0.02 for 2 %
    relative: bool
    figure: str | None = None

    def bound(self, one: Figure, scale: Scale, base: float) -> float:
        """Where a change of this much lies on the scale, as seen from a baseline."""
        if one.points:
            return self.value if self.relative else self.value / 100
        if scale is LOG:
            return math.log1p(max(self.value if self.relative else self.value / base, -1 + 1e-9))
        return self.value * abs(base) if self.relative else self.value

    def widened(self, one: Figure, scale: Scale, estimate: Estimate) -> Estimate:
        """A share of a baseline that is itself uncertain moves with it."""
        if scale is LOG or one.points or not self.relative:
            return estimate
        return replace(estimate, error=estimate.error * (1 + abs(self.value)))

    def text(self, one: Figure) -> str:
        """`2 %`, `0.5 points`, `0.05`: without its sign."""
        size = abs(self.value)
        if one.points:
            points = 100 * size if self.relative else size
            return f"{points:.4g} point{'' if points == 1 else 's'}"
        return f"{100 * size:.4g} %" if self.relative else show_value(one, size)


def margin(text: str) -> Amount:
    """What `--margin` takes: `2%`, `accuracy 0.5%`."""
    found = _AMOUNT.fullmatch(text.strip())
    if found is None or found["sign"] or not float(found["number"]):
        raise UsageError(f"`{text}` is not a margin", "write --margin 2% or --margin 'loss 0.05'")
    return _amount(found, text)


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What `--until` takes: how well a figure is to be known, or its difference from the first setting."""

    amount: Amount
    difference: bool = False

    @property
    def figure(self) -> str | None:
        return self.amount.figure


def wanted(text: str) -> Wanted:
    """`1%`, `samples_per_s_avg 1%`, `difference 1%`, `difference accuracy 0.5%`"""
    words = text.split()
    if words[:1] == ["difference"]:
        return Wanted(amount=margin(" ".join(words[1:])), difference=True)
    return Wanted(amount=margin(text))


def limit(text: str) -> Amount:
    """What `--fail-if` takes: a figure and the change that is too much, with its direction."""
    found = _AMOUNT.fullmatch(text.strip())
    if found is None or not found["figure"] or not found["sign"]:
        hint = "write the figure, the direction and how much: --fail-if 'samples_per_s_avg -2%'"
        raise UsageError(f"`{text}` is not a limit", hint)
    return _amount(found, text)


def _amount(found: re.Match[str], text: str) -> Amount:
    value = float(found["number"]) * (-1 if found["sign"] == "-" else 1)
    if found["unit"] and abs(value) >= _MOST:
        raise UsageError(f"`{text}` is a change of 100 % or more", "write a change below 100 %")
    return Amount(
        value=value / 100 if found["unit"] else value, relative=bool(found["unit"]), figure=found["figure"]
    )  # fmt: skip
