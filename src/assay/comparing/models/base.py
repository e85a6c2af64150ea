"""The fields that every fitted model has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Model:
    """`holds` is False if the data do not support the model; then `says` gives the reason, and what is known instead.

    `valid` is the range of what was tried; anything outside is marked as extrapolation.
    """

    kind: str
    title: str
    holds: bool
    says: list[str]
    valid: tuple[float, float] | None = None
    figures: Mapping[str, object] = field(default_factory=dict)
