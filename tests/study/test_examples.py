"""The experiments of the seeds as studies: the vendors' run end to end through schedulers, by stand-ins, marked so."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import Assay, need_torch
from slurm_cluster import Cluster

from assay.launchers.places import load_places
from assay.strictyaml import load
from assay.study.file import load_study
from assay.study.plan import plan

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[2] / "examples"
STUDIES = sorted((EXAMPLES / "studies").glob("*.yaml"))


def smaller(assay: Assay, name: str, **changes: Any) -> Path:
    """The example with fewer steps and repeats, so that it ends within a test."""
    given = load(EXAMPLES / "studies" / f"{name}.yaml").value
    given["cwd"] = str((EXAMPLES / "studies" / given["cwd"]).resolve())
    if "config" in given:
        given["config"]["file"] = str((EXAMPLES / "studies" / given["config"]["file"]).resolve())
    for key, value in changes.items():
        given[key] = {**given[key], **value} if isinstance(value, dict) and isinstance(given.get(key), dict) else value
    path = assay.folder / f"{name}.yaml"
    path.write_text(yaml.safe_dump(given))
    return path


@pytest.fixture
def with_python(assay: Assay) -> Assay:
    """`python` is this one, as a place's set-up lines would make it."""
    assay.env["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return assay


@pytest.fixture
def on_slurm(with_python: Assay, slurm: Cluster) -> Assay:
    slurm.wait_until_idle()
    with_python.env["SLURM_CONF"] = slurm.env["SLURM_CONF"]
    return with_python


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_every_example_is_a_study(path: Path) -> None:
    study = load_study(path)
    assert plan(study, load_places(EXAMPLES / "places" / "alcf.yaml"))
    assert study.about


def test_the_graphcore_study_runs_through_slurm(on_slurm: Assay) -> None:
    need_torch()
    place = {"place": "slurm", "gres": "ipu:1", "memory": "1500M"}
    changes = {"grid": {"epochs": [1, 2], "lr": [0.05]}, "repeat": 1, "on": place, "success": "status=completed"}
    path = smaller(on_slurm, "graphcore-epochs", **changes)
    done = on_slurm("study", path, timeout=240)
    assert done.returncode == 0, done.stderr
    found = {summary["claims"]["epochs"]: summary for summary in on_slurm.ls()}
    assert {epochs: summary["params"]["epochs"] for epochs, summary in found.items()} == {1: 1, 2: 2}
    for summary in found.values():
        assert (summary["how"], summary["system"], summary["params"]["batch_size"]) == ("simulated", "graphcore", 8)
        assert summary["phases"]["queue"] >= 0 and summary["nodes"]
        assert summary["accuracy"] > 0.05
    assert b"simulated" in done.stdout


def test_the_cerebras_study_writes_batch_sizes_and_keeps_models_apart(on_slurm: Assay) -> None:
    need_torch()
    place = {"place": "slurm", "memory": "1500M"}
    path = smaller(
        on_slurm,
        "cerebras-batch-sizes",
        set={"max_steps": 20},
        grid={"batch_size": [16, 32]},
        on=place,
        limits={"time": "10m"},
    )
    done = on_slurm("study", path, timeout=240)
    assert done.returncode == 0, done.stderr
    assert len(on_slurm.ls()) == 4
    for summary in on_slurm.ls():
        assert (summary["how"], summary["system"]) == ("simulated", "cerebras")
        assert summary["params"]["batch_size"] == summary["claims"]["batch_size"]
        assert summary["samples"] == 20 * summary["claims"]["batch_size"]
    assert all((run / "model_dir" / "checkpoint_20.mdl").exists() for run in on_slurm.run_dirs())


def test_the_sambanova_study_counts_tasks_and_keeps_the_compile_apart(on_slurm: Assay) -> None:
    grid = {"shape": [{"tasks": 2, "nodes": 1}, {"tasks": 4, "nodes": 2}]}
    place = {"place": "slurm", "cpus": 1, "tasks_per_node": 2, "tasks_with": "--mpi=none"}
    changes = {"set": {"max_steps": 10}, "grid": grid, "repeat": 1, "on": place, "limits": {"time": "10m"}}
    path = smaller(on_slurm, "sambanova-tasks", **changes)
    done = on_slurm("study", path, timeout=240)
    assert done.returncode == 0, done.stderr
    found = {summary["claims"]["tasks"]: summary for summary in on_slurm.ls()}
    for tasks in (2, 4):
        summary = found[tasks]
        assert summary["status"] == "completed", summary
        assert (summary["status"], summary["how"], summary["system"]) == ("completed", "simulated", "sambanova"), (
            summary
        )
        assert summary["params"]["num_tasks"] == tasks
        assert summary["phases"]["compile"] >= 0.5
        assert summary["compile_cached"] is False
    assert len(found[4]["nodes"]) == 2


def test_the_groq_study_runs_through_pbs(with_python: Assay) -> None:
    home = with_python.folder / "pbs"
    os.environ["PBS_STANDIN"] = str(home)
    import pbs_standin

    pbs_standin.install(home / "bin")
    with_python.env["PBS_STANDIN"] = str(home)
    with_python.env["PATH"] = f"{home / 'bin'}:{with_python.env['PATH']}"
    done = with_python("study", smaller(with_python, "groq-table", repeat=2, on="pbs"))
    assert done.returncode == 0, done.stderr
    for summary in with_python.ls():
        assert (summary["how"], summary["system"], summary["status"]) == ("simulated", "groq", "completed"), summary
        assert summary["accuracy"] > 0.6
        assert summary["inferences_per_s"] > 0
