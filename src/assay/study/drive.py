"""Drive a study to its end: start what is missing, follow all of it, and keep its board."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.errors import AssayError
from assay.launchers import traits_of
from assay.launchers.base import Job, Seen
from assay.model.summary import Summary
from assay.stats.enough import FIRST_LOOK
from assay.store.owner import refuse_others
from assay.study.board import Board, Row
from assay.study.file import Study
from assay.study.follow import Follower
from assay.study.prepare import job_of, prepare
from assay.study.records import succeeded

Tell = Callable[[Board], None]
_FIRST_POLL_S = 0.5
#: so many refusals in a row, and the rest is not even tried
_REFUSALS = 3


class Drive:
    """One study, from where it stands to its end. It hears of its jobs as `follow.Listener`."""

    def __init__(self, study: Study, board: Board, runs_dir: Path, width: int | None, tell: Tell) -> None:
        self._study, self.board, self._runs_dir, self._tell = study, board, runs_dir, tell
        self._follower = Follower(self, first_poll_s=_FIRST_POLL_S, width=width)
        self._rows: dict[str, Row] = {}
        self._todo: deque[Row] = deque()
        self._failed = self._refused = 0
        self._begin_s = time.monotonic()
        self._width = width
        self._wanted: set[str] = set()  # cells of which one more repeat is wanted now
        self.stopped_because = ""

    def run(self, todo: Sequence[Row]) -> None:
        self._todo = deque(todo)
        self._take_up()
        self._tell(self.board)
        self._start()
        self._follower.follow(self._start)

    def interrupt(self) -> list[Row]:
        """Runs on this machine are ended; those that a scheduler has go on. Returns the latter."""
        left = [self._rows[job.name] for job in self._follower.interrupt()]
        self._tell(self.board)
        return left

    def _take_up(self) -> None:
        """Runs that were made ready, queued or running when we came."""
        rows = self.board.of("queued", "running")
        refuse_others([row.run.path for row in rows if row.run is not None])
        left = []
        for row in rows:
            assert row.run is not None
            job = job_of(self._study, row.unit, row.run)
            self._rows[job.name] = row
            left.append((job, row.state == "running"))
        self._follower.take_up(left)

    # starting

    def _start(self) -> bool:
        """Whether anything was started."""
        started = 0
        self._spare()
        while self._todo and self._may_start():
            row = self._next()
            if row is None:
                break
            self._submit(row, prepare(self._study, row.unit, self._runs_dir))
            started += 1
            if started % 50 == 0:
                self._tell(self.board)
        self._tell(self.board)
        return started > 0

    def _next(self) -> Row | None:
        """The first that may start: where repeats are made until they are enough, each waits for the one before."""
        if self._study.until is None:
            return self._todo.popleft()
        for row in self._todo:
            if row.unit.repeat < FIRST_LOOK or row.unit.cell in self._wanted:
                self._todo.remove(row)
                self._wanted.discard(row.unit.cell)
                return row
        return None

    def _spare(self) -> None:
        """Runs that are no longer needed are taken off the board, and it is worked out where one more helps most."""
        wanted = self._study.until
        if wanted is None or not self.board.count("done"):
            return
        from assay.study.until import cells_to_repeat, spare, unknown_figure

        spare(wanted, self.board)
        left = {id(row) for row in self.board.rows}
        self._todo = deque(row for row in self._todo if id(row) in left)
        busy = {row.unit.cell for row in self.board.of("running", "queued")}
        self._wanted = cells_to_repeat(wanted, self.board, {row.unit.cell for row in self._todo}) - busy
        if self._todo and (why := unknown_figure(wanted, self.board)):
            self._stop(why)

    def _may_start(self) -> bool:
        study = self._study
        if study.failures is not None and self._failed >= study.failures:
            self._stop(f"{self._failed} runs have failed, the limit of this study")
        elif study.first_failures is not None and self._failed >= study.first_failures and not self.board.count("done"):
            self._stop(self._all_failed())
        elif study.total_s is not None and time.monotonic() - self._begin_s > study.total_s:
            self._stop("its time is up")
            if study.until is not None:  # the budget is spent, and what is known by then is the answer
                self.board.rows[:] = [row for row in self.board.rows if row.state != "missing"]
        elif self._refused >= _REFUSALS:
            self._stop(f"{self._refused} submissions in a row were refused")
        if not self._todo or self._follower.unsure:
            return False
        queues = traits_of(self._todo[0].unit.place.launcher).queues
        return queues or len(self._follower.jobs) < (self._width or 1)

    def _all_failed(self) -> str:
        return "the first run failed" if self._failed == 1 else f"the first {self._failed} runs all failed"

    def _stop(self, why: str) -> None:
        if self._todo:
            count = len(self._todo)
            left = "1 run was" if count == 1 else f"{count} runs were"
            self.stopped_because = f"stopped: {why}; {left} not started"
        self._todo.clear()

    def _submit(self, row: Row, job: Job) -> None:
        self._rows[job.name] = row
        if self._follower.submit(job):
            row.show("queued" if traits_of(job.place.launcher).queues else "running", job.run, Summary())
        else:
            self._refused += 1

    # what is heard of its jobs

    def taken(self, job: Job, job_id: str) -> None:
        self._refused = 0

    def seen(self, job: Job, seen: Seen) -> None:
        row = self._rows[job.name]
        if seen.phase != row.state:
            row.show(seen.phase, job.run)

    def refused(self, job: Job, message: str, hint: str | None) -> None:
        self.ended(job)

    def ended(self, job: Job) -> None:
        from assay.summary.build import load_summary

        try:
            summary = load_summary(job.run)
        except AssayError:  # its folder was removed while it ran
            summary = Summary()
        good = succeeded(summary, self._study.success)
        self._failed += not good
        self._rows[job.name].show("done" if good else "failed", job.run, summary)

    def silent(self, message: str) -> None:
        self.board.word = message


@dataclass(frozen=True, kw_only=True)
class Ended:
    """`left` are the runs that a scheduler still has."""

    finished: bool
    left: tuple[Row, ...] = ()
    stopped_because: str = ""


def see_through(
    study: Study, board: Board, runs_dir: Path, width: int | None, tell: Tell, *, retry: bool = False
) -> Ended:
    """To its end, or to a Ctrl-C: what runs here is ended then, and what a scheduler has goes on."""
    drive = Drive(study, board, runs_dir, width, tell)
    try:
        drive.run(board.of("failed") if retry else board.of("missing", "failed"))
    except KeyboardInterrupt:
        return Ended(finished=False, left=tuple(drive.interrupt()))
    return Ended(finished=True, stopped_because=drive.stopped_because)
