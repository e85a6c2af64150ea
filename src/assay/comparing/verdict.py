"""The verdict on one group against another in one metric; every sentence about a difference is made from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from assay.comparing.figures import OUTCOME, Figure
from assay.comparing.margins import Amount
from assay.comparing.once import Once
from assay.comparing.robust import Robust
from assay.comparing.sentences import sentence
from assay.stats import LEVEL, Difference, Ratio, repeats_needed

#: different: beyond chance, among all pairs of the figure; equivalent: shown to differ by less than the margin that was
#: asked for; not-shown: that could be chance, which does not make them equal; drift: a drift of the machine could
#: explain it; once: one run each; identical: repeats without any spread; refused: the two cannot be compared
Kind: TypeAlias = Literal["different", "equivalent", "not-shown", "drift", "once", "identical", "refused"]


@dataclass(frozen=True, kw_only=True)
class Quoted:
    """The estimate that a sentence quotes and its interval: a ratio, or a difference in the figure's unit."""

    scale: Literal["ratio", "difference"]
    value: float
    low: float | None
    high: float | None
    level: float = LEVEL


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """`group` against `baseline`. `p` is for this pair, `p_corrected` for all `comparisons` of the family."""

    figure: Figure
    group: str
    baseline: str
    n: tuple[int, int]
    means: tuple[float, float]
    difference: Difference
    ratio: Ratio
    p_corrected: float | None = None
    comparisons: int = 1
    sd: float | None = None  # from run to run, in the figure's unit, at the size of the baseline
    freedom: int = 0  # on which the spread is known
    spread_of: str = ""  # where the spread comes from, if not from these two groups
    assumptions: tuple[str, ...] = field(default=())
    refused: str = ""
    margin: Amount | None = None
    p_same: float | None = None  # that they differ by more than the margin, among all pairs
    once: Once | None = None  # what one run each can carry
    robust: Robust | None = None  # by trimmed means, where a run lies far off and they say otherwise
    drift: bool = False  # the groups were run one after the other, and a drift could explain it

    @property
    def kind(self) -> Kind:
        if self.refused:
            return "refused"
        if self.p_corrected is None:
            return "once" if max(self.n) == 1 else "identical"
        if self.same:
            return "equivalent"
        if self.different:
            return "different"
        return "drift" if self.drift and min(self.n) > 1 else "not-shown"

    @property
    def different(self) -> bool | None:
        """None if the data do not show it."""
        if self.refused or self.p_corrected is None:
            return None
        return min(self.n) > 1 and self.p_corrected < 1 - LEVEL  # a single run shows nothing of how far runs scatter

    @property
    def same(self) -> bool:
        """Whether the two are shown to differ by less than the margin: they may still differ significantly."""
        return self.p_same is not None and self.p_same < 1 - LEVEL

    @property
    def p(self) -> float | None:
        return self.difference.p

    @property
    def in_points(self) -> bool:
        """Whether it is reported as a difference, not a ratio: outcomes, and metrics without a true zero."""
        return self.figure.kind == OUTCOME or self.figure.points or not self.ratio.value > 0

    @property
    def estimate(self) -> Quoted:
        if self.in_points:
            found = self.difference
            return Quoted(scale="difference", value=found.delta, low=found.low, high=found.high)
        return Quoted(scale="ratio", value=self.ratio.value, low=self.ratio.low, high=self.ratio.high)

    @property
    def needed(self) -> int | None:
        """The runs of each that would show a difference of this size, if it is there: more than were made."""
        if not self.sd or self.freedom < 1:
            return None
        needed = repeats_needed(self.difference.delta, (self.sd, self.freedom), self.comparisons)
        return None if needed is None else max(needed, max(self.n) + 1)

    @property
    def text(self) -> str:
        return sentence(self)
