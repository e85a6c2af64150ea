"""A run that goes on elsewhere is running, whatever clocks, names and network file systems show of it."""

from __future__ import annotations

import json
import os
import socket
import time
from pathlib import Path

import pytest

from assay.facts.host import boot_id
from assay.probes.tree import birth
from assay.store.layout import create, write_json
from assay.summary.build import summarise


def status(folder: Path, *, host: str = "elsewhere", boot: str | None = "another", pid: int = 7, said_s: float = 0.0,
           dated_s: float = 0.0, born: float | None = 1.0) -> str:  # fmt: skip
    """Of a run whose last words are so many seconds old by its clock, and by the date of the file that holds them."""
    run = create(folder, "x-1")
    t, said_t = time.time() - 3600, time.time() - said_s
    write_json(run.run_json, {"v": 1, "id": "x", "asked_t": t, "host": {"name": host, "boot": boot}})
    who = {"host": host, "boot": boot, "recorder_pid": pid, "recorder_birth": born, "how": "executed"}
    lines = [
        {"v": 1, "t": t, "mono_s": 10.0, "kind": "how", "from": "launcher", **who},
        {"v": 1, "t": said_t, "mono_s": 10.0 + said_t - t, "kind": "beat", "from": "launcher"},
    ]
    path = run.events / "elsewhere-7-1.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    os.utime(path, (time.time() - dated_s,) * 2)
    return str(summarise(run).status)


@pytest.mark.parametrize(
    ("said_s", "dated_s"),
    [(3, 3), (62, 62), (62, 100), (3, 2000), (-60, 0), (60, -60), (2000, 20)],
    ids=["fresh", "a clock a minute behind", "and a file seen late", "an old date", "a clock ahead", "both", "skewed"],
)
def test_a_beat_that_is_seen_late_or_by_another_clock_is_one(tmp_path: Path, said_s: float, dated_s: float) -> None:
    assert status(tmp_path, said_s=said_s, dated_s=dated_s) == "running"


def test_a_run_elsewhere_that_is_silent_for_long_was_interrupted(tmp_path: Path) -> None:
    assert status(tmp_path, said_s=400, dated_s=400) == "interrupted"


def test_a_host_with_another_name_is_the_same_host(tmp_path: Path) -> None:
    ours = {"boot": boot_id(), "pid": os.getpid(), "born": birth(os.getpid())}
    assert status(tmp_path / "a", host="its-old-name", said_s=900, dated_s=900, **ours) == "running"
    assert status(tmp_path / "b", host=socket.gethostname(), said_s=900, dated_s=900, **ours) == "running"


def test_a_process_that_is_gone_from_this_host_does_not_run_however_fresh_its_beat_is(tmp_path: Path) -> None:
    assert status(tmp_path, host=socket.gethostname(), boot=boot_id(), pid=os.getpid(), born=1.0) == "interrupted"
