"""The job folder of a run that was prepared first and started later, perhaps elsewhere: who began it, how it ended."""

from __future__ import annotations

import json
import os
import re
import time
from dataclasses import dataclass
from pathlib import Path

from assay.model.job import Verdict
from assay.model.record import LAST_T
from assay.store.files import names_in, try_open, try_read
from assay.store.layout import RunDir, write_json, write_whole

_FOLDER = "job"
_PID, _CODE = re.compile(r"[0-9]{1,18}"), re.compile(r"-?[0-9]{1,18}")


@dataclass(frozen=True, kw_only=True)
class Start:
    """The beginning of an attempt, in the job's own words."""

    t: float
    node: str
    pid: int | None
    job_id: str


@dataclass(frozen=True, kw_only=True)
class JobState:
    """All that the job folder tells. `exit_code` is of the last attempt, and None while it goes on."""

    starts: tuple[Start, ...] = ()
    exit_code: int | None = None
    ended_t: float | None = None
    verdict: Verdict | None = None


def folder(run: RunDir) -> Path:
    return run.path / _FOLDER


def read_job(run: RunDir) -> JobState:
    """As it stands now; a file that is being written counts as there."""
    names = names_in(run.path, _FOLDER)
    attempts = sum(name.startswith("start.") for name in names)
    starts = [_start(run, attempt) for attempt in range(attempts)]
    code, ended_t = _end(run, len(starts) - 1) if starts else (None, None)
    verdict = _verdict(run) if "seen.json" in names else None
    return JobState(starts=tuple(starts), exit_code=code, ended_t=ended_t, verdict=verdict)


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
    )


def _end(run: RunDir, attempt: int) -> tuple[int | None, float | None]:
    words = _words(run, f"end.{attempt}")
    t = _moment(words[1]) if len(words) == 2 else None
    return (int(words[0]), t) if t is not None and _CODE.fullmatch(words[0]) else (None, None)


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
    """Begin the first attempt: True for the one process that may, whoever else tries."""
    folder(run).mkdir(mode=0o755, exist_ok=True)
    try:
        fd = os.open(folder(run) / "start.0", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    except FileExistsError:
        return False
    with os.fdopen(fd, "w") as file:
        file.write(f"{time.time():.6f} {node} {os.getpid()} {job_id}\n")
    return True


def note_end(run: RunDir, code: int) -> None:
    write_whole(folder(run) / "end.0", f"{code} {time.time():.6f}\n".encode())


def keep_id(run: RunDir, job_id: str) -> None:
    write_whole(folder(run) / "id", f"{job_id}\n".encode())


def read_id(run: RunDir) -> str | None:
    return (try_read(run.path, _FOLDER, "id") or b"").decode("utf-8", "replace").strip() or None


def note_verdict(run: RunDir, verdict: Verdict) -> None:
    """What only the scheduler knew; the summary that was made without it is made again."""
    write_json(folder(run) / "seen.json", verdict.replace(t=round(time.time(), 3)).as_json())
    run.summary_json.unlink(missing_ok=True)


def job_output(run: RunDir, limit: int = 1 << 16) -> str:
    """The end of what scheduler and set-up printed."""
    file = try_open(run.path, _FOLDER, "output")
    if file is None:
        return ""
    with file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - limit))
        return file.read(limit).decode("utf-8", "replace")
