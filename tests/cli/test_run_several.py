"""`assay run --repeat` and `--grid`: several runs without a study file."""

from __future__ import annotations

import json
import os
import shlex
import signal
from pathlib import Path
from typing import Any

import pytest
from conftest import PYTHON, Assay, need_torch, wait_for

TRAIN = """
import argparse, random
flags = argparse.ArgumentParser()
flags.add_argument("--batch-size", type=int, default=8)
flags.add_argument("--amp", action="store_true")
given = flags.parse_args()
print("batch_size", given.batch_size, "amp", given.amp)
print(f"{given.batch_size * 100 + random.random()} samples/s")
"""
PATIENT = """
import os, sys, time
print('up', flush=True)
while len(os.listdir('gate')) < int(sys.argv[1]): time.sleep(0.02)
"""


@pytest.fixture
def train(assay: Assay) -> tuple[str, ...]:
    assay.script(TRAIN, "train.py")
    return ("--", PYTHON, "train.py")


def studied(assay: Assay) -> list[tuple[Any, ...]]:
    return sorted((one["study"], one["name"], one["repeat"], one["status"]) for one in assay.ls())


@pytest.mark.slow
def test_a_command_is_repeated_and_its_figures_are_summed_up(assay: Assay, train: tuple[str, ...]) -> None:
    done = assay("run", "--repeat", "3", "--warmup", "1", *train)
    assert done.returncode == 0, done.stderr
    assert [row[1:] for row in studied(assay)] == [
        ("train-r1", 0, "completed"),
        ("train-r2", 1, "completed"),
        ("train-r3", 2, "completed"),
        ("train-warmup1", -1, "completed"),
    ]
    assert [one["name"] for one in assay.ls() if one.get("warmup")] == ["train-warmup1"]
    lines = done.stdout.decode().split("\n")
    assert lines[1].split() == ["3", "runs", "mean", "±", "sd", "min", "…", "max"]  # one group, the warm-up left out
    assert lines[2].split()[0] == "samples/s"
    assert b"assay: 3 runs of train (1 warm-up run first)" in done.stderr
    assert b"[4/4] train-r3  completed" in done.stderr


@pytest.mark.slow
def test_the_same_line_measures_anew_each_time(assay: Assay) -> None:
    for _ in range(2):
        assert assay("run", "-q", "--repeat", "2", "--", "true").returncode == 0
    assert [row[:2] for row in studied(assay)] == [
        ("true-repeat-1", "true-r1"),
        ("true-repeat-1", "true-r2"),
        ("true-repeat-2", "true-r1"),
        ("true-repeat-2", "true-r2"),
    ]


