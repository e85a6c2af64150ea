"""The state of a study, which is kept only in the run directories."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.errors import AssayError
from assay.model.summary import Summary
from assay.store.find import chosen
from assay.store.layout import RunDir
from assay.study.plan import Unit
from assay.summary.index import load_all

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


def read_records(runs_dir: Path, study: str, file: str | None = None) -> list[Record]:
    """Every run of this study, oldest first; also those that this file asked for under another name."""
    found = []
    for one in load_all(runs_dir, _ignore):  # what has not changed comes from the index: a study may have many cells
        summary = one.summary
        if summary.study == study or (file and summary.study is not None and _asked_by(one.run) == file):
            found.append(_record(one.run, summary))
    return found


def _record(run: RunDir, summary: Summary) -> Record:
    seed = summary.seed
    key = (str(summary.cell), int(summary.repeat or 0), seed if isinstance(seed, int) else None)
    return Record(run=run, key=key, summary=summary)


def _asked_by(run: RunDir) -> str | None:
    try:
        return run.asked().study_file
    except (AssayError, OSError):
        return None


def _ignore(text: str) -> None:
    """A run that cannot be read is none of this study's; `assay ls` says so."""


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
