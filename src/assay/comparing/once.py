"""One run each: no test is possible, so we report how much runs would have to vary for noise to explain it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.comparing.figures import Figure
from assay.comparing.rows import Row
from assay.model.known import KnownSpread
from assay.stats import LOG, Scale, exp
from assay.stats.once import reach, tipping
from assay.stats.within import Within

#: figures whose scatter within a run is known
_OF_STEPS = ("samples_per_s", "step_ms")


@dataclass(frozen=True, kw_only=True)
class Once:
    """`scatter`: noise explains the difference only if runs vary by more than this, in the unit of the metric.

    `low` and `high` bound the ratio by the noise within each run; the ratio of two other runs may lie outside.
    `elsewhere` is the known noise of a similar task, if nothing shows that it is the same.
    """

    scatter: float
    low: float | None = None
    high: float | None = None
    elsewhere: KnownSpread | None = None

    @property
    def within(self) -> bool:
        """Whether the steps alone could explain the difference."""
        return self.low is not None and self.high is not None and self.low <= 1 <= self.high


def once(
    one: Figure, scale: Scale, delta: float, rows: Sequence[Row], *, base: float, groups: int,
    elsewhere: KnownSpread | None = None,
) -> Once:  # fmt: skip
    """What two single runs that differ by `delta` on the test scale show, among so many groups."""
    scatter = tipping(delta, groups) / scale.slope(base)
    parts = [_within(one, row) for row in rows]
    known = [part for part in parts if part is not None]
    if scale is not LOG or len(known) < len(rows):
        return Once(scatter=scatter, elsewhere=elsewhere)
    off = reach(known)
    return Once(scatter=scatter, low=exp(delta - off), high=exp(delta + off), elsewhere=elsewhere)


def _within(one: Figure, row: Row) -> Within | None:
    """None where the run shows no steady rate, or another is compared."""
    pace, steady = row.summary.pace, row.summary.samples_per_s_steady
    if one.name not in _OF_STEPS or pace is None or steady is None or row.figures.get("samples_per_s") != steady:
        return None
    return Within(error=pace.error, blocks=pace.blocks) if pace.error is not None and pace.blocks else None
