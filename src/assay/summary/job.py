"""The part of a summary that a launcher answers for: queue, nodes, and the end of a job that was ended from outside."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.errors import RunError
from assay.facts.secrets import mask_text
from assay.model.event import End, How
from assay.model.failure import Failure
from assay.model.job import Verdict
from assay.model.request import Request
from assay.model.values import number
from assay.probes.tree import alive
from assay.store.files import event_files
from assay.store.job import JobState, SetupFailure, job_id_in, job_output, queued_s, read_id, read_job
from assay.store.layout import RunDir

#: 128 + HUP, INT, TERM
_ASKED_TO_END = (129, 130, 143)
#: between the job's first word and the recorder's: a slow file system, a large environment, clocks that differ
_BEGINS_WITHIN_S = 300.0
#: without a word from anyone, a job is taken for ended
_FORGOTTEN_S = 86400.0
#: what bash puts before its own complaints: a line of our script says nothing to anyone
_WHERE = re.compile(r"^[^\s:]{1,300}: (?:eval: )?line \d{1,6}: ")


@dataclass(frozen=True, kw_only=True)
class JobFacts:
    """What the job folder says, beside the recorder's own end."""

    run: RunDir
    asked: Request
    state: JobState

    @property
    def error(self) -> dict[str, object] | None:
        """What the scheduler said went wrong."""
        verdict = self.state.verdict
        if verdict is None or verdict.code is None:
            return None
        said = {"code": verdict.code, "message": verdict.message, "hint": verdict.hint}
        return {name: text for name, text in said.items() if text}

    def outcome(self, end: End | None) -> dict[str, object] | None:
        """Status and exit code where the recorder's word is not the last; None where it is."""
        verdict = self.state.verdict or Verdict()
        code = self.state.exit_code if end is None or end.exit_code is None else end.exit_code
        ended = {"exit_code": code, "wall_s": end and end.wall_s, "ended": iso(verdict.t)}
        if verdict.status is not None:
            return {"status": verdict.status, **ended}
        again = (verdict.restarts or 0) >= len(self.state.starts) > 0
        if again or (not self.state.starts and end is None):  # what a lost attempt said of its end is not of this one
            return {"status": "queued"}
        return None

    def corrected(self, end: End | None) -> End | None:
        """The job ended, and no recorder said how: it never began, or was killed with all that it watched."""
        code = self.state.exit_code
        if end is not None or code is None:
            return end
        if self.state.setup is not None and code == RunError.exit_code:
            return End(
                status="failed", exit_code=code, t=self.state.ended_t, error=setup_failure(self.asked, self.state.setup)
            )
        if code == 0:  # it did its work, and the disk had no room for the recorder's word on it
            return End(status="completed", exit_code=0, t=self.state.ended_t)
        if code in _ASKED_TO_END:
            error = Failure(code="interrupted", message="stopped before its recorder had started")
            return End(status="interrupted", exit_code=code, t=self.state.ended_t, error=error)
        said = [line for line in job_output(self.run, 4096).splitlines() if line.strip()]
        message = said[-1].strip()[:300] if said else f"the job ended with exit code {code} and without a record"
        error = Failure(code="unknown", message=message, hint=f"see {self.run.path / 'job' / 'output'}")
        return End(status="failed", exit_code=code, t=self.state.ended_t, error=error)

    def may_go_on(self) -> bool:
        """Whether a silent job may still be active: it may be suspended, or its files arrive late. Commands that start,
        list or show runs ask its scheduler; a job about which nothing was asked for a day counts as ended."""
        if self.just_begun():
            return True
        if not self.state.starts or self.state.exit_code is not None or self.state.settled or self.asked.place is None:
            return False
        from assay.launchers import traits_of  # as below

        newest_t = max((file.changed_ns / 1e9 for file in event_files(self.run.path)), default=self.state.starts[-1].t)
        return traits_of(self.asked.place.launcher).queues and time.time() - newest_t < _FORGOTTEN_S

    def just_begun(self) -> bool:
        """Begun, and its recorder has not spoken yet: on this host its process is asked, else a while is allowed."""
        if not self.state.starts or self.state.exit_code is not None:
            return False
        start = self.state.starts[-1]
        if start.pid and start.node == socket.gethostname():
            return alive(start.pid)
        return time.time() - start.t < _BEGINS_WITHIN_S


def job_of(run: RunDir, asked: Request) -> JobFacts | None:
    """None for a run that was started by the recorder itself."""
    return JobFacts(run=run, asked=asked, state=read_job(run)) if asked.place is not None else None


def setup_failure(asked: Request, found: SetupFailure) -> Failure:
    """Which line it was and what it printed last; the rest is in the job's output."""
    from assay.launchers.setup import failed_line  # as below: few runs need it

    line = failed_line(asked.place, found.line) if asked.place is not None else ""
    said = next((_WHERE.sub("", one.strip()) for one in reversed(found.said.splitlines()) if one.strip()), "")
    which = f"the set-up line `{line}`" if line else "a set-up line of the place"
    message = f"{which} failed with exit code {found.exit_code}" + (f": {said[-300:]}" if said else "")
    hint = "correct the line in places.yaml, or end it with `|| true` if its failure does not matter"
    if "module: command not found" in found.said:
        hint = "add `login: true` to the place, so that the job's shell knows `module`"
    return Failure(code="setup-failed", message=mask_text(message), hint=hint)


def the_end(ends: Sequence[End], nodes: int) -> End | None:
    """One end of all nodes: none while one goes on, unless another has failed; then the first failure is it."""
    by_node = {(end.node, end.rank): end for end in ends}
    failed = [end for end in by_node.values() if end.status != "completed"]
    if not by_node or (len(by_node) < nodes and not failed):
        return None
    first = min(failed, key=lambda end: end.t or 0.0) if failed else ends[-1]
    walls = [end.wall_s for end in by_node.values() if end.wall_s is not None]
    return first.replace(wall_s=max(walls)) if walls else first


def whereabouts(run: RunDir, asked: Request, starts: Sequence[How], phases: Mapping[str, float]) -> dict[str, object]:
    """Place, job, nodes and the time in the queue, of all starts."""
    place, job_id = asked.place, job_id_in(asked.scheduler)
    if place is None:
        found: dict[str, object] = {"job_id": job_id} if job_id else {}
        return {**found, "nodes": _nodes(starts)} if asked.ranks else found
    from assay.launchers import traits_of  # most runs have no launcher: a list of them need not load any

    queues = traits_of(place.launcher).queues
    job = read_job(run)
    nodes = _nodes(starts)
    if not nodes and job.starts and queues:
        nodes = [job.starts[-1].node]
    found = {"place": place.name, "nodes": nodes}
    if job_id or queues:
        found["job_id"] = job_id or read_id(run)
    waited_s = queued_s(run, job, asked) if queues else None
    if waited_s is not None:
        found |= {"queue_s": waited_s, "phases": {"queue": waited_s, **phases}}
    if len(job.starts) > 1:
        found["attempts"] = len(job.starts)
    return found


def _nodes(starts: Sequence[How]) -> list[str]:
    ranked = sorted(starts, key=lambda start: start.rank)
    return list(dict.fromkeys(start.node for start in ranked if start.node))


def iso(t: object) -> str | None:
    """A moment as `2026-11-15T14:15:59Z`."""
    moment = number(t)
    return None if moment is None else time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))
