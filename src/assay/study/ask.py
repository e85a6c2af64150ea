"""Ask the schedulers how runs stand that have not said themselves how they ended: before any is called failed.

A run directory alone cannot tell: a job that was put back into the queue, is suspended or held is as silent as one
whose node is gone, and one that was ended at its time limit while no one watched says only that it was asked to end.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from assay.errors import AssayError
from assay.launchers import launcher_called, traits_of
from assay.launchers.base import KeepsHistory, Launcher, NotAnswering, Seen, job_name
from assay.model.request import Request
from assay.store import job as jobs
from assay.store.files import event_files
from assay.store.layout import RunDir
from assay.study.settle import note_requeue, settle

#: a recorder writes every five seconds
_SILENT_S = 60.0


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What came of it: how those stand that go on, which have ended, and why someone could not be asked."""

    seen: Mapping[str, tuple[Seen, str | None]]  # by the folder of the run, with what to do about it
    settled: frozenset[str]
    problem: str = ""


def unsettled(run: RunDir) -> Request | None:
    """What was asked of a run that its scheduler may still have; None where its end is known."""
    try:
        asked = run.asked()
    except AssayError:
        return None
    if asked.place is None or not traits_of(asked.place.launcher).queues or jobs.read_job(run).settled:
        return None
    return asked


def ask(runs: Iterable[RunDir]) -> Asked:
    """Two questions to each scheduler at most, however many runs. Those that have ended are settled."""
    by_launcher: dict[str, dict[str, RunDir]] = {}
    for run in runs:
        asked = unsettled(run)
        if asked is not None and asked.place is not None:
            by_launcher.setdefault(str(asked.place.launcher), {})[called(run, asked)] = run
    seen: dict[str, tuple[Seen, str | None]] = {}
    settled: set[str] = set()
    problem = ""
    for name, mine in by_launcher.items():
        launcher = launcher_called(name)
        try:
            found = _find(launcher, {called: jobs.current_id(run) or "" for called, run in mine.items()})
            for called_, run in mine.items():
                one = found.get(called_)
                if one is not None and one.phase != "gone":
                    seen[run.path.name] = one, launcher.remedy(one)
                    note_requeue(run, one)
                elif _may_settle(run, one) and settle(launcher, run, one, patience_left=False):
                    settled.add(run.path.name)
        except (AssayError, OSError) as trouble:
            problem = trouble.message if isinstance(trouble, AssayError) else f"cannot write: {trouble.strerror}"
    return Asked(seen=seen, settled=frozenset(settled), problem=problem)


def refresh(runs: Iterable[RunDir]) -> bool:
    """Before runs are shown: those that seem to go on and have been silent for a while. Whether any had ended."""
    silent = [run for run in runs if time.time() - _last_t(run) > _SILENT_S]
    return bool(silent) and bool(ask(silent).settled)


def _last_t(run: RunDir) -> float:
    """When anything of it changed."""
    try:
        return max([run.run_json.stat().st_mtime, *(file.changed_ns / 1e9 for file in event_files(run.path))])
    except OSError:
        return time.time()


def _find(launcher: Launcher, wanted: Mapping[str, str]) -> dict[str, Seen]:
    """In the queue, else in what the accounting remembers."""
    found = launcher.poll(wanted)
    forgotten = {name: job_id for name, job_id in wanted.items() if name not in found and job_id}
    if not forgotten or not isinstance(launcher, KeepsHistory):
        return found
    try:
        return launcher.history(forgotten) | found
    except NotAnswering:
        return found


def _may_settle(run: RunDir, seen: Seen | None) -> bool:
    """A run that was never submitted is left as it is: its study will submit it."""
    return seen is not None or jobs.current_id(run) is not None


def called(run: RunDir, asked: Request) -> str:
    """What its job is called in the queue."""
    return jobs.read_name(run) or (asked.place.job_name if asked.place else None) or job_name(run)
