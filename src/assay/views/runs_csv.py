"""Runs as a table that any program reads: one row a run, the summary's names as columns."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from assay.model.summary import Summary
from assay.model.values import Value
from assay.text import safe_cell

#: dictionaries whose entries become columns, under a name with a dot
_INNER = ("params", "claims", "metrics", "phases")


def runs_csv(summaries: Iterable[Summary]) -> str:
    rows = [_flat(summary) for summary in summaries]
    names = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(names)
    table.writerows([safe_cell(row.get(name)) for name in names] for row in rows)
    return text.getvalue()


def _flat(summary: Summary) -> dict[str, Value]:
    row: dict[str, Value] = {}
    for name, value in summary.as_json().items():
        if name in _INNER:
            row.update({f"{name}.{key}": inner for key, inner in value.items()})
        elif name == "error":
            row["error"] = value["code"]
        elif isinstance(value, (str, int, float)):
            row[name] = value
    return row
