"""`assay run --again`: the same command, settings and code, or a refusal."""

from __future__ import annotations

import subprocess

import pytest
from conftest import PYTHON, Assay

pytestmark = pytest.mark.slow


@pytest.fixture
def repository(assay: Assay) -> Assay:
    git(assay, "init", "-q")
    git(assay, "config", "user.email", "a@b")
    git(assay, "config", "user.name", "a")
    (assay.folder / ".gitignore").write_text("runs\n")
    assay.script("print('one')")
    git(assay, "add", ".")
    git(assay, "commit", "-qm", "one")
    return assay


def git(assay: Assay, *words: str) -> None:
    subprocess.run(["git", *words], cwd=assay.folder, check=True, capture_output=True)


def test_the_same_command_settings_and_environment_again(repository: Assay) -> None:
    repository.script("import os, sys\nprint(sys.argv[1:], os.environ['WHO'])\nsys.exit(3)")
    words = ["-q", "-p", "lr=0.1", "--env", "WHO=me", "--name", "first", "--", PYTHON, "script.py", "a b", "$x"]
    before = repository("run", *words)
    done = repository("run", "-q", "--again", "first")
    assert (done.returncode, done.stdout) == (3, before.stdout)
    first, second = repository.ls()
    assert second["again_of"] == first["id"]
    assert (second["claims"], second["name"]) == (first["claims"], first["name"])


@pytest.mark.parametrize("where", ["script.py", "absolute"])
def test_code_that_has_changed_is_taken_from_its_commit_and_diff(repository: Assay, where: str) -> None:
    repository.script("print('two')")  # not committed: kept as a diff
    script = "script.py" if where == "script.py" else str(repository.folder / "script.py")
    repository("run", "-q", "--", PYTHON, script)
    repository.script("print('three')")
    git(repository, "commit", "-qam", "three")
    done = repository("run", "-q", "--again", "last")
    assert (done.returncode, done.stdout) == (0, b"two\n"), done.stderr
    worktrees = subprocess.run(["git", "worktree", "list"], cwd=repository.folder, capture_output=True, check=True)
    assert len(worktrees.stdout.splitlines()) == 1
    assert (repository.folder / "script.py").read_text() == "print('three')"


@pytest.mark.parametrize("git_knows", [True, False])
def test_a_script_that_git_did_not_know_and_that_has_changed_is_refused(repository: Assay, git_knows: bool) -> None:
    repository.script("print('one')", "new.py")
    repository("run", "-q", "--", PYTHON, "new.py")
    repository.script("print('two')", "new.py")
    if git_knows:
        git(repository, "add", "new.py")
        git(repository, "commit", "-qm", "new")
    done = repository("run", "-q", "--again", "last")
    assert done.returncode == 125
    assert b"has changed, and no commit was recorded" in done.stderr
    assert len(repository.run_dirs()) == 1


def test_what_cannot_be_the_same_is_refused(assay: Assay) -> None:
    assay("run", "-q", "--", "echo", "--password", "hunter2")
    done = assay("run", "--again", "last")
    assert (done.returncode, b"a secret, which was not recorded" in done.stderr) == (125, True)
    assert b"it takes no command" in assay("run", "--again", "last", "--", "true").stderr
    assert assay("run", "--again", "nothing").returncode == 125


def test_a_repeated_run_of_a_study_has_a_separate_directory(assay: Assay) -> None:
    (assay.folder / "p.yaml").write_text("a: {b: 1}")
    text = "command: [sh, -c, 'cat $1; mkdir $2', sh, '{config}', '{run}/model_dir']\n"
    (assay.folder / "study.yaml").write_text(text + "config: {file: p.yaml, set: {a.b: '{x}'}}\ngrid: {x: [5]}")
    assert assay("study", "study.yaml").returncode == 0
    done = assay("run", "-q", "--again", "last")
    assert (done.returncode, done.stdout) == (0, b"a:\n  b: 5\n"), done.stderr
    assert [(run / "model_dir").is_dir() for run in assay.run_dirs()] == [True, True]
