"""A runs folder that others can write into: what they put there is read, and never run."""

from __future__ import annotations

import fcntl
import json
import os
import stat
import subprocess
from pathlib import Path

import pytest
from conftest import PYTHON, Assay, wait_for

from assay.launchers.places import Place
from assay.launchers.script import recorder_words
from assay.store.layout import RunDir
from assay.study.lock import lock_path
from assay.web import kept

EVIL = "open({!r}, 'w')"


@pytest.fixture
def shared(assay: Assay) -> Assay:
    """As a group would have it: everyone may write, and new files are for the group."""
    assay.runs.mkdir()
    assay.runs.chmod(0o777)
    return assay


def _writable_by_others(folder: Path) -> list[str]:
    found = [path for path in folder.rglob("*") if not path.is_symlink()]
    return [str(path) for path in [folder, *found] if path.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH)]


def test_nothing_of_a_runs_folder_is_on_the_path_of_a_command(shared: Assay) -> None:
    done = shared("run", "-q", "--", PYTHON, "-c", "import assay, json, sys; print(json.dumps(sys.path))")
    (folder, *_) = [folder for folder in json.loads(done.stdout) if folder]
    assert not any(path.startswith(str(shared.folder)) for path in json.loads(done.stdout))
    assert sorted(set(os.listdir(folder)) - {"__pycache__"}) == ["assay", "assay_constants.py"]
    assert sorted(os.listdir(shared.runs)) == [".code", shared.run_dir().name]


def test_code_that_someone_put_into_the_runs_folder_does_not_run(shared: Assay) -> None:
    trace = shared.folder / "trace"
    shared("run", "-q", "--", "true")
    for folder in [shared.runs, *shared.runs.rglob("*"), shared.runs / ".python-0"]:
        if not folder.is_file():
            folder.mkdir(exist_ok=True)
            for name in ("sitecustomize.py", "usercustomize.py", "json.py"):
                (folder / name).write_text(EVIL.format(str(trace)))
    for words in (["--", PYTHON, "-c", "import assay"], ["--on", "local", "--", PYTHON, "-c", "import assay"]):
        assert shared("run", "-q", *words).returncode == 0
    assert not trace.exists()


def test_the_recorder_imports_nothing_from_the_folder_it_starts_in(tmp_path: Path) -> None:
    for name in ("json.py", "re.py", "assay.py", "click.py"):
        (tmp_path / name).write_text(EVIL.format(str(tmp_path / "trace")))
    done = subprocess.run(recorder_words(Place(name="x", launcher="local")), cwd=tmp_path, capture_output=True)
    assert (done.returncode, b"error: usage" in done.stderr) == (125, True), done.stderr
    assert not (tmp_path / "trace").exists()


def test_what_we_write_is_for_others_to_read_whatever_the_umask(shared: Assay) -> None:
    (shared.folder / "study.yaml").write_text("command: [echo, '{x}']\ngrid: {x: [1]}")
    script = "import assay; assay.log(step=1)"
    for words in (["run", "-q", "--", PYTHON, "-c", script], ["run", "-q", "--on", "local", "--", "true"],
                  ["study", "study.yaml"]):  # fmt: skip
        assert shared(*words, umask=0).returncode == 0
    assert len(shared.run_dirs()) == 3
    assert [path for run in shared.run_dirs() for path in _writable_by_others(run)] == []


@pytest.mark.parametrize("mode", [0o666, 0o664, 0o644])
def test_a_run_that_others_could_have_written_is_repeated_only_on_trust(shared: Assay, mode: int) -> None:
    shared("run", "-q", "--", "echo", "hello")
    run_json = shared.run_dir() / "run.json"
    run_json.chmod(mode)
    os.chown(run_json, -1, 1 if mode == 0o664 else -1)
    done = shared("run", "-q", "--again", "last")
    if mode == 0o644:
        assert (done.returncode, done.stdout) == (0, b"hello\n")
        return
    assert (done.returncode, done.stdout) == (125, b"")
    assert b"may have been written by" in done.stderr
    assert b"--trust" in done.stderr
    assert shared("run", "-q", "--again", "last", "--trust").stdout == b"hello\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to someone else")
