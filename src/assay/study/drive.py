"""Drive a study to its end: start what is missing, ask once a poll how all of it stands, settle what has ended.

Everything this process knows is in the run directories or in the scheduler before it is relied on: it may be killed at
any line of this file, and the next one goes on from there.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

from assay.errors import AssayError
from assay.launchers import LAUNCHERS
from assay.launchers.base import Job, Launcher, NotAnswering, Refused, Seen
from assay.launchers.places import Place
from assay.model.job import refused
from assay.model.summary import Summary
from assay.store import job as jobs
from assay.store.owner import refuse_others
from assay.study.board import Board, Row
from assay.study.file import Study
from assay.study.prepare import job_of, prepare
from assay.study.records import succeeded
from assay.study.settle import note_requeue, settle

Tell = Callable[[Board], None]
_LOCAL_POLL_S = 0.05
_FIRST_POLL_S, _LAST_POLL_S = 0.5, 5.0
#: so many refusals in a row, and the rest is not even tried
_REFUSALS = 3


class Drive:
    """One study, from where it stands to its end."""

    def __init__(self, study: Study, board: Board, runs_dir: Path, width: int | None, tell: Tell) -> None:
        self._study, self.board, self._runs_dir, self._tell = study, board, runs_dir, tell
        self._launchers: dict[str, Launcher] = {}
        self._active: dict[str, tuple[Row, Job]] = {}
        self._unsure: set[str] = set()  # submitted, or not: the scheduler went away meanwhile
        self._todo: deque[Row] = deque()
        self._failed = self._refused = 0
        self._begin_s = time.monotonic()
        self._lanes: list[str] = []  # the last job of each chain that holds the next one back
        self._width = width
        self._gone_since: dict[str, float] = {}
        self.stopped_because = ""

    def run(self, todo: Sequence[Row]) -> None:
        self._todo = deque(todo)
        self._take_up()
        wait_s = _FIRST_POLL_S
        self._tell(self.board)
        while self._todo or self._active:
            started = self._start()
            settled = self._poll()
            self._tell(self.board)
            if not self._todo and not self._active:
                break
            wait_s = _FIRST_POLL_S if started or settled else min(_LAST_POLL_S, wait_s * 1.5)
            time.sleep(self._patience_s(wait_s))

    def interrupt(self) -> list[Row]:
        """Runs on this machine are ended; those that a scheduler has go on. Returns the latter."""
        left = [row for row, job in self._active.values() if self._launcher(job.place).scheduled]
        for name, (_, job) in list(self._active.items()):
            launcher = self._launcher(job.place)
            if not launcher.scheduled:
                launcher.cancel({name: self._local_pid(job)})
        while any(not self._launcher(job.place).scheduled for _, job in self._active.values()):
            self._poll(local_only=True)
            time.sleep(_LOCAL_POLL_S)
        self._tell(self.board)
        return left

    # what an earlier process left

    def _take_up(self) -> None:
        """Runs that were made ready, queued or running when we came."""
        rows = self.board.of("queued", "running")
        refuse_others([row.run.path for row in rows if row.run is not None])
        for row in rows:
            assert row.run is not None
            job = job_of(self._study, row.unit, row.run)
            if self._launcher(job.place).scheduled:
                self._active[job.name] = (row, job)
                if jobs.read_id(row.run) is None:
                    self._unsure.add(job.name)  # its id was lost, or it was never submitted
            elif row.state == "running":
                self._active[job.name] = (row, job)
            else:
                self._submit(row, job)
        if self._width is not None:
            known = [jobs.read_id(job.run) for _, job in self._active.values()]
            self._lanes = [job_id for job_id in known if job_id][-self._width :]

    # starting

    def _start(self) -> int:
        started = 0
        while self._todo and self._may_start():
            row = self._todo.popleft()
            self._submit(row, prepare(self._study, row.unit, self._runs_dir))
            started += 1
            if started % 50 == 0:
                self._tell(self.board)
        return started

    def _may_start(self) -> bool:
        study = self._study
        if not self._todo:
            return False
        if study.failures is not None and self._failed >= study.failures:
            self._stop(f"{self._failed} runs have failed, the limit of this study")
        elif study.total_s is not None and time.monotonic() - self._begin_s > study.total_s:
            self._stop("its time is up")
        elif self._refused >= _REFUSALS:
            self._stop(f"{self._refused} submissions in a row were refused")
        if not self._todo or self._unsure:
            return False
        scheduled = self._launcher(self._todo[0].unit.place).scheduled
        return scheduled or len(self._active) < (self._width or 1)

    def _stop(self, why: str) -> None:
        self.stopped_because = f"stopped: {why}; {len(self._todo)} runs were not started"
        self._todo.clear()

    def _submit(self, row: Row, job: Job) -> None:
        launcher = self._launcher(job.place)
        try:
            job_id = launcher.submit(job, self._lane())
        except Refused as problem:
            self._refused += 1
            self._refuse(row, job, problem.message, problem.hint)
            return
        except NotAnswering as problem:
            self.board.word = problem.message
            self._unsure.add(job.name)
        else:
            self._refused = 0
            jobs.keep_id(job.run, job_id)
            self._chain(job_id)
        self._active[job.name] = (row, job)
        row.show("queued" if launcher.scheduled else "running", job.run, Summary())

    def _lane(self) -> list[str]:
        """The job that must have ended before the next may start, where only so many may run at once."""
        if self._width is None or len(self._lanes) < self._width:
            return []
        return [self._lanes[0]]

    def _chain(self, job_id: str) -> None:
        if self._width is not None:
            self._lanes = [*self._lanes, job_id][-self._width :]

    def _refuse(self, row: Row, job: Job, message: str, hint: str | None) -> None:
        jobs.note_verdict(job.run, refused(message, hint))
        self._end(row, job)

    # asking

    def _poll(self, *, local_only: bool = False) -> int:
        """How many runs ended. One question to each scheduler, however many runs it has."""
        settled = 0
        for name, launcher in list(self._launchers.items()):
            mine = {key: (row, job) for key, (row, job) in self._active.items() if job.place.launcher == name}
            if not mine or (local_only and launcher.scheduled):
                continue
            try:
                seen = launcher.poll([job.place for _, job in mine.values()])
                self.board.word = ""
            except NotAnswering as problem:
                self.board.word = problem.message
                continue
            settled += sum(self._look(launcher, key, row, job, seen.get(key)) for key, (row, job) in mine.items())
        return settled

    def _look(self, launcher: Launcher, name: str, row: Row, job: Job, seen: Seen | None) -> bool:
        """Whether this run has ended."""
        if name in self._unsure:
            self._unsure.discard(name)
            if seen is None and not jobs.read_job(job.run).starts:
                del self._active[name]
                self._submit(row, job)  # it never arrived
                return False
            if seen is not None:
                jobs.keep_id(job.run, seen.job_id)
        if seen is not None and seen.phase != "gone":
            return self._waits(launcher, row, job, seen)
        since_s = self._gone_since.setdefault(name, time.monotonic())
        if not settle(launcher, job, seen, patience_left=time.monotonic() - since_s < _LAST_POLL_S):
            return False
        self._end(row, job)
        return True

    def _waits(self, launcher: Launcher, row: Row, job: Job, seen: Seen) -> bool:
        why = launcher.never_starts(seen)
        if why is not None:
            launcher.cancel({job.name: seen.job_id})
            self._refuse(row, job, f"it can never start: {seen.reason}", why)
            return True
        note_requeue(job, seen)
        if seen.phase != row.state:
            row.show(seen.phase, job.run)
        return False

    def _end(self, row: Row, job: Job) -> None:
        from assay.summary.build import load_summary

        self._active.pop(job.name, None)
        try:
            summary = load_summary(job.run)
        except AssayError:  # its folder was removed while it ran
            summary = Summary()
        good = succeeded(summary, self._study.success)
        self._failed += not good
        row.show("done" if good else "failed", job.run, summary)

    def _launcher(self, place: Place) -> Launcher:
        if place.launcher not in self._launchers:
            self._launchers[place.launcher] = LAUNCHERS[place.launcher]()
        return self._launchers[place.launcher]

    def _local_pid(self, job: Job) -> str:
        starts = jobs.read_job(job.run).starts
        return str(starts[-1].pid) if starts and starts[-1].pid else ""

    def _patience_s(self, wait_s: float) -> float:
        """Runs here are asked often, which costs nothing; a scheduler less often the more it has of ours."""
        if any(not self._launcher(job.place).scheduled for _, job in self._active.values()):
            return _LOCAL_POLL_S
        return wait_s + len(self._active) / 500
