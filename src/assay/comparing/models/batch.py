"""Step time against batch size: t = a + c·b, a fixed cost and a cost per sample."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from assay.comparing.groups import Group
from assay.comparing.models.base import Model
from assay.comparing.models.combinations import Combination, combinations_of
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


def batch_model(groups: Sequence[Group]) -> list[Model]:
    """One line for each combination of the other settings of which several batch sizes were run."""
    found = (_model(one) for one in combinations_of(groups, "batch_size"))
    return [model for model in found if model is not None]


def _model(combination: Combination) -> Model | None:
    points = [(row.batch, row.figures["step_ms"]) for row in combination.rows if row.batch and "step_ms" in row.figures]
    sizes, title = sorted({x for x, _ in points}), combination.title(_TITLE)
    if len(sizes) < 2:
        return None
    valid = (sizes[0], sizes[-1])
    line = fit(points)
    if line is None:
        text = "No model yet: any two batch sizes lie on a line; run a third"
        return Model(kind="batch", title=title, holds=False, says=[text], valid=valid)
    beyond, refusal = 2 * sizes[-1], _refusal(line)
    if refusal:
        figures = _figures(line)
        return Model(
            kind="batch", title=title, holds=False, says=[refusal, *_segments(line)], valid=valid, figures=figures
        )
    low, high = _range(line, beyond)
    ends = f"{show_rounded(low, 3)}–{show_rounded(high, 3)} ms"
    ahead = f"Estimate for {show_number(beyond)} (not measured): {ends} per step"
    further = {"extrapolation": {"batch_size": beyond, "low_ms": low, "high_ms": high}}
    return Model(
        kind="batch",
        title=title,
        holds=True,
        says=[*_says(line), ahead],
        valid=valid,
        figures=_figures(line) | _line_figures(line) | further,
    )


def _refusal(line: Line) -> str:
    off = f"{100 * line.worst:.1f} %"
    if line.c <= 0:
        return "No straight-line model: a larger batch takes no longer here, so there is no cost per sample"
    if line.p_fit is None:
        if len(line.levels) < _SIZES_UNTESTED:
            return "No straight-line model yet: three batch sizes without repeats may also lie on a curve; repeat them"
        if line.worst > _UNTESTED:
            return f"No straight-line model: it misses by up to {off}, and there are no repeats to judge that by"
        return ""
    if line.p_fit < 0.05 and line.worst > _GOOD_ENOUGH:
        return f"No straight-line model: it misses by up to {off}, more than noise explains (p {_p(line.p_fit)})"
    if line.worst > _USELESS:
        return f"No straight-line model: repeats vary so much that it may miss by {off}"
    if line.a + line.a_half < 0:
        return "No straight-line model: it would need a negative fixed cost"
    return ""


def _segments(line: Line) -> list[str]:
    """What can be said without the line: the cost per sample between each two batch sizes."""
    costs = [(t2 - t1) / (b2 - b1) for (b1, t1), (b2, t2) in pairwise(line.levels.items())]
    rising = all(later > earlier for earlier, later in pairwise(costs))
    falling = all(later < earlier for earlier, later in pairwise(costs))
    word = "rises" if rising else "falls" if falling else "changes"
    told = ", then ".join(f"{cost:.3f}".replace("-0.000", "0.000") for cost in costs)
    sizes = ", ".join(show_number(size) for size in line.levels)
    return [f"The cost per sample {word} with the batch size: {told} ms between {sizes}"]


def _says(line: Line) -> list[str]:
    top, eighty = 1000 / line.c, 4 * line.a / line.c
    quality = f"misses by at most {100 * line.worst:.1f} %"
    if line.p_fit is None:
        quality += ", untested: without repeats it could as well be a curve"
    elif line.p_fit < 0.05:
        quality += ", more than noise explains, but good enough"
    else:
        quality += f", no more than noise explains (p {_p(line.p_fit)})"
    says = [
        f"A step takes {show_rounded(line.a, 3)} ± {show_rounded(line.a_half, 2)} ms plus "
        f"{show_rounded(line.c, 3)} ± {show_rounded(line.c_half, 2)} ms per sample ({quality})",
        f"Maximum throughput: {show_number(round(top))} samples/s",
    ]
    if line.c <= line.c_half:
        return [says[0], "The cost per sample is too small to measure here, so no maximum throughput is estimated"]
    if line.a <= line.a_half:  # then a batch of one may be as fast as any, and no speed lies above them all
        return [
            says[0],
            "The fixed cost per step is too small to measure here, so no maximum throughput is estimated",
        ]
    least, most = min(line.levels), max(line.levels)
    where = "" if least <= eighty <= most else " (not measured)"
    says[1] += f"; a batch of {show_number(round(eighty))} reaches 80 % of it{where}"
    return says


def _range(line: Line, beyond: float) -> tuple[float, float]:
    """What a line, the last stretch and a curve through the last three would give, whichever is less and more."""
    (b1, t1), (b2, t2), (b3, t3) = list(line.levels.items())[-3:]
    slope = (t3 - t2) / (b3 - b2)
    bend = 2 * (slope - (t2 - t1) / (b2 - b1)) / (b3 - b1)
    last = t3 + slope * (beyond - b3)
    curved = last + bend * (beyond - b3) * (beyond - b2) / 2
    straight, reach = line.at(beyond), line.c_half * (beyond - b3)
    ends = (last, curved, straight - reach, straight + reach)
    return max(min(ends), t3), max(ends)


def _figures(line: Line) -> dict[str, object]:
    pairs = list(pairwise(line.levels.items()))
    return {
        "step_ms": {show_number(size).replace(",", ""): round(ms, 4) for size, ms in line.levels.items()},
        "ms_per_sample_between": [(t2 - t1) / (b2 - b1) for (b1, t1), (b2, t2) in pairs],
        "worst_miss": line.worst,
        "p_lack_of_fit": line.p_fit,
        "runs": line.runs,
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
