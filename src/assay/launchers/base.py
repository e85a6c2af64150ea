"""What a launcher is: it starts the recorder of a prepared run somewhere, and reports later how it ended.

The state of a job lives in its run directory and in the scheduler, never in the process that submitted it:

    <run>/job/script      what the scheduler was given
             name         what the job is called there, written before it is handed over: `NAME`, in an array `NAME[4]`
             id           the scheduler's number of the job, once it was heard
             output       what the scheduler and the set-up lines printed, not the command
             start.<n>    written by the job itself as the n-th attempt begins: seconds, node, process id
             end.<n>      and as it ends: exit code, seconds
             seen.json    what the scheduler said that the job could not say itself: time limit, cancelled, node lost
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable

from assay.errors import AssayError
from assay.launchers.places import Place
from assay.model.job import Verdict
from assay.store.layout import RunDir, id_of

_BASE32 = "abcdefghijkmnopqrstuvwxyz2345678"


@dataclass(frozen=True, kw_only=True)
class Job:
    """A prepared run and what starts it. The name is fixed before submitting, so that a lost job is found by it."""

    run: RunDir
    place: Place
    command: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    timeout_s: float | None = None
    title: str = ""  # what people know it by: its study

    @property
    def name(self) -> str:
        return job_name(self.run, self.title)

    @property
    def folder(self) -> Path:
        return self.run.path / "job"


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What a scheduler reports about one job now. `phase`: queued, running, gone (it ended, or was never there)."""

    job_id: str
    phase: str
    state: str  # in the scheduler's own word
    reason: str = ""
    node: str = ""
    restarts: int = 0
    exit_code: int | None = None  # where it ended by itself, as the scheduler has it
    starts: str = ""  # when the scheduler expects to start it, as it writes that


class Refused(AssayError):
    """The scheduler will not take this job: the request itself is impossible here."""


class Limited(AssayError):
    """The scheduler accepts no further jobs from this user for now: wait, then submit it again."""


class NotAnswering(AssayError):
    """The scheduler cannot be reached now; what was submitted may go on all the same."""


@dataclass(frozen=True, kw_only=True)
class Traits:
    """What a kind of place can do: other code asks for this, and never for its name."""

    queues: bool = False  # jobs wait in a queue, report when they begin, and outlive the process that submitted them
    starts_tasks: bool = False  # several tasks inside a job, by a command of the scheduler
    spreads: bool = False  # the command is started by torchrun, even where one process is enough


class Launcher(Protocol):
    """One kind of place. Jobs are asked for by what they are called there, with its id or "" where it was lost."""

    name: str
    traits: Traits

    def submit(self, job: Job) -> str: ...

    def poll(self, jobs: Mapping[str, str]) -> dict[str, Seen]:
        """What is known there of these jobs, by name: one question, however many jobs."""

    def cancel(self, jobs: Mapping[str, str]) -> None:
        """Ends jobs, by name and id."""

    def remedy(self, seen: Seen) -> str | None:
        """What to do about a job that waits for something no time will bring; None where it only has to wait."""

    def verdict(self, seen: Seen, output: str) -> Verdict | None:
        """Status, code, message and hint of an end that the job itself could not report; None for a plain end."""


@runtime_checkable
class TakesArrays(Protocol):
    """A scheduler that takes many jobs in one submission, where they ask for the same."""

    most_elements: int

    def submit_array(self, name: str, jobs: Sequence[Job]) -> list[str]: ...


@runtime_checkable
class KillsAtOnce(Protocol):
    """Jobs that a launcher can end without their consent."""

    def kill(self, jobs: Mapping[str, str]) -> None:
        """By name and process id; asked for again and again until they are gone."""


@runtime_checkable
class KeepsHistory(Protocol):
    """A scheduler that remembers jobs elsewhere after its queue has forgotten them."""

    def history(self, jobs: Mapping[str, str]) -> dict[str, Seen]: ...


def job_name(run: RunDir, title: str = "") -> str:
    """What people see in the queue: study, what varies, and the six letters that the run can be asked for by. No two
    runs share it."""
    folder = run.path.name
    said, letters = folder.removesuffix(id_of(folder)).rstrip("-"), _letters(folder)
    whole = plain_name(f"{title}.{said}" if title and said != title else said or title)
    return f"{whole[:60].rstrip('._-')}-{letters}"


def array_name(jobs: Sequence[Job]) -> str:
    """Of several jobs that are submitted at once: the study, how many, and the letters of the first."""
    title = plain_name(jobs[0].title)[:60]
    return f"{title}.{len(jobs)}runs-{_letters(jobs[0].run.path.name)}"


def plain_name(text: str) -> str:
    """As every scheduler takes it: it begins with a letter, and holds nothing that a list of names could not."""
    plain = re.sub(r"[^A-Za-z0-9._=-]+", "_", text).strip("._-=")
    return plain if plain[:1].isalpha() else f"run{plain}"


def _letters(folder: str) -> str:
    """Those that end a run's id; of a folder with another name, some that are as good."""
    last = id_of(folder).rpartition("-")[2]
    if re.fullmatch(r"[a-z0-9]{6}", last):
        return last
    import hashlib  # few need it: a recorder's start is counted in files that it opens

    number = int.from_bytes(hashlib.sha256(folder.encode()).digest()[:8], "big")
    return "".join(_BASE32[number >> 5 * at & 31] for at in range(6))
