"""Steps, samples, seconds and joules until a loss or accuracy was first reached."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assay.comparing.curves import AXES, Curve
from assay.comparing.figures import figure
from assay.comparing.groups import Group
from assay.comparing.rows import Row
from assay.errors import UsageError
from assay.stats import Sample

#: share of all samples over which a noisy figure is smoothed before it counts as reached: see bench/verdicts.py
_SMOOTHED = 0.05
_TARGET = re.compile(r"([\w.]+)\s*(<=|>=|=|<|>)\s*([-+\d.eE]+)\s*(%?)")


@dataclass(frozen=True, kw_only=True)
class Target:
    """`below`: reached when the figure is at `value` or less."""

    name: str
    value: float
    below: bool

    @property
    def text(self) -> str:
        one = figure(self.name)
        shown = f"{100 * self.value:g} %" if one.points else f"{self.value:g}"
        return f"{one.noun} {'≤' if self.below else '≥'} {shown}"


@dataclass(frozen=True, kw_only=True)
class Reached:
    """`spent` has one value for each run that reached it and reports the axis; other runs only count in `of`.

    `unknown` runs do not report the figure during training, so it is unknown whether and when they reached it.
    `from_start`: some never say when their training begins, so that the seconds count from the start of the run, or
    from where their first lines suggest that it began (`estimated`).
    """

    group: Group
    count: int
    of: int
    unknown: int
    spent: dict[str, Sample]
    from_start: bool = False
    estimated: bool = False


def parse_target(text: str) -> Target:
    """`loss=7.5`, `loss<=7.5`, `accuracy=0.97`, `accuracy>=97%`."""
    parts = _TARGET.fullmatch(text.strip())
    try:
        name, sign, value, percent = parts.groups() if parts else ("", "", "", "")
        number = float(value) / (100 if percent else 1)
    except ValueError:
        raise UsageError(f"`{text}` is not a target", "write for example loss=7.5 or accuracy=97%") from None
    better = figure(name).better
    below = sign in ("<", "<=") if sign != "=" else better < 0
    if sign == "=" and not better:
        raise UsageError(
            f"it is not known whether a higher or a lower `{name}` is better",
            f"write {name}<={value} or {name}>={value}",
        )
    if figure(name).points and number > 1:
        number /= 100  # said in per cent
    return Target(name=name, value=number, below=below)


def reach(target: Target, groups: Sequence[Group], curve: Callable[[Row], Curve]) -> list[Reached]:
    found, window = [], window_of(target.name, groups, curve)
    for one in groups:
        curves = [read for row in one.rows if (read := curve(row)).tells(target.name)]
        points = [read.reaches(target.name, target.value, below=target.below, window=window) for read in curves]
        known = [point for point in points if point is not None]
        spent: dict[str, Sample] = {axis: [p.at[axis] for p in known if axis in p.at] for axis in AXES}
        kept = {axis: values for axis, values in spent.items() if values and len(values) == len(known)}
        unknown = len(one.rows) - len(curves)
        found.append(
            Reached(
                group=one,
                count=len(known),
                of=len(points),
                unknown=unknown,
                spent=kept,
                from_start=any(map(_from_start, one.rows)),
                estimated=all(curve(row).began for row in one.rows),
            )
        )
    return found


def window_of(name: str, groups: Sequence[Group], curve: Callable[[Row], Curve]) -> float:
    """A window of equally many samples for every run, a share of the shortest; 0 if a run does not report samples."""
    made = [read.samples(name) for one in groups for row in one.rows if (read := curve(row)).tells(name)]
    known = [samples for samples in made if samples is not None]
    return _SMOOTHED * min(known) if known and len(known) == len(made) else 0.0


def _from_start(row: Row) -> bool:
    """A log that was read later is dated by its own lines, or by its rate; a recorded run by its clock."""
    return row.summary.how in ("executed", "simulated") and "train" not in row.summary.phases


def common_target(name: str, groups: Sequence[Group], curve: Callable[[Row], Curve]) -> Target | None:
    """The hardest target that every run reached; None if a run does not report the figure during training."""
    below = figure(name).better < 0
    curves = [curve(row) for one in groups for row in one.rows]
    window = window_of(name, groups, curve)
    bests = [read.best(name, below=below, window=window) for read in curves if read.tells(name)]
    known = [best for best in bests if best is not None]
    if not known or len(known) < len(curves):
        return None
    return Target(
        name=name, value=_rounded(max(known), up=True) if below else _rounded(min(known), up=False), below=below
    )


def _rounded(value: float, *, up: bool) -> float:
    """To three digits, to the side that is easier to reach."""
    if not value:
        return value
    step = 10.0 ** (math.floor(math.log10(abs(value))) - 2)
    return (math.ceil(value / step) if up else math.floor(value / step)) * step
