"""The part of a summary that a launcher answers for: queue, nodes, and the end of a job that was ended from outside."""

from __future__ import annotations

import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.model.event import End, How
from assay.model.failure import Failure
from assay.model.job import Verdict
from assay.model.request import Request
from assay.model.values import number
from assay.probes.tree import alive
from assay.store.job import JobState, job_output, read_job
from assay.store.layout import RunDir

#: 128 + HUP, INT, TERM
_ASKED_TO_END = (129, 130, 143)
#: between the job's first word and the recorder's: a slow file system, a large environment
_BEGINS_WITHIN_S = 120.0


@dataclass(frozen=True, kw_only=True)
class JobFacts:
    """What the job folder says, beside the recorder's own end."""

    run: RunDir
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
        waits = not self.state.starts or (verdict.restarts or 0) >= len(self.state.starts)
        if waits and end is None:
            return {"status": "queued"}
        return None

    def corrected(self, end: End | None) -> End | None:
        """The job ended, and no recorder said how: it never began, or was killed with all that it watched."""
        code = self.state.exit_code
        if end is not None or code is None:
            return end
        if code in _ASKED_TO_END:
            error = Failure(code="interrupted", message="asked to end before its recorder had begun")
            return End(status="interrupted", exit_code=code, t=self.state.ended_t, error=error)
        said = [line for line in job_output(self.run, 4096).splitlines() if line.strip()]
        message = said[-1].strip()[:300] if said else f"the job ended with exit code {code} and without a record"
        error = Failure(code="unknown", message=message, hint=f"see {self.run.path / 'job' / 'output'}")
        return End(status="failed", exit_code=code, t=self.state.ended_t, error=error)

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
    return JobFacts(run=run, state=read_job(run)) if asked.place is not None else None


def the_end(ends: Sequence[End], nodes: int) -> End | None:
    """One end of all nodes: none while one goes on, unless another has failed; then the first failure is it."""
    by_node = {end.node: end for end in ends}
    failed = [end for end in by_node.values() if end.status != "completed"]
    if not by_node or (len(by_node) < nodes and not failed):
        return None
    first = min(failed, key=lambda end: end.t or 0.0) if failed else ends[-1]
    walls = [end.wall_s for end in by_node.values() if end.wall_s is not None]
    return first.replace(wall_s=max(walls)) if walls else first


def whereabouts(run: RunDir, asked: Request, starts: Sequence[How], phases: Mapping[str, float]) -> dict[str, object]:
    """Place, nodes and the time in the queue: the first start minus the submission."""
    place = asked.place
    if place is None:
        return {}
    from assay.launchers import traits_of  # most runs have no launcher: a list of them need not load any

    queues = traits_of(place.launcher).queues
    job = read_job(run)
    ranked = sorted(starts, key=lambda start: start.rank)
    nodes = list(dict.fromkeys(start.node for start in ranked if start.node))
    if not nodes and job.starts and queues:
        nodes = [job.starts[-1].node]
    found: dict[str, object] = {"place": place.name, "nodes": nodes}
    if asked.submitted_t is not None and job.starts and queues:
        queue_s = round(max(0.0, job.starts[0].t - asked.submitted_t), 3)
        found["phases"] = {"queue": queue_s, **phases}
    if len(job.starts) > 1:
        found["attempts"] = len(job.starts)
    return found


def iso(t: object) -> str | None:
    """A moment as `2026-11-15T14:15:59Z`."""
    moment = number(t)
    return None if moment is None else time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))
