"""Where an axis begins and ends: as far as the data go, and never beyond what is possible."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assay.quantities import named

_MARGIN = 0.05  # of the data's range, on each side


@dataclass(frozen=True, kw_only=True)
class Limits:
    """`format` is how its ticks are written, where a plain number would not do."""

    low: float
    high: float
    format: str = ""


def limits_of(name: str, values: Iterable[object]) -> Limits | None:
    """Of a metric by its name; None where there is nothing to show."""
    known = [float(value) for value in values if isinstance(value, (int, float)) and abs(value) < float("inf")]
    if not known:
        return None
    low, high = min(known), max(known)
    margin = _MARGIN * (high - low) or abs(high) * _MARGIN or 1.0
    least, most = possible(name, low, high)
    return Limits(low=max(least, low - margin), high=min(most, high + margin), format="~%" if is_share(name) else "")


def is_share(name: str) -> bool:
    """Whether it is a fraction that people write in per cent."""
    known = named(name)
    return known.points if known is not None else name.endswith("accuracy")


def possible(name: str, low: float, high: float) -> tuple[float, float]:
    """No accuracy above 1, and nothing below 0 unless it was seen there; what was seen is never cut off."""
    most = max(1.0, high) if is_share(name) else float("inf")
    return (float("-inf") if low < 0 else 0.0), most
