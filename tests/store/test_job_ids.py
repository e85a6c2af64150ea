"""Runs are found by the number of the scheduler's job that they were part of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.errors import AssayError
from assay.model.request import Request
from assay.store.find import find_run, find_runs
from assay.store.job import job_id_in
from assay.store.layout import RunDir
from assay.summary.build import summarise


def made(runs: Path, name: str, *, job: str = "", **asked: Any) -> RunDir:
    folder = runs / f"{name}-20261116T100000.000-{name:a<6.6}"
    (folder / "job").mkdir(parents=True)
    request = Request(id=folder.name.partition("-")[2], name=name, **asked)
    (folder / "run.json").write_text(json.dumps(request.as_json()))
    if job:
        (folder / "job" / "id").write_text(job + "\n")
    return RunDir(folder)


def test_a_run_is_named_by_its_job_whoever_started_it(tmp_path: Path) -> None:
    queued = made(tmp_path, "queued", job="4711_3")
    inside = made(tmp_path, "inside", scheduler={"SLURM_JOB_ID": "815"})
    pbs = made(tmp_path, "pbs", job="4712.server.site")
    made(tmp_path, "other", job="47")
    assert find_run(tmp_path, "4711_3") == queued
    assert find_run(tmp_path, "815") == inside
    assert find_run(tmp_path, "4712") == pbs
    assert summarise(inside).job_id == "815"


def test_an_arrays_number_means_all_of_its_runs(tmp_path: Path) -> None:
    for element in range(3):
        made(tmp_path, f"run{element}", job=f"90_{element}")
    made(tmp_path, "more", job="900")
    assert [run.path.name[:4] for run in find_runs(tmp_path, "90")] == ["run0", "run1", "run2"]
    with pytest.raises(AssayError, match="matches 3 runs"):
        find_run(tmp_path, "90")


def test_the_element_of_an_array_goes_by_both_its_numbers() -> None:
    variables = {"SLURM_JOB_ID": "99", "SLURM_ARRAY_JOB_ID": "95", "SLURM_ARRAY_TASK_ID": "4"}
    assert job_id_in(variables) == "95_4"
    assert job_id_in({"PBS_JOBID": "12.server"}) == "12.server"
    assert job_id_in({}) is None
