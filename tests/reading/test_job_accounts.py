"""What the scheduler has on its books about the job behind a log.

`jobs/sacct.txt` is what a real Slurm 22.05 printed of twelve jobs, and `THEIRS` what its `seff` and `reportseff` 2.10
said of them: single tasks, several tasks and nodes, memory per CPU, an array, a failure, a job out of memory.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import Assay

from assay.model.summary import Summary
from assay.reading.accounts import job_of
from assay.reading.importing import ingest
from assay.reading.jobs import accounts
from assay.summary.granted import killed_for_memory
from assay.summary.index import load_all
from assay.views.asking import margin_words, request_lines

SAVED = Path(__file__).parent / "jobs" / "sacct.txt"
#: by job: CPU and memory efficiency by seff, memory and time by reportseff, in per cent
THEIRS = {
    "6": (12.12, 27.51, 27.5, 5.5), "7": (2.27, 15.61, 15.6, 3.7), "8": (3.57, 42.23, 42.2, 4.7),
    "9": (3.68, 16.14, 25.7, 5.7), "10": (7.69, 26.68, 26.7, 2.2), "11_1": (7.69, 14.36, 14.4, 2.2),
    "11_2": (9.52, 14.43, 14.4, 3.5), "11_3": (10.71, 14.41, 14.4, 4.7), "12": (9.52, 14.42, 14.4, 17.5),
    "13": (0.0, 1.03, 1.0, 1.0), "16": (0.0, 135.06, 135.1, 0.5), "17": (4.55, 7.63, 7.6, 3.7),
}  # fmt: skip
#: seff takes the step with the largest task, here the script beside four tasks that hold more together
SEFF_DIFFERS = {"9"}
LOG = "step 10 loss 0.5 samples/s 100.0\nstep 20 loss 0.4 samples/s 101.0\n"


@pytest.fixture(autouse=True)
def no_scheduler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever runs on this machine is not asked."""
    (tmp_path / "none").mkdir()
    for name in ("sacct", "scontrol"):
        (tmp_path / "none" / name).symlink_to("/bin/false")
    monkeypatch.setenv("PATH", f"{tmp_path}/none{os.pathsep}{os.environ['PATH']}")


def read(words: list[Path], runs: Path) -> dict[str, Summary]:
    report = ingest([str(word) for word in words], runs)
    assert report.problems == []
    return {one.job_id or one.name: one for file in report.files for one in file.summaries}


def test_used_against_requested_agrees_with_seff_and_reportseff(tmp_path: Path) -> None:
    found = read([SAVED], tmp_path / "runs")
    assert found.keys() == THEIRS.keys()
    for job, (cpu, memory_seff, memory_report, time) in THEIRS.items():
        one = found[job]
        assert one.cpu_eff is not None and one.mem_eff is not None and one.time_eff is not None
        a_second = 100 / (one.requested["cpus"] * (one.wall_s or 1))  # they count CPU time in whole seconds
        assert 100 * one.cpu_eff == pytest.approx(cpu, rel=0.02, abs=a_second), job
        assert 100 * one.mem_eff == pytest.approx(memory_report, rel=0.02, abs=0.05), job
        assert 100 * one.time_eff == pytest.approx(time, rel=0.02, abs=0.05), job
        assert job in SEFF_DIFFERS or 100 * one.mem_eff == pytest.approx(memory_seff, rel=0.02), job


