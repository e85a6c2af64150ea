"""Runs as a table that any program reads: one row a run, the summary's names as columns."""

from __future__ import annotations

from collections.abc import Iterable

from assay.model.summary import Summary
from assay.text import csv_table


def runs_csv(summaries: Iterable[Summary]) -> str:
    rows = [_flat(summary) for summary in summaries]
    names = list(dict.fromkeys(name for row in rows for name in row))
    return csv_table([names, *([row.get(name) for name in names] for row in rows)])


def _flat(summary: Summary) -> dict[str, object]:
    """A value with named parts becomes several columns, with a dot in their names."""
    inside = {
        "params": summary.params,
        "claims": summary.claims,
        "metrics": summary.metrics,
        "phases": summary.phases,
    }
    row: dict[str, object] = {**summary.single()}
    for place, values in inside.items():
        row |= {f"{place}.{name}": value for name, value in values.items()}
    return row | ({"error": summary.error.code} if summary.error else {})
