"""Run-to-run spreads that are known from elsewhere, for those who ran a thing once: each stands with its system."""

from __future__ import annotations

from collections.abc import Sequence

from assay import systems
from assay.comparing.rows import Row
from assay.model.known import KnownSpread


def known_spread(rows: Sequence[Row], figure: str) -> KnownSpread | None:
    """One that fits all of these runs, or none."""
    values = [row.figures.get(figure) for row in rows]
    names = {row.summary.system for row in rows}
    if len(names) != 1:
        return None
    for known in systems.of(names.pop()).spreads:
        if known.figure == figure and all(value is not None and known.low <= value <= known.high for value in values):
            return known
    return None
