"""PBS, by a stand-in that speaks its three commands: the protocol is tested here, the scheduler itself is not."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from conftest import PYTHON, Assay, wait_for

pytestmark = pytest.mark.slow


@pytest.fixture
def on_pbs(assay: Assay) -> Assay:
    home = assay.folder / "pbs"
    os.environ["PBS_STANDIN"] = str(home)
    import pbs_standin

    pbs_standin.install(home / "bin")
    assay.env = {"PBS_STANDIN": str(home), "PATH": f"{home / 'bin'}:{os.environ['PATH']}"}
    return assay


def study(assay: Assay, text: str) -> Path:
    path = assay.folder / "study.yaml"
    path.write_text(text)
    return path


def only(assay: Assay) -> dict[str, Any]:
    (summary,) = assay.ls()
    return summary


def submitted(assay: Assay) -> dict[str, Any]:
    return json.loads((assay.folder / "pbs" / "jobs.json").read_text())


@pytest.mark.parametrize("code", [0, 7, 137])
def test_a_run_tells_its_true_exit_code_and_queue(on_pbs: Assay, code: int) -> None:
    done = on_pbs("run", "-q", "--on", "pbs", "--", "sh", "-c", f"echo here; exit {code}")
    assert (done.returncode, done.stdout) == (code, b"here\n")
    summary = only(on_pbs)
    assert (summary["status"], summary["exit_code"]) == ("failed" if code else "completed", code)
    assert summary["phases"]["queue"] >= 0
    assert len(summary["nodes"]) == 1


def test_a_request_is_spoken_in_pbs_own_words(on_pbs: Assay) -> None:
    place = "pbs,cpus=8,arrange=excl,time=90s,account=mine"
    on_pbs("run", "-q", "--on", place, "--", "true")
    given = submitted(on_pbs)["1.standin"]["given"]
    assert given["resources"] == {"select": "1:ncpus=8", "walltime": "00:01:30", "place": "excl"}
    assert given["A"] == "mine"
    assert len(given["N"]) == 15


@pytest.mark.parametrize(("request_", "why"), [("partition=nowhere", "Unknown queue"), ("nodes=4", "Can Never Run")])
def test_what_can_never_start_is_told_at_once(on_pbs: Assay, request_: str, why: str) -> None:
    done = on_pbs("run", "--on", f"pbs,{request_}", "--", "true")
    assert done.returncode == 125
    assert why.encode() in done.stderr
    assert only(on_pbs)["error"]["code"] == "impossible-request"
    assert all(job["state"] == "F" for job in submitted(on_pbs).values()) if why != "Unknown queue" else True


def test_a_job_at_its_time_limit_has_failed_of_it(on_pbs: Assay) -> None:
    on_pbs("run", "-q", "--on", "pbs,time=1s", "--", "sleep", "60")
    summary = only(on_pbs)
    assert (summary["status"], summary["error"]["code"]) == ("failed", "time-limit")


def test_a_study_is_cancelled(on_pbs: Assay) -> None:
    path = study(on_pbs, "command: [sleep, '60']\nrepeat: 3\njobs: 1\non: pbs")
    process = on_pbs.start("study", path)
    wait_for(lambda: [summary["status"] for summary in on_pbs.ls()].count("running") == 1, "the first to run")
    wait_for(lambda: len(on_pbs.ls()) == 3, "the others")
    assert b"3 runs ended" in on_pbs("study", path, "--cancel").stderr
    assert process.wait(timeout=60) == 130
    assert {summary["error"]["code"] for summary in on_pbs.ls()} == {"cancelled"}


def test_a_killed_submitter_and_an_absent_server_lose_nothing(on_pbs: Assay) -> None:
    text = f"command: [{PYTHON}, -c, 'import time; time.sleep(0.2)', '{{x}}']\ngrid: {{x: [1, 2, 3, 4, 5, 6]}}\non: pbs"
    path = study(on_pbs, text)
    process = on_pbs.start("study", path)
    wait_for(lambda: len(on_pbs.run_dirs()) >= 3, "half of the submissions")
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    (on_pbs.folder / "pbs" / "down").touch()
    for run in on_pbs.run_dirs():
        (run / "job" / "id").unlink(missing_ok=True)
    again = on_pbs.start("study", path)
    wait_for(lambda: list(on_pbs.runs.glob("*/job/end.0")), "a run to end while the server is away")
    (on_pbs.folder / "pbs" / "down").unlink()
    assert again.wait(timeout=60) == 0
    assert sorted(summary["claims"]["x"] for summary in on_pbs.ls()) == [1, 2, 3, 4, 5, 6]
    names = [job["given"]["N"] for job in submitted(on_pbs).values()]
    assert len(names) == len(set(names)) == 6


def test_hostile_values_arrive_as_they_are(on_pbs: Assay) -> None:
    hostile = ["$(touch pwned)", "; touch pwned", "a'b\"c", "new\nline"]
    says = "import sys; sys.stdout.write(sys.argv[1])"
    text = f"command: [{PYTHON}, -c, '{says}', '{{x}}']\ngrid: {{x: {json.dumps(hostile)}}}\non: pbs"
    assert on_pbs("study", study(on_pbs, text)).returncode == 0
    assert {(run / "output.log").read_bytes().decode() for run in on_pbs.run_dirs()} == set(hostile)
    assert not list(on_pbs.folder.rglob("pwned"))
