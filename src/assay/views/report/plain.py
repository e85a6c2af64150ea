"""A report for programs: everything it says as plain values, or one row a run."""

from __future__ import annotations

import csv
import io
from typing import Any

from assay.views.comparison_files import as_dict as comparison_dict
from assay.views.report import words
from assay.views.report.data import ReportData

_INNER = ("params", "claims", "metrics", "phases")


def as_dict(data: ReportData) -> dict[str, Any]:
    return {
        "title": data.title,
        "asked": words.asked(data),
        "found": words.found(data),
        "comparison": comparison_dict(data.comparison) if data.comparison else None,
        "findings": [one.as_dict() for one in data.findings],
        "runs": [record.summary for record in data.records],
        "measured": dict(words.measured(data)),
        "data": data.datasets,
    }


def as_csv(data: ReportData) -> str:
    """One row a run: every figure of its summary, what lies inside under a name with a dot."""
    flat = [_flat(record.summary) for record in data.records]
    names = list(dict.fromkeys(name for row in flat for name in row))
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(names)
    for row in flat:
        table.writerow([_cell(row.get(name)) for name in names])
    return text.getvalue()


def _flat(summary: dict[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for name, value in summary.items():
        if name in _INNER and isinstance(value, dict):
            row.update({f"{name}.{key}": inner for key, inner in value.items()})
        elif isinstance(value, (str, int, float, bool)):
            row[name] = value
        elif name == "error" and isinstance(value, dict):
            row["error"] = value.get("code")
    return row


def _cell(value: Any) -> Any:
    """A cell that a spreadsheet would take for a formula is made text."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value
