"""On a real Slurm: whatever happens to the job, the controller, the node or us, the record is right."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import PYTHON, Assay, need_torch, wait_for
from slurm_cluster import NODES, Cluster

from assay.store.job import read_job
from assay.store.layout import RunDir

pytestmark = pytest.mark.slow

#: waits for a file beside it, then ends with the code it is given
PATIENT = """\
import os, sys, time
print("up", flush=True)
while not os.path.exists("go"): time.sleep(0.02)
sys.exit(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
"""


@pytest.fixture
def on_slurm(assay: Assay, slurm: Cluster) -> Assay:
    slurm.wait_until_idle()
    assay.env = dict(slurm.env)
    return assay


def study(assay: Assay, text: str) -> Path:
    path = assay.folder / "study.yaml"
    path.write_text(text)
    return path


def only(assay: Assay) -> dict[str, Any]:
    (summary,) = assay.ls()
    return summary


def is_right(summary: dict[str, Any], status: str, exit_code: int | None) -> None:
    """Status, exit code, queue seconds and node."""
    assert (summary["status"], summary.get("exit_code")) == (status, exit_code), summary
    assert 0 <= summary["phases"]["queue"] < 300
    assert set(summary["nodes"]) <= set(NODES)
    assert summary["nodes"]


@pytest.mark.parametrize("code", [0, 7, 137, 255])
def test_a_run_tells_its_true_exit_code_node_and_queue(on_slurm: Assay, code: int) -> None:
    done = on_slurm("run", "-q", "--on", "slurm", "--", "sh", "-c", f"echo here; exit {code}")
    assert (done.returncode, done.stdout) == (code, b"here\n")
    is_right(only(on_slurm), "failed" if code else "completed", code)
    assert len(only(on_slurm)["nodes"]) == 1


@pytest.mark.parametrize("gres", ["ipu:4", "rdu:8"])
def test_devices_are_asked_for_by_gres(on_slurm: Assay, slurm: Cluster, gres: str) -> None:
    on_slurm("run", "-q", "--on", f"slurm,gres={gres}", "--", "true")
    is_right(only(on_slurm), "completed", 0)
    job_id = (on_slurm.run_dir() / "job" / "id").read_text().strip()
    assert f"gres:{gres}" in slurm.ask("squeue", "-h", "-t", "all", "-j", job_id, "-O", "tres-per-node:60").stdout


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        ("gres=rdu:9", "Requested node configuration is not available"),
        ("gres=wafer:1", "Invalid generic resource"),
        ("partition=nowhere", "invalid partition"),
    ],
)
def test_an_impossible_request_fails_at_once(on_slurm: Assay, request_: str, why: str) -> None:
    done = on_slurm("run", "--on", f"slurm,{request_}", "--", "true")
    assert done.returncode == 125
    assert why.encode() in done.stderr
    summary = only(on_slurm)
    assert (summary["status"], summary["error"]["code"]) == ("failed", "impossible-request")


@pytest.mark.parametrize(("request_", "reason"), [("nodes=4", "NodeLimit"), ("time=2h", "PartitionTimeLimit")])
def test_a_job_that_may_never_start_is_told_with_its_remedy_and_left_alone(
    on_slurm: Assay, slurm: Cluster, request_: str, reason: str
) -> None:
    process = on_slurm.start("run", "--on", f"slurm,{request_}", "--", "true", stderr=subprocess.PIPE)
    job_id = wait_for(lambda: job_ids(on_slurm), "a job")[0]
    try:
        assert process.stderr is not None
        said = next(line for line in process.stderr if reason.encode() in line)
        assert f"scancel {job_id}".encode() in said
        assert only(on_slurm)["status"] == "queued"
        assert slurm.ask("squeue", "-h", "-j", job_id, "-o", "%T").stdout == "PENDING\n"
    finally:
        slurm.ask("scancel", job_id)
    process.communicate(timeout=60)
    assert only(on_slurm)["error"]["code"] == "cancelled"


def test_a_request_that_only_one_combination_makes_fails_only_that_one(on_slurm: Assay) -> None:
    path = study(on_slurm, "command: 'echo {cpus}'\ngrid: {cpus: [1, 9]}\non: {place: slurm, cpus: '{cpus}'}")
    done = on_slurm("study", path)
    assert done.returncode == 1
    assert b"impossible-request" in done.stderr
    by_cpus = {summary["claims"]["cpus"]: summary for summary in on_slurm.ls()}
    assert by_cpus[1]["status"] == "completed"
    assert by_cpus[9]["error"]["code"] == "impossible-request"


def test_a_job_at_its_time_limit_has_failed_of_it(on_slurm: Assay, slurm: Cluster) -> None:
    process = on_slurm.start("run", "-q", "--on", "slurm,time=10m", "--", "sleep", "600")
    job_id = wait_for(lambda: job_ids(on_slurm), "a job")[0]
    wait_for(lambda: on_slurm.ls()[0]["status"] == "running", "its start")
    slurm.ask("scontrol", "update", f"JobId={job_id}", "EndTime=now+2")  # Slurm itself counts in minutes
    process.communicate(timeout=120)
    summary = only(on_slurm)
    is_right(summary, "failed", 143)
    assert summary["error"]["code"] == "time-limit"


def test_a_job_over_its_memory_has_failed_of_it(on_slurm: Assay) -> None:
    hungry = "block = bytearray(600 << 20); import time; time.sleep(60)"
    on_slurm("run", "-q", "--on", "slurm,memory=100M", "--", PYTHON, "-c", hungry)
    summary = only(on_slurm)
    assert (summary["status"], summary["error"]["code"]) == ("failed", "out-of-memory"), summary
    assert summary["nodes"]


def test_a_cancelled_job_is_interrupted_and_says_so(on_slurm: Assay, slurm: Cluster) -> None:
    process = on_slurm.start("run", "-q", "--on", "slurm", "--", "sleep", "600")
    wait_for(lambda: on_slurm.ls() and on_slurm.ls()[0]["status"] == "running", "its start")
    slurm.ask("scancel", job_ids(on_slurm)[0])
    process.communicate(timeout=120)
    is_right(only(on_slurm), "interrupted", 143)
    assert only(on_slurm)["error"]["code"] == "cancelled"


def test_a_study_is_cancelled_in_the_queue_and_on_the_nodes(on_slurm: Assay, slurm: Cluster) -> None:
    on_slurm.script(PATIENT)
    path = study(on_slurm, f"command: [{PYTHON}, script.py]\nrepeat: 4\non: {{place: slurm, cpus: 8}}")
    process = on_slurm.start("study", path)
    wait_for(lambda: statuses(on_slurm).count("running") == 3 and len(on_slurm.ls()) == 4, "three running, one waiting")
    assert statuses(on_slurm).count("queued") == 1
    done = on_slurm("study", path, "--cancel")
    assert b"4 runs ended" in done.stderr
    assert process.wait(timeout=60) == 130
    assert slurm.ask("squeue", "-h").stdout == ""
    assert statuses(on_slurm) == ["interrupted"] * 4
    assert {summary["error"]["code"] for summary in on_slurm.ls()} == {"cancelled"}


def test_a_lost_node_gives_the_job_back_and_another_one_finishes_it(on_slurm: Assay, slurm: Cluster) -> None:
    on_slurm.script(PATIENT)
    process = on_slurm.start("run", "-q", "--on", "slurm", "--", PYTHON, "script.py", "3")
    wait_for(lambda: on_slurm.ls() and on_slurm.ls()[0].get("nodes"), "its start")
    wait_for(lambda: (on_slurm.run_dir() / "output.log").exists() and output(on_slurm) == b"up\n", "its output")
    (node,) = only(on_slurm)["nodes"]
    slurm.kill_node(node)
    try:
        job_id = job_ids(on_slurm)[0]
        wait_for(lambda: "PENDING" in slurm.ask("squeue", "-h", "-j", job_id, "-o", "%T").stdout, "the requeue")
        wait_for(lambda: only(on_slurm)["status"] == "queued", "the poll that sees it")
        slurm.ask("scontrol", "update", f"JobId={job_id}", "StartTime=now")  # it would rest for two minutes
        wait_for(lambda: only(on_slurm)["status"] == "running", "the second attempt")
        (on_slurm.folder / "go").touch()
        assert process.wait(timeout=60) == 3
    finally:
        slurm.bring_back(node)
    summary = only(on_slurm)
    is_right(summary, "failed", 3)
    assert summary["attempts"] == 2
    first, second = read_job(RunDir(on_slurm.run_dir())).starts
    assert second.lost_t is not None and first.t < second.lost_t < second.t
    assert summary["queue_s"] == summary["phases"]["queue"] >= round(second.t - second.lost_t, 3) > 0
    assert summary["nodes"] != [node]
    assert (on_slurm.run_dir() / "attempts" / "0" / "output.log").read_bytes() == b"up\n"


def test_a_controller_that_is_away_for_a_while_costs_nothing(on_slurm: Assay, slurm: Cluster) -> None:
    on_slurm.script(PATIENT)
    path = study(on_slurm, f"command: [{PYTHON}, script.py, '{{code}}']\ngrid: {{code: [0, 4]}}\non: slurm")
    process = on_slurm.start("study", path)
    wait_for(lambda: statuses(on_slurm) == ["running", "running"], "both to run")
    slurm.stop_controller()
    try:
        (on_slurm.folder / "go").touch()
        wait_for(lambda: len(list(on_slurm.runs.glob("*/job/end.0"))) == 2, "their ends")
        refused = on_slurm("study", path, "--status")
        assert refused.returncode == 0  # what the run directories say is known without it
    finally:
        slurm.start_controller()
    assert process.wait(timeout=90) == 1
    by_code = {summary["claims"]["code"]: summary for summary in on_slurm.ls()}
    is_right(by_code[0], "completed", 0)
    is_right(by_code[4], "failed", 4)


@pytest.mark.parametrize("moment", ["submitting", "running"])
def test_a_submitter_that_is_killed_half_way_loses_nothing_and_does_nothing_twice(
    on_slurm: Assay, slurm: Cluster, moment: str
) -> None:
    text = f"command: [{PYTHON}, -c, 'import time; time.sleep(0.3)', '{{x}}']\ngrid: {{x: [1, 2, 3, 4]}}\nrepeat: 3"
    path = study(on_slurm, f"{text}\non: slurm\njobs: 3")
    process = on_slurm.start("study", path)
    if moment == "submitting":
        wait_for(lambda: len(on_slurm.run_dirs()) >= 6, "half of the submissions")
    else:
        wait_for(lambda: len(list(on_slurm.runs.glob("*/job/end.0"))) >= 3, "the first ends")
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    done = on_slurm("study", path)
    assert done.returncode == 0, done.stderr
    summaries = on_slurm.ls()
    assert len(summaries) == 12
    assert len({(summary["cell"], summary["repeat"]) for summary in summaries}) == 12
    for summary in summaries:
        is_right(summary, "completed", 0)
    assert jobs_of(on_slurm, slurm) == sorted(summary["job_id"] for summary in summaries)


def test_a_job_whose_id_was_lost_is_found_by_its_name(on_slurm: Assay, slurm: Cluster) -> None:
    on_slurm.script(PATIENT)
    path = study(on_slurm, f"command: [{PYTHON}, script.py]\nrepeat: 2\non: slurm")
    process = on_slurm.start("study", path)
    wait_for(lambda: statuses(on_slurm) == ["running", "running"], "both to run")
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    for run in on_slurm.run_dirs():
        (run / "job" / "id").unlink()
    again = on_slurm.start("study", path)
    wait_for(lambda: len(job_ids(on_slurm)) == 2, "both to be found again")
    (on_slurm.folder / "go").touch()
    assert again.wait(timeout=60) == 0
    assert len(on_slurm.run_dirs()) == 2
    for summary in on_slurm.ls():
        is_right(summary, "completed", 0)
    assert sorted(job_ids(on_slurm)) == jobs_of(on_slurm, slurm)


def test_a_second_job_of_the_same_run_refuses_to_begin(on_slurm: Assay, slurm: Cluster) -> None:
    on_slurm("run", "-q", "--on", "slurm", "--", "true")
    before = only(on_slurm)
    script = on_slurm.run_dir() / "job" / "script"
    done = slurm.ask("sbatch", "--parsable", "--output=/dev/null", "--wait", str(script))
    assert done.returncode == 125
    assert only(on_slurm) == before


def test_hostile_values_arrive_as_they_are(on_slurm: Assay) -> None:
    hostile = ["$(touch pwned)", "; touch pwned", "`touch pwned`", "a'b\"c", "new\nline", "--flag", "{x}", "%j", "a b"]
    values = json.dumps(hostile)
    says = "import sys; sys.stdout.write(sys.argv[1])"
    text = f"command: [{PYTHON}, -c, '{says}', '{{x}}']\ngrid: {{x: {values}}}\non: slurm"
    done = on_slurm("study", study(on_slurm, text))
    assert done.returncode == 0, done.stderr
    printed = {(run / "output.log").read_bytes().decode() for run in on_slurm.run_dirs()}
    assert printed == set(hostile)
    assert not list(on_slurm.folder.rglob("pwned"))


def test_a_folder_with_an_odd_name_is_no_trouble(on_slurm: Assay) -> None:
    folder = on_slurm.folder / "my runs' %j $x"
    done = on_slurm("run", "-q", "--runs-dir", folder, "--on", "slurm", "--", "echo", "hi")
    assert (done.returncode, done.stdout) == (0, b"hi\n")


def test_three_nodes_of_two_processes_are_recorded_on_every_node(on_slurm: Assay) -> None:
    need_torch()
    on_slurm.env["GLOO_SOCKET_IFNAME"] = "lo"
    on_slurm.script(
        "import torch, torch.distributed as dist, assay\n"
        "torch.set_num_threads(1)\n"
        "dist.init_process_group('gloo')\n"
        "total = torch.tensor([float(dist.get_rank() + 1)])\n"
        "dist.all_reduce(total)\n"
        "assay.result(total=total.item(), world=dist.get_world_size())\n"
        "dist.barrier()\n"
        "dist.destroy_process_group()\n"
    )
    place = "slurm,nodes=3,procs=2,memory=3000M"
    done = on_slurm("run", "--on", place, "--", PYTHON, "script.py", timeout=240)
    assert done.returncode == 0, done.stderr
    summary = only(on_slurm)
    is_right(summary, "completed", 0)
    assert summary["nodes"] == ["n1", "n2", "n3"]
    assert summary["metrics"] == {"total": 21, "world": 6}
    ends = [event for event in on_slurm.events() if event["kind"] == "end"]
    assert {event["node"] for event in ends} == {"n1", "n2", "n3"}
    assert summary["cpu_s"] == pytest.approx(sum(event["cpu_s"] for event in ends), rel=1e-3)


def test_data_parallel_training_on_three_nodes_of_two_keeps_its_replicas_in_sync(on_slurm: Assay) -> None:
    need_torch()
    settings = "{data: synthetic, train_samples: 960, epochs: 1, batch_size: 16, scaling: weak, threads: 1}"
    place = "{place: slurm, nodes: 3, procs: 2, memory: 3500M}"
    text = f"workload: svhn-mlp\nset: {settings}\non: {place}\nenv: {{GLOO_SOCKET_IFNAME: lo}}"
    done = on_slurm("study", study(on_slurm, text), timeout=300)
    assert done.returncode == 0, done.stderr
    summary = only(on_slurm)
    is_right(summary, "completed", 0)
    assert summary["nodes"] == ["n1", "n2", "n3"]
    assert (summary["params"]["processes"], summary["params"]["global_batch"]) == (6, 96)  # what it saw itself
    assert b"unsynced" not in done.stdout


def test_a_node_that_fails_fails_the_run(on_slurm: Assay) -> None:
    script = 'test "$SLURM_NODEID" != 1 || exit 5'
    place = "slurm,nodes=3"
    assert on_slurm.script("import os, sys\nsys.exit(5 * (os.environ['SLURM_NODEID'] == '1'))\n")
    done = on_slurm("run", "-q", "--on", place, "--", "sh", "-c", script, timeout=240)
    assert done.returncode != 0
    summary = only(on_slurm)
    assert summary["status"] == "failed"


def test_set_up_lines_come_before_the_command_and_outside_of_it(on_slurm: Assay) -> None:
    places = {"mine": {"launcher": "slurm", "setup": ["export GREETING='good day'"], "env": {"NAME": "x y"}}}
    (on_slurm.folder / "places.yaml").write_text(json.dumps(places))
    done = on_slurm(
        "run", "-q", "--on", "mine", "--", PYTHON, "-c", "import os; print(os.environ['GREETING'], os.environ['NAME'])"
    )
    assert done.stdout == b"good day x y\n"


def job_ids(assay: Assay) -> list[str]:
    return [path.read_text().strip() for path in assay.runs.glob("*/job/id")]


def jobs_of(assay: Assay, slurm: Cluster) -> list[str]:
    """All that Slurm knows of this test's runs: a job's comment is where they lie."""
    lines = slurm.ask("squeue", "-h", "-r", "-t", "all", "-o", "%i %k").stdout.splitlines()
    return sorted(line.split()[0] for line in lines if str(assay.runs) in line)


def statuses(assay: Assay) -> list[str]:
    done = subprocess.run(assay.words("ls", "--json"), env=assay.environment(), cwd=assay.folder, capture_output=True)
    return sorted((summary["status"] for summary in json.loads(done.stdout)), reverse=True) if done.stdout else []


def output(assay: Assay) -> bytes:
    return (assay.run_dir() / "output.log").read_bytes()
