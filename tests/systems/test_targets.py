"""Targets and the doctor: each says in one line whether it can be used from here."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
import yaml
from conftest import Assay

from assay import systems
from assay.launchers.places import LAUNCHER_NAMES, Place, load_places
from assay.launchers.script import recorder_words
from assay.probes import devices
from assay.study.file import load_study
from assay.study.plan import plan
from assay.study.prepare import prepare
from assay.systems.target import Target, present


def doctor(assay: Assay, *words: str) -> dict[str, dict[str, object]]:
    return {row["name"]: row for row in json.loads(assay("doctor", "--json", *words).stdout)}


def test_the_doctor_names_every_target_and_place(assay: Assay) -> None:
    rows = doctor(assay)
    assert set(rows) == {*systems.targets(), *LAUNCHER_NAMES, *(name for name, _, _ in devices.report())}
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
    if target.recipes:  # whose guide they follow, and of when
        assert "guide of " in target.follows and f"  follows {target.follows}\n" in said


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
    study = load_study(assay.folder / "study.yaml")
    assert study.command == ("python", "mnist_poptorch.py", "--epochs", "{epochs}")
    assert study.env == {"POPTORCH_CACHE_DIR": "{run}/poptorch_cache"}
    assert {unit.place.ipus for unit in plan(study, load_places(os.devnull))} == {1}
    (assay.folder / "study.yaml").write_text(text.replace("mnist", "resnet"))
    done = assay("study", "study.yaml")
    assert b"error: study.yaml:2: `resnet` cannot run on graphcore" in done.stderr


OLD_FORM = "train_input: {batch_size: 1}\nrunconfig: {max_steps: 1}"
NEW_FORM = """\
trainer:
  init:
    backend: {backend_type: CSX}
    loop: {max_steps: 1}
  fit:
    train_dataloader: {batch_size: 1, data_dir: /data}
"""


@pytest.mark.parametrize("form", ["old", "new"])
def test_the_configuration_file_says_how_the_model_zoo_is_started(tmp_path: Path, form: str) -> None:
    (tmp_path / "p.yaml").write_text(OLD_FORM if form == "old" else NEW_FORM)
    more = ", job_time_sec: 600, num_csx: 2" if form == "new" else ""
    text = f"target: cerebras\nworkload: mnist\nset: {{max_steps: 5{more}}}\ngrid: {{batch_size: [2]}}\n"
    (tmp_path / "study.yaml").write_text(text + "config: {file: p.yaml}\non: local\n")
    study = load_study(tmp_path / "study.yaml")
    (unit,) = plan(study, load_places(os.devnull))
    job = prepare(study, unit, tmp_path / "runs")
    run, config = job.run.path, yaml.safe_load((job.run.path / "p.yaml").read_text())
    assert "compile_dir" not in " ".join(job.command)  # a compile directory for each run would defeat the cache
    if form == "old":
        assert job.command[:3] == ["python", "run.py", "CSX"]
        assert config == {"train_input": {"batch_size": 2}, "runconfig": {"max_steps": 5}}
        return
    model = f"{run}/model_dir"
    assert job.command == ["cszoo", "fit", f"{run}/p.yaml", "--job_labels", "name=assay", "--model_dir", model]
    assert config["trainer"]["fit"]["train_dataloader"] == {"batch_size": 2, "data_dir": "/data"}
    assert config["trainer"]["init"]["loop"] == {"max_steps": 5}
    there = {"backend_type": "CSX", "cluster_config": {"num_csx": 2, "job_time_sec": 600}}
    assert config["trainer"]["init"]["backend"] == there


def test_a_compile_directory_is_used_where_one_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text(NEW_FORM)
    text = "target: cerebras\nworkload: mnist\nset: {compile_dir: /kept}\ngrid: {batch_size: [2]}\n"
    (tmp_path / "study.yaml").write_text(text + "config: {file: p.yaml}\n")
    study = load_study(tmp_path / "study.yaml")
    job = prepare(study, plan(study, load_places(os.devnull))[0], tmp_path / "runs")
    config = yaml.safe_load((job.run.path / "p.yaml").read_text())
    assert config["trainer"]["init"]["backend"]["compile_dir"] == "/kept"


def test_groq_installs_what_its_proof_point_needs_before_each_job(tmp_path: Path) -> None:
    text = f"target: groq\nworkload: bert-classify\nrepeat: 1\ncwd: {tmp_path}\non: pbs\n"
    (tmp_path / "study.yaml").write_text(text)
    (unit,) = plan(load_study(tmp_path / "study.yaml"), load_places(os.devnull))
    assert (unit.place.select, unit.place.arrange) == ("1", "excl")
    (line,) = unit.place.setup
    assert f"pip install -q -r {tmp_path}/requirements.txt" in line
    assert subprocess.run(["bash", "-c", line], check=False).returncode == 0  # there is no such file: nothing to do


def test_the_recorder_does_not_look_where_a_set_up_keeps_packages_for_another_python(tmp_path: Path) -> None:
    (tmp_path / "yaml.py").write_text("raise SystemExit('of another Python')")
    (tmp_path / "assay.py").write_text("raise SystemExit('of another Python')")
    words = recorder_words(Place(name="x", launcher="slurm", setup=(f"export PYTHONPATH={tmp_path}",)))
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert "usage: python -m assay.cli.node" in done.stderr


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
