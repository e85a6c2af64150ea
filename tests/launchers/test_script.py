"""The script of a job: nothing that a user chose is read by its shell, but the set-up lines of a place."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import Assay

from assay.errors import UsageError
from assay.launchers.base import Job
from assay.launchers.places import Place, checked
from assay.launchers.script import script_text
from assay.store.layout import create

BAD = ["A;touch X;B", "A B", "$(touch X)", "`touch X`", "A\ntouch X\nB", "1A", "A-B", "A.B", "ÄB", ""]


@pytest.mark.parametrize("place", ["local", "torchrun", "slurm", "pbs"])
@pytest.mark.parametrize("name", BAD[:-1])
def test_a_name_that_a_shell_would_run_is_refused_before_anything_is_made(assay: Assay, name: str, place: str) -> None:
    if place != "slurm" and name != BAD[0]:
        return  # it is refused where the words are read, whatever the place: one name for each of the others will do
    done = assay("run", "-q", "--env", f"{name}=1", "--on", place, "--", "true")
    assert (done.returncode, assay.run_dirs()) == (125, [])
    assert b"cannot be the name of a variable" in done.stderr
    assert not (assay.folder / "X").exists()


@pytest.mark.parametrize("name", BAD)
def test_places_studies_and_scripts_refuse_it_too(assay: Assay, name: str) -> None:
    with pytest.raises(UsageError, match="cannot be the name of a variable"):
        checked("env", {name: "1"})
    run = create(assay.runs, "x")
    job = Job(run=run, place=Place(name="slurm", launcher="slurm"), command=["true"], env={name: "1"})
    with pytest.raises(UsageError, match="cannot be the name of a variable"):
        script_text(job, "", [], "")


def test_a_study_says_where_the_name_stands(assay: Assay) -> None:
    (assay.folder / "study.yaml").write_text("command: [echo, '{x}']\ngrid: {x: [1]}\nenv:\n  'A;touch X;B': 1\n")
    done = assay("study", "study.yaml", "--on", "slurm")
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: study.yaml:4: `A;touch X;B` cannot be the name of a variable")


def test_values_folders_and_words_reach_the_command_as_they_are(assay: Assay) -> None:
    """The script is run by bash itself, with a recorder that prints what it is given."""
    odd = "a b'c\"d$(touch X)`touch X`;touch X\n#\\ é"
    run = create(assay.runs / "odd 'folder' $(touch X)", "x-1")
    (run.path / "job").mkdir()
    printer = assay.folder / "print'er"
    printer.write_text('#!/bin/sh\nshift 3; printf "%s|" "$A" "$@"; pwd')
    printer.chmod(0o755)
    place: Any = Place(name="slurm", launcher="slurm", env={"A": odd}, python=str(printer))
    text = script_text(Job(run=run, place=place, command=["echo", odd]), "me=1\nnode=here", [], "")
    done = subprocess.run(["bash", "-c", text], cwd=assay.folder, capture_output=True, text=True, check=False)
    assert done.stdout == f"{odd}|{run.path}|--|echo|{odd}|{assay.folder}\n", done.stderr
    assert not any((Path(folder) / "X").exists() for folder, _, _ in os.walk(assay.folder))
    assert (run.path / "job/end.0").read_text().startswith("0 ")


def test_a_job_put_back_into_the_queue_after_its_work_was_done_does_not_do_it_again(tmp_path: Path) -> None:
    run = create(tmp_path, "x-1")
    (run.path / "job").mkdir()
    recorder = tmp_path / "recorder"
    recorder.write_text(f"#!/bin/bash\necho work >> {tmp_path}/ledger\n")
    recorder.chmod(0o755)
    place = Place(name="there", launcher="slurm", python=str(recorder))
    script = run.path / "job" / "script"
    script.write_text(script_text(Job(run=run, place=place, command=["true"]), "me=1\nnode=here", [], ""))
    for _ in range(2):
        assert subprocess.run(["bash", script], capture_output=True).returncode == 0
    (run.path / "job" / "end.0").write_text("143 1.0\n")  # the recorder was ended while it summed up
    end = '{"kind":"end","v":1,"t":1.0,"from":"launcher","status":"completed","exit_code":0}\n'
    (run.path / "events" / "n1.jsonl").write_text(end)
    assert subprocess.run(["bash", script], capture_output=True).returncode == 0
    assert (tmp_path / "ledger").read_text() == "work\n"
    (run.path / "events" / "n1.jsonl").unlink()
    subprocess.run(["bash", script], capture_output=True)
    assert (tmp_path / "ledger").read_text() == "work\nwork\n"
