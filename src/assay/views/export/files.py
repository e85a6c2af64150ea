"""Plain files that any program reads: a table of all runs, and one of each run's curves; or JSON with everything."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path
from typing import Any

from assay.store.layout import write_whole
from assay.views.export.points import Exported

#: dictionaries whose entries become columns
_INNER = ("params", "claims", "metrics", "phases")


def write_csv(exported: Exported, folder: Path) -> Path:
    """One row a point: name, step, unix seconds, value."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["name", "step", "t", "value"])
    table.writerows((_cell(point.name), point.step, f"{point.t:.6f}", point.value) for point in exported.points())
    target = folder / f"{exported.run.path.name}.csv"
    write_whole(target, text.getvalue().encode("utf-8", "replace"))
    return target


def write_runs(listed: list[Exported], folder: Path) -> Path:
    """runs.csv: one row a run, the summary's names as columns."""
    rows = [_flat(one.summary) for one in listed]
    names = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(names)
    table.writerows([_cell(row.get(name)) for name in names] for row in rows)
    target = folder / "runs.csv"
    write_whole(target, text.getvalue().encode("utf-8", "replace"))
    return target


def write_json(exported: Exported, folder: Path) -> Path:
    """Summary, what was asked, and the curves as columns."""
    curves: dict[str, dict[str, list[float]]] = {}
    for name, step, t, value in exported.points():
        curve = curves.setdefault(name, {"step": [], "t": [], "value": []})
        curve["step"].append(step)
        curve["t"].append(round(t, 6))
        curve["value"].append(value)
    content = {"summary": exported.summary, "asked": exported.asked, "curves": curves}
    target = folder / f"{exported.run.path.name}.json"
    write_whole(target, json.dumps(_strict(content), indent=1).encode("ascii"))
    return target


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


def _cell(value: Any) -> Any:
    """A cell that a spreadsheet would take for a formula is made text."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value


def _strict(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): _strict(inner) for key, inner in value.items()}
    return [_strict(inner) for inner in value] if isinstance(value, (list, tuple)) else value
