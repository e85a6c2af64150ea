"""Remove a run directory for good: only one that Assay made."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from assay.errors import AssayError
from assay.model.request import Request
from assay.store.files import read_file
from assay.store.layout import RunDir


def check_ours(run: RunDir, folder: Path) -> None:
    """Raise unless Assay made this directory; outside the runs folder, its name must also end in the run's id."""
    if run.path.is_symlink() or run.run_json.is_symlink():
        raise AssayError(f"`{run.path}` is a link", "remove the run by its real path")
    place, run_id = run.path.resolve(), _id(run)
    here = place.parent == folder.resolve()
    made_by_us = run.events.is_dir() and (here or (run_id and place.name.endswith(f"-{run_id}")))
    if not made_by_us or Path.cwd().resolve().is_relative_to(place):
        raise AssayError(
            f"`{run.path}` was not removed, because Assay did not make this directory", "list the runs: assay ls"
        )


def _id(run: RunDir) -> str:
    """As run.json itself has it. A record that cannot be read has none: then only the runs folder shows it is ours."""
    try:
        return Request.of(json.loads(read_file(run.path, run.run_json.name))).id
    except (OSError, ValueError, RecursionError):
        return ""


def remove(run: RunDir) -> None:
    """Out of sight in one step, then deleted: a kill in between leaves no half run behind."""
    hidden = run.path.with_name(f".removed-{run.path.name}")
    try:
        os.replace(run.path, hidden)
        shutil.rmtree(hidden)
    except OSError as problem:
        raise AssayError(f"cannot remove `{run.path}`: {problem.strerror}") from None
