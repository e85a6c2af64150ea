"""A command that prints more than can be read: its record stays small, and what is missing is named."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from conftest import PYTHON, Assay, wait_for, warnings

#: lines that all differ in their figures
MANY = """
import sys
line = "step {{}} loss {{:.3f}}\\n".format
for begin in range(0, {lines}, 10000):
    sys.stdout.write("".join(line(i, i * 7919 % 9973 / 1000 + 1) for i in range(begin, begin + 10000)))
print("step {lines} loss 0.125")
"""


def read_events(assay: Assay) -> list[dict]:
    return [event for event in assay.events() if event["from"] == "reader:generic" and event["kind"] == "metric"]


def events_bytes(assay: Assay) -> int:
    return sum(path.stat().st_size for path in (assay.run_dir() / "events").iterdir())


def test_a_million_equal_lines_cost_next_to_nothing_and_are_counted(assay: Assay) -> None:
    done = assay("run", "--", "sh", "-c", "yes step 1 loss 0.5 | head -3000000", timeout=300)
    assert done.returncode == 0
    assert len(done.stdout) == 3_000_000 * 16
    (said,) = warnings(done.stderr)
    assert b"the output repeats itself" in said
    assert events_bytes(assay) < 4 << 20
    summary = assay.summary()
    assert (summary["steps"], summary["loss"]) == (1, 0.5)
    kept = [event["line"] for event in read_events(assay)]
    assert (kept[0], kept[-1]) == (1, 3_000_000)
    assert summary["own_cpu_s"] < 10  # took a minute and a half once


def test_lines_by_the_hundred_thousand_are_thinned_to_their_ends_peaks_and_an_even_sample(assay: Assay) -> None:
    done = assay("run", "--", PYTHON, assay.script(MANY.format(lines=100_000)), timeout=300)
    assert done.returncode == 0
    size = (assay.run_dir() / "output.log").stat().st_size
    assert events_bytes(assay) < max(size, 4 << 20) + (1 << 20)
    assert assay.summary()["loss"] == 0.125
    kept = read_events(assay)
    steps = [event["step"] for event in kept]
    unread = any("unread_bytes" in event for event in assay.events())
    assert steps[0] == 0 and steps[-1] == 100_000 and len(steps) < 100_000
    if not unread:  # a machine that is busy with other things may leave some out
        assert max(later - earlier for earlier, later in pairwise(steps)) < 1000
        assert max(event["loss"] for event in kept) == 10.972
    (told,) = [event for event in assay.events() if "readings_left_out" in event]
    assert told["problem"] in assay.summary()["problems"]


def test_few_lines_are_all_kept(assay: Assay) -> None:
    done = assay("run", "--", PYTHON, "-c", "for i in range(2000): print('step', i, 'loss', 1 / (i + 1))")
    assert warnings(done.stderr) == []
    assert [event["step"] for event in read_events(assay)] == list(range(2000))


@pytest.fixture(scope="module")
def flood(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three million lines that all differ: far more than two seconds can read."""
    path = tmp_path_factory.mktemp("flood") / "flood.txt"
    with open(path, "wb") as file:
        subprocess.run([PYTHON, "-c", MANY.format(lines=3_000_000)], stdout=file, check=True)
    return path


def reads_the_rest(assay: Assay, process: subprocess.Popen[bytes]) -> bool:
    """The command is over, its end is known, and its probes have stopped: only the reading goes on."""
    begun = assay.run_dirs() and (assay.run_dir() / "output.log").exists()
    return bool(begun) and _all_is_printed(assay) and len(os.listdir(f"/proc/{process.pid}/task")) == 1


def _all_is_printed(assay: Assay) -> bool:
    with open(assay.run_dir() / "output.log", "rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - 30))
        return file.read().endswith(b"loss 0.125\n")


def test_what_was_left_unread_is_named_and_the_end_is_read(assay: Assay, flood: Path) -> None:
    done = assay("run", "--", "cat", flood, timeout=300)
    assert done.returncode == 0
    (told,) = [event for event in assay.events() if "unread_bytes" in event]
    assert 0 < told["unread_bytes"] < flood.stat().st_size
    assert 0 < told["unread_lines"] < 3_000_000
    assert any(told["problem"].encode() in said for said in warnings(done.stderr))
    summary = assay.summary()
    assert (summary["steps"], summary["loss"]) == (3_000_000, 0.125)
    assert told["problem"] in summary["problems"]
    steps = [event["step"] for event in read_events(assay)]
    assert steps == sorted(steps)  # a line that was cut in two would be another step
    assert max(later - earlier for earlier, later in pairwise(steps)) < 1_500_000


def test_ctrl_c_ends_the_catching_up_and_not_the_runs_own_status(assay: Assay, flood: Path) -> None:
    with open(assay.folder / "copy", "wb") as out:
        process = assay.start("run", "--", "sh", "-c", f"cat {flood}; sleep 0.5; exit 3", stdout=out)
        wait_for(lambda: reads_the_rest(assay, process), "the command to end")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 3
    assert b"reading was stopped" in err
    summary = assay.summary()
    assert (summary["status"], summary["exit_code"]) == ("failed", 3)
    assert summary["steps"] > 0


def test_killed_while_it_catches_up_the_run_keeps_its_own_end(assay: Assay, flood: Path) -> None:
    with open(assay.folder / "copy", "wb") as out:
        process = assay.start("run", "-q", "--", "sh", "-c", f"cat {flood}; sleep 0.5; exit 3", stdout=out)
        wait_for(lambda: reads_the_rest(assay, process), "the command to end")
        process.kill()
        process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    wait_for(lambda: assay.ls()[0].get("exit_code") == 3, "the guard's word")
    assert assay.ls()[0]["status"] == "failed"


def test_every_event_is_a_line_of_json(assay: Assay) -> None:
    assay("run", "-q", "--", PYTHON, assay.script(MANY.format(lines=30_000)), timeout=300)
    for path in (assay.run_dir() / "events").iterdir():
        for line in path.read_bytes().splitlines():
            json.loads(line)
