"""End the runs of a study: those here, those in a queue, and the process that would start the next."""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from assay.errors import AssayError
from assay.launchers import launcher_called
from assay.launchers.base import KillsAtOnce, Launcher, NotAnswering
from assay.launchers.places import HERE
from assay.model.job import cancelled
from assay.store import job as jobs
from assay.store.layout import RunDir
from assay.store.owner import outsider, refuse_others
from assay.study.ask import called, unsettled
from assay.study.file import Study
from assay.study.follow import GRACE_S, killed_words
from assay.study.line import CommandLine
from assay.study.lock import holder, lock_path
from assay.study.records import ACTIVE, Record, read_records
from assay.study.settle import settle
from assay.summary.build import load_summary, summarise

_PATIENCE_S = 60.0


def cancel(study: Study, runs_dir: Path, grace_s: float = GRACE_S) -> tuple[int, list[str]]:
    """How many runs were ended, and what is worth saying about it. By what the run directories say of this study, which
    may ask for other runs by now. What runs here and has not ended after `grace_s` is killed.
    """
    refuse_others([run.path for run in _going(study, runs_dir)])  # before its driver, told to stop, ends them
    said = _stop_driver(study, runs_dir, grace_s)
    going = _going(study, runs_dir)
    refuse_others([run.path for run in going])
    by_launcher: dict[str, dict[str, RunDir]] = {}
    for run in going:
        asked = run.asked()
        launcher = asked.place.launcher if asked.place is not None else None
        by_launcher.setdefault(launcher or HERE, {})[called(run, asked)] = run
    for name, mine in by_launcher.items():
        launcher_ = launcher_called(name)
        if launcher_.traits.queues:
            _end(launcher_, mine)
        elif killed := _end_local(launcher_, mine, grace_s):
            said.append(killed_words(killed, grace_s))
    return len(going), said


def _going(study: Study, runs_dir: Path) -> list[RunDir]:
    """Also those of the time when the study had another name."""
    file = None if isinstance(study.document, CommandLine) else str(study.document.path.absolute())
    return [record.run for record in read_records(runs_dir, study.name, file) if _goes_on(record)]


def _goes_on(record: Record) -> bool:
    """What has ended in its own word may be back in its queue."""
    if record.status in ACTIVE:
        return True
    return record.status != "completed" and bool(record.summary.place) and unsettled(record.run) is not None


def _stop_driver(study: Study, runs_dir: Path, grace_s: float) -> list[str]:
    driver = holder(runs_dir, study.name)
    if driver is None:
        return []
    host, pid = driver
    who = outsider(lock_path(runs_dir, study.name))
    if who is not None:  # the number in it is theirs: it could be any process of ours
        return [f"a process of {who} still starts runs of this study: ask them to stop it"]
    if host != socket.gethostname():
        return [f"process {pid} on {host} still starts runs of this study: stop it there"]
    try:
        os.kill(pid, signal.SIGTERM)
    except (ProcessLookupError, PermissionError):
        return [f"process {pid}, which starts its runs, could not be ended"]
    if not _wait(lambda: holder(runs_dir, study.name) is None, grace_s):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGTERM)  # it kills what it has started
        _wait(lambda: holder(runs_dir, study.name) is None, _PATIENCE_S)
    return []


def _wait(condition: Callable[[], bool], patience_s: float) -> bool:
    """Whether it came true."""
    ends_s = time.monotonic() + patience_s
    while not (true := condition()) and time.monotonic() < ends_s:
        time.sleep(0.05)
    return true


def _end(launcher: Launcher, runs: dict[str, RunDir]) -> None:
    """Cancelled, and seen to be so: only then is it written down."""
    ids = {name: jobs.current_id(run) or "" for name, run in runs.items()}
    try:
        seen = launcher.poll(ids)
        ids |= {name: one.job_id for name, one in seen.items()}
        launcher.cancel(
            {name: job_id for name, job_id in ids.items() if name not in seen or seen[name].phase != "gone"}
        )
        ends_s = time.monotonic() + _PATIENCE_S
        while any(one.phase != "gone" for one in seen.values()) and time.monotonic() < ends_s:
            time.sleep(0.2)
            seen = launcher.poll(ids)
    except NotAnswering as problem:
        raise AssayError(problem.message, "try again when it answers") from None
    for name, run in runs.items():
        if name not in seen and not jobs.read_job(run).starts:
            jobs.note_verdict(run, cancelled("cancelled before it was submitted"))
        settle(launcher, run, seen.get(name), patience_left=False)
        _say_why(run)


def _say_why(run: RunDir) -> None:
    """The recorder only knows that it was asked to end; we know by whom."""
    summary = load_summary(run)
    if summary.status == "interrupted" and summary.error is not None and summary.error.code == "interrupted":
        jobs.note_verdict(run, cancelled("cancelled with the study"))


def _end_local(launcher: Launcher, runs: dict[str, RunDir], grace_s: float) -> int:
    """How many had to be killed, those included whose recorder did not even listen to that."""

    def left() -> dict[str, str]:
        pids = {name: jobs.read_job(run).starts[-1].pid for name, run in runs.items() if _runs(run)}
        return {name: str(pid) for name, pid in pids.items() if pid}

    for run in runs.values():
        if summarise(run).status == "queued":
            jobs.note_verdict(run, cancelled("cancelled before it was started"))
    launcher.cancel(left())
    killed = 0 if _wait(lambda: not left(), grace_s) else len(left())

    def none_left() -> bool:
        going = left()
        if isinstance(launcher, KillsAtOnce):
            launcher.kill(going)
        return not going

    if killed and not _wait(none_left, GRACE_S):
        for pid in left().values():  # its guard ends what it has started
            with suppress(ProcessLookupError, PermissionError):
                os.kill(int(pid), signal.SIGKILL)
        _wait(lambda: not left(), GRACE_S)
    for run in runs.values():
        _say_why(run)
    return killed


def _runs(run: RunDir) -> bool:
    return summarise(run).status == "running" and bool(jobs.read_job(run).starts)
