"""Run-to-run spreads that are known from elsewhere, for those who ran a thing once; each with its source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.compare.rows import Row


@dataclass(frozen=True, kw_only=True)
class KnownSpread:
    """`sd` is in the figure's own unit (0.0053 of accuracy are 0.53 points), or `relative`: a share of the mean.

    Outside of `low` to `high` something else was run, or it diverged.
    """

    system: str
    figure: str
    sd: float
    runs: int
    of: str
    relative: bool = False
    low: float = float("-inf")
    high: float = float("inf")


#: read from public logs of runs with the same settings, by different people on different days
KNOWN = (
    # 98.05 % on average, from 96.85 to 98.72 %
    KnownSpread(
        system="graphcore",
        figure="accuracy",
        sd=0.0053,
        runs=31,
        of="31 runs of mnist_poptorch.py with its default settings",
        low=0.95,
        high=0.995,
    ),
    # seven at each of three batch sizes
    KnownSpread(
        system="cerebras", figure="samples_per_s", sd=0.0032, runs=21, of="21 runs of BERT-large", relative=True
    ),
)


def known_spread(rows: Sequence[Row], figure: str) -> KnownSpread | None:
    """One that fits all of these runs, or none."""
    values = [row.figures.get(figure) for row in rows]
    for known in KNOWN:
        fits = all(value is not None and known.low <= value <= known.high for value in values)
        if known.figure == figure and fits and all(row.summary.get("system") == known.system for row in rows):
            return known
    return None