@pytest.mark.slow
def test_a_grid_runs_every_combination_and_says_which_is_best(assay: Assay, train: tuple[str, ...]) -> None:
    done = assay(
        "run", "--grid", "batch_size=8,64", "--grid", "amp=on,off", "--repeat", "2", *train,
        "--batch-size", "{batch_size}", "{amp:--amp}",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert b"assay: 8 runs of train (4 settings \xc3\x97 2 repeats)" in done.stderr
    shown = {(one["claims"]["batch_size"], one["claims"]["amp"]) for one in assay.ls()}
    assert shown == {(8, True), (8, False), (64, True), (64, False)}
    logs = {path.name: (path / "output.log").read_text() for path in assay.run_dirs()}
    assert all(("amp True" in text) == ("amp-on" in name) for name, text in logs.items())
    table = done.stdout.decode().splitlines()
    assert table[1].startswith("Throughput is ")  # which of them is best, or may be: the figures are random
    assert [line.split()[:3] for line in table if line.split()[2:3] == ["2"]] == [
        ["8*", "False*", "2"], ["8*", "True*", "2"], ["64*", "False*", "2"], ["64*", "True*", "2"],
    ]  # fmt: skip


@pytest.mark.slow
def test_a_saved_study_does_the_same_as_the_line_that_wrote_it(assay: Assay) -> None:
    odd = ["1e-3", "010", "", "null", "a: b", "'", '"', "x y", "{{brace}}", "#", "é", "- z", "yes", "~", "[1]", "\t"]
    assay.script("import json, os, sys\nprint(json.dumps([sys.argv[1:], os.environ['WORD'], os.getcwd()]))")
    (assay.folder / "there").mkdir()
    line = ["--grid", "x=1,2", "--repeat", "2", "--warmup", "1", "--env", "WORD=1e3", "--timeout", "90", "--tag", "t",
            "-p", "note=1", "--interval", "0.2", "--cwd", "there", "--save", "kept/study.yaml"]  # fmt: skip
    (assay.folder / "kept").mkdir()
    done = assay("run", *line, "--", PYTHON, "../script.py", "{x}", *odd)
    assert done.returncode == 0, done.stderr
    told = [(path / "output.log").read_bytes() for path in assay.run_dirs()]
    assert json.loads(told[0])[0][1:] == ["{brace}" if word == "{{brace}}" else word for word in odd]
    again = assay("study", "kept/study.yaml")
    assert b"all runs are done" in again.stderr, again.stderr
    assert len(assay.run_dirs()) == len(told) == 5
    anew = assay("study", "kept/study.yaml", "--runs-dir", "other")
    assert anew.returncode == 0, anew.stderr
    others = sorted((assay.folder / "other").glob("[!.]*/run.json"))
    assert sorted((path.parent / "output.log").read_bytes() for path in others) == sorted(told)
    asked = [json.loads(path.read_bytes()) for path in others]
    assert all(one["tags"] == ["t"] and one["params"]["note"] == 1 and one["timeout_s"] == 90 for one in asked)


def test_a_study_file_is_never_written_over(assay: Assay) -> None:
    (assay.folder / "mine.yaml").write_text("mine")
    done = assay("run", "--repeat", "2", "--save", "mine.yaml", "--", "true")
    assert done.returncode == 2
    assert (assay.folder / "mine.yaml").read_text() == "mine"
    assert not assay.run_dirs()


def test_a_secret_of_the_command_is_not_saved(assay: Assay) -> None:
    done = assay("run", "--repeat", "2", "--save", "s.yaml", "--", "true", "--api-key", "sk-123456789012345678901234")
    assert done.returncode == 2
    assert b"looks like a secret" in done.stderr
    assert not (assay.folder / "s.yaml").exists()


@pytest.mark.slow
def test_stopped_in_the_middle_it_keeps_what_is_done_and_says_how_to_finish(assay: Assay) -> None:
    assay.script(PATIENT)
    (assay.folder / "gate").mkdir()
    (assay.folder / "gate" / "1").touch()
    line = ["--grid", "x=1,2", "--repeat", "2", "--", PYTHON, "script.py", "{repeat}", "{x}"]
    study = assay.start("run", *line, start_new_session=True)
    wait_for(lambda: any("r2" in path.name and _up(path) for path in assay.run_dirs()), "the second round")
    os.killpg(study.pid, signal.SIGINT)
    _, err = study.communicate(timeout=60)
    assert study.returncode == 130
    assert b"stopped. 2 of 4 runs are done and kept." in err, err
    said = err.decode().rpartition("to finish, use ")[2].strip()
    assert said.startswith("assay run --resume --grid x=1,2 --repeat 2 -- ")
    (assay.folder / "gate" / "2").touch()
    assert assay(*shlex.split(said)[1:]).returncode == 0  # as it can be pasted
    complete = [one for one in assay.ls() if one["status"] == "completed"]
    assert sorted((one["claims"]["x"], one["repeat"]) for one in complete) == [(1, 0), (1, 1), (2, 0), (2, 1)]
    assert len({one["study"] for one in assay.ls()}) == 1


def _up(path: Path) -> bool:
    log = path / "output.log"
    return log.exists() and b"up" in log.read_bytes()


def test_nothing_to_resume_is_an_error(assay: Assay) -> None:
    done = assay("run", "--resume", "--repeat", "2", "--", "true")
    assert done.returncode == 2
    assert b"error: no runs of this command and these settings to resume" in done.stderr


@pytest.mark.slow
def test_a_command_that_cannot_work_is_tried_once_and_its_last_words_are_shown(assay: Assay) -> None:
    assay.script("print('reading data')\nraise ValueError('no such column')")
    done = assay("run", "--repeat", "5", "--", PYTHON, "script.py")
    assert done.returncode == 1
    assert len(assay.run_dirs()) == 1
    assert b"script-r1 failed with exit code 1" in done.stderr
    assert b"  ValueError: no such column" in done.stderr
    assert b"stopped: the first run failed; 4 runs were not started" in done.stderr
    assert done.stdout == b""


@pytest.mark.slow
def test_one_run_that_fails_among_others_is_exit_code_1_and_the_rest_is_compared(assay: Assay) -> None:
    assay.script("import sys\nsys.exit(sys.argv[1] == '2')")
    done = assay("run", "--grid", "x=1,2,3", "--", PYTHON, "script.py", "{x}")
    assert done.returncode == 1
    assert sorted(one["status"] for one in assay.ls()) == ["completed", "completed", "failed"]
    assert b"x2-r1 failed with exit code 1" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        (["--repeat", "2", "--", "echo", "{lr}"], "the command uses `{lr}`", "give `lr` values in the grid"),
        (["--grid", "batch_size=1,2", "--", "echo", "{batchsize}"], "the command uses `{batchsize}`",
         "did you mean `batch_size`? A literal {batchsize} is written {{batchsize}}"),
        (["--grid", "x=1,2", "--", "echo"], "the command does not use `x`", "write {x} where"),
        (["--grid", "x=1,2", "--", "sh", "-c", "echo {x}"], "is inside a shell script", "as an argument"),
        (["--grid", "x=1,2", "--", "echo", "{x:--fast}"], "`x` turns a flag on or off, but its value", "and off"),
        (["--grid", "x", "--", "echo", "{x}"], "`--grid x` is not NAME=A,B,…", "--grid batch_size=16,32"),
        (["--grid", "x=1,,2", "--", "echo", "{x}"], "is not NAME=A,B,…", "--grid batch_size=16,32"),
        (["--grid", "x=1", "--grid", "x=2", "--", "echo", "{x}"], "`x` is in the grid twice", "all its values at once"),
        (["--grid", "x=1,1", "--", "echo", "{x}"], "`x=1` is in the grid twice", "repeat"),
        (["--repeat", "0", "--", "true"], "invalid value for `--repeat`", "assay run --help"),
        (["--repeat", "2"], "no command given", "write it after `--`"),
        (["--repeat", "2", "--pid", "1"], "--pid cannot be combined with --repeat", ""),
        (["--repeat", "2", "--on", "slrum", "--", "true"], "no place called `slrum`", "did you mean `slurm`?"),
        (["--repeat", "2", "--cwd", "none", "--", "true"], "is not a folder", "--cwd"),
        (["--repeat", "2", "mnits"], "no workload called `mnits`", "did you mean `mnist`?"),
        (["--grid", "batch_size=8,0", "mnist"], "`batch_size=0` is impossible", "at least 1"),
        (["--grid", "batchsize=8", "mnist"], "no setting called `batchsize`", "did you mean `batch_size`?"),
        (["--grid", "epochs=1,2", "mnist", "epochs=1"], "`epochs` is in `set` and in the grid", "keep one"),
        (["--repeat", "2", "--mode", "validate", "mnist"], "--mode needs --target", "assay doctor"),
    ],
)  # fmt: skip
def test_what_cannot_be_run_is_an_error_before_anything_starts(
    assay: Assay, words: list[str], message: str, hint: str
) -> None:
    done = assay("run", *words)
    assert done.returncode == 2, done.stderr
    text = done.stderr.decode()
    assert message in text
    assert hint in text
    assert "Traceback" not in text
    assert not assay.run_dirs()


@pytest.mark.parametrize("option", ["--warmup=2", "--save=x.yaml", "--resume"])
def test_options_of_several_runs_alone_say_what_they_go_with(assay: Assay, option: str) -> None:
    done = assay("run", option, "--", "true")
    assert done.returncode == 125
    assert b"needs --repeat or --grid" in done.stderr


@pytest.mark.slow
def test_each_repeat_of_a_workload_has_another_seed_and_its_grid_sets_the_setting(assay: Assay) -> None:
    need_torch()
    done = assay(
        "run", "--repeat", "2", "--grid", "batch_size=8,16", "--on", "local", "mnist", "data=synthetic", "max_steps=2",
        "seed=7", "threads=1", timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    shown = sorted((one["params"]["batch_size"], one["params"]["seed"]) for one in assay.ls())
    assert shown == [(8, 7), (8, 8), (16, 7), (16, 8)]
    assert {one["study"] for one in assay.ls()} == {"mnist-grid-1"}
