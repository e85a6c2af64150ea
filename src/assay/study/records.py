"""What the run directories say of a study: the only place where its state is kept."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.errors import AssayError
from assay.model.summary import Summary
from assay.store.files import try_read
from assay.store.find import chosen, list_runs
from assay.store.layout import RunDir
from assay.study.plan import Unit
from assay.summary.build import load_summary

ACTIVE = ("queued", "running")
Key = tuple[str, int, int | None]


@dataclass(frozen=True, kw_only=True)
class Record:
    """One run of a study as it stands."""

    run: RunDir
    key: Key
    summary: Summary

    @property
    def status(self) -> str:
        return str(self.summary.status)


def read_records(runs_dir: Path, study: str) -> list[Record]:
    """Every run of this study, oldest first."""
    found = []
    mark = json.dumps(study).encode()
    for run in list_runs(runs_dir):
        text = try_read(run.path, "run.json") or b""
        if b'"study"' not in text or mark not in text:  # most runs of a folder are of no study
            continue
        record = read_record(run)
        if record is not None and record.summary.study == study:
            found.append(record)
    return found


def read_record(run: RunDir) -> Record | None:
    try:
        summary = load_summary(run)
    except (AssayError, OSError):
        return None
    seed = summary.seed
    key = (str(summary.cell), int(summary.repeat or 0), seed if isinstance(seed, int) else None)
    return Record(run=run, key=key, summary=summary)


def succeeded(summary: Summary, success: Sequence[str]) -> bool:
    """Completed, and what the study asks of a success holds."""
    return summary.status == "completed" and bool(chosen([summary], success))


def standing(unit: Unit, records: Iterable[Record], success: Sequence[str]) -> tuple[str, Record | None]:
    """(done, active, failed or missing, the run that says so): the best of all runs of this unit."""
    mine = [record for record in records if record.key == unit.key]
    done = [record for record in mine if succeeded(record.summary, success)]
    if done:
        return "done", done[-1]
    active = [record for record in mine if record.status in ACTIVE]
    if active:
        return "active", active[-1]
    return ("failed", mine[-1]) if mine else ("missing", None)
