"""Follow what was handed to launchers, of a study or of one run: submit, ask how it stands, settle what has ended.

Nothing is relied on before it is in the run directories or in the scheduler: this process may be killed at any line
of this file, and the next one continues from there.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Protocol

from assay.launchers import launcher_called
from assay.launchers.base import (
    Job,
    KeepsHistory,
    KillsAtOnce,
    Launcher,
    NotAnswering,
    Refused,
    Seen,
    TakesArrays,
    array_name,
)
from assay.model.job import Verdict, cancelled, refused
from assay.store import job as jobs
from assay.study.ask import called
from assay.study.settle import note_requeue, settle
from assay.text import counted

_LOCAL_POLL_S = 0.05
#: how long what we ask to end may take, before it is killed
GRACE_S = 10.0
_LAST_POLL_S = 5.0
#: between two questions to a scheduler, how often how many runs are looked at: their files may lie on a slow server
_LOOKS, _WATCHED = 4, 2


class Listener(Protocol):
    """What is heard of jobs that are followed."""

    def taken(self, job: Job, job_id: str) -> None:
        """Its launcher has it, under this id."""

    def again(self, job: Job) -> None:
        """It never arrived: it is to be submitted again, and is not followed until then."""

    def seen(self, job: Job, seen: Seen, remedy: str | None) -> None:
        """It waits or runs; `remedy` is what to do about one that time alone will not start."""

    def refused(self, job: Job, message: str, hint: str | None) -> None:
        """The job was refused: record that in its run, and stop following it."""

    def ended(self, job: Job) -> None:
        """Its summary is complete, and it is followed no longer."""

    def silent(self, message: str) -> None:
        """The scheduler does not answer, or the disk is full; empty where all is well again."""


class Follower:
    """Jobs by name, from the moment they are handed over to their end."""

    def __init__(self, listener: Listener, *, first_poll_s: float) -> None:
        self.jobs: dict[str, Job] = {}
        self._listener, self._first_poll_s = listener, first_poll_s
        self._launchers: dict[str, Launcher] = {}
        self._called: dict[str, str] = {}  # what each is called there: in an array, by its number in it
        self._ids: dict[str, str] = {}
        self._unsure: set[str] = set()  # submitted, or not: the scheduler went away meanwhile
        self._gone_since: dict[str, float] = {}
        self._watched: dict[str, None] = {}  # a few that run
        self._remembered: dict[str, Seen | None] = {}  # what accounting knows of jobs that the queue forgot

    def launcher(self, job: Job) -> Launcher:
        name = job.place.launcher
        if name not in self._launchers:
            self._launchers[name] = launcher_called(name)
        return self._launchers[name]

    def most_at_once(self, job: Job) -> int:
        """How many jobs like this one submission can hold."""
        launcher = self.launcher(job)
        return launcher.most_elements if isinstance(launcher, TakesArrays) else 1

    @property
    def unsure(self) -> bool:
        """Whether a job may be there or not: until that is known, no other should be submitted."""
        return bool(self._unsure)

    def submit(self, together: Sequence[Job]) -> bool:
        """Jobs that ask for the same. False where they were refused; where it is only a limit, `Limited` is raised."""
        try:
            ids = self._hand_over(together)
        except Refused as problem:
            for job in together:
                self._refuse(job, problem.message, problem.hint)
            return False
        except NotAnswering as problem:
            self._listener.silent(problem.message)
            self._unsure |= {job.name for job in together}
            ids = []
        self.jobs |= {job.name: job for job in together}
        for job, job_id in zip(together, ids, strict=False):  # none if the scheduler did not answer
            self._take(job, job_id)
        return True

    def _hand_over(self, together: Sequence[Job]) -> list[str]:
        """The ids. What a job is called is written down before, so that it is found if the answer is lost."""
        launcher = self.launcher(together[0])
        if len(together) == 1:
            self._call(together[0], together[0].name)
            return [launcher.submit(together[0])]
        assert isinstance(launcher, TakesArrays)
        name = array_name(together)
        for index, job in enumerate(together):
            self._call(job, f"{name}[{index}]")
        return launcher.submit_array(name, together)

    def _call(self, job: Job, name: str) -> None:
        self._called[job.name] = name
        if self.launcher(job).traits.queues:
            jobs.keep_name(job.run, name)

    def take_up(self, left: Iterable[tuple[Job, bool]]) -> None:
        """Jobs that an earlier process left, and whether each runs: one that never began here is begun."""
        begun = []
        for job, runs in left:
            queues = self.launcher(job).traits.queues
            if not (queues or runs):
                begun.append(job)
                continue
            self.jobs[job.name] = job
            job_id = jobs.current_id(job.run)
            self._called[job.name] = called(job.run, job.run.asked())
            if job_id is not None:
                self._ids[job.name] = job_id
                if queues and jobs.read_id(job.run) is None:
                    jobs.keep_id(job.run, job_id)
            elif queues:
                self._unsure.add(job.name)  # its id was lost, or it was never submitted
        for job in begun:
            self.submit([job])

    def follow(self, meanwhile: Callable[[], bool | None], waiting: Callable[[], bool] = lambda: False) -> None:
        """Until nothing is left. `meanwhile` comes after each look, and says whether it has started something;
        `waiting` says whether it will."""
        wait_s = self._first_poll_s
        while self.jobs or waiting():
            moved = self.poll() > 0
            moved = bool(meanwhile()) or moved
            wait_s = self._first_poll_s if moved else min(_LAST_POLL_S, wait_s * 1.5)
            if self.jobs or waiting():
                self._wait(self._patience_s(wait_s))

    def interrupt(
        self, tell: Callable[[str], None], verdict: Verdict | None = None, *, grace_s: float = GRACE_S
    ) -> list[Job]:
        """Jobs on this machine are ended; those that a scheduler has go on, and are returned.

        `verdict` is what is to be said of them. What has been asked to end may write a checkpoint, for `grace_s` or
        until we are asked once more; then it is killed, and `tell` gets a sentence.
        """
        with _signals() as heard:
            self._end_here(tell, verdict, grace_s, heard)
        return list(self.jobs.values())

    def _end_here(
        self, tell: Callable[[str], None], verdict: Verdict | None, grace_s: float, heard: Sequence[int]
    ) -> None:
        ends_s, killing = time.monotonic() + grace_s, False
        for job in self._here():
            if verdict is not None:
                jobs.note_verdict(job.run, verdict)
            elif not jobs.read_job(job.run).starts:  # its recorder has not come so far as to say so itself
                jobs.note_verdict(job.run, cancelled("stopped before it was started"))
            self.launcher(job).cancel({job.name: _pid(job)})
        while self._here():
            self.poll(here_only=True)
            time.sleep(_LOCAL_POLL_S)
            left = self._here()
            if left and not killing and (heard or time.monotonic() > ends_s):
                killing = True
                tell(killed_words(len(left), None if heard else grace_s))
            for job in left if killing else ():
                launcher = self.launcher(job)
                if isinstance(launcher, KillsAtOnce):
                    launcher.kill({job.name: _pid(job)})

    def poll(self, *, here_only: bool = False) -> int:
        """How many jobs have ended. One question to each scheduler, however many jobs it has."""
        before = len(self.jobs)
        for name, launcher in list(self._launchers.items()):
            mine = [job for job in self.jobs.values() if job.place.launcher == name]
            if not mine or (here_only and launcher.traits.queues):
                continue
            try:
                self._ask(launcher, mine)
            except NotAnswering as problem:
                self._listener.silent(problem.message)
        return before - len(self.jobs)

    def _ask(self, launcher: Launcher, mine: Sequence[Job]) -> None:
        """The queue; in its place the accounting, once, for those that the queue has forgotten."""
        forgotten = [job for job in mine if job.name in self._gone_since and job.name not in self._remembered]
        if forgotten and isinstance(launcher, KeepsHistory):
            found = launcher.history({self._called[job.name]: self._ids.get(job.name, "") for job in forgotten})
            self._remembered |= {job.name: found.get(self._called[job.name]) for job in forgotten}
            return
        found = launcher.poll({self._called[job.name]: self._ids.get(job.name, "") for job in mine})
        self._listener.silent("")
        for job in mine:
            try:
                self._look(launcher, job, found.get(self._called[job.name]))
            except OSError as problem:
                self._cannot_write(job, problem)

    def _cannot_write(self, job: Job, problem: OSError) -> None:
        """Where the disk is full, what could not be written now is written later; a run that was removed is over."""
        if job.run.path.is_dir():
            self._listener.silent(f"cannot write in `{job.run.path}`: {problem.strerror}")
        elif self.jobs.pop(job.name, None) is not None:
            self._listener.ended(job)

    def _look(self, launcher: Launcher, job: Job, seen: Seen | None) -> None:
        if job.name in self._unsure:
            self._unsure.discard(job.name)
            if seen is None and not jobs.read_job(job.run).starts:
                del self.jobs[job.name]
                self._listener.again(job)
                return
            if seen is not None:
                self._take(job, seen.job_id)
        if seen is not None and seen.phase != "gone":
            self._gone_since.pop(job.name, None)
            if seen.phase == "running" and len(self._watched) < _WATCHED:
                self._watched[job.name] = None
            note_requeue(job.run, seen)
            self._listener.seen(job, seen, launcher.remedy(seen))
            return
        if self._moved(job):
            return
        since_s = self._gone_since.setdefault(job.name, time.monotonic())
        last = seen or self._remembered.get(job.name)
        if last is not None and last.phase != "gone":
            self._remembered.pop(job.name)  # accounting is behind
            last = None
        if settle(launcher, job.run, last, patience_left=time.monotonic() - since_s < _LAST_POLL_S):
            del self.jobs[job.name]
            self._listener.ended(job)

    def _moved(self, job: Job) -> bool:
        """Whether another job than the one we asked for began this run: an answer that was lost arrived after all."""
        if not self.launcher(job).traits.queues:
            return False
        began = jobs.current_id(job.run)
        if began is None or began == self._ids.get(job.name, began):
            return False
        self._ids[job.name] = began
        return True

    def _take(self, job: Job, job_id: str) -> None:
        self._ids[job.name] = job_id
        if self.launcher(job).traits.queues:
            with suppress(OSError):  # a full disk: it is known by its name
                jobs.keep_id(job.run, job_id)
        self._listener.taken(job, job_id)

    def _refuse(self, job: Job, message: str, hint: str | None) -> None:
        self.jobs.pop(job.name, None)
        jobs.note_verdict(job.run, refused(message, hint))
        self._listener.refused(job, message, hint)

    def _wait(self, wait_s: float) -> None:
        """Shorter, where one of those that run has written its exit code: then its scheduler is worth a question."""
        ends_s = time.monotonic() + wait_s
        left = [job for name in self._watched if (job := self.jobs.get(name)) and not jobs.has_ended(job.run)]
        self._watched = {}
        while (rest_s := ends_s - time.monotonic()) > 0:
            time.sleep(min(rest_s, max(self._first_poll_s, wait_s / _LOOKS)))
            if any(jobs.has_ended(job.run) for job in left):
                return

    def _here(self) -> list[Job]:
        return [job for job in self.jobs.values() if not self.launcher(job).traits.queues]

    def _patience_s(self, wait_s: float) -> float:
        """Jobs here are asked often, which costs nothing; a scheduler less often the more it has of ours."""
        return _LOCAL_POLL_S if self._here() else wait_s + len(self.jobs) / 500


def killed_words(count: int, grace_s: float | None) -> str:
    """`grace_s` is None where someone did not want to wait for it."""
    within = "at once" if grace_s is None else f"within {grace_s:g} s"
    return f"{counted(count, 'run')} did not end {within}, so {'it was' if count == 1 else 'they were'} killed"


@contextmanager
def _signals() -> Iterator[list[int]]:
    """Those that would end us while we end others, unless they are ignored."""
    heard: list[int] = []
    ours = threading.current_thread() is threading.main_thread()  # only there can it be decided what they do
    numbers = [one for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) if ours]
    before = {one: signal.getsignal(one) for one in numbers if signal.getsignal(one) != signal.SIG_IGN}
    for one in before:
        signal.signal(one, lambda number, frame: heard.append(number))
    try:
        yield heard
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def _pid(job: Job) -> str:
    starts = jobs.read_job(job.run).starts
    return str(starts[-1].pid) if starts and starts[-1].pid else ""
