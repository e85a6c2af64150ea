"""The planned runs of a study, kept in the runs folder, so that the live page can show what is missing.

`.study-NAME-MARK.json` stands beside the study's lock, with `{"cell": …, "settings": {…}, "runs": 3}` for every
combination, and the baseline that the study's file names. Deleting it loses nothing: it is written again when the study
goes on.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from assay.facts.secrets import mask_values
from assay.model.values import Setting
from assay.store.files import try_read
from assay.store.layout import write_json
from assay.study.file import Study
from assay.study.lock import lock_path
from assay.study.plan import Unit

_VERSION = 1
_MOST_CELLS = 10_000


@dataclass(frozen=True, kw_only=True)
class Planned:
    """One combination: its settings that vary, and how many runs of it there are to be."""

    cell: str
    settings: Mapping[str, Setting]
    runs: int


def keep_plan(runs_dir: Path, study: Study, units: Sequence[Unit]) -> None:
    """Unless no one knows how many runs there will be. A folder that is full says so where a run is made, not here."""
    if study.until is not None:
        return
    cells: dict[str, list[Unit]] = {}
    for unit in units:
        if not unit.warmup:
            cells.setdefault(unit.cell, []).append(unit)
    told = [{"cell": cell, "settings": mask_values(of[0].varied), "runs": len(of)} for cell, of in cells.items()]
    with suppress(OSError):
        named = {"baseline": str(study.compare["baseline"])} if "baseline" in study.compare else {}
        write_json(_path(runs_dir, study.name), {"v": _VERSION, "study": study.name, **named, "cells": told})


def plan_of(runs_dir: Path, study: str) -> list[Planned]:
    """Empty where none was kept, or it cannot be read."""
    try:
        found = json.loads(_text(runs_dir, study))
        if found.get("v") != _VERSION:
            return []
        return [
            Planned(cell=str(one["cell"]), settings=dict(one["settings"]), runs=int(one["runs"]))
            for one in found["cells"][:_MOST_CELLS]
        ]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return []


def baseline_of(runs_dir: Path, study: str) -> str:
    """`batch_size=16`, or nothing where the study names none."""
    try:
        return str(json.loads(_text(runs_dir, study)).get("baseline", ""))[:500]
    except (ValueError, AttributeError, RecursionError):
        return ""


def _text(runs_dir: Path, study: str) -> bytes:
    return try_read(runs_dir, _path(runs_dir, study).name) or b"{}"


def _path(runs_dir: Path, study: str) -> Path:
    return lock_path(runs_dir, study).with_suffix(".json")
