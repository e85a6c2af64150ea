"""A run as another tool keeps it: what the readers of MLflow and W&B both give."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass(kw_only=True)
class Record:
    """One run as it is kept there. `metrics` are (name, value, step, unix seconds), in order of time."""

    system: str
    name: str
    settings: dict[str, Any] = field(default_factory=dict)
    metrics: Iterable[tuple[str, float, int, float]] = ()
    results: dict[str, float] = field(default_factory=dict)
    status: str = "unfinished"
    command: str | None = None
    notes: list[str] = field(default_factory=list)
