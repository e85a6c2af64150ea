"""How far identical runs are apart, where it has been seen: for pages that hold no repeats of their own.

Each line was read from public logs of runs with the same settings, by different people on different days.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Known:
    """The spread of one figure over identical runs. `relative` spreads are shares of the mean."""

    system: str
    figure: str
    sd: float
    runs: int
    relative: bool
    source: str

    def difference(self, a: float, b: float) -> float:
        """Between two runs, in the unit of `sd`."""
        return abs(a - b) / (abs(a + b) / 2) if self.relative else abs(a - b)

    @property
    def pair(self) -> float:
        """Two single runs of the same thing differ by no more than this, 19 times in 20."""
        return 1.96 * 2**0.5 * self.sd


KNOWN = (
    Known(
        system="graphcore",
        figure="accuracy",
        sd=0.0053,
        runs=31,
        relative=False,
        source="31 runs of the MNIST tutorial with its default settings: 98.05 % on average, 96.85 to 98.72 %",
    ),
    Known(
        system="cerebras",
        figure="rate",
        sd=0.0032,
        runs=21,
        relative=True,
        source="21 runs of BERT-large, seven at each of three batch sizes: standard deviation 0.32 % of the rate",
    ),
    Known(
        system="cerebras",
        figure="loss",
        sd=0.012,
        runs=7,
        relative=False,
        source="7 runs of BERT-large at batch 1,024 after 1,000 steps: 7.078 to 7.109",
    ),
)


def known(system: str, figure: str) -> Known | None:
    return next((one for one in KNOWN if (one.system, one.figure) == (system, figure)), None)
