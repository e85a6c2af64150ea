"""What a launcher is: it starts the recorder of a prepared run somewhere, and tells later what became of it.

The state of a job lives in its run directory and in the scheduler, never in the process that submitted it:

    <run>/job/script      what the scheduler was given
             id           the scheduler's name for the job, once it was heard
             output       what the scheduler and the set-up lines printed, not the command
             start.<n>    written by the job itself as the n-th attempt begins: seconds, node, process id
             end.<n>      and as it ends: exit code, seconds
             seen.json    what the scheduler said that the job could not say itself: time limit, cancelled, node lost
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from assay.errors import AssayError
from assay.launchers.places import Place
from assay.model.job import Verdict
from assay.store.layout import RunDir

_BASE32 = "abcdefghijkmnopqrstuvwxyz2345678"


@dataclass(frozen=True, kw_only=True)
class Job:
    """A prepared run and what starts it. The name is fixed before submitting, so that a lost job is found by it."""

    run: RunDir
    place: Place
    command: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    timeout_s: float | None = None

    @property
    def name(self) -> str:
        return job_name(self.run)

    @property
    def folder(self) -> Path:
        return self.run.path / "job"


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What a scheduler says of one job now. `phase`: queued, running, gone (it ended, or was never there)."""

    job_id: str
    phase: str
    state: str  # in the scheduler's own word
    reason: str = ""
    node: str = ""
    restarts: int = 0


class Refused(AssayError):
    """The scheduler will not take this job: the request itself is impossible here."""


class NotAnswering(AssayError):
    """The scheduler cannot be reached now; what was submitted may go on all the same."""


@dataclass(frozen=True, kw_only=True)
class Traits:
    """What a kind of place can do: whoever needs to know asks for this, and never for its name."""

    queues: bool = False  # jobs wait in a queue, say themselves when they begin, and outlive whoever submitted them
    starts_tasks: bool = False  # several tasks inside a job, by a command of the scheduler
    spreads: bool = False  # the command is started by torchrun, even where one process is enough


class Launcher(Protocol):
    """One kind of place. `after` are job ids that must have ended before this one may start."""

    name: str
    traits: Traits

    def submit(self, job: Job, after: Sequence[str] = ()) -> str: ...

    def poll(self, places: Sequence[Place]) -> dict[str, Seen]:
        """By job name, every job of this user that is known there: one question, however many jobs."""

    def cancel(self, jobs: Mapping[str, str]) -> None:
        """Ends jobs, by name and id."""

    def never_starts(self, seen: Seen) -> str | None:
        """Why a waiting job can never start, or None where it may."""

    def verdict(self, seen: Seen, output: str) -> Verdict | None:
        """Status, code, message and hint of an end that the job itself could not tell of; None for a plain end."""


def job_name(run: RunDir) -> str:
    """Fifteen characters, which every scheduler takes, and no two runs share."""
    number = int.from_bytes(hashlib.sha256(str(run.path.name).encode()).digest()[:8], "big")
    letters = ""
    for _ in range(10):
        number, letter = divmod(number, 32)
        letters += _BASE32[letter]
    return f"assay{letters}"
