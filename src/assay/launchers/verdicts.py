"""What the scheduler's last state of a job means, if the job recorded no end."""

from __future__ import annotations

import re

from assay.launchers.base import Seen
from assay.model.job import Verdict

_TIME = "ask for more time, or do less in one job"
_MEMORY = "a smaller batch, or more memory for the job"
_AGAIN = "start it again; a study does only what is missing"
#: state: (status, code, message, hint)
_STATES = {
    "TIMEOUT": ("failed", "time-limit", "the scheduler ended it at its time limit", _TIME),
    "DEADLINE": ("failed", "time-limit", "the scheduler ended it at its deadline", _TIME),
    "OUT_OF_MEMORY": ("failed", "out-of-memory", "it used more memory than the job asked for", _MEMORY),
    "CANCELLED": ("interrupted", "cancelled", "the job was cancelled", _AGAIN),
    "PREEMPTED": ("interrupted", "interrupted", "a more urgent job took its place", _AGAIN),
    "REVOKED": ("interrupted", "interrupted", "the scheduler took the job back", _AGAIN),
    "NODE_FAIL": ("interrupted", "interrupted", "its node failed", _AGAIN),
    "BOOT_FAIL": ("interrupted", "interrupted", "its node did not start", _AGAIN),
}
#: what is said of a job that is no longer known to its scheduler and left no exit code
_LOST = ("interrupted", "interrupted", "the job disappeared without an exit code", _AGAIN)
_NEVER_BEGAN = ("interrupted", "cancelled", "the job was cancelled in the queue, or lost by its scheduler", _AGAIN)
#: failures that a scheduler's own text in the job's output tells of, by code
_OUT_OF_MEMORY = re.compile(r"exceeded (?:\w+ )?memory limit|oom.kill", re.IGNORECASE)
_TOLD = {"time-limit": "TIMEOUT", "out-of-memory": "OUT_OF_MEMORY", "cancelled": "CANCELLED"}


def verdict_of(seen: Seen, output: str) -> Verdict | None:
    """By the state, corrected by what the scheduler's daemon wrote into the job's output; None for a plain end."""
    state = seen.state.split()[0].rstrip("+") if seen.state else ""
    written = told_state(output)
    vague = state == "CANCELLED" or state not in _STATES  # PBS says no more of a job that it ended itself
    if written == "OUT_OF_MEMORY" or (written and vague and state != "COMPLETED"):
        state = written
    if state in _STATES:
        return _words(_STATES[state], seen)
    if state == "FAILED" and seen.reason in ("JobLaunchFailure", "LaunchFailure"):
        return _words(
            ("failed", "missing-file", "the job could not be launched", "check that the node can see its folder"), seen
        )
    return None


def lost(*, begun: bool) -> Verdict:
    """Of a job that its scheduler has forgotten. An element of an array that is cancelled in the queue leaves no trace,
    not even in the accounting."""
    return _words(_LOST if begun else _NEVER_BEGAN, None)


def told(output: str) -> Verdict | None:
    """What the scheduler's daemon wrote into the job's output, where it can no longer be asked."""
    state = told_state(output)
    return _words(_STATES[state], None) if state else None


def told_state(output: str) -> str | None:
    """From the daemon's words alone: what the command itself prints is not in this file."""
    for line in output.splitlines():
        if _OUT_OF_MEMORY.search(line):
            return "OUT_OF_MEMORY"
    from assay.readers.failures import diagnose  # as in slurm.py

    for line in output.splitlines():
        if "DUE TO NODE FAILURE" in line:
            return "NODE_FAIL"
        if "DUE TO PREEMPTION" in line:
            return "PREEMPTED"
        if "slurmstepd" in line or "=>> PBS" in line or "CANCELLED AT" in line:
            known = diagnose(line)
            if known and known.code in _TOLD:
                return _TOLD[known.code]
    return None


def _words(chosen: tuple[str, str, str, str], seen: Seen | None) -> Verdict:
    status, code, message, hint = chosen
    where = f" ({seen.node})" if seen is not None and seen.node and code == "interrupted" else ""
    return Verdict(status=status, code=code, message=message + where, hint=hint)
