"""Run-to-run spreads that are known from elsewhere, for those who ran a thing once; each with its source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.comparing.rows import Row


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
    seen: str = ""  # what the runs came to

    @property
    def source(self) -> str:
        return f"{self.of}: {self.seen}"

    @property
    def pair(self) -> float:
        """Two single runs of the same thing differ by no more than this, 19 times in 20."""
        return 1.96 * 2**0.5 * self.sd

    def difference(self, a: float, b: float) -> float:
        """Between two runs, in the unit of `sd`."""
        return abs(a - b) / (abs(a + b) / 2) if self.relative else abs(a - b)


#: read from public logs of runs with the same settings, by different people on different days
KNOWN = (
    KnownSpread(
        system="graphcore",
        figure="accuracy",
        sd=0.0053,
        runs=31,
        of="31 runs of the MNIST tutorial with its default settings",
        low=0.95,
        high=0.995,
        seen="98.05 % on average, 96.85 to 98.72 %",
    ),
    KnownSpread(
        system="cerebras",
        figure="samples_per_s",
        sd=0.0032,
        runs=21,
        of="21 runs of BERT-large",
        relative=True,
        seen="seven at each of three batch sizes, standard deviation 0.32 % of the rate",
    ),
    KnownSpread(
        system="cerebras",
        figure="loss",
        sd=0.012,
        runs=7,
        of="7 runs of BERT-large at batch 1,024 after 1,000 steps",
        low=7.0,
        high=7.2,
        seen="7.078 to 7.109",
    ),
)


def known_spread(rows: Sequence[Row], figure: str) -> KnownSpread | None:
    """One that fits all of these runs, or none."""
    values = [row.figures.get(figure) for row in rows]
    for known in KNOWN:
        fits = all(value is not None and known.low <= value <= known.high for value in values)
        if known.figure == figure and fits and all(row.summary.system == known.system for row in rows):
            return known
    return None
