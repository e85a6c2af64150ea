"""A setting goes to its place in the command, to a flag or to a constant: it takes effect, or it is refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Assay
from constant_scripts import CASES

from assay.errors import UsageError
from assay.recording.child import INSIDE
from assay.spec import parse_setting
from assay.study.setters import with_values

SPAWNS = """
import multiprocessing, sys
N = 3
def work(): print("child", N, flush=True)
if __name__ == "__main__":
    child = multiprocessing.get_context("spawn").Process(target=work)
    child.start()
    child.join()
    print(N // 0)
"""


@pytest.mark.parametrize(
    ("source", "arguments", "setting", "printed"), CASES, ids=[f"{c[2]} {n}" for n, c in enumerate(CASES)]
)
def test_a_setting_takes_effect_or_is_refused(
    tmp_path: Path, source: str, arguments: str, setting: str, printed: str
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "t.py").write_text(source + "\n")
    command = [sys.executable, "t.py", *arguments.split()]
    if printed.startswith("!"):
        with pytest.raises(UsageError, match=printed[1:]):
            with_values(command, dict([parse_setting(setting)]), folder)
        return
    words, _ = with_values(command, dict([parse_setting(setting)]), folder)
    environment = {**os.environ, "PYTHONPATH": INSIDE, "ASSAY_EVENTS": ""}
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == (printed, "")
    assert (folder / "t.py").read_text() == source + "\n"


def test_a_fresh_child_has_the_same_value_and_a_traceback_begins_in_the_script(assay: Assay) -> None:
    assay.script(SPAWNS, "t.py")
    done = assay("run", "-q", "--set", "N=7", "--", sys.executable, "t.py")
    assert done.returncode == 1 and done.stdout == b"child 7\n"
    assert b'(most recent call last):\n  File "t.py", line 9, in <module>' in done.stderr


def test_a_grid_of_a_constant_is_recorded_as_in_effect_and_compared(assay: Assay) -> None:
    assay.script("HIDDEN = 8\nprint(f'val_bpb: {1 / HIDDEN:.4f}')\n", "train.py")
    done = assay("run", "--grid", "HIDDEN=16,32", "--", sys.executable, "train.py")
    assert done.returncode == 0 and b"HIDDEN is a constant of train.py (line 1)" in done.stderr
    runs = assay.ls()
    assert sorted(run["params"]["HIDDEN"] for run in runs) == [16, 32]
    assert sorted(run["metrics"]["val_bpb"] for run in runs) == [0.0312, 0.0625]
    found = json.loads(assay("compare", "--json").stdout)
    assert found["by"] == ["HIDDEN"]


def test_a_module_and_a_second_constant_are_set_too(assay: Assay) -> None:
    (assay.folder / "pkg").mkdir()
    (assay.folder / "pkg" / "__init__.py").write_text("")
    (assay.folder / "pkg" / "other.py").write_text("M = 1\n")
    assay.script("from .other import M\nA = 1\nB = 2\nprint(A, B, M, __package__)\n", "pkg/train.py")
    done = assay("run", "-q", "--set", "A=5", "--set", "B=6", "--", sys.executable, "-m", "pkg.train")
    assert done.stdout == b"5 6 1 pkg\n" and assay.summary()["program"] == "pkg.train"


def test_what_is_no_command_of_theirs_takes_no_set(assay: Assay) -> None:
    done = assay("run", "--set", "LR=1", "endpoint")
    assert done.returncode == 2 and b"--set needs a command of yours" in done.stderr
