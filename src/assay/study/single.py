"""One run on a place, without a study: prepared, submitted and followed like a study's."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from assay.errors import AssayError, RunError
from assay.facts.asked import masked
from assay.launchers import traits_of
from assay.launchers.base import Job, Limited, Seen
from assay.launchers.places import Place
from assay.model.job import cancelled
from assay.model.request import Request
from assay.recording.describe import stated_by
from assay.recording.naming import name_of
from assay.spec import RunSpec, folder_name, new_id
from assay.store.job import note_verdict
from assay.store.layout import RunDir, create
from assay.study.board import note_of
from assay.study.follow import Follower
from assay.study.prepare import make_job, write_request
from assay.study.room import Room

_FIRST_POLL_S = 0.1


class Single:
    """A run that is handed to a launcher. It hears of its job as `follow.Listener`."""

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
        shown = masked(spec)
        said = stated_by(shown, Path(spec.cwd or Path.cwd()))
        run_id, name = new_id(), name_of(shown, said.claims, said.sources)
        self.run: RunDir = create(spec.runs_dir, folder_name(name, run_id))
        (self.run.path / "job").mkdir(mode=0o755)
        if ready is not None:
            self.job: Job = self._or_nothing(ready)
        elif before is None:
            self.job = make_job(self.run, place, list(spec.command), spec.env, spec.timeout_s)
        else:
            words = _moved(spec.command, before, self.run.path)
            self.job = Job(run=self.run, place=place, command=words, env=spec.env, timeout_s=spec.timeout_s)
        asked = about.replace(id=run_id, name=name, params=spec.params, tags=tuple(spec.tags))
        write_request(asked.replace(interval_s=spec.interval_s), self.job, Path(spec.cwd or Path.cwd()))
        self._queues = traits_of(place.launcher).queues
        self._job_id = self._word = ""
        self._room, self._waits = Room(), False
        self._refusal: RunError | None = None
        self._seen: tuple[Seen, str | None] | None = None

    def _or_nothing(self, ready: Callable[[RunDir], Job]) -> Job:
        """Remove a directory that could not be prepared."""
        try:
            return ready(self.run)
        except AssayError:
            shutil.rmtree(self.run.path, ignore_errors=True)
            raise

    def see_through(self, meanwhile: Callable[[], None], tell: Callable[[str], None]) -> bool:
        """Whether it has ended with a complete summary; after a Ctrl-C, a scheduler continues without us."""
        self._tell, follower = tell, Follower(self, first_poll_s=_FIRST_POLL_S)

        def look() -> None:
            if self._waits and self._room.size(1):
                self._submit(follower)
            meanwhile()

        try:
            self._submit(follower)
            follower.follow(look, lambda: self._waits)
        except KeyboardInterrupt:
            if follower.interrupt(tell):
                tell(self._what_becomes_of_it())
                return False
            if self._waits:
                note_verdict(self.run, cancelled("stopped before it was submitted"))
        if self._refusal is not None:
            raise self._refusal
        return True

    def _submit(self, follower: Follower) -> None:
        self._waits = False
        try:
            follower.submit([self.job])
        except Limited as problem:
            self._waits = True
            self._room.refused(1, problem.message)
            self._say(f"waits here: the queue takes no more jobs of yours now ({problem.message})")
        except RunError:  # this scheduler is not available here: nothing was submitted, nothing is kept
            shutil.rmtree(self.run.path, ignore_errors=True)
            raise

    # what is heard of its job

    def taken(self, job: Job, job_id: str) -> None:
        self._job_id = job_id
        if self._queues:
            self._tell(f"job {job_id} on {job.place.name}")

    def again(self, job: Job) -> None:
        self._waits = True

    def _what_becomes_of_it(self) -> str:
        """The job is its scheduler's now, whether or not it can ever start."""
        job, seen = f"job {self._job_id}", self._seen
        if not self._job_id:
            return "the queue has not answered yet; if it takes the job, `assay ls` shows it"
        if seen is None or seen[0].phase == "queued":
            remedy = seen[1] if seen is not None else None
            return f"{job} stays in the queue" + (f" and cannot start as it is: {remedy}" if remedy else "")
        return f"{job} keeps running: watch it with `assay show --live {self.run.path.name}`"

    def seen(self, job: Job, seen: Seen, remedy: str | None) -> None:
        self._seen = seen, remedy
        if self._queues:
            note = note_of(seen, remedy)
            self._say(f"waits: {note or 'in the queue'}" if seen.phase == "queued" else note or f"runs on {seen.node}")

    def refused(self, job: Job, message: str, hint: str | None) -> None:
        self._refusal = RunError(message, hint)

    def ended(self, job: Job) -> None:
        """Nothing to do: the summary shows how it ended."""

    def silent(self, message: str) -> None:
        if message:
            self._say(message)

    def _say(self, word: str) -> None:
        """Once, until there is something else to say."""
        if word != self._word:
            self._tell(word)
        self._word = word


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
