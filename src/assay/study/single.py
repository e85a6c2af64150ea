"""One run on a place, without a study: prepared, submitted and followed like a study's."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from assay.errors import AssayError, RunError
from assay.facts.asked import masked
from assay.launchers import LAUNCHERS
from assay.launchers.base import Job, NotAnswering, Refused, Seen
from assay.launchers.places import Place
from assay.model.job import refused
from assay.model.request import Request
from assay.spec import RunSpec, folder_name, new_id, run_name
from assay.store import job as jobs
from assay.store.layout import RunDir, create
from assay.study.prepare import make_job, write_request
from assay.study.settle import note_requeue, settle

_FIRST_POLL_S, _LAST_POLL_S = 0.1, 5.0


class Single:
    """A run that was handed to a launcher. `wait` may be left at any moment: a scheduler goes on without us."""

    def __init__(
        self,
        spec: RunSpec,
        place: Place,
        about: Request,
        before: Path | None = None,
        ready: Callable[[RunDir], Job] | None = None,
    ) -> None:
        """`about` is what else is known of it. `before` is the run that it repeats: what lay in its directory lies in
        the new one's. `ready` makes the job where its words need the directory, and puts into it what is needed."""
        spec.check()
        run_id, name = new_id(), run_name(masked(spec))
        self.run: RunDir = create(spec.runs_dir, folder_name(name, run_id))
        (self.run.path / "job").mkdir(mode=0o755)
        if ready is not None:
            self.job: Job = self._or_nothing(ready)
        elif before is None:
            self.job = make_job(self.run, place, list(spec.command), spec.env, spec.timeout_s)
        else:
            words = _moved(spec.command, before, self.run.path)
            self.job = Job(run=self.run, place=place, command=words, env=spec.env, timeout_s=spec.timeout_s)
        self.launcher = LAUNCHERS[place.launcher]()
        asked = about.replace(
            id=run_id, name=name, params=spec.params, tags=tuple(spec.tags), interval_s=spec.interval_s
        )
        write_request(asked, self.job, _cwd(spec))
        self.job_id = ""

    def _or_nothing(self, ready: Callable[[RunDir], Job]) -> Job:
        """A directory that cannot be made ready is no run."""
        try:
            return ready(self.run)
        except AssayError:
            shutil.rmtree(self.run.path, ignore_errors=True)
            raise

    def submit(self, tell: Callable[[str], None]) -> None:
        """Waits for a scheduler that does not answer; a request it refuses is told and kept."""
        while True:
            try:
                self.job_id = self.launcher.submit(self.job)
                break
            except NotAnswering as problem:
                tell(problem.message)
                if self._arrived():
                    break
            except Refused as problem:
                jobs.note_verdict(self.run, refused(problem.message, problem.hint))
                raise RunError(problem.message, problem.hint) from None
            except RunError:  # there is no such scheduler here: nothing was asked, nothing is kept
                shutil.rmtree(self.run.path, ignore_errors=True)
                raise
        jobs.keep_id(self.run, self.job_id)

    def _arrived(self) -> bool:
        """Whether the scheduler took the job before it went away."""
        while True:
            time.sleep(_LAST_POLL_S)
            try:
                seen = self.launcher.poll([self.job.place]).get(self.job.name)
            except NotAnswering:
                continue
            self.job_id = seen.job_id if seen is not None else ""
            return seen is not None

    def wait(self, meanwhile: Callable[[], None], tell: Callable[[str], None]) -> None:
        """Until the run has ended and its summary is complete."""
        wait_s, gone_s, word = _FIRST_POLL_S, None, ""
        while True:
            try:
                seen = self.launcher.poll([self.job.place]).get(self.job.name)
            except NotAnswering as problem:
                word = self._once(tell, problem.message, word)
            else:
                if seen is None or seen.phase == "gone":
                    gone_s = time.monotonic() if gone_s is None else gone_s
                    if settle(self.launcher, self.job, seen, patience_left=time.monotonic() - gone_s < _LAST_POLL_S):
                        return
                else:
                    self._refuse_if_never(seen)
                    note_requeue(self.job, seen)
                    word = self._once(tell, self._word(seen), word)
            meanwhile()
            time.sleep(wait_s if self.launcher.scheduled else _FIRST_POLL_S)
            wait_s = min(_LAST_POLL_S, wait_s * 1.3)

    def _refuse_if_never(self, seen: Seen) -> None:
        why = self.launcher.never_starts(seen)
        if why is not None:
            self.launcher.cancel({self.job.name: seen.job_id})
            message = f"it can never start: {seen.reason}"
            jobs.note_verdict(self.run, refused(message, why))
            raise RunError(message, why)

    def _word(self, seen: Seen) -> str:
        if not self.launcher.scheduled:
            return ""
        return f"waits: {seen.reason or 'in the queue'}" if seen.phase == "queued" else f"runs on {seen.node}"

    def _once(self, tell: Callable[[str], None], word: str, before: str) -> str:
        if word and word != before:
            tell(word)
        return word


def _moved(command: Sequence[str], before: Path, now: Path) -> list[str]:
    """A command with its own run directory in it, for another one; files that were made ready there come along."""
    words = []
    for word in command:
        moved = word.replace(str(before), str(now))
        if moved != word and Path(word).is_file():
            Path(moved).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(word, moved)
        words.append(moved)
    return words


def _cwd(spec: RunSpec) -> Path:
    return Path(spec.cwd or Path.cwd())
