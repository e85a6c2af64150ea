"""PBS, by a stand-in that speaks its three commands: the protocol is tested here, the scheduler itself is not."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from conftest import PYTHON, Assay, wait_for

from assay.errors import UsageError
from assay.launchers.base import Job
from assay.launchers.pbs import _arrangement, _request, _select
from assay.launchers.places import Place, load_places, parse_place
from assay.launchers.qstat import jobs_in_json, jobs_in_text, seen_in
from assay.store.layout import RunDir

CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "accounting" / "docs__qstat_xf.json"
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
    place = "pbs,cpus=8,arrange=excl,time=90s,account=mine,filesystems=home:eagle"
    on_pbs("run", "-q", "--on", place, "--", "true")
    given = submitted(on_pbs)["1.standin"]["given"]
    asked = {"select": "1:ncpus=8", "walltime": "00:01:30", "place": "excl", "filesystems": "home:eagle"}
    assert given["resources"] == asked
    assert given["A"] == "mine"


@pytest.mark.parametrize(
    ("place", "select", "arrangement"),
    [
        ({}, "1", ""),
        ({"select": "1:system=polaris", "nodes": 2}, "2:system=polaris", "scatter"),
        ({"select": "1:system=polaris:ncpus=4", "cpus": 8, "gpus": 4}, "1:system=polaris:ncpus=4:ngpus=4", ""),
        ({"select": "system=aurora", "nodes": 3, "arrange": "scatter"}, "3:system=aurora", "scatter"),
        ({"select": "2:system=polaris", "arrange": "scatter", "exclusive": True}, "2:system=polaris", "scatter:excl"),
        ({"select": "1:ncpus=4+2:ncpus=8"}, "1:ncpus=4+2:ncpus=8", ""),
    ],
)
def test_a_select_is_for_as_many_nodes_as_are_asked_for(place: dict[str, Any], select: str, arrangement: str) -> None:
    there = Place(name="there", launcher="pbs", **place)
    assert (_select(there), _arrangement(there)) == (select, arrangement)


def test_a_select_of_several_kinds_of_nodes_is_not_scaled() -> None:
    with pytest.raises(UsageError, match="several kinds of nodes"):
        _select(Place(name="there", launcher="pbs", select="1:ncpus=4+2:ncpus=8", nodes=2))


def test_an_unknown_queue_fails_at_once(on_pbs: Assay) -> None:
    done = on_pbs("run", "--on", "pbs,partition=nowhere", "--", "true")
    assert done.returncode == 125
    assert b"Unknown queue" in done.stderr
    assert only(on_pbs)["error"]["code"] == "impossible-request"


def test_a_job_that_can_never_run_is_reported_with_its_remedy_and_not_deleted(on_pbs: Assay) -> None:
    process = on_pbs.start("run", "--on", "pbs,select=1:fs=nowhere", "--", "true")
    assert process.stderr is not None
    line = next(line for line in process.stderr if b"Can Never Run" in line)
    assert b"the job starts when it is back" in line
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert [job["state"] for job in submitted(on_pbs).values()] == ["Q"]


def test_a_job_at_its_time_limit_has_failed_of_it_also_where_qstat_prints_no_json(on_pbs: Assay) -> None:
    (on_pbs.folder / "pbs" / "bad-json").touch()
    assert on_pbs("run", "-q", "--on", "pbs,time=1s", "--", "sleep", "60").returncode != 0
    summary = only(on_pbs)
    assert (summary["status"], summary["error"]["code"]) == ("failed", "time-limit")


def test_a_study_is_cancelled(on_pbs: Assay) -> None:
    path = study(on_pbs, "command: [sleep, '60']\nrepeat: 3\njobs: 2\non: pbs")
    process = on_pbs.start("study", path)
    wait_for(lambda: [summary["status"] for summary in on_pbs.ls()].count("running") == 2, "two to run")
    assert b"2 runs ended" in on_pbs("study", path, "--cancel").stderr
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


def test_where_one_job_a_user_is_allowed_a_study_waits_and_ends(on_pbs: Assay) -> None:
    path = study(on_pbs, "command: [echo, '{x}']\ngrid: {x: [1, 2, 3]}\non: pbs")
    (on_pbs.folder / "pbs").mkdir(exist_ok=True)
    (on_pbs.folder / "pbs" / "limit").write_text("1")
    done = on_pbs("study", path)
    assert done.returncode == 0, done.stderr
    assert [summary["status"] for summary in on_pbs.ls()] == ["completed"] * 3


def test_hostile_values_arrive_as_they_are(on_pbs: Assay) -> None:
    hostile = ["$(touch pwned)", "; touch pwned", "a'b\"c", "new\nline"]
    says = "import sys; sys.stdout.write(sys.argv[1])"
    text = f"command: [{PYTHON}, -c, '{says}', '{{x}}']\ngrid: {{x: {json.dumps(hostile)}}}\non: pbs"
    assert on_pbs("study", study(on_pbs, text)).returncode == 0
    assert {(run / "output.log").read_bytes().decode() for run in on_pbs.run_dirs()} == set(hostile)
    assert not list(on_pbs.folder.rglob("pwned"))


#: as the guides of PBS Professional print a job that ended at its limit
TEXT = """\
Job Id: 17824602.pbs01
    Job_Name = md
    Job_Owner = user@login01
    resources_used.cput = 01:22:27
    resources_used.mem = 30948696kb
    resources_used.walltime = {used}
    job_state = F
    exec_host = x3004c0s1b0n0/0*64+x3004c0s1b1n0/0*64
    Resource_List.mem = 32gb
    Resource_List.walltime = 02:00:00
    comment = Job run at Tue Mar 12 at 13:04 on (x3004c0s1b0n0:ncpus=64)+(x3004c0s1
\tb1n0:ncpus=64) and failed
    run_count = 2
    Exit_status = {code}
