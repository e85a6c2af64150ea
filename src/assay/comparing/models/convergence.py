"""What a target costs in steps, samples, seconds and joules, and whether a larger batch needs more samples for it."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from assay.comparing.groups import Group
from assay.comparing.models.base import Model
from assay.comparing.models.critical import critical_batch
from assay.comparing.ratios import show_ends
from assay.comparing.target import Reached, Target
from assay.stats import holm, ratio
from assay.units import show_number


def convergence_model(target: Target, reached: Sequence[Reached]) -> Model | None:
    """None where only one batch size was run."""
    by_batch = _samples_by_batch(reached)
    if by_batch is None:
        return None
    title, sizes = f"samples to {target.text} against batch size", sorted(by_batch)
    if not all(one.of for one in reached) or not all(min(spent) > 0 for spent in by_batch.values()):
        return None  # a target that was met before the first step costs nothing that could be compared
    if any(one.count < one.of for one in reached):
        missed = ", ".join(f"{one.group.label} in {one.count} of {one.of}" for one in reached if one.count < one.of)
        return Model(
            kind="convergence", title=title, holds=False, says=[f"No model: not every run reached it ({missed})"]
        )
    small, says, more = sizes[0], [], []
    ratios = [ratio(by_batch[size], by_batch[small]) for size in sizes[1:]]
    for size, found, p in zip(sizes[1:], ratios, holm([one.p for one in ratios]), strict=True):
        told = p is not None and p < 0.05
        known = found.low is not None and found.high is not None
        interval = f", 95 % interval {show_ends(found.value, found.low or 0.0, found.high or 0.0)}" if known else ""
        doubt = "" if told else _doubt(found.p, p, len(ratios))
        text = f"{show_number(size)} needs {found.value:.2f} × the samples of {show_number(small)}{interval}{doubt}"
        says.append(text)
        more.append(told and found.value > 1)
    if any(more):
        says.append("a larger batch needs more samples here, which takes away part of what faster steps gain")
    critical = critical_batch(by_batch)
    says += critical.says
    figures: dict[str, object] = {
        "samples": {show_number(size).replace(",", ""): fmean(by_batch[size]) for size in sizes}
    }
    figures |= critical.figures
    return Model(kind="convergence", title=title, holds=True, says=says, valid=(sizes[0], sizes[-1]), figures=figures)


def _doubt(alone: float | None, corrected: float | None, comparisons: int) -> str:
    if alone is None or corrected is None:
        return "; too few repeats to judge"
    if alone < 0.05:
        return f", not significant after correcting for {comparisons} comparisons (p = {corrected:.2g})"
    return ", which could be noise"


def _samples_by_batch(reached: Sequence[Reached]) -> dict[float, list[float]] | None:
    found: dict[float, list[float]] = {}
    for one in reached:
        batch = _batch(one.group)
        if batch is None or one.group.simulated or (one.count and "samples" not in one.spent):
            return None
        found.setdefault(batch, []).extend(one.spent.get("samples", ()))
    return found if len(found) > 1 and len(found) == len(reached) else None


def _batch(group: Group) -> float | None:
    sizes = {row.batch for row in group.rows}
    return sizes.pop() if len(sizes) == 1 else None
