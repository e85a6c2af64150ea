"""Plain files that any program reads: a table of all runs, and one of each run's curves; or JSON with everything."""

from __future__ import annotations

import json
from pathlib import Path

from assay.model.values import finite
from assay.store.layout import write_whole
from assay.text import csv_table
from assay.views.export.points import Exported
from assay.views.runs_csv import runs_csv


def write_csv(exported: Exported, folder: Path) -> Path:
    """One row a point: name, step, unix seconds, value."""
    points = ((point.name, point.step, f"{point.t:.6f}", point.value) for point in exported.points())
    text = csv_table([("name", "step", "t", "value"), *points])
    target = folder / f"{exported.run.path.name}.csv"
    write_whole(target, text.encode("utf-8", "replace"))
    return target


def write_runs(listed: list[Exported], folder: Path) -> Path:
    """runs.csv: one row a run, the summary's names as columns."""
    target = folder / "runs.csv"
    write_whole(target, runs_csv(one.summary for one in listed).encode("utf-8", "replace"))
    return target


def write_json(exported: Exported, folder: Path) -> Path:
    """Summary, what was asked, and the curves as columns."""
    curves: dict[str, dict[str, list[float]]] = {}
    for name, step, t, value in exported.points():
        curve = curves.setdefault(name, {"step": [], "t": [], "value": []})
        curve["step"].append(step)
        curve["t"].append(round(t, 6))
        curve["value"].append(value)
    content = {"summary": exported.summary.as_json(), "asked": exported.asked.as_json(), "curves": curves}
    target = folder / f"{exported.run.path.name}.json"
    write_whole(target, json.dumps(finite(content), indent=1).encode("ascii"))
    return target
