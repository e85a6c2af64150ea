"""A set-up line that fails ends the job: nothing is measured in an environment that is not there."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import Assay, wait_for

from assay.launchers.base import Job
from assay.launchers.places import Place
from assay.launchers.script import script_text
from assay.store.job import read_job
from assay.store.layout import RunDir, create, write_json
from assay.summary.build import summarise


def ran(folder: Path, place: dict[str, Any], command: str = "true") -> tuple[RunDir, str]:
    """The script of a job, by bash itself; its recorder runs `command`. What the job printed comes back."""
    run = create(folder / "runs", "x-1")
    (run.path / "job").mkdir()
    recorder = folder / "recorder"
    recorder.write_text(f"#!/bin/bash\n{command}")
    recorder.chmod(0o755)
    there = Place(name="there", launcher="slurm", python=str(recorder), **place)
    write_json(run.run_json, {"v": 1, "id": "x", "place": there.facts()})
    path = run.path / "job/script"
    path.write_text(script_text(Job(run=run, place=there, command=["true"]), "me=1\nnode=here", [], ""))
    done = subprocess.run(["bash", path], capture_output=True, text=True, cwd=folder, env={"HOME": str(folder)})
    state = read_job(run)
    assert state.exit_code == done.returncode, done.stderr
    return run, done.stdout + done.stderr


FAILING = {
    "no such file": (["source /nonexistent/activate"], "/nonexistent/activate: No such file or directory"),
    "no such command": (["export A=1", "no-such-loader x"], "no-such-loader: command not found"),
    "an exit": (["echo so far; exit 3"], "so far"),
    "a script that stops at errors": (["set -e", "ls /nonexistent/folder"], "'/nonexistent/folder'"),
    "a quote that is never closed": (["echo 'oops"], "unexpected EOF"),
    "a module command that exits with 0": (
        ["module() { echo \"x(3):ERROR:105: Unable to locate a modulefile for '$2'\" >&2; }", "module load nowhere"],
        "Unable to locate a modulefile for 'nowhere'",
    ),
}


@pytest.mark.parametrize("case", FAILING)
def test_a_set_up_line_that_fails_ends_the_job_before_anything_is_measured(tmp_path: Path, case: str) -> None:
    lines, says = FAILING[case]
    run, printed = ran(tmp_path, {"setup": tuple(lines)}, "echo measured")
    assert "measured" not in printed
    summary = summarise(run)
    assert (summary.status, summary.exit_code) == ("failed", 125)
    assert summary.error is not None and summary.error.code == "setup-failed"
    assert says in summary.error.message
    assert f"`{lines[-1]}`" in summary.error.message
    assert "line 1" not in summary.error.message


def test_an_unknown_module_is_named_with_the_remedy(tmp_path: Path) -> None:
    error = summarise(ran(tmp_path, {"modules": ("conda",)})[0]).error
    assert error is not None
    assert error.message == "the set-up line `module load conda` failed with exit code 127: module: command not found"
    assert "login: true" in (error.hint or "")


def test_what_the_lines_set_stays_set_whatever_names_they_use(tmp_path: Path) -> None:
    (tmp_path / "env.sh").write_text("declare -x FROM_FILE=1\nexport PATH=/its/own:$PATH\n[ -n '' ] && echo no\ntrue\n")
    lines = ("if true; then", "export WITHIN=2", "fi", "source ./env.sh", "run=x job=y code=7 attempt=9; false || true")
    run, printed = ran(tmp_path, {"setup": lines}, 'echo "$FROM_FILE $WITHIN ${PATH%%:*}"; exit 4')
    assert "1 2 /its/own" in printed
    assert read_job(run).exit_code == 4
    assert read_job(run).setup is None


def test_a_login_shell_reads_the_profile_first(tmp_path: Path) -> None:
    (tmp_path / ".bash_profile").write_text("module() { export LOADED=$2; }\n")
    _, printed = ran(tmp_path, {"modules": ("conda",), "login": True}, "echo loaded $LOADED")
    assert "loaded conda" in printed


def test_a_job_that_is_ended_during_its_set_up_has_not_failed_in_it(tmp_path: Path) -> None:
    run, _ = ran(tmp_path, {"setup": ("kill -TERM $$",)})
    assert (summarise(run).status, read_job(run).setup) == ("interrupted", None)


def test_a_full_disk_does_not_make_a_job_that_completed_an_interrupted_one(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "none", runs], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("cannot mount a small file system here")
    try:
        run, _ = ran(tmp_path, {}, f"cat /dev/zero > {runs}/filler 2>/dev/null; exit 0")
        assert (run.path / "job/end.0").read_text().startswith("0 ")
        assert summarise(run).status == "completed"
    finally:
        subprocess.run(["umount", "-l", runs], check=True)


def test_the_code_in_a_name_counts_where_no_word_could_be_written(tmp_path: Path) -> None:
    run, _ = ran(tmp_path, {}, 'rm "$1"/job/.end.0; mkdir "$1"/job/.end.0; exit 6'.replace('"$1"', '"${@: -3:1}"'))
    assert [path.name for path in (run.path / "job").glob("end*")] == ["end.0.6"]
    assert (read_job(run).exit_code, summarise(run).status) == (6, "failed")


def test_the_record_holds_what_the_set_up_gave(assay: Assay) -> None:
    """A virtual environment with a torch of its own, and modules; the command is no Python."""
    venv = assay.folder / "venv"
    (venv / "lib/python3.8/site-packages/torch-9.8.7.dist-info").mkdir(parents=True)
    (venv / "bin").mkdir()
    (venv / "bin/python").write_text("#!/bin/sh\necho Python 3.8.99")
    (venv / "bin/python").chmod(0o755)
    (venv / "bin/activate").write_text(f"export VIRTUAL_ENV={venv} PATH={venv}/bin:$PATH")
    (assay.folder / "places.yaml").write_text(
        f"here:\n  launcher: local\n  setup: [source {venv}/bin/activate, 'export LOADEDMODULES=gcc/13:cuda/12.4']\n"
    )
    assert assay("run", "-q", "--on", "here", "--", "true").returncode == 0
    kept = json.loads((assay.run_dir() / "run.json").read_text())["prepared"]
    assert kept == {
        "python": f"{venv}/bin/python", "python_version": "3.8.99", "packages": {"torch": "9.8.7"},
        "modules": ["gcc/13", "cuda/12.4"], "environment": str(venv),
    }  # fmt: skip
    shown = assay("show", "last").stdout.decode()
    assert f"set up: python 3.8.99 ({venv}/bin/python); torch 9.8.7; modules gcc/13, cuda/12.4" in shown


@pytest.mark.slow
def test_a_place_here_and_a_real_slurm_prove_their_set_up_too(assay: Assay, slurm: Any) -> None:
    lines = "  setup: ['export TOKEN=hf_abcdefghijklmnopqrstuvwxyz', source /nonexistent/activate]\n"
    (assay.folder / "places.yaml").write_text(f"here:\n  launcher: local\n{lines}far:\n  launcher: slurm\n{lines}")
    assay.env = dict(slurm.env)
    done = assay("run", "--on", "here", "--", "touch", assay.folder / "measured")
    assert done.returncode == 125
    assert b"`source /nonexistent/activate` failed with exit code 1" in done.stderr
    text = f"command: [touch, {assay.folder}/measured]\nrepeat: 2\non: {{place: far, login: true}}\n"
    (assay.folder / "study.yaml").write_text(text)
    assert assay("study", "study.yaml").returncode == 1
    assert not (assay.folder / "measured").exists()
    assert [summary["error"]["code"] for summary in assay.ls()] == ["setup-failed"] * 3
    wait_for(lambda: not slurm.ask("squeue", "-h").stdout.strip(), "the queue to be empty")
