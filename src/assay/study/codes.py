"""Which runs of a study ran another version of the program than the one that lies there now."""

from __future__ import annotations

import os
from pathlib import Path

from assay.facts.code import code_facts
from assay.facts.program import find_script
from assay.model.code import Code
from assay.store.layout import RunDir
from assay.study.board import Board, Row
from assay.study.file import Study
from assay.study.prepare import job_of


def outdated(study: Study, board: Board, runs_dir: Path) -> list[Row]:
    """Runs that are done and whose code has changed since. What is unknown, or stands on the command line, is not."""
    known: dict[Path | None, Code | None] = {}
    return [row for row in board.of("done") if _ran(row) and _ran(row) != _now(study, row, runs_dir, known)]


def _ran(row: Row) -> str | None:
    return row.summary.code.version if row.summary.code else None


def _now(study: Study, row: Row, runs_dir: Path, known: dict[Path | None, Code | None]) -> str | None:
    """The hash of what this unit would start, or that of the run itself if it is unknown."""
    job = job_of(study, row.unit, RunDir(runs_dir / "run"))
    environment = {**os.environ, **job.env}
    script = find_script(job.command, study.cwd, environment.get("PATH", os.defpath))
    if script not in known:
        known[script] = code_facts(job.command, study.cwd, environment, None, lambda sha256, path: True)
    code = known[script]
    return code.hash if script is not None and code is not None and code.hash else _ran(row)
