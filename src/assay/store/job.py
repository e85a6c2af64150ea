"""The job folder of a run that was prepared first and started later, perhaps elsewhere: who began it, how it ended."""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.store.layout import RunDir, write_json, write_whole


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
    seen: dict[str, Any] | None = None


def folder(run: RunDir) -> Path:
    return run.path / "job"


def read_job(run: RunDir) -> JobState:
    """As it stands now; a file that is being written counts as there."""
    place, starts = folder(run), []
    try:
        names = os.listdir(place)
    except OSError:
        return JobState()
    for attempt in range(sum(name.startswith("start.") for name in names)):
        starts.append(_start(place / f"start.{attempt}"))
    code, ended_t = _end(place / f"end.{len(starts) - 1}") if starts else (None, None)
    seen = None
    if "seen.json" in names:
        with suppress(OSError, ValueError):
            seen = json.loads((place / "seen.json").read_bytes())
    return JobState(
        starts=tuple(starts), exit_code=code, ended_t=ended_t, seen=seen if isinstance(seen, dict) else None
    )


def _start(path: Path) -> Start:
    words: list[str] = []
    with suppress(OSError):
        words = path.read_text(errors="replace").split()
    try:
        t = float(words[0])
    except (IndexError, ValueError):  # begun this moment
        t = time.time()
    pid = words[2] if len(words) > 2 else ""
    return Start(t=t, node=words[1] if len(words) > 1 else "", pid=int(pid) if pid.isdigit() else None,
                 job_id=words[3] if len(words) > 3 else "")  # fmt: skip


def _end(path: Path) -> tuple[int | None, float | None]:
    try:
        code, t = path.read_text().split()
        return int(code), float(t)
    except (OSError, ValueError):
        return None, None


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
    try:
        return (folder(run) / "id").read_text().strip() or None
    except OSError:
        return None


def note_seen(run: RunDir, seen: dict[str, Any]) -> None:
    """What only the scheduler knew; the summary that was made without it is made again."""
    write_json(folder(run) / "seen.json", {**seen, "t": round(time.time(), 3)})
    run.summary_json.unlink(missing_ok=True)


def job_output(run: RunDir, limit: int = 1 << 16) -> str:
    """The end of what scheduler and set-up printed."""
    try:
        with open(folder(run) / "output", "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - limit))
            return file.read().decode("utf-8", "replace")
    except OSError:
        return ""
