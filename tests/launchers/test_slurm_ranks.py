"""On a real Slurm: the tasks of one step are one run, and what it used stands beside what its job asked for."""

from __future__ import annotations

import json
import subprocess

import pytest
from conftest import PYTHON, Assay, wait_for
from slurm_cluster import Cluster

pytestmark = pytest.mark.slow

SCRIPT = "import os, sys; sys.exit(5 * (os.environ['SLURM_PROCID'] == '2'))"


def test_a_step_of_three_tasks_on_two_nodes_is_one_run_with_the_shares_of_its_job(assay: Assay, slurm: Cluster) -> None:
    slurm.wait_until_idle()
    assay.env = dict(slurm.env)
    line = f'srun --label {PYTHON} -m assay run -- {PYTHON} -c "{SCRIPT}"'
    words = ["sbatch", "--parsable", "-N2", "-n3", "--mem=1000", "-t10", f"--output={assay.folder}/out"]
    options = {"env": assay.environment(), "cwd": assay.folder, "capture_output": True, "text": True, "check": True}
    job = subprocess.run([*words, f"--wrap={line}"], **options).stdout.strip()
    wait_for(lambda: not slurm.ask("squeue", "--noheader", f"--jobs={job}").stdout.strip(), "the end of the job")
    summary = assay.summary()
    assert (summary["job_id"], summary["status"], summary["exit_code"]) == (job, "failed", 5)
    assert summary["error"]["message"].startswith("rank 2:")
    assert [row["rank"] for row in summary["ranks"]] == [0, 1, 2] and len(summary["nodes"]) == 2
    assert {row["node"] for row in summary["by_node"]} == set(summary["nodes"])
    asked = summary["requested"]
    assert (asked["cpus"], asked["nodes"], asked["tasks"], asked["mem_bytes"]) == (3, 2, 3, 2000 << 20)
    assert summary["cpu_eff"] == pytest.approx(summary["cpu_s"] / (3 * summary["wall_s"]), rel=1e-3)
    printed = (assay.folder / "out").read_text()
    assert printed.count("kept in") == 1, "one rank speaks for all"
    shown = wait_for(lambda: _with_account(assay, job), "the controller's word on the job")
    assert assay("show", job).stdout.decode().count("next job") <= 1, "of the whole job, not of its run as well"
    assert (
        f"{job} · asked for 3 CPUs, 2 nodes, 2 GiB" in shown or f"{job} · asked for 3 CPUs, 2 nodes, 1.95 GiB" in shown
    )


def test_four_ranks_live_with_the_memory_that_was_advised_where_rss_is_counted(assay: Assay, slurm: Cluster) -> None:
    slurm.wait_until_idle()
    assay.env = dict(slurm.env)
    assay.script("import time\nblock = bytearray(50 << 20)\ntime.sleep(3.5)")  # Slurm looks once a second
    advised = "--mem=3000"
    for number in (1, 2):
        line = f"srun {PYTHON} -m assay run -- {PYTHON} script.py"
        words = ["sbatch", "--wait", "-N1", "-n4", "-t10", advised, f"--output={assay.folder}/out", f"--wrap={line}"]
        done = subprocess.run(words, env=assay.environment(), cwd=assay.folder, capture_output=True, check=False)
        assert done.returncode == 0, (assay.folder / "out").read_text()
        assert len(assay.run_dirs()) == number
        if number == 1:
            (only,) = json.loads(assay("show", "last", "--json").stdout)
            advised = next(one for one in only["next_request"] if "mem" in one).split()[1]
    assert 600 <= int(advised.removeprefix("--mem=").removesuffix("M")) < 1000


def test_a_job_of_two_recorded_commands_is_shown_with_both(assay: Assay, slurm: Cluster) -> None:
    slurm.wait_until_idle()
    assay.env = dict(slurm.env)
    run = f"{PYTHON} -m assay run --name"
    words = ["sbatch", "--parsable", "--output=/dev/null", f"--wrap={run} first -- true; {run} second -- true"]
    options = {"env": assay.environment(), "cwd": assay.folder, "capture_output": True, "text": True, "check": True}
    job = subprocess.run(words, **options).stdout.strip()
    wait_for(lambda: not slurm.ask("squeue", "--noheader", f"--jobs={job}").stdout.strip(), "the end of the job")
    shown = assay("show", job).stdout.decode()
    assert shown.startswith(f"job-{job} ")
    assert f"2 recorded runs in this job: first and second; list with `assay ls {job}`" in shown
    listed = assay("ls", job).stdout.decode()
    assert "first" in listed and "second" in listed and len(listed.splitlines()) == 3


def _with_account(assay: Assay, job: str) -> str:
    """Without accounting the controller is asked, which knows a job for some minutes."""
    shown = assay("show", job).stdout.decode()
    return shown.partition("the whole job, as its scheduler reports it: failed")[2]
