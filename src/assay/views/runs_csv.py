"""Runs as a table that any program reads: one row a run, the summary's names as columns."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import Any

from assay.text import safe_cell

#: dictionaries whose entries become columns, under a name with a dot
_INNER = ("params", "claims", "metrics", "phases")


def runs_csv(summaries: Iterable[dict[str, Any]]) -> str:
    rows = [_flat(summary) for summary in summaries]
    names = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(names)
    table.writerows([safe_cell(row.get(name)) for name in names] for row in rows)
    return text.getvalue()


def _flat(summary: dict[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for name, value in summary.items():
        if name in _INNER and isinstance(value, dict):
            row.update({f"{name}.{key}": inner for key, inner in value.items()})
        elif name == "error" and isinstance(value, dict):
            row["error"] = value.get("code")
        elif isinstance(value, (str, int, float)):
            row[name] = value
    return row
