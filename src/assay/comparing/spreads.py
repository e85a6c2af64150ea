"""Run-to-run spreads that are known from elsewhere, for those who ran a thing once: each stands with its system."""

from __future__ import annotations

from collections.abc import Sequence

from assay import systems
from assay.comparing.rows import Row
from assay.model.known import KnownSpread
from assay.model.summary import Summary


def known_spread(rows: Sequence[Row], figure: str, *, sure: bool = True) -> KnownSpread | None:
    """A known spread for all of these runs, or None: it is for their system, and `sure` to be for their model and task.
    If not sure, nothing shows that it is for another task.
    """
    values = [row.figures.get(figure) for row in rows]
    names = {row.summary.system for row in rows}
    if len(names) != 1:
        return None
    for known in systems.of(names.pop()).spreads:
        if known.figure == figure and all(value is not None and known.low <= value <= known.high for value in values):
            fits = [is_of(known, row.summary) for row in rows]
            if all(fits) or (not sure and False not in fits):
                return known
    return None


def is_of(known: KnownSpread, summary: Summary) -> bool | None:
    """Whether a run has the model and task of the spread; None if unknown."""
    said = [word for word in (summary.model, summary.data, summary.program) if word]
    told = [*said, summary.name, (summary.source or "").rpartition("/")[2]]
    if any(known.is_called(word) for word in told):
        return True
    return False if said else None
