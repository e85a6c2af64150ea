"""Follow what was handed to launchers, of a study or of one run: submit, ask how it stands, settle what has ended.

Nothing is relied on before it is in the run directories or in the scheduler: whoever follows may be killed at any line
of this file, and the next one takes the jobs up from there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Protocol

from assay.launchers import launcher_called
from assay.launchers.base import Job, Launcher, NotAnswering, Refused, Seen
from assay.model.job import cancelled, refused
from assay.store import job as jobs
from assay.study.settle import note_requeue, settle

_LOCAL_POLL_S = 0.05
_LAST_POLL_S = 5.0


class Listener(Protocol):
    """What is heard of jobs that are followed."""

    def taken(self, job: Job, job_id: str) -> None:
        """Its launcher has it, under this id."""

    def seen(self, job: Job, seen: Seen) -> None:
        """It waits or runs."""

    def refused(self, job: Job, message: str, hint: str | None) -> None:
        """It was not taken, or can never start; its run says so, and is followed no longer."""

    def ended(self, job: Job) -> None:
        """Its summary is complete, and it is followed no longer."""

    def silent(self, message: str) -> None:
        """The scheduler does not answer; empty where it does again."""


class Follower:
    """Jobs by name, from the moment they are handed over to their end. At most `width` of those in a queue may run at
    once: the scheduler itself holds the next one back."""

    def __init__(self, listener: Listener, *, first_poll_s: float, width: int | None = None) -> None:
        self.jobs: dict[str, Job] = {}
        self._listener, self._first_poll_s, self._width = listener, first_poll_s, width
        self._launchers: dict[str, Launcher] = {}
        self._unsure: set[str] = set()  # submitted, or not: the scheduler went away meanwhile
        self._lanes: list[str] = []  # the last job of each chain that holds the next one back
        self._gone_since: dict[str, float] = {}

    def launcher(self, job: Job) -> Launcher:
        name = job.place.launcher
        if name not in self._launchers:
            self._launchers[name] = launcher_called(name)
        return self._launchers[name]

    @property
    def unsure(self) -> bool:
        """Whether a job may be there or not: until that is known, no other should be submitted."""
        return bool(self._unsure)

    def submit(self, job: Job) -> bool:
        """False where it was refused."""
        try:
            job_id = self.launcher(job).submit(job, self._lane())
        except Refused as problem:
            self._refuse(job, problem.message, problem.hint)
            return False
        except NotAnswering as problem:
            self._listener.silent(problem.message)
            self._unsure.add(job.name)
        else:
            self._take(job, job_id)
        self.jobs[job.name] = job
        return True

    def take_up(self, left: Iterable[tuple[Job, bool]]) -> None:
        """Jobs that an earlier process left, and whether each runs: one that never began here is begun."""
        begun = []
        for job, runs in left:
            queues = self.launcher(job).traits.queues
            if not (queues or runs):
                begun.append(job)
                continue
            self.jobs[job.name] = job
            job_id = jobs.read_id(job.run)
            if queues and job_id is None:
                self._unsure.add(job.name)  # its id was lost, or it was never submitted
            elif job_id is not None:
                self._chain(job_id)
        for job in begun:
            self.submit(job)

    def follow(self, meanwhile: Callable[[], bool | None]) -> None:
        """Until nothing is left. `meanwhile` comes after each look, and says whether it has started something."""
        wait_s = self._first_poll_s
        while self.jobs:
            moved = self.poll() > 0
            moved = bool(meanwhile()) or moved
            wait_s = self._first_poll_s if moved else min(_LAST_POLL_S, wait_s * 1.5)
            if self.jobs:
                time.sleep(self._patience_s(wait_s))

    def interrupt(self) -> list[Job]:
        """Jobs on this machine are ended; those that a scheduler has go on, and are returned."""
        for job in self._here():
            if not jobs.read_job(job.run).starts:  # its recorder has not come so far as to say so itself
                jobs.note_verdict(job.run, cancelled("stopped before it was started"))
            self.launcher(job).cancel({job.name: _pid(job)})
        while self._here():
            self.poll(here_only=True)
            time.sleep(_LOCAL_POLL_S)
        return list(self.jobs.values())

    def poll(self, *, here_only: bool = False) -> int:
        """How many jobs have ended. One question to each scheduler, however many jobs it has."""
        before = len(self.jobs)
        for name, launcher in list(self._launchers.items()):
            mine = [job for job in self.jobs.values() if job.place.launcher == name]
            if not mine or (here_only and launcher.traits.queues):
                continue
            try:
                found = launcher.poll([job.place for job in mine])
            except NotAnswering as problem:
                self._listener.silent(problem.message)
                continue
            self._listener.silent("")
            for job in mine:
                self._look(launcher, job, found.get(job.name))
        return before - len(self.jobs)

    def _look(self, launcher: Launcher, job: Job, seen: Seen | None) -> None:
        if job.name in self._unsure:
            self._unsure.discard(job.name)
            if seen is None and not jobs.read_job(job.run).starts:
                del self.jobs[job.name]
                self.submit(job)  # it never arrived
                return
            if seen is not None:
                self._take(job, seen.job_id)
        if seen is not None and seen.phase != "gone":
            self._waits(launcher, job, seen)
            return
        since_s = self._gone_since.setdefault(job.name, time.monotonic())
        if settle(launcher, job, seen, patience_left=time.monotonic() - since_s < _LAST_POLL_S):
            del self.jobs[job.name]
            self._listener.ended(job)

    def _waits(self, launcher: Launcher, job: Job, seen: Seen) -> None:
        why = launcher.never_starts(seen)
        if why is not None:
            launcher.cancel({job.name: seen.job_id})
            self._refuse(job, f"it can never start: {seen.reason}", why)
            return
        note_requeue(job, seen)
        self._listener.seen(job, seen)

    def _take(self, job: Job, job_id: str) -> None:
        jobs.keep_id(job.run, job_id)
        self._chain(job_id)
        self._listener.taken(job, job_id)

    def _refuse(self, job: Job, message: str, hint: str | None) -> None:
        self.jobs.pop(job.name, None)
        jobs.note_verdict(job.run, refused(message, hint))
        self._listener.refused(job, message, hint)

    def _lane(self) -> list[str]:
        """The job that must have ended before the next may start."""
        return [self._lanes[0]] if self._width is not None and len(self._lanes) >= self._width else []

    def _chain(self, job_id: str) -> None:
        if self._width is not None:
            self._lanes = [*self._lanes, job_id][-self._width :]

    def _here(self) -> list[Job]:
        return [job for job in self.jobs.values() if not self.launcher(job).traits.queues]

    def _patience_s(self, wait_s: float) -> float:
        """Jobs here are asked often, which costs nothing; a scheduler less often the more it has of ours."""
        return _LOCAL_POLL_S if self._here() else wait_s + len(self.jobs) / 500


def _pid(job: Job) -> str:
    starts = jobs.read_job(job.run).starts
    return str(starts[-1].pid) if starts and starts[-1].pid else ""
