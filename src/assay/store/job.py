"""The job folder of a run that was prepared first and started later, perhaps elsewhere: who began it, how it ended."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from assay.model.job import Verdict
from assay.model.record import LAST_T
from assay.model.request import Request
from assay.store.files import names_in, try_open, try_read
from assay.store.layout import RunDir, write_json, write_whole

_FOLDER = "job"
#: where a job finds its own number
_IDS = ("SLURM_JOB_ID", "PBS_JOBID", "COBALT_JOBID", "LSB_JOBID", "FLUX_JOB_ID")
_PID, _CODE = re.compile(r"[0-9]{1,18}"), re.compile(r"-?[0-9]{1,18}")


@dataclass(frozen=True, kw_only=True)
class Start:
    """The beginning of an attempt, in the job's own words."""

    t: float
    node: str
    pid: int | None
    job_id: str
    lost_t: float | None = None  # the last sign of life of the attempt before


@dataclass(frozen=True, kw_only=True)
class SetupFailure:
    """The set-up line that ended the job: its number, its exit code and the end of what it printed."""

    line: int
    exit_code: int
    said: str


@dataclass(frozen=True, kw_only=True)
class JobState:
    """Everything in the job folder. `exit_code` is that of the last attempt, and None while it runs."""

    starts: tuple[Start, ...] = ()
    exit_code: int | None = None
    ended_t: float | None = None
    verdict: Verdict | None = None
    setup: SetupFailure | None = None
    done: bool = False  # the command of the last attempt ended well; perhaps nothing after that was written

    @property
    def settled(self) -> bool:
        """Whether its scheduler had the last word; one that waits again for its start has not ended."""
        verdict = self.verdict
        return verdict is not None and (verdict.status is not None or verdict.restarts is None)


def folder(run: RunDir) -> Path:
    return run.path / _FOLDER


def read_job(run: RunDir) -> JobState:
    """As it stands now; a file that is being written counts as there."""
    names = names_in(run.path, _FOLDER)
    attempts = sum(name.startswith("start.") for name in names)
    starts = [_start(run, attempt) for attempt in range(attempts)]
    code, ended_t = _end(run, len(starts) - 1, names) if starts else (None, None)
    verdict = _verdict(run) if "seen.json" in names else None
    setup = _setup(run) if "setup-failed" in names else None
    noted = _noted(len(starts) - 1)
    done = code == 0 or (noted in names and _words(run, noted)[:1] == ["0"])
    return JobState(starts=tuple(starts), exit_code=code, ended_t=ended_t, verdict=verdict, setup=setup, done=done)


def _noted(attempt: int) -> str:
    """The room that a job keeps for its exit code, before it is given its name."""
    return f".end.{attempt}"


def _words(run: RunDir, name: str) -> list[str]:
    return (try_read(run.path, _FOLDER, name) or b"").decode("utf-8", "replace").split()


def _start(run: RunDir, attempt: int) -> Start:
    words = _words(run, f"start.{attempt}")
    t = _moment(words[0]) if words else None
    pid = words[2] if len(words) > 2 else ""
    return Start(
        t=time.time() if t is None else t,  # begun this moment
        node=words[1] if len(words) > 1 else "",
        pid=int(pid) if _PID.fullmatch(pid) else None,
        job_id=words[3] if len(words) > 3 else "",
        lost_t=_moment(words[4]) if len(words) > 4 else None,
    )


def _end(run: RunDir, attempt: int, names: Sequence[str]) -> tuple[int | None, float | None]:
    """(exit code, when). On a full disk the code may be in the name of an empty file alone."""
    words = _words(run, f"end.{attempt}")
    t = _moment(words[1]) if len(words) == 2 else None
    if t is not None and _CODE.fullmatch(words[0]):
        return int(words[0]), t
    begin = f"end.{attempt}."
    named = (name.removeprefix(begin) for name in names if name.startswith(begin))
    return next((int(code) for code in named if _CODE.fullmatch(code)), None), None


def _setup(run: RunDir) -> SetupFailure | None:
    text = (try_read(run.path, _FOLDER, "setup-failed") or b"").decode("utf-8", "replace")
    first, _, said = text.partition("\n")
    code, _, line = first.partition(" ")
    if not (_CODE.fullmatch(code) and _PID.fullmatch(line)):
        return SetupFailure(line=0, exit_code=1, said="")  # the disk is full: that it failed is all that is known
    return SetupFailure(line=int(line), exit_code=int(code), said=said.strip())


def _moment(word: str) -> float | None:
    try:
        t = float(word)
    except ValueError:
        return None
    return t if 0 <= t <= LAST_T else None


def _verdict(run: RunDir) -> Verdict | None:
    """The scheduler's word, as far as it is valid."""
    try:
        raw = json.loads(try_read(run.path, _FOLDER, "seen.json") or b"null")
    except (ValueError, RecursionError):
        return None
    return Verdict.of(raw) if isinstance(raw, dict) else None


