"""A job that its launcher no longer runs: what became of it, from its own files and the scheduler's last word.

Neither is trusted alone: a job killed for its memory may have written exit code 0, and one that timed out none at all.
"""

from __future__ import annotations

from assay.launchers.base import Job, Launcher, Seen
from assay.launchers.verdicts import lost
from assay.model.job import Verdict
from assay.store import job as jobs
from assay.store.layout import write_json
from assay.summary.build import summarise


def settle(launcher: Launcher, job: Job, seen: Seen | None, *, patience_left: bool) -> bool:
    """False while its last words may still be on their way; then True, and the summary is complete."""
    state = jobs.read_job(job.run)
    ended = state.exit_code is not None
    if not launcher.traits.queues:
        return _settle_local(job, ended, seen)
    if state.verdict is not None and state.verdict.status is not None:
        return True
    output = "" if ended and seen is not None and seen.state == "COMPLETED" else jobs.job_output(job.run)
    verdict = launcher.verdict(seen, output) if seen is not None else None
    if verdict is None and not ended:
        if patience_left:
            return False  # on a shared file system the exit code may come after the scheduler's word
        verdict = lost(output)
    if verdict is not None:
        if seen is not None:
            verdict = verdict.replace(state=seen.state, reason=seen.reason, node=seen.node)
        jobs.note_verdict(job.run, verdict)
    _complete(job)
    return True


def note_requeue(job: Job, seen: Seen) -> None:
    """A job that ran, lost its node and waits again: what its files say is no longer how it stands."""
    if seen.phase == "queued" and seen.restarts:
        state = jobs.read_job(job.run)
        if state.starts and state.verdict is None and seen.restarts >= len(state.starts):
            jobs.note_verdict(job.run, Verdict(state=seen.state, restarts=seen.restarts))


def _settle_local(job: Job, ended: bool, seen: Seen | None) -> bool:
    """A recorder that is not our child is followed by its record."""
    if not ended:
        summary = summarise(job.run)
        if summary.status == "running" or (summary.status == "queued" and seen is None):
            return False
        if summary.status == "queued":  # the recorder ended before it began: its words are in job/output
            said = jobs.job_output(job.run).strip().splitlines()
            message = said[0].removeprefix("error: ") if said else "the recorder did not start"
            jobs.note_verdict(job.run, Verdict(status="failed", code="unknown", message=message))
    _complete(job)
    return True


def _complete(job: Job) -> None:
    if not job.run.summary_json.exists():
        write_json(job.run.summary_json, summarise(job.run).as_json())
