"""End the runs of a study: those here, those in a queue, and the process that would start the next."""

from __future__ import annotations

import os
import signal
import socket
import time
from pathlib import Path

from assay.errors import AssayError
from assay.launchers import launcher_called
from assay.launchers.base import Launcher, NotAnswering, Seen, job_name
from assay.model.job import cancelled
from assay.store import job as jobs
from assay.store.owner import outsider, refuse_others
from assay.study.board import Board, Row
from assay.study.file import Study
from assay.study.lock import holder, lock_path
from assay.study.prepare import job_of
from assay.study.settle import settle
from assay.summary.build import load_summary, summarise

_PATIENCE_S = 60.0


def cancel(study: Study, board: Board, runs_dir: Path) -> tuple[int, list[str]]:
    """How many runs were ended, and what is worth saying about it."""
    rows = board.of("queued", "running")
    refuse_others([row.run.path for row in rows if row.run is not None])
    said = _stop_driver(study, runs_dir)
    for name in dict.fromkeys(row.unit.place.launcher for row in rows):
        launcher = launcher_called(name)
        mine = {job_name(row.run): row for row in rows if row.run and row.unit.place.launcher == name}
        said += _end(study, launcher, mine) if launcher.traits.queues else _end_local(mine)
    return len(rows), said


def _stop_driver(study: Study, runs_dir: Path) -> list[str]:
    driver = holder(runs_dir, study.name)
    if driver is None:
        return []
    host, pid = driver
    who = outsider(lock_path(runs_dir, study.name))
    if who is not None:  # the number in it is theirs: it could be any process of ours
        return [f"a process of {who} goes on starting runs of this study: ask for its end"]
    if host != socket.gethostname():
        return [f"process {pid} on {host} goes on starting runs of this study: end it there"]
    try:
        os.kill(pid, signal.SIGTERM)
    except (ProcessLookupError, PermissionError):
        return [f"process {pid}, which starts its runs, could not be ended"]
    ends_s = time.monotonic() + _PATIENCE_S
    while holder(runs_dir, study.name) is not None and time.monotonic() < ends_s:
        time.sleep(0.05)
    return []


def _end(study: Study, launcher: Launcher, rows: dict[str, Row]) -> list[str]:
    """Cancelled, and seen to be so: only then is it written down."""
    places = [row.unit.place for row in rows.values()]
    try:
        seen = launcher.poll(places)
        launcher.cancel({name: _id(row, seen.get(name)) for name, row in rows.items()})
        ends_s = time.monotonic() + _PATIENCE_S
        while any(one.phase != "gone" for name, one in seen.items() if name in rows) and time.monotonic() < ends_s:
            time.sleep(0.2)
            seen = launcher.poll(places)
    except NotAnswering as problem:
        raise AssayError(problem.message, "try again when it does") from None
    for name, row in rows.items():
        assert row.run is not None
        if name not in seen and not jobs.read_job(row.run).starts:
            jobs.note_verdict(row.run, cancelled("cancelled before it was submitted"))
        settle(launcher, job_of(study, row.unit, row.run), seen.get(name), patience_left=False)
        _say_why(row)
    return []


def _say_why(row: Row) -> None:
    """The recorder only knows that it was asked to end; we know by whom."""
    assert row.run is not None
    summary = load_summary(row.run)
    if summary.status == "interrupted" and summary.error is not None and summary.error.code == "interrupted":
        jobs.note_verdict(row.run, cancelled("cancelled with the study"))


def _id(row: Row, seen: Seen | None) -> str:
    assert row.run is not None
    return seen.job_id if seen is not None else jobs.read_id(row.run) or ""


def _end_local(rows: dict[str, Row]) -> list[str]:
    for row in rows.values():
        assert row.run is not None
        if summarise(row.run).status == "queued":
            jobs.note_verdict(row.run, cancelled("cancelled before it was started"))
            continue
        start = jobs.read_job(row.run).starts[-1]
        if summarise(row.run).status == "running" and start.pid:
            try:
                os.kill(start.pid, signal.SIGTERM)
            except (ProcessLookupError, PermissionError):
                continue
    ends_s = time.monotonic() + _PATIENCE_S
    while time.monotonic() < ends_s:
        if not any(summarise(row.run).status == "running" for row in rows.values() if row.run):
            break
        time.sleep(0.1)
    for row in rows.values():
        _say_why(row)
    return []
