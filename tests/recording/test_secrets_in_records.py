"""A secret that a command is given reaches the command, and nothing that we write or print."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from conftest import PYTHON, Assay

SECRET = "hunter2-Tr0ub4dor"


def _files_with(folder: Path, word: str) -> set[str]:
    """Where it stands, but for what the command itself printed."""
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if word in path.name}
    for path in folder.rglob("*"):
        if path.is_file() and path.name != "output.log" and word.encode() in path.read_bytes():
            found.add("/".join(path.relative_to(folder).parts[1:]))
    return found


@pytest.mark.parametrize("place", [[], ["--on", "local"]])
def test_nothing_but_the_command_gets_to_know_a_secret(assay: Assay, place: list[str]) -> None:
    (assay.folder / "places.yaml").write_text(f"mine: {{launcher: local, env: {{DB_PASSWORD: {SECRET}}}}}")
    script = assay.script("import os, sys; print(sys.argv[1:], os.environ['MY_TOKEN'], os.environ.get('DB_PASSWORD'))")
    given = ["-p", f"api_key={SECRET}", "--env", f"MY_TOKEN={SECRET}9", "--tag", f"password={SECRET}"]
    place = ["--on", "mine"] if place else []
    done = assay("run", *place, *given, "--", PYTHON, script, "--password", SECRET, f"https://me:{SECRET}@host")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(SECRET.encode()) >= 3
    assert SECRET.encode() not in done.stderr
    assert _files_with(assay.runs, SECRET) == set()
    for words in (["ls", "--json"], ["show", "--json"], ["ls"]):
        assert SECRET.encode() not in assay(*words).stdout
    again = assay("run", "--again", "last")
    assert (again.returncode, b"a secret, which was not recorded" in again.stderr) == (125, True)


def test_a_study_hides_secrets_in_names_places_and_plans(assay: Assay) -> None:
    text = f"study: s\ncommand: [echo, --api-key, '{{api_key}}']\ngrid: {{api_key: [{SECRET}, {SECRET}2]}}"
    text += f"\nenv: {{PGPASSWORD: {SECRET}}}"
    (assay.folder / "study.yaml").write_text(text)
    dry = assay("study", "study.yaml", "--dry-run")
    assert SECRET.encode() not in dry.stdout + dry.stderr
    assert assay("study", "study.yaml").returncode == 0
    assert len(assay.run_dirs()) == 2
    assert _files_with(assay.runs, SECRET) == set()


def test_a_program_that_names_its_settings_keeps_the_names_and_not_the_keys(assay: Assay) -> None:
    script = f"""
import assay
assay.params(api_key={SECRET!r}, pin=5, password=12345678, url='https://me:{SECRET}@h/x')
assay.params(inner={{'token': 'a1b2c3d4e5f6a7b8'}})
assay.result(model='tiny', accuracy=0.5, note='Authorization: Bearer {SECRET}')
assay.error('unknown', 'cannot reach https://me:{SECRET}@h')
"""
    assay("run", "-q", "--", PYTHON, assay.script(script))
    params = assay.summary()["params"]
    inner = {"token": "***"}
    assert params == {"api_key": "***", "pin": 5, "password": "***", "url": "https://me:***@h/x", "inner": inner}
    assert _files_with(assay.runs, SECRET) == set()
    assert _files_with(assay.runs, "12345678") == set()


def test_a_program_in_another_language_has_its_secrets_masked_where_they_are_shown(assay: Assay) -> None:
    script = f"""echo '{{"kind": "param", "api_key": "{SECRET}", "lr": 0.5}}' >> "$ASSAY_EVENTS" """
    assay("run", "-q", "--", "sh", assay.script(script, "say.sh"))
    assert assay.summary()["params"] == {"api_key": "***", "lr": 0.5}


@pytest.fixture
def repository(assay: Assay) -> Assay:
    for words in (["init", "-q"], ["config", "user.email", "a@b"], ["config", "user.name", "a"]):
        _git(assay, *words)
    (assay.folder / ".gitignore").write_text("runs\n")
    (assay.folder / ".env").write_text("A=1\n")
    assay.script("KEY = 1\nprint('one')")
    _git(assay, "add", "-f", ".")
    _git(assay, "commit", "-qm", "one")
    return assay


def _git(assay: Assay, *words: str) -> None:
    subprocess.run(["git", *words], cwd=assay.folder, check=True, capture_output=True)


def test_the_diff_and_the_script_are_kept_without_secrets_and_for_their_owner_alone(repository: Assay) -> None:
    (repository.folder / ".env").write_text(f"A=1\nPLAIN={SECRET}\n")
    repository.script(f"api_key = '{SECRET}'\nprint('two')")
    repository("run", "-q", "--", PYTHON, "script.py")
    code = repository.run_dir() / "code.json"
    kept = json.loads(code.read_bytes())
    assert code.stat().st_mode & 0o777 == 0o600
    assert "+print('two')" in kept["git"]["diff"] and "api_key = '***'" in kept["git"]["diff"]
    script = repository.run_dir() / "code" / "script.py"
    assert script.read_text() == "api_key = '***'\nprint('two')"
    assert (script.stat().st_mode & 0o777, script.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    git = repository.asked()["git"]
    assert (git["diff_masked"], git["diff_left_out"], "diff" in git) == (True, [".env"], False)
    assert _files_with(repository.runs, SECRET) == set()


def test_code_with_a_secret_in_it_is_repeated_only_where_it_still_lies(repository: Assay) -> None:
    repository.script(f"api_key = '{SECRET}'\nprint('two')")
    repository("run", "-q", "--", PYTHON, "script.py")
    assert repository("run", "-q", "--again", "last").stdout == b"two\n"
    repository.script("print('three')")
    done = repository("run", "-q", "--again", "last")
    assert (done.returncode, done.stdout) == (125, b"")
    assert b"its code changes contained a secret, which was not recorded" in done.stderr


def test_code_without_a_secret_is_repeated_from_what_was_kept(repository: Assay) -> None:
    repository.script("token = tokenizer = 'x'\npassword: str = str(1)\nprint('two')")
    repository("run", "-q", "--", PYTHON, "script.py")
    repository.script("print('three')")
    done = repository("run", "-q", "--again", "last")
    assert (done.returncode, done.stdout) == (0, b"two\n"), done.stderr


def test_a_configuration_is_copied_for_its_owner_alone_and_a_dot_env_file_not_at_all(assay: Assay) -> None:
    (assay.folder / "p.yaml").write_text(f"password: {SECRET}\nb: 1\n")
    text = "command: [cat, '{config}']\nconfig: {file: p.yaml, set: {b: '{x}'}}\ngrid: {x: [5]}"
    (assay.folder / "study.yaml").write_text(text)
    assert assay("study", "study.yaml").returncode == 0
    assert (assay.run_dir() / "p.yaml").stat().st_mode & 0o777 == 0o600
    (assay.folder / ".env").write_text("b: 1\n")
    (assay.folder / "study.yaml").write_text(text.replace("p.yaml", ".env"))
    done = assay("study", "study.yaml")
    assert (done.returncode, b"cannot be copied into a run" in done.stderr) == (2, True)


def test_the_script_of_a_job_is_for_its_owner_alone(assay: Assay) -> None:
    from assay.launchers.base import Job
    from assay.launchers.places import Place
    from assay.launchers.script import write_script
    from assay.store.layout import create

    run = create(assay.runs, "x")
    (run.path / "job").mkdir()
    job = Job(run=run, place=Place(name="slurm", launcher="slurm"), command=["echo", SECRET])
    assert write_script(job, "", [], "").stat().st_mode & 0o777 == 0o700
