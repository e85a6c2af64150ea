"""Drive a study to its end: start what is missing, follow all of it, and keep its board."""

from __future__ import annotations

import errno
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.errors import AssayError, RunError
from assay.launchers import traits_of
from assay.launchers.base import Job, Limited, Seen
from assay.launchers.places import Place
from assay.model.job import cancelled
from assay.model.request import PlaceFacts
from assay.model.summary import Summary
from assay.stats.enough import FIRST_LOOK
from assay.store.job import note_verdict
from assay.store.owner import refuse_others
from assay.study.board import Board, Row
from assay.study.file import Study
from assay.study.follow import GRACE_S, Follower
from assay.study.planned import keep_plan
from assay.study.prepare import job_of, prepare
from assay.study.records import succeeded
from assay.study.room import Room
from assay.text import counted

Tell = Callable[[Board], None]
_FIRST_POLL_S = 0.5
#: so many refusals in a row, and the rest is not even tried
_REFUSALS = 3


class Drive:
    """One study, from where it stands to its end. It hears of its jobs as `follow.Listener`."""

    def __init__(self, study: Study, board: Board, runs_dir: Path, width: int | None, tell: Tell) -> None:
        self._study, self.board, self._runs_dir, self._tell = study, board, runs_dir, tell
        self._follower, self._room = Follower(self, first_poll_s=_FIRST_POLL_S), Room()
        self._ready: deque[Job] = deque()  # their directories exist, and they are not submitted yet
        self._rows: dict[str, Row] = {}
        self._todo: deque[Row] = deque()
        self._failed = self._refused = 0
        self._begin_s, self._width = time.monotonic(), width
        self._wanted: set[str] = set()  # cells of which one more repeat is wanted now
        self.stopped_because = ""

    def run(self, todo: Sequence[Row]) -> None:
        self._todo = deque(todo)
        keep_plan(self._runs_dir, self._study, [row.unit for row in self.board.rows])
        self._take_up()
        self._tell(self.board)
        self._start()
        self._follower.follow(self._start, lambda: bool(self._room.why and (self._ready or self._todo)))

    def worth_trying(self) -> list[Row]:
        """All that is missing or has failed, but for what would only fail again."""
        rows = self.board.of("missing", "failed")
        good = [row for row in rows if not _hopeless(row, self._study)]
        if len(good) < len(rows):
            self.stopped_because = (
                f"{counted(len(rows) - len(good), 'run')} ended at the time or memory limit and would again: "
                "ask for more in the study file, or use --retry"
            )
        return good

    def interrupt(self, grace_s: float) -> list[Row]:
        """Runs on this machine are ended; those that a scheduler has go on. Returns the latter."""

        def tell(text: str) -> None:
            self.stopped_because = text

        left = [self._rows[job.name] for job in self._follower.interrupt(tell, grace_s=grace_s)]
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
        try:
            while batch := self._batch():
                started += self._submit(batch)
                self._tell(self.board)
        except (OSError, RunError) as problem:
            self._wait_for_disk(problem)
        if self._room.why:
            self.board.word = self._room.why
        self._tell(self.board)
        return started > 0

    def _batch(self) -> list[Job]:
        """The next jobs that can be handed over together: they ask for the same, and there is room for them."""
        batch: list[Job] = []
        most = 1
        while len(batch) < most and (job := self._job(batch)) is not None:
            batch.append(job)
            if len(batch) == 1:
                most = self._room.size(min(self._follower.most_at_once(job), self._free(job)))
        if not most:
            self._ready.extendleft(reversed(batch))
            return []
        return batch

    def _job(self, batch: Sequence[Job]) -> Job | None:
        """One more, made ready now unless it is already."""
        if self._ready:
            fits = not batch or _alike(self._ready[0], batch[0])
            return self._ready.popleft() if fits and self._may_hand_over(self._ready[0].place, len(batch)) else None
        if not self._todo or not self._may_start(len(batch)):
            return None
        row = self._next()
        if row is None:
            return None
        if batch and row.unit.place != batch[0].place:
            self._todo.appendleft(row)
            return None
        job = prepare(self._study, row.unit, self._runs_dir)
        self._rows[job.name] = row
        return job

    def _free(self, job: Job) -> int:
        """How many more may be in the queue, or run here, at once."""
        if self._width is None and traits_of(job.place.launcher).queues:
            return len(self._todo) + len(self._ready) + 1
        return (self._width or 1) - len(self._follower.jobs)

    def _wait_for_disk(self, problem: OSError | RunError) -> None:
        """A disk that is full may have room again: it is tried again after a while."""
        cause = problem.__cause__ if isinstance(problem, RunError) else problem
        if not isinstance(cause, OSError) or cause.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise problem
        self._room.refused(1, f"cannot write in `{self._runs_dir}`: {cause.strerror}")

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

    def _may_start(self, ahead: int) -> bool:
        """`ahead` are those that are handed over with it."""
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
        return bool(self._todo) and self._may_hand_over(self._todo[0].unit.place, ahead)

    def _may_hand_over(self, place: Place, ahead: int) -> bool:
        if self._follower.unsure:
            return False
        if self._width is None and traits_of(place.launcher).queues:
            return True
        return len(self._follower.jobs) + ahead < (self._width or 1)

    def _all_failed(self) -> str:
        return "the first run failed" if self._failed == 1 else f"the first {self._failed} runs all failed"

    def _stop(self, why: str) -> None:
        count = len(self._todo) + len(self._ready)
        if count:
            left = "1 run was" if count == 1 else f"{count} runs were"
            self.stopped_because = f"stopped: {why}; {left} not started"
        self._todo.clear()
        for job in self._ready:
            note_verdict(job.run, cancelled("the study stopped before it was submitted"))
            self._rows[job.name].forget()
        self._ready.clear()

    def _submit(self, batch: Sequence[Job]) -> int:
        """How many were handed over. A limit means that they wait here."""
        try:
            taken = self._follower.submit(batch)
        except Limited as problem:
            self._room.refused(len(batch), f"the queue takes no more jobs of yours now ({problem.message})")
            self._ready.extendleft(reversed(batch))
            return 0
        except OSError:
            self._ready.extendleft(reversed(batch))
            raise
        if not taken:
            self._refused += 1
            return len(batch)
        self._room.taken(len(batch))
        self.board.word = ""
        state = "queued" if traits_of(batch[0].place.launcher).queues else "running"
        for job in batch:
            self._rows[job.name].show(state, job.run, Summary())
        return len(batch)

    # what is heard of its jobs

    def taken(self, job: Job, job_id: str) -> None:
        self._refused = 0

    def again(self, job: Job) -> None:
        self._ready.append(job)

    def seen(self, job: Job, seen: Seen, remedy: str | None) -> None:
        row = self._rows[job.name]
        if seen.phase != row.state:
            row.show(seen.phase, job.run)
        row.heard(seen, remedy)

    def refused(self, job: Job, message: str, hint: str | None) -> None:
        self.ended(job)

    def ended(self, job: Job) -> None:
        from assay.summary.build import load_summary

        self._room.ended()
        try:
            summary = load_summary(job.run)
        except AssayError:  # its folder was removed while it ran
            summary = Summary()
        good = succeeded(summary, self._study.success)
        self._failed += not good
        self._rows[job.name].show("done" if good else "failed", job.run, summary)

    def silent(self, message: str) -> None:
        self.board.word = message or self._room.why


