"""The share of the hardware's peak that the model's arithmetic used, if both are known."""

from __future__ import annotations

from collections.abc import Sequence

from assay.comparing.groups import Group
from assay.comparing.models.base import Model
from assay.comparing.rows import Row
from assay.stats import describe

_TITLE = "utilisation of the hardware"


def utilisation_model(groups: Sequence[Group]) -> list[Model]:
    """`flops_per_sample` (or `flops_per_token`) and `peak_flops`, as a program reports them; else nothing."""
    says, figures = [], {}
    for one in groups:
        found = [share for row in one.rows if not row.simulated and (share := _share(row)) is not None]
        if found:
            spread = describe(found)
            half = f" ± {100 * spread.sd:.2g}" if spread.sd else ""
            says.append(f"{one.label}: {100 * spread.mean:.3g}{half} % of peak, n = {spread.n}")
            figures[one.label] = spread.mean
    if not says:
        return []
    impossible = any(share > 1 for share in figures.values())
    if impossible:
        says.append("More than the peak is impossible; check flops_per_sample and peak_flops")
    return [Model(kind="utilisation", title=_TITLE, holds=not impossible, says=says, figures=figures)]


def _share(row: Row) -> float | None:
    peak = row.summary.figure("peak_flops")
    if not peak:
        return None
    for unit, rate in (("sample", "samples_per_s"), ("token", "tokens_per_s")):
        work, speed = row.summary.figure(f"flops_per_{unit}"), row.figures.get(rate)
        if work and speed:
            return work * speed / peak
    return None
