"""Targets and the doctor: each says in one line whether it can be used from here."""

from __future__ import annotations

import json
import os

import pytest
from conftest import Assay

from assay import systems
from assay.launchers.places import LAUNCHER_NAMES
from assay.systems.target import Target, present


def doctor(assay: Assay, *words: str) -> dict[str, dict[str, object]]:
    return {row["name"]: row for row in json.loads(assay("doctor", "--json", *words).stdout)}


def test_the_doctor_names_every_target_and_place(assay: Assay) -> None:
    rows = doctor(assay)
    assert set(rows) == {*systems.targets(), *LAUNCHER_NAMES}
    assert rows["cpu"]["ready"] and rows["local"]["ready"]
    lines = assay("doctor").stdout.decode().splitlines()
    assert len([line for line in lines if "  ready  " in line or "  missing  " in line]) == len(rows)


@pytest.mark.parametrize(
    ("tool", "name"), [("csctl", "cerebras"), ("gc-monitor", "graphcore"), ("snfadm", "sambanova"), ("groqit", "groq")]
)
def test_a_target_is_seen_by_its_tool(assay: Assay, tool: str, name: str) -> None:
    assay.env["PATH"] = f"{assay.folder}:/usr/bin:/bin"
    assert not doctor(assay)[name]["ready"]
    path = assay.folder / tool
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    row = doctor(assay)[name]
    assert row["ready"] and str(path) in str(row["says"])


def test_a_slurm_that_does_not_answer_is_not_ready(assay: Assay) -> None:
    path = assay.folder / "sbatch"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    assay.env["PATH"] = f"{assay.folder}:/bin"
    assert "does not answer" in str(doctor(assay)["slurm"]["says"])


def test_a_real_slurm_is_ready_and_a_partition_that_is_not_there_is_not(assay: Assay, slurm: object) -> None:
    assay.env = dict(slurm.env)  # type: ignore[attr-defined]
    (assay.folder / "places.yaml").write_text(
        "a: {launcher: slurm, partition: main}\nb: {launcher: slurm, partition: x}"
    )
    rows = doctor(assay)
    assert rows["slurm"]["ready"] and rows["a"]["ready"]
    assert "no partition called `x`" in str(rows["b"]["says"])


@pytest.mark.parametrize("target", systems.targets().values(), ids=systems.targets())
def test_a_target_knows_its_reader_and_the_remedies_of_its_failures(assay: Assay, target: Target) -> None:
    assert target.reader in systems.readers()
    remedies = systems.remedies(systems.of(target.name))
    assert remedies and all(remedy for _, remedy in remedies)
    said = assay("doctor", target.name).stdout.decode()
    assert said.startswith(f"{target.name}: ")
    assert all(f"  {code}: {remedy}\n" in said for code, remedy in remedies)


def test_an_unknown_target_gets_a_suggestion(assay: Assay) -> None:
    done = assay("doctor", "cerebas")
    assert (done.returncode, b"did you mean `cerebras`?" in done.stderr) == (2, True)


def test_a_recipe_leaves_out_what_was_not_set() -> None:
    recipe = systems.targets()["graphcore"].recipes["mnist"]
    words = ["python", "mnist_poptorch.py", "--epochs", "{epochs}"]
    assert present(recipe.command, ["epochs"]) == words


def test_a_study_gets_command_request_and_environment_from_its_target(assay: Assay) -> None:
    text = "target: graphcore\nworkload: mnist\ngrid: {epochs: [1, 2]}\non: slurm"
    (assay.folder / "study.yaml").write_text(text)
    from assay.launchers.places import load_places
    from assay.study.file import load_study
    from assay.study.plan import plan

    study = load_study(assay.folder / "study.yaml")
    assert study.command == ("python", "mnist_poptorch.py", "--epochs", "{epochs}")
    assert study.env == {"POPTORCH_CACHE_DIR": "{run}/poptorch_cache"}
    assert {unit.place.ipus for unit in plan(study, load_places(os.devnull))} == {1}
    (assay.folder / "study.yaml").write_text(text.replace("mnist", "resnet"))
    done = assay("study", "study.yaml")
    assert b"error: study.yaml:2: `resnet` has no way to start on graphcore" in done.stderr


def test_what_the_model_zoo_validates_is_marked_so(assay: Assay) -> None:
    (assay.folder / "run.py").write_text("import sys; assert sys.argv[-1] == '--validate_only'")
    (assay.folder / "p.yaml").write_text("train_input: {batch_size: 1}\nrunconfig: {max_steps: 1}")
    settings = "set: {max_steps: 5}\ngrid: {batch_size: [2]}\nconfig: {file: p.yaml}"
    (assay.folder / "study.yaml").write_text(f"target: cerebras\nmode: zoo-validate\nworkload: mnist\n{settings}")
    (assay.folder / "python").symlink_to("/usr/bin/python3")
    assay.env["PATH"] = f"{assay.folder}:{os.environ['PATH']}"
    done = assay("study", "study.yaml")
    assert done.returncode == 0, done.stderr
    assert assay.summary()["how"] == "validated"
    assert "batch_size: 2" in (assay.run_dir() / "p.yaml").read_text()