"""


@pytest.mark.parametrize(
    ("code", "used", "state"),
    [
        ("-29", "02:00:05", "TIMEOUT"),
        ("271", "02:00:05", "TIMEOUT"),
        ("271", "00:40:00", "CANCELLED"),
        ("-27", "00:40:00", "OUT_OF_MEMORY"),
        ("0", "00:40:00", "COMPLETED"),
        ("1", "02:00:05", "FAILED"),
        ("-2", "00:00:00", "FAILED"),
    ],
)
def test_the_last_word_on_a_job_is_read_from_what_pbs_publishes(code: str, used: str, state: str) -> None:
    ((job_id, facts),) = jobs_in_text(TEXT.format(code=code, used=used)).items()
    seen = seen_in(job_id, facts)
    assert (seen.job_id, seen.phase, seen.state, seen.restarts) == ("17824602.pbs01", "gone", state, 1)
    assert seen.node == "x3004c0s1b0n0,x3004c0s1b1n0"
    assert (
        seen.reason == "JobLaunchFailure"
        if code == "-2"
        else seen.reason.endswith("(x3004c0s1b1n0:ncpus=64) and failed")
    )


@pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not here")
def test_a_published_answer_is_understood() -> None:
    found = jobs_in_json(f'{{"Jobs": {{"4732778": {CORPUS.read_text()}}}}}')
    assert found is not None
    seen = seen_in("4732778", found["4732778"])
    assert (seen.phase, seen.state, seen.node, seen.restarts) == ("gone", "COMPLETED", "node1299", 0)


def test_a_job_that_waits_again_has_been_started_before() -> None:
    assert seen_in("1", {"job_state": "Q", "run_count": 1}).restarts == 1
    assert seen_in("1", {"job_state": "R", "run_count": 2}).restarts == 1
    assert seen_in("1", {"job_state": "Q"}).restarts == 0


def test_the_places_of_polaris_and_aurora_ask_for_what_the_guides_ask_for(tmp_path: Path) -> None:
    places = load_places(Path(__file__).parents[2] / "examples/places/alcf.yaml")
    (tmp_path / "x/job").mkdir(parents=True)
    asked = {}
    for text in ("polaris,nodes=2", "aurora"):
        job = Job(run=RunDir(tmp_path / "x"), place=parse_place(text, places), command=["true"])
        words = _request(job)
        asked[text] = [word for at, word in enumerate(words) if words[at - 1] in ("-l", "-q")]
    assert asked["polaris,nodes=2"] == [
        "select=2:system=polaris", "walltime=00:30:00", "place=scatter", "filesystems=home:eagle", "debug",
    ]  # fmt: skip
    assert asked["aurora"] == ["select=1", "walltime=00:30:00", "place=scatter", "filesystems=home:flare", "debug"]