def test_a_log_gains_the_account_of_its_job_and_a_job_without_a_run_is_listed(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "slurm-8.out").write_text(LOG)
    (logs / "slurm-11_2.out").write_text("")
    (logs / "slurm-16.out").write_text("slurmstepd-n1: error: JobId=16 exceeded memory limit (1 > 0), being killed\n")
    (logs / "slurm-4711.out").write_text(LOG.replace("0.4", "0.3"))
    found = read([logs, SAVED], tmp_path / "runs")
    assert len(found) == len(THEIRS) + 1 == len(list((tmp_path / "runs").glob("*/run.json"))), "each job once"
    eight = found["8"]
    assert (eight.loss, eight.status, eight.requested["cpus"]) == (0.4, "completed", 3)
    assert eight.mem_eff == pytest.approx(0.422, abs=0.001) and eight.source == str(logs / "slurm-8.out")
    assert found["11_2"].name == "job-11_2" and found["11_2"].cpu_s == pytest.approx(2.07)
    assert found["16"].error is not None and found["16"].error.code == "out-of-memory"
    assert request_lines(found["16"]) == ["#SBATCH --mem=200M"]
    assert next(one for one in found.values() if one.loss == 0.3).job_id is None, "nothing is known of that one"


def test_the_scheduler_says_how_a_job_ended_whose_log_just_stops(tmp_path: Path) -> None:
    (tmp_path / "slurm-8.out").write_text("epoch 1/9 loss 0.5\nepoch 2/9 loss 0.4\n")
    (alone,) = read([tmp_path / "slurm-8.out"], tmp_path / "before").values()
    assert alone.status == "unfinished"
    assert read([tmp_path / "slurm-8.out", SAVED], tmp_path / "runs")["8"].status == "completed"
    crash = 'epoch 1/9 loss 0.5\nTraceback (most recent call last):\n  File "a.py", line 1\nValueError: no\n'
    (tmp_path / "slurm-8.out").write_text(crash)
    found = read([tmp_path / "slurm-8.out", SAVED], tmp_path / "failed")["8"]
    assert found.status == "failed", "the script around it went on and ended well"
    assert found.error is not None and "ValueError" in found.error.message


def test_jobs_without_a_date_are_listed_by_their_number(tmp_path: Path) -> None:
    read([SAVED], tmp_path / "runs")
    listed = [one.summary.job_id for one in load_all(tmp_path / "runs", print)]
    assert listed == ["6", "7", "8", "9", "10", "11_1", "11_2", "11_3", "12", "13", "16", "17"]


def a_scheduler(folder: Path) -> dict[str, str]:
    """A `sacct` that knows the saved jobs, and notes how often it was asked."""
    folder.mkdir()
    script = folder / "sacct"
    script.write_text(f'#!/bin/sh\necho asked >> "{folder}/asked"\ncat "{folder}/answer"\n')
    script.chmod(0o755)
    (folder / "answer").write_bytes(SAVED.read_bytes())
    return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


def test_the_scheduler_is_asked_once_for_all_logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    for job in ("6", "8", "12"):
        (logs / f"slurm-{job}.out").write_text(LOG + job)
    (logs / "train-12.out").write_text(LOG + "another")
    assert len(read([logs], tmp_path / "before")) == 4
    monkeypatch.setenv("PATH", a_scheduler(tmp_path / "bin")["PATH"])
    found = read([logs], tmp_path / "before")  # read once more, where the scheduler is at hand
    assert (tmp_path / "bin" / "asked").read_text() == "asked\n"
    assert {"6", "8", "12"} < found.keys() and found["12"].status == "failed" and found["12"].exit_code == 3
    assert len(found) == 4 and len(list((tmp_path / "before").glob("*/run.json"))) == 4


ARRAY = """\
JobID|JobIDRaw|State|Elapsed|Timelimit|AllocCPUS|TotalCPU|NNodes|NTasks|ReqMem|MaxRSS
40_1|41|FAILED|00:00:10|00:05:00|1|00:00:05|1||100M|
40_1.batch|41.batch|FAILED|00:00:10||1|00:00:05|1|1||50M
40_2|40|FAILED|00:00:20|00:05:00|1|00:00:05|1||100M|
40_2.batch|40.batch|FAILED|00:00:20||1|00:00:05|1|1||50M
"""


