"""Whatever a command prints, it lives, its output flows, its signals arrive and its exit code comes back."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import Assay, wait_for, warnings

NAMES = ("t", "line", "kind", "self", "told", "facts", "from", "v", "mono_s", "name")
LINES = [
    *(f"{name}=1 loss=0.5" for name in NAMES),
    *(f"{name}: 1 loss: 0.5" for name in NAMES),
    *(json.dumps({name: 1, "loss": 0.5}) for name in NAMES),
    "step 1e999 loss 0.5",
    "step=1e999, loss=0.5",
    '{"step": 1e999, "loss": 0.5}',
    "epoch 1e999 loss 0.5",
]
#: assay itself, with a part of it broken before it starts
BROKEN = """
import sys
{breaking}
from assay.cli import main
sys.exit(main())
"""
A_READER = """
from assay.reading.script import Script as Generic
read = Generic.read
def broken(self, line):
    if "poison" in line.text: raise TypeError("poison")
    return read(self, line)
Generic.read = broken
"""
A_PATTERN = """
import re
from assay.reading.script import Script as Generic
never, read = re.compile(r"(a+)+$"), Generic.read
def stuck(self, line):
    if "poison" in line.text: never.match("a" * 60 + "b")
    return read(self, line)
Generic.read = stuck
"""
A_PROBE = """
from assay.probes.memory import MemoryProbe
def broken(self): raise TypeError("poison")
MemoryProbe.sample = broken
"""
THE_LOOP = """
from assay.recording.loop import Loop
turn, turns = Loop._turn, []
def broken(self):
    turns.append(1)
    if len(turns) > 1: raise TypeError("poison")
    turn(self)