def claim(run: RunDir, node: str, job_id: str) -> bool:
    """Begin the first attempt: True for exactly one of the processes that try."""
    folder(run).mkdir(mode=0o755, exist_ok=True)
    try:
        fd = os.open(folder(run) / "start.0", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    except FileExistsError:
        return False
    with os.fdopen(fd, "w") as file:
        file.write(f"{time.time():.6f} {node} {os.getpid()} {job_id}\n")
    return True


def note_end(run: RunDir, code: int) -> None:
    note_exit(run, 0, code)


def note_done(run: RunDir) -> None:
    """That the command has ended well, before anything else is made of it: into room that is taken already, so that a
    full disk is no trouble. If all is killed in the next moment, the work is not done again."""
    attempts = sum(name.startswith("start.") for name in names_in(run.path, _FOLDER))
    with suppress(OSError):
        fd = os.open(folder(run) / _noted(attempts - 1), os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            os.pwrite(fd, f"0 {time.time():.6f}\n".encode(), 0)
        finally:
            os.close(fd)


def has_ended(run: RunDir) -> bool:
    """Whether the last attempt has written its exit code: one look at the folder."""
    names = names_in(run.path, _FOLDER)
    attempts = sum(name.startswith("start.") for name in names)
    return attempts > 0 and any(name.startswith(f"end.{attempts - 1}") for name in names)


def keep_done(run: RunDir, attempt: int) -> None:
    """What was noted is its exit code: nothing else of it will come."""
    with suppress(FileNotFoundError):  # the job did so itself meanwhile
        os.rename(folder(run) / _noted(attempt), folder(run) / f"end.{attempt}")
    run.summary_json.unlink(missing_ok=True)


def keep_id(run: RunDir, job_id: str) -> None:
    write_whole(folder(run) / "id", f"{job_id}\n".encode())


def keep_name(run: RunDir, name: str) -> None:
    """What the job is called in its queue, before it is handed over, and when that was."""
    write_whole(folder(run) / "name", f"{name}\n{time.time():.6f}\n".encode())


def read_name(run: RunDir) -> str | None:
    return next(iter(_words(run, "name")), None)


def queued_s(run: RunDir, state: JobState, asked: Request) -> float | None:
    """How long it waited in the queue, over all of its starts. Until it was handed over it waited for us."""
    words = _words(run, "name")
    handed_t = (_moment(words[1]) if len(words) > 1 else None) or asked.submitted_t
    if handed_t is None or not state.starts:
        return None
    waits = [state.starts[0].t - handed_t, *(start.t - (start.lost_t or start.t) for start in state.starts[1:])]
    return round(sum(max(0.0, one) for one in waits), 3)


def current_id(run: RunDir) -> str | None:
    """The job that began this run, as it reports itself; before that, the one that was submitted."""
    last = len([name for name in names_in(run.path, _FOLDER) if name.startswith("start.")]) - 1
    return (_start(run, last).job_id if last >= 0 else "") or read_id(run)


def read_id(run: RunDir) -> str | None:
    return (try_read(run.path, _FOLDER, "id") or b"").decode("utf-8", "replace").strip() or None


def job_id_in(variables: Mapping[str, str]) -> str | None:
    """The id of the job that these variables belong to; Slurm counts the elements of an array separately."""
    array, element = variables.get("SLURM_ARRAY_JOB_ID"), variables.get("SLURM_ARRAY_TASK_ID")
    if array and element:
        return f"{array}_{element}"
    return next((variables[name] for name in _IDS if variables.get(name)), None)


def job_id_of(run: RunDir, asked: Request) -> str | None:
    """The number of the job that a run was, or is to be, part of."""
    return job_id_in(asked.scheduler) or read_id(run)


def is_job(job_id: str | None, word: str) -> bool:
    """Whether a word names a job: `123` is also `123_4` of an array, and PBS's `123.server`."""
    return job_id is not None and (job_id == word or (job_id.startswith(word) and job_id[len(word)] in "_.["))


def note_verdict(run: RunDir, verdict: Verdict) -> None:
    """What only the scheduler knew; the summary that was made without it is made again."""
    write_json(folder(run) / "seen.json", verdict.replace(t=round(time.time(), 3)).as_json())
    run.summary_json.unlink(missing_ok=True)


def forget_verdict(run: RunDir) -> None:
    """Forget what the scheduler reported before."""
    (folder(run) / "seen.json").unlink(missing_ok=True)
    run.summary_json.unlink(missing_ok=True)


def note_heard(run: RunDir, state: str) -> None:
    """That its scheduler has nothing to add to what the job said itself: it need not be asked again."""
    verdict = Verdict(state=state, t=round(time.time(), 3))
    write_json(folder(run) / "seen.json", verdict.as_json())


def note_exit(run: RunDir, attempt: int, code: int) -> None:
    """The exit code; where the disk is full, by the name of an empty file, which often has room still."""
    try:
        write_whole(folder(run) / f"end.{attempt}", f"{code} {time.time():.6f}\n".encode())
    except OSError:
        with suppress(OSError):
            (folder(run) / f"end.{attempt}.{code}").touch(mode=0o644)


def job_output(run: RunDir, limit: int = 1 << 16) -> str:
    """The end of what scheduler and set-up printed."""
    file = try_open(run.path, _FOLDER, "output")
    if file is None:
        return ""
    with file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - limit))
        return file.read(limit).decode("utf-8", "replace")
