"""Losses that became NaN or infinite: where it happened, unless the loss recovered later."""

from __future__ import annotations

import math
from collections.abc import Mapping

from assay.model.event import Metric, Result
from assay.model.values import number

_PLACES = ("step", "epoch")


class NotFinite:
    """Takes figures one by one; remembers where each loss stopped being a number."""

    def __init__(self) -> None:
        self.since: dict[str, str] = {}  # `train_loss`: `NaN at step 10`

    def add(self, name: str, value: object, event: Metric | Result) -> None:
        if isinstance(value, float) and not math.isfinite(value) and name not in self.since:
            called = "NaN" if math.isnan(value) else "infinite"
            places = ((place, number(event.values.get(place))) for place in _PLACES)
            where = next((f" at {place} {at:,.0f}" for place, at in places if at is not None), "")
            self.since[name] = called + where

    def recover(self, event: Metric) -> None:
        """Forget a loss that is a number again."""
        for name in [name for name in self.since if number(event.values.get(name)) is not None]:
            del self.since[name]

    def remaining(self, best: Mapping[str, float], spellings: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
        """By common name, `loss: NaN at step 10`; a loss that some source still knows as a number is not among them."""
        found: dict[str, str] = {}
        for name, where in self.since.items():
            common = next((one for one, others in spellings.items() if name in others), name)
            if name not in best and common not in best:
                found.setdefault(common, where)
        return found