def test_a_run_of_someone_else_is_named_as_theirs(shared: Assay) -> None:
    shared("run", "-q", "--", "echo", "hello")
    os.chown(shared.run_dir() / "run.json", 1, -1)
    done = shared("run", "-q", "--again", "last")
    assert (done.returncode, done.stdout) == (125, b"")
    assert b"written by daemon, and --again would run its command with your rights" in done.stderr
    assert b"hello" in shared("show", "last").stdout  # to read it is no risk


def test_places_that_others_could_have_written_are_not_used_unless_they_are_named(assay: Assay) -> None:
    places = assay.folder / "places.yaml"
    places.write_text(f"local: {{launcher: local, setup: [touch {assay.folder}/trace]}}")
    places.chmod(0o666)
    done = assay("run", "-q", "--on", "local", "--", "true")
    assert (done.returncode, (assay.folder / "trace").exists()) == (125, False)
    assert b"may have been written by everyone, and its set-up lines would run as you" in done.stderr
    assay.env = {"ASSAY_PLACES": "./places.yaml"}
    assert assay("run", "-q", "--on", "local", "--", "true").returncode == 0
    assert (assay.folder / "trace").exists()


def test_the_lock_of_a_study_never_empties_what_a_link_leads_to(shared: Assay) -> None:
    (shared.folder / "study.yaml").write_text("study: s\ncommand: [echo, '{x}']\ngrid: {x: [1]}")
    (shared.folder / "precious").write_text("thesis")
    lock_path(shared.runs, "s").symlink_to(shared.folder / "precious")
    done = shared("study", "study.yaml")
    assert (done.returncode, b"Traceback" in done.stderr) == (1, False)
    assert (shared.folder / "precious").read_text() == "thesis"


def test_a_study_is_not_cancelled_by_a_number_that_others_wrote(shared: Assay) -> None:
    """The lock names a process; one that others may write to could name any of ours."""
    (shared.folder / "study.yaml").write_text("study: s\ncommand: [sh, -c, 'read go', '{x}']\ngrid: {x: [1]}")
    lock, victim = lock_path(shared.runs, "s"), subprocess.Popen(["sleep", "100"])
    lock.write_text(f"{os.uname().nodename} {victim.pid}\n")
    lock.chmod(0o666)
    with open(lock) as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        done = shared("study", "study.yaml", "--cancel")
    assert b"a process of everyone still starts" in done.stdout + done.stderr
    assert victim.poll() is None
    victim.kill()
    victim.wait()


def test_runs_of_a_study_that_others_could_have_written_are_not_taken_up(shared: Assay) -> None:
    (shared.folder / "study.yaml").write_text("study: s\ncommand: [sh, -c, 'sleep 100', '{x}']\ngrid: {x: [1]}")
    study = shared.start("study", "study.yaml", start_new_session=True)
    wait_for(lambda: shared.run_dirs() and shared.ls()[0]["status"] == "running", "the run to go on")
    (shared.run_dir() / "run.json").chmod(0o666)
    done = shared("study", "study.yaml", "--cancel")
    assert (done.returncode, b"only your own runs are continued" in done.stderr) == (1, True)
    (shared.run_dir() / "run.json").chmod(0o644)
    assert shared("study", "study.yaml", "--cancel").returncode == 0
    study.communicate(timeout=60)


def test_the_kept_views_of_the_page_neither_write_nor_remove_behind_a_link(shared: Assay) -> None:
    shared("run", "-q", "--", "true")
    precious = shared.folder / "precious"
    precious.mkdir()
    (precious / "thesis.json").write_text("{}")
    (shared.runs / kept.FOLDER).symlink_to(precious)
    views, run = kept.Views(shared.runs), RunDir(shared.run_dir())
    views._write(run, kept.stamp_of(run), views.get(run))
    assert os.listdir(precious) == ["thesis.json"]
    (shared.runs / kept.FOLDER).unlink()
    views._write(run, kept.stamp_of(run), views.get(run))
    assert kept.Views(shared.runs).ready(run) is not None
    (shared.runs / kept.FOLDER / f"{run.path.name}.json").chmod(0o666)
    assert kept.Views(shared.runs).ready(run) is None
