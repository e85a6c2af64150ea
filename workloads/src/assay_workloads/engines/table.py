"""The table of engines, a line as soon as it is measured."""

from __future__ import annotations

from assay_workloads.engines.base import Shape
from assay_workloads.engines.measure import Row

#: an engine that is further from eager's accuracy has another model: it is shown and counts for nothing
_SAME_ACCURACY = 0.003
_COLUMNS = ("engine", "precision", "threads", "accuracy", "mean ms", "p50", "p90", "p99", "inferences/s", "x eager")
_WIDTHS = (17, 9, 7, 8, 9, 8, 8, 8, 12, 8)
HEADER = "  ".join(f"{name:>{width}}" if at else f"{name:<{width}}" for at, (name, width) in
                   enumerate(zip(_COLUMNS, _WIDTHS, strict=True)))  # fmt: skip


def heading(shape: Shape, mean_tokens: float) -> str:
    if shape.padded:
        return f"padded: every call computes {shape.length} tokens a sentence, as in the GroqFlow proof point"
    to = "" if shape.batch == 1 else ", padded to the longest of its call"
    return f"unpadded: {mean_tokens:.1f} tokens a sentence on average{to}: less work than padded, not the same figure"


def line(row: Row, eager: Row) -> str:
    cells = (
        row.engine,
        row.precision,
        str(row.threads or ""),
        "" if row.accuracy is None else f"{100 * row.accuracy:.2f} %",
        *(f"{ms:.3f}" for ms in (row.latency_ms, row.latency_p50_ms, row.latency_p90_ms, row.latency_p99_ms)),
        f"{row.inferences_per_s:,.0f}",
        f"{row.inferences_per_s / eager.inferences_per_s:.2f}",
    )
    text = "  ".join(
        f"{cell:>{width}}" if at else f"{cell:<{width}}"
        for at, (cell, width) in enumerate(zip(cells, _WIDTHS, strict=True))
    )
    return text if kept(row, eager) else f"{text}  (not counted: its accuracy is not eager's)"


def kept(row: Row, eager: Row) -> bool:
    """Whether a row has the same model, judged by its accuracy."""
    return row.accuracy is None or eager.accuracy is None or abs(row.accuracy - eager.accuracy) <= _SAME_ACCURACY
