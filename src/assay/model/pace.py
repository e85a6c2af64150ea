"""How evenly a run trained: where its warm-up ended, and how well the rate after it is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assay.model.record import Record, fact
from assay.model.values import NOTHING


@dataclass(frozen=True, kw_only=True)
class Pace(Record):
    """A summary's `pace`, of runs that report their steps or samples often enough."""

    steady: bool | None = fact("Whether the rate became steady and stayed so for at least a third of the run.")
    moves: str | None = fact("Where it did not: whether it rises, falls or wanders until the end.")
    change: float | None = fact(
        "By what share the rate grew from the warm-up to the steady part, or through a run that has none."
    )
    from_step: float | None = fact("The step after which it was steady.")
    left_out_s: float | None = fact("Seconds of warm-up before that, which `samples_per_s_steady` leaves out.")
    left_out_share: float | None = fact("The same as a share of the training, 0 to 1.")
    intervals: int | None = fact("Intervals between two reports that this was found from.")
    error: float | None = fact(
        "Standard error of the steady rate within the run, as a share of it: another run may differ by more."
    )
    blocks: int | None = fact("Independent stretches of the run that the error is known from.")
    extra: Mapping[str, object] = fact("Fields of a newer version.", NOTHING)
