"""A run over its time: phases as bars, and the curves of the machine and the program below them."""

from __future__ import annotations

from collections.abc import Iterator

from assay.model.summary import Summary
from assay.summary.phases import Span
from assay.units import show_seconds
from assay.views.series import Curve, Series
from assay.views.sparkline import sparkline

_CHART = 60
_FEW_CELLS = 6
#: curves of the program, each by the names that it may go by
_REPORTED = (
    ("loss", "loss", "train_loss"), ("val loss", "val_loss", "eval_loss"), ("accuracy", "accuracy"),
    ("val accuracy", "val_accuracy", "eval_accuracy"), ("test accuracy", "test_accuracy"),
    ("samples/s", "samples_per_s"),
)  # fmt: skip
#: what is drawn of the machine: the first of these names that has a curve
_CURVES = (
    ("cpu", "cpu_pct"), ("memory", "memory_bytes", "pss_bytes", "rss_bytes"), ("gpu", "gpu_util_pct"),
    ("SMs", "gpu_sm_pct"), ("tensor", "gpu_tensor_pct"),
    ("power", "power_w"),
)  # fmt: skip


def timeline(series: Series, summary: Summary) -> Iterator[str]:
    """Phases as bars over the run, and below them CPU, memory and GPU at the same time."""
    if series.end_s <= 0:
        return
    rows = [(name, _bar([s for s in series.phases if s.name == name], series.end_s)) for name in _names(series.phases)]
    for label, *names in _CURVES:
        curve = next((curve for name in names if len(curve := series.machine.get(name, [])) >= 3), None)
        if curve is not None:
            rows.append((label, _stretched(curve, series.end_s, 0.0)))
    by_report: list[tuple[str, str]] = []
    for label, *names in _REPORTED:
        curve = next((known for name in names if len(known := series.program.get(name, [])) >= 3), None)
        if label == "accuracy" and "train_accuracy" in summary.metrics:
            label = "train accuracy"  # that of another part is quoted
        if curve is not None and _is_wide(curve, series.end_s):
            rows.append((label, _stretched(curve, series.end_s, None)))
        elif curve is not None:
            by_report.append((label, _in_order(curve)))
    width = max(10, *(len(label) + 1 for label, _ in [*rows, *by_report, ("", "")]))
    if rows:
        yield f"  {'':<{width}}0{show_seconds(series.end_s):>{_CHART - 1}}"
        yield from (f"  {label:<{width}}{text}" for label, text in rows)
    if by_report:
        yield f"  {'':<{width}}from the first report to the last"
        yield from (f"  {label:<{width}}{text}" for label, text in by_report)


def _is_wide(curve: Curve, end_s: float) -> bool:
    """Whether its reports are far enough apart for the time axis; a short training after a long import is not."""
    return (curve[-1][0] - curve[0][0]) / end_s * _CHART >= min(len(curve), _FEW_CELLS)


def _in_order(curve: Curve) -> str:
    """One step for each report, whatever the time between them."""
    steps = [(float(at), value) for at, (_, value) in enumerate(curve)]
    return sparkline(steps, min(len(steps), _CHART), floor=None)


def _names(phases: list[Span]) -> list[str]:
    return list(dict.fromkeys(span.name for span in phases))


def _bar(group: list[Span], end_s: float) -> str:
    cells = [" "] * _CHART
    for span in group:
        first = min(_CHART - 1, int(span.begin_s / end_s * _CHART))
        last = min(_CHART, max(first + 1, round(span.end_s / end_s * _CHART)))
        cells[first:last] = "━" * (last - first)
    return "".join(cells)


def _stretched(curve: Curve, end_s: float, floor: float | None) -> str:
    """A curve drawn under the part of the run that it covers."""
    first = min(_CHART - 1, int(max(0.0, curve[0][0]) / end_s * _CHART))
    last = min(_CHART, max(first + 1, round(curve[-1][0] / end_s * _CHART)))
    return " " * first + sparkline(curve, last - first, floor=floor)