def test_an_element_whose_output_bears_its_own_number_is_found_by_it(assay: Assay) -> None:
    assay.env = a_scheduler(assay.folder / "bin")
    (assay.folder / "bin" / "answer").write_text(ARRAY)
    (assay.folder / "slurm-41.out").write_text("")
    done = assay("ingest", "slurm-41.out")
    assert done.returncode == 0, done.stderr
    (job,) = assay.ls()
    assert (job["job_id"], job["status"], job["cpu_eff"], job["mem_eff"]) == ("40_1", "failed", 0.5, 0.5)


def test_an_array_is_not_passed_off_as_its_first_element(assay: Assay) -> None:
    assay.env = a_scheduler(assay.folder / "bin")
    (assay.folder / "bin" / "answer").write_text(ARRAY)
    said = assay("show", "40").stderr.decode()
    assert "40 is an array of 2 jobs, and this is 40_1; name another by its own number" in said


def test_a_job_that_was_not_recorded_is_shown_by_its_number(assay: Assay) -> None:
    assay.env = a_scheduler(assay.folder / "bin")
    (assay.folder / "bin" / "answer").write_text(
        "".join(line for line in SAVED.read_text().splitlines(keepends=True) if line.startswith(("JobID", "8|", "8.")))
    )
    shown = assay("show", "8").stdout.decode()
    assert "asked for 3 CPUs, 1 node, 500 MiB, 10m 00s" in shown
    assert "used 4 % of the CPU time, 42 % of the memory and 5 % of the time" in shown
    assert "#SBATCH --time=00:05:00\n            #SBATCH --mem=300M\n            (what it used plus 20 %" in shown
    assert "kept in" not in shown and not assay.run_dirs()
    (assay.folder / "slurm-8.out").write_text(LOG)
    assay("ingest", "slurm-8.out")
    assert b"loss 0.4" in assay("show", "8").stdout, "a log that was read is found by its job, too"


def test_a_job_that_goes_on_or_lacks_its_steps_has_no_efficiency_yet() -> None:
    head = "JobID|State|Elapsed|Timelimit|AllocCPUS|TotalCPU|NNodes|NTasks|ReqMem|MaxRSS"
    rows = [
        "1|RUNNING|00:10:00|01:00:00|4|00:00:00|1||4G|", "1.batch|RUNNING|00:10:00||4|00:00:00|1|1||",
        "2|PENDING|00:00:00|01:00:00|0|00:00:00|1||4G|", "3|CANCELLED by 0|00:01:00|01:00:00|4|00:00:00|1||4G|",
        "4|COMPLETED|00:10:00|01:00:00|4|00:20:00|1||1Gc|", "4.extern|COMPLETED|00:10:00||4|00:00:00|1|1||1K",
        "4.0|COMPLETED|00:10:00||4|00:20:00|1|4||512M",
    ]  # fmt: skip
    books = {job: _figures(events) for job, events in accounts([head, *rows]).items()}
    assert "cpu_eff" not in books["1"] and "mem_eff" not in books["2"] and "mem_eff" not in books["3"]
    assert (books["4"]["cpu_eff"], books["4"]["mem_eff"]) == (0.5, 0.5), "four tasks of 512 MiB of 1 GiB per CPU"


def _figures(events: list[object]) -> dict[str, object]:
    return {name: value for event in events for name, value in getattr(event, "values", {}).items()}


@pytest.mark.parametrize(
    ("name", "job"),
    [("slurm-12.out", "12"), ("a/slurm-12_3.out", "12_3"), ("fit.o99", "99"), ("bs-128.out", None), ("x.out", None)],
)
def test_only_a_schedulers_own_name_says_which_job_a_log_is_of(name: str, job: str | None) -> None:
    assert job_of(name) == job


GIB = 1 << 30
USED = {"status": "completed", "wall_s": 3000.0, "cpu_s": 6000.0, "rss_bytes_max": 20 * GIB}
HAD = {"cpus": 16, "nodes": 2, "mem_bytes": 128 * GIB, "time_s": 36000, "tasks": 4}


