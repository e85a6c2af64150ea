"""A job that its launcher no longer runs: what became of it, from its own files and the scheduler's last word.

Neither is trusted alone: a job killed for its memory may have written exit code 0, and one that timed out none at all.
"""

from __future__ import annotations

import socket
from contextlib import suppress

from assay.errors import RunError
from assay.launchers.base import Launcher, Seen
from assay.launchers.verdicts import lost, told
from assay.model.job import Verdict
from assay.store import job as jobs
from assay.store.layout import RunDir, write_json
from assay.summary.build import recorder_lives, summarise


def settle(launcher: Launcher, run: RunDir, seen: Seen | None, *, patience_left: bool) -> bool:
    """False while its last words may still be on their way; then True, and the summary is complete."""
    state = jobs.read_job(run)
    ended = state.exit_code is not None
    if not launcher.traits.queues:
        return _settle_local(run, ended, seen)
    if state.verdict is not None and state.verdict.status is not None:
        return True
    if state.verdict is not None and state.verdict.restarts is not None:
        jobs.forget_verdict(run)  # it was put back into the queue, and waits there no longer: what it did counts again
        state = jobs.read_job(run)
    if state.done and not ended:  # killed with all that it watched, after the work and before its last word
        jobs.keep_done(run, len(state.starts) - 1)
        state = jobs.read_job(run)
        ended = state.exit_code is not None
    verdict = _verdict(launcher, run, state, seen)
    if verdict is None and not ended:
        if patience_left:
            return False  # on a shared file system the exit code may come after the scheduler's word
        if recorder_lives(run):
            return False  # its script is gone and its work is not: done again, it would be done twice
        if seen is None or seen.exit_code is None or not state.starts:
            verdict = lost(begun=bool(state.starts))
        else:
            jobs.note_exit(run, len(state.starts) - 1, seen.exit_code)
            run.summary_json.unlink(missing_ok=True)
    if verdict is None:
        jobs.note_heard(run, seen.state if seen is not None else "forgotten")
    elif seen is None:
        jobs.note_verdict(run, verdict)
    else:
        jobs.note_verdict(run, verdict.replace(state=seen.state, reason=seen.reason, node=seen.node))
    _complete(run)
    return True


def _verdict(launcher: Launcher, run: RunDir, state: jobs.JobState, seen: Seen | None) -> Verdict | None:
    """The scheduler's, or where it has forgotten the job, what it wrote into the job's output; None for a plain end."""
    if state.exit_code == 0 and (seen is None or seen.state == "COMPLETED"):
        return None
    output = jobs.job_output(run)
    if seen is None:
        return told(output)
    verdict = launcher.verdict(seen, output)
    if verdict is None and not state.starts and seen.exit_code:
        said = [line.strip() for line in output.splitlines() if line.strip()]
        message = said[-1] if said else f"the job ended with exit code {seen.exit_code} before the run began"
        return Verdict(status="failed", code="unknown", message=message, hint=f"see {run.path / 'job' / 'output'}")
    if verdict is not None and verdict.code != "out-of-memory" and summarise(run).status == "completed":
        return None  # it was ended after its work was done, while it was being summed up
    # a job that was killed is called one that could not be launched
    return None if verdict is not None and verdict.code == "missing-file" and state.starts else verdict


def note_requeue(run: RunDir, seen: Seen) -> None:
    """A job that ran and waits again: its files no longer show its state."""
    if seen.phase == "queued" and seen.restarts:
        state = jobs.read_job(run)
        if state.starts and not _noted(state, seen) and seen.restarts >= len(state.starts):
            jobs.note_verdict(run, Verdict(state=seen.state, restarts=seen.restarts))


def _noted(state: jobs.JobState, seen: Seen) -> bool:
    return state.verdict is not None and state.verdict.restarts == seen.restarts


def _settle_local(run: RunDir, ended: bool, seen: Seen | None) -> bool:
    """A recorder that is not our child is followed by its record."""
    if not ended:
        summary = summarise(run)
        if summary.status == "running" or (summary.status == "queued" and seen is None):
            return False
        if jobs.read_job(run).setup is not None:
            jobs.claim(run, socket.gethostname(), "")  # in the place of its recorder, which was not started
            jobs.note_end(run, RunError.exit_code)
        elif summary.status == "queued":  # the recorder ended before it began: its messages are in job/output
            said = jobs.job_output(run).strip().splitlines()
            message = said[0].removeprefix("error: ") if said else "the recorder did not start"
            jobs.note_verdict(run, Verdict(status="failed", code="unknown", message=message))
    _complete(run)
    return True


def _complete(run: RunDir) -> None:
    if not run.summary_json.exists():
        with suppress(OSError):  # a full disk: the summary is made again when it is needed
            write_json(run.summary_json, summarise(run).as_json())