Loop._turn = broken
"""
THE_SUMMARY = """
import assay.recording.record
def broken(*given): raise TypeError("poison")
assay.recording.record.summarise = broken
"""


class Broken(Assay):
    """`assay` with a mistake in it."""

    breaking = ""

    def words(self, *words: str | bytes | Path) -> list[Any]:
        return [sys.executable, "-c", BROKEN.format(breaking=self.breaking), *words]


@pytest.fixture
def broken(assay: Assay) -> Broken:
    return Broken(assay.folder, assay.env)


def problems(assay: Assay) -> list[dict[str, Any]]:
    return [event for event in assay.events() if "traceback" in event]


def test_no_name_in_a_line_ends_the_command_or_is_lost_to_the_others(assay: Assay) -> None:
    text = assay.folder / "printed.txt"
    text.write_text("\n".join([*LINES, "accuracy: 0.25"]) + "\n")
    done = assay("run", "--", "sh", "-c", f"cat {text}; sleep 0.2; echo survived; exit 3")
    assert done.returncode == 3
    assert done.stdout.endswith(b"survived\n")
    assert warnings(done.stderr) == []
    assert problems(assay) == []
    summary = assay.summary()
    assert (summary["loss"], summary["accuracy"]) == (0.5, 0.25)
    for event in assay.events():
        assert isinstance(event["kind"], str) and event["v"] == 1
        assert event.get("t", 1e9) > 1e8  # no line dates itself by a figure called `t`


def test_a_reader_that_fails_is_set_aside_and_the_rest_goes_on(broken: Broken) -> None:
    broken.breaking = A_READER
    script = "echo loss: 0.5; echo poison loss: 0.4; sleep 0.2; echo loss: 0.3"
    script += "; echo 'Traceback (most recent call last):'; echo 'ValueError: bad'; exit 4"
    done = broken("run", "--", "sh", "-c", script)
    assert done.returncode == 4
    assert done.stdout.startswith(b"loss: 0.5\npoison loss: 0.4\nloss: 0.3\n")
    (fault,) = problems(broken)
    assert (fault["reader"], fault["line"]) == ("generic", 2)
    assert fault["traceback"].rstrip().endswith("TypeError: poison")
    (said,) = warnings(done.stderr)
    assert said.decode().endswith(fault["problem"])
    summary = broken.summary()
    assert summary["loss"] == 0.5
    assert summary["problems"] == [fault["problem"]]
    assert summary["error"]["message"] == "ValueError: bad"  # another reader's


def test_a_probe_that_fails_is_set_aside_and_the_rest_goes_on(broken: Broken) -> None:
    broken.breaking = A_PROBE
    done = broken("run", "--interval", "0.05", "--", "sh", "-c", "sleep 0.5; exit 4")
    assert done.returncode == 4
    (fault,) = problems(broken)
    assert fault["probe"] == "memory"
    assert len(warnings(done.stderr)) == 1
    assert any(event["from"] == "probe:process" for event in broken.events())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_line_that_takes_for_ever_holds_neither_output_nor_signals_back(broken: Broken, number: int) -> None:
    broken.breaking = A_PATTERN
    script = "trap 'echo told; exit 7' TERM INT; echo poison loss: 1; sleep 0.3; echo up; while :; do sleep 0.05; done"
    process = broken.start("run", "--", "sh", "-c", script)
    assert process.stdout and process.stderr
    assert process.stdout.readline() == b"poison loss: 1\n"
    assert process.stdout.readline() == b"up\n"
    process.send_signal(number)
    assert process.stdout.readline() == b"told\n"
    assert process.wait(60) == 7
    (fault,) = problems(broken)
    assert "takes too long to read" in fault["problem"]
    assert fault["line"] == 1
    process.communicate()


def test_what_follows_a_line_that_takes_for_ever_is_read(broken: Broken) -> None:
    broken.breaking = A_PATTERN
    assert broken("run", "--", "sh", "-c", "echo poison loss: 1; echo loss: 0.5; echo loss: 0.25").returncode == 0
    assert broken.summary()["loss"] == 0.25


@pytest.mark.parametrize("stream", ["", ">&2"])
def test_a_mistake_in_our_own_loop_costs_the_command_nothing(broken: Broken, stream: str) -> None:
    broken.breaking = THE_LOOP
    failed = "grep -qs traceback runs/*/events/*"  # it lives until then, however late we come to the first turn
    script = f"for i in $(seq 1 20000); do echo line $i; done {stream}"
    script += f"; until {failed}; do sleep 0.05; done; echo last {stream}; exit 9"
    done = broken("run", "--", "sh", "-c", script)
    printed = b"".join(b"line %d\n" % i for i in range(1, 20001)) + b"last\n"
    assert done.returncode == 9
    assert printed in (re.sub(rb"assay: warning: .*\n", b"", done.stderr) if stream else done.stdout)
    assert (broken.run_dir() / "output.log").read_bytes() == printed
    (fault,) = problems(broken)
    assert "the command went on" in fault["problem"]
    summary = broken.summary()
    assert (summary["status"], summary["exit_code"]) == ("failed", 9)


def test_what_a_slow_reader_has_not_taken_yet_is_not_lost_when_our_loop_failed(broken: Broken) -> None:
    broken.breaking = THE_LOOP
    script = "for i in $(seq 1 13000); do echo line $i; done; until grep -qs traceback runs/*/events/*"
    script += "; do sleep 0.05; done; echo last; touch ended; exit 9"
    process = broken.start("run", "-q", "--", "sh", "-c", script)
    wait_for((broken.folder / "ended").exists, "the command to end, though no one reads what it prints")
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 9
    assert out == b"".join(b"line %d\n" % i for i in range(1, 13001)) + b"last\n"


def test_a_command_whose_loop_failed_still_gets_its_signals(broken: Broken) -> None:
    broken.breaking = THE_LOOP
    script = "trap 'echo told; exit 7' TERM; for i in 1 2 3 4 5 6; do echo $i; sleep 0.05; done"
    script += "; while :; do sleep 0.05; done"
    process = broken.start("run", "--", "sh", "-c", script)
    assert process.stdout
    wait_for(lambda: broken.run_dirs() and problems(broken), "the loop to fail")
    while process.stdout.readline() != b"6\n":
        pass
    process.terminate()
    assert process.stdout.readline() == b"told\n"
    assert process.wait(60) == 7
    process.communicate()


def test_a_summary_that_cannot_be_made_does_not_cost_the_exit_code(broken: Broken) -> None:
    broken.breaking = THE_SUMMARY
    done = broken("run", "--", "sh", "-c", "echo hello; exit 6")
    assert (done.returncode, done.stdout) == (6, b"hello\n")


@pytest.mark.parametrize(("step", "code"), [("begin", 130), ("close", 130), ("keep", 6)])
def test_ctrl_c_beside_the_command_leaves_its_exit_code_and_no_traceback(broken: Broken, step: str, code: int) -> None:
    broken.breaking = f"""
import assay.bundle
def interrupted(*given): raise KeyboardInterrupt
setattr(assay.bundle if "{step}" == "begin" else assay.bundle.Bundle, "{step}", interrupted)
"""
    done = broken("run", "-q", "--", "sh", "-c", "exit 6")
    assert (done.returncode, done.stderr) == (code, b"")


def test_the_process_that_reads_may_be_killed_and_the_command_goes_on(assay: Assay) -> None:
    script = "echo loss: 0.5; read go; echo loss: 0.25; exit 5"
    process = assay.start("run", "--", "sh", "-c", script, stdin=subprocess.PIPE)
    assert process.stdin and process.stdout
    process.stdout.readline()
    wait_for(lambda: any(event["from"] == "reader:generic" for event in assay.events()), "the line to be read")
    reads = next(path for path in assay.run_dir().glob("events/*") if b"reader:generic" in path.read_bytes())
    subprocess.run(["kill", "-9", reads.name.rsplit("-", 2)[1]], check=True)
    out, err = process.communicate(b"\n", timeout=60)
    assert (process.returncode, out) == (5, b"loss: 0.25\n")
    assert b"were not read, because what reads it failed" in err
    assert assay.summary()["loss"] == 0.5
