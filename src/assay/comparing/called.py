"""The name of a metric in one comparison, with the part of the data if it is the same for all runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assay.comparing.figures import Figure
from assay.comparing.rows import Row
from assay.summary.splits import PARTS


def called(one: Figure, rows: Sequence[Row]) -> Figure:
    """`test accuracy` for `accuracy`, where it is known that every run quotes that of the test set."""
    if one.name != "accuracy":
        return one
    parts = _parts(rows)
    part = PARTS.get(next(iter(parts)) or "") if len(parts) == 1 else None
    return replace(one, heading=f"{part} accuracy %", noun=f"{part} accuracy") if part else one


def said_of(rows: Sequence[Row]) -> list[str]:
    """A sentence where the runs quote accuracies of different parts, and one on what their rate is."""
    notes = []
    parts = sorted(PARTS[part] for part in _parts(rows) if part in PARTS)
    if len(parts) > 1:
        notes.append(f"The accuracy is of the {' set in some runs and of the '.join(parts)} set in others")
    rated = [row for row in rows if "samples_per_s" in row.figures]
    if rated and all(_is_last(row) for row in rated):
        notes.append("Throughput is the last rate that each run printed, because their averages are unknown")
    return notes


def _parts(rows: Sequence[Row]) -> set[str | None]:
    return {row.summary.accuracy_of for row in rows if row.summary.accuracy is not None}


def _is_last(row: Row) -> bool:
    return row.summary.samples_per_s_own is None and row.summary.samples_per_s_avg is None