@pytest.mark.parametrize(
    ("told", "lines"),
    [
        ({}, ["#SBATCH --time=01:00:00", "#SBATCH --mem-per-cpu=6G", "#SBATCH --cpus-per-task=1"]),
        ({"requested": {**HAD, "tasks": 2}},
         ["#SBATCH --time=01:00:00", "#SBATCH --mem=12G", "#SBATCH --cpus-per-task=2"]),
        ({"wall_s": 31000.0, "cpu_s": 490000.0, "rss_bytes_max": 120 * GIB}, []),
        ({"status": "failed", "error": {"code": "time-limit", "message": "x"}}, ["#SBATCH --time=15:00:00"]),
        ({"status": "failed", "error": {"code": "out-of-memory", "message": "x"}}, ["#SBATCH --mem=96G"]),
        ({"status": "failed"}, []),
        ({"status": "running"}, []),
        ({"job_id": "12.pbs", "cpu_s": None},
         ["#PBS -l walltime=01:00:00", "#PBS -l select=2:ncpus=8:mem=12288mb"]),
    ],
)  # fmt: skip
def test_the_next_job_asks_for_what_this_one_used_and_a_margin(told: dict[str, object], lines: list[str]) -> None:
    summary = Summary.of({**USED, "requested": HAD, "job_id": "12", "how": "parsed", **told})
    assert request_lines(summary) == lines
    assert ("50 % more than it had" if summary.error else "plus 20 %") in margin_words(summary)


def test_the_next_job_has_room_for_the_recorders_of_the_fullest_node() -> None:
    ranks = [{"rank": rank, "node": "n1" if rank < 3 else "n2"} for rank in range(4)]
    recorded = {"status": "completed", "how": "executed", "wall_s": 3000.0, "memory_bytes_max": 200 << 20}
    summary = Summary.of({**recorded, "requested": HAD, "job_id": "12", "ranks": ranks})
    assert request_lines(summary) == ["#SBATCH --time=01:00:00", "#SBATCH --mem=600M"]
    assert margin_words(summary) == "what it used plus 20 %, and 300 MiB for Assay; time rounded up to 5 minutes"
    summary = Summary.of({**summary.as_json(), "rss_bytes_max": 1 << 30})
    assert request_lines(summary)[1] == "#SBATCH --mem=1600M", "pages that several processes share count for each"


def test_a_run_that_was_killed_with_its_job_while_it_held_more_than_the_job_had_ran_out_of_memory() -> None:
    killed = {"status": "interrupted", "error": {"code": "interrupted", "message": "the recorder ended unexpectedly"}}
    found = killed_for_memory(killed, {"mem_eff": 1.16})
    assert found["status"] == "failed" and found["error"] == {
        "code": "out-of-memory", "hint": "a smaller batch, or more memory for the job",
        "message": "the job was killed while this run held 116 % of the memory that the job asked for",
    }  # fmt: skip
    assert killed_for_memory(killed, {"mem_eff": 0.9}) == {}
    assert killed_for_memory({**killed, "exit_code": 130}, {"mem_eff": 1.16}) == {}, "someone asked it to end"


def test_one_block_of_advice_has_room_for_all_that_the_job_ran() -> None:
    had = {"requested": HAD, "job_id": "12", "status": "completed"}
    run = Summary.of({**had, "how": "executed", "wall_s": 300.0, "memory_bytes_max": 200 << 20})
    job = Summary.of(
        {**had, "how": "parsed", "wall_s": 3000.0, "rss_bytes_max": 20 * GIB, "requested": {**HAD, "tasks": 2}}
    )
    assert request_lines(run, job) == ["#SBATCH --time=01:00:00", "#SBATCH --mem=12G"]
    late = Summary.of({**job.as_json(), "status": "failed", "error": {"code": "time-limit", "message": "x"}})
    assert request_lines(run, late) == ["#SBATCH --time=15:00:00"], "the whole job ran out of time, not this run"