def _alike(one: Job, other: Job) -> bool:
    """Whether two jobs ask their scheduler for the same."""
    return one.place == other.place and one.timeout_s == other.timeout_s


@dataclass(frozen=True, kw_only=True)
class Ended:
    """`left` are the runs that a scheduler still has."""

    finished: bool
    left: tuple[Row, ...] = ()
    stopped_because: str = ""


def see_through(
    study: Study,
    board: Board,
    runs_dir: Path,
    width: int | None,
    tell: Tell,
    *,
    retry: bool = False,
    grace_s: float = GRACE_S,
) -> Ended:
    """Run the study to its end or to a Ctrl-C, which ends the runs on this machine; submitted jobs continue."""
    drive = Drive(study, board, runs_dir, width, tell)
    try:
        drive.run(board.of("failed") if retry else drive.worth_trying())
    except KeyboardInterrupt:
        left = tuple(drive.interrupt(grace_s))
        return Ended(finished=False, left=left, stopped_because=drive.stopped_because)
    return Ended(finished=True, stopped_because=drive.stopped_because)


def _hopeless(row: Row, study: Study) -> bool:
    """Whether it failed by what it asked of its scheduler, and would ask the same again."""
    error = row.summary.error
    if row.run is None or error is None or error.code not in ("time-limit", "out-of-memory"):
        return False
    asked, place = row.run.asked(), row.unit.place
    if asked.place is None or not traits_of(asked.place.launcher).queues or asked.timeout_s != study.timeout_s:
        return False
    wants = ("memory", "time", "partition", "cpus", "nodes", "extra", "select", "exclusive")
    before, now = PlaceFacts.of(asked.place.as_json()).as_json(), PlaceFacts.of(place.facts()).as_json()
    return all(before.get(name) == now.get(name) for name in wants)
