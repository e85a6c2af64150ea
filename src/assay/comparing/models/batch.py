"""Step time against batch size: t = a + c·b, a fixed cost and a cost per sample."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from assay.comparing.groups import Group
from assay.comparing.models.base import Model
from assay.comparing.models.line import Line, fit
from assay.units import show_number, show_rounded

_TITLE = "step time against batch size"
#: a line that misses by less than this serves, whatever the repeats say
_GOOD_ENOUGH = 0.01
#: without repeats to judge by, a line through fewer sizes, or one that misses by more, is not trusted
_SIZES_UNTESTED = 4
_UNTESTED = 0.05
#: and one that misses by more says nothing, however widely the repeats scatter
_USELESS = 0.25
#: runs that differ in these are not on one line
_OTHERS = ("num_procs", "num_nodes", "num_tasks")


def batch_model(groups: Sequence[Group]) -> Model | None:
    """None where fewer than two batch sizes were run, or anything else was changed as well."""
    points, origins = _points(groups)
    sizes = sorted({x for x, _ in points})
    if len(sizes) < 2 or len(origins) > 1:
        return None
    valid = (sizes[0], sizes[-1])
    line = fit(points)
    if line is None:
        text = "refused: two batch sizes always lie on a line; run a third"
        return Model(kind="batch", title=_TITLE, holds=False, says=[text], valid=valid)
    refusal = _refusal(line)
    says = [refusal, *_segments(line)] if refusal else _says(line)
    beyond = 2 * sizes[-1]
    low, high = _range(line, beyond)
    ends = f"{show_rounded(low, 3)}–{show_rounded(high, 3)} ms"
    says.append(
        f"extrapolation: {show_number(beyond)} would take {ends} a step; it was not tried, and no more is known"
    )
    figures = _figures(line, beyond) | ({} if refusal else _line_figures(line))
    return Model(kind="batch", title=_TITLE, holds=not refusal, says=says, valid=valid, figures=figures)


def _points(groups: Sequence[Group]) -> tuple[list[tuple[float, float]], set[tuple[object, ...]]]:
    """(batch size, ms) of each run, and the kinds of runs they come from: one line is of one kind."""
    points: list[tuple[float, float]] = []
    kinds: set[tuple[object, ...]] = set()
    for one in groups:
        for row in one.rows:
            if row.batch and "step_ms" in row.figures and not row.simulated:
                points.append((row.batch, row.figures["step_ms"]))
                others = [row.settings[name].value if name in row.settings else None for name in _OTHERS]
                kinds.add((row.summary.system, row.summary.device, *others))
    return points, kinds


def _refusal(line: Line) -> str:
    off = f"{100 * line.worst:.1f} %"
    if line.c <= 0:
        return "refused: a larger batch takes no longer here, so there is no cost per sample to tell"
    if line.p_fit is None:
        if len(line.levels) < _SIZES_UNTESTED:
            return "refused: three batch sizes without repeats cannot tell a line from a curve; repeat them"
        if line.worst > _UNTESTED:
            return f"refused: a straight line is off by up to {off}, and there are no repeats to judge that by"
        return ""
    if line.p_fit < 0.05 and line.worst > _GOOD_ENOUGH:
        return f"refused: a straight line is off by up to {off}, more than the repeats scatter (p {_p(line.p_fit)})"
    if line.worst > _USELESS:
        return f"refused: the repeats scatter so widely that a line may be off by {off}"
    if line.a + line.a_half < 0:
        return "refused: the line would need a fixed cost below zero"
    return ""


def _segments(line: Line) -> list[str]:
    """What can be said without the line: the cost per sample between each two batch sizes."""
    costs = [(t2 - t1) / (b2 - b1) for (b1, t1), (b2, t2) in pairwise(line.levels.items())]
    rising = all(later > earlier for earlier, later in pairwise(costs))
    falling = all(later < earlier for earlier, later in pairwise(costs))
    word = "rises" if rising else "falls" if falling else "changes"
    told = ", then ".join(f"{cost:.3f}" for cost in costs)
    sizes = ", ".join(show_number(size) for size in line.levels)
    return [f"the cost per sample {word} with the batch: {told} ms between {sizes}"]


def _says(line: Line) -> list[str]:
    top, eighty = 1000 / line.c, 4 * line.a / line.c
    quality = f"off by at most {100 * line.worst:.1f} %"
    if line.p_fit is None:
        quality += ", untested: without repeats a line cannot be told from a curve"
    elif line.p_fit < 0.05:
        quality += ", more than the repeats scatter, and good to that"
    else:
        quality += f", no more than the repeats scatter (p {_p(line.p_fit)})"
    says = [
        f"{show_rounded(line.a, 3)} ± {show_rounded(line.a_half, 2)} ms fixed and "
        f"{show_rounded(line.c, 3)} ± {show_rounded(line.c_half, 2)} ms a sample ({quality})",
        f"top throughput {show_number(round(top))} samples/s",
    ]
    if line.c <= line.c_half:
        return [says[0], "these runs cannot tell the cost of a sample from none: no top throughput"]
    if line.a <= line.a_half:  # then a batch of one may be as fast as any, and no speed lies above them all
        return [
            says[0],
            "these runs cannot tell a fixed cost from none: no top throughput, and no gain from a larger batch",
        ]
    least, most = min(line.levels), max(line.levels)
    where = "" if least <= eighty <= most else ", an extrapolation"
    says[1] += f"; a batch of {show_number(round(eighty))} reaches 80 % of it{where}"
    return says


def _range(line: Line, beyond: float) -> tuple[float, float]:
    """What a line, the last stretch and a curve through the last three would give, whichever is less and more."""
    (b1, t1), (b2, t2), (b3, t3) = list(line.levels.items())[-3:]
    slope = (t3 - t2) / (b3 - b2)
    bend = 2 * (slope - (t2 - t1) / (b2 - b1)) / (b3 - b1)
    last = t3 + slope * (beyond - b3)
    curved = last + bend * (beyond - b3) * (beyond - b2) / 2
    straight = line.at(beyond)
    reach = 0.0 if _refusal(line) else line.c_half * (beyond - b3)
    ends = (last, curved, straight - reach, straight + reach)
    return max(min(ends), t3), max(ends)


def _figures(line: Line, beyond: float) -> dict[str, object]:
    low, high = _range(line, beyond)
    pairs = list(pairwise(line.levels.items()))
    return {
        "step_ms": {show_number(size).replace(",", ""): round(ms, 4) for size, ms in line.levels.items()},
        "ms_per_sample_between": [(t2 - t1) / (b2 - b1) for (b1, t1), (b2, t2) in pairs],
        "worst_miss": line.worst,
        "p_lack_of_fit": line.p_fit,
        "runs": line.runs,
        "extrapolation": {"batch_size": beyond, "low_ms": low, "high_ms": high},
    }


def _line_figures(line: Line) -> dict[str, object]:
    return {
        "fixed_ms": line.a,
        "fixed_ms_half": line.a_half,
        "ms_per_sample": line.c,
        "ms_per_sample_half": line.c_half,
        "top_samples_per_s": 1000 / line.c if line.c > line.c_half and line.a > line.a_half else None,
        "batch_at_80_pct": 4 * line.a / line.c if line.a > line.a_half else None,
    }


def _p(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"= {p:.2g}"
