"""Where the time of a run went: shares of its phases, each moment given to the innermost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from assay.comparing.groups import Group
from assay.comparing.rows import Row

#: in the order in which they happen
PHASES = ("queue", "compile", "load", "program", "input", "warmup", "train", "eval", "checkpoint", "teardown")
OTHER = "other"


@dataclass(frozen=True, kw_only=True)
class Shares:
    """Means over the runs of a group that report their phases; with `other` they sum to 1."""

    group: str
    n: int
    wall_s: float
    shares: dict[str, float]

    @property
    def sentence(self) -> str:
        """The point of it: how much of the time was not training."""
        from assay.units import show_seconds

        train = self.shares.get("train")
        if train is None:
            return ""
        return f"{show_seconds(self.wall_s)}, of which {show_seconds(train * self.wall_s)} training"


def where_time_went(groups: Sequence[Group]) -> list[Shares]:
    found = []
    for one in groups:
        known = [(row.figures["wall_s"], split) for row in one.rows if "wall_s" in row.figures and (split := _of(row))]
        if known:
            names = dict.fromkeys(name for _, split in known for name in split)
            means = {name: fmean([split.get(name, 0.0) for _, split in known]) for name in names}
            wall_s = fmean([wall for wall, _ in known])
            found.append(Shares(group=one.label, n=len(known), wall_s=wall_s, shares=_in_order(means)))
    return found


def _of(row: Row) -> dict[str, float]:
    if row.summary.phase_shares:
        return dict(row.summary.phase_shares)
    wall_s = row.figures["wall_s"]
    outside = "queue" if row.summary.queue_s is not None else ""  # a scheduler's queue lies before the wall time
    inside = {name: length for name, length in row.summary.phases.items() if length and name != outside}
    split = {name: length / wall_s for name, length in inside.items()} if wall_s else {}
    rest = 1 - sum(split.values())
    # phases known only by length may overlap, so the innermost one is unknown
    return {**split, OTHER: rest} if split and rest >= -0.001 else {}


def _in_order(shares: dict[str, float]) -> dict[str, float]:
    own = [name for name in shares if name not in PHASES and name != OTHER]
    names = [*(name for name in PHASES if name in shares), *own, OTHER]
    ordered = {name: shares.get(name, 0.0) for name in names if name != OTHER}
    return {**ordered, OTHER: max(0.0, 1 - sum(ordered.values()))}
