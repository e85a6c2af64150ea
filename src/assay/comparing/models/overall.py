"""One setting against another over several workloads: the geometric mean of their ratios."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.comparing.figures import RATE, Figure
from assay.comparing.groups import Group, show_setting
from assay.comparing.models.base import Model
from assay.comparing.ratios import show_ends
from assay.model.values import Value
from assay.stats import LEVEL, Sample, mean, pooled_sd, t_point

#: settings that identify a workload
_WORKLOADS = ("model", "workload", "data", "dataset", "task", "benchmark")


@dataclass(frozen=True, kw_only=True)
class Mean:
    """The mean over the workloads that were run; its interval covers the noise of the runs, not other workloads."""

    value: float
    low: float | None
    high: float | None
    ratios: dict[str, float]


def overall_model(by: Sequence[str], groups: Sequence[Group], columns: Sequence[Figure]) -> list[Model]:
    """Where every workload was run with the same values of one setting; nothing elsewhere."""
    over = next((name for name in _WORKLOADS if name in by), None)
    one = next((one for one in columns if one.kind == RATE and one.better), None)
    if over is None or one is None or len(by) != 2:
        return []
    place, other = by.index(over), 1 - by.index(over)
    cells = {
        (one_of.key[place], one_of.key[other]): one_of.sample(one.name) for one_of in groups if not one_of.simulated
    }
    workloads = [key for key in dict.fromkeys(key for key, _ in cells) if key is not None]
    values = [key for key in dict.fromkeys(key for _, key in cells) if key is not None]
    if (
        len(workloads) < 2
        or len(values) < 2
        or not all(_positive(cells.get((w, v))) for w in workloads for v in values)
    ):
        return []
    found = {value: _mean(cells, workloads, value, values[0]) for value in values[1:]}
    says = [_said(by[other], value, values[0], one, over, got) for value, got in found.items()]
    figures = {
        show_setting(value): {"mean_ratio": got.value, "low": got.low, "high": got.high, "ratios": got.ratios}
        for value, got in found.items()
    }
    return [
        Model(
            kind="overall", title=f"{one.noun} over {len(workloads)} values of {over}", holds=True, says=says,
            figures={"over": over, "figure": one.name, "against": show_setting(values[0]), "values": figures},
        )
    ]  # fmt: skip


def _positive(sample: Sample | None) -> bool:
    return bool(sample) and min(sample or [0.0]) > 0


def _mean(
    cells: Mapping[tuple[Value | None, Value | None], Sample], workloads: Sequence[Value], value: Value, base: Value
) -> Mean:
    """All cells share one relative spread; without repeats there is no interval."""
    logs = {key: [math.log(figure) for figure in sample] for key, sample in cells.items() if sample}
    each = {one: mean(logs[one, value]) - mean(logs[one, base]) for one in workloads}
    middle, spread = math.fsum(each.values()) / len(each), pooled_sd(list(logs.values()))
    ratios = {show_setting(one): math.exp(log) for one, log in each.items()}
    if spread is None or not spread[0]:
        return Mean(value=math.exp(middle), low=None, high=None, ratios=ratios)
    share = math.fsum(1 / len(logs[one, key]) for one in workloads for key in (value, base)) / len(workloads) ** 2
    half = t_point(spread[1], LEVEL) * spread[0] * math.sqrt(share)
    return Mean(value=math.exp(middle), low=math.exp(middle - half), high=math.exp(middle + half), ratios=ratios)


def _said(name: str, value: Value, base: Value, one: Figure, over: str, got: Mean) -> str:
    ends = "one run each, so no interval"
    if got.low is not None and got.high is not None:
        ends = f"95 % interval {show_ends(got.value, got.low, got.high)}"
    least, most = min(got.ratios, key=got.ratios.__getitem__), max(got.ratios, key=got.ratios.__getitem__)
    span = f"from {got.ratios[least]:.2f} × ({least}) to {got.ratios[most]:.2f} × ({most})"
    return (
        f"{name} {show_setting(value)} has {got.value:.2f} × the {one.noun} of {show_setting(base)} "
        f"(geometric mean over {len(got.ratios)} values of {over}, {ends}); {span}"
    )
