"""What Slurm calls the state of a job, and what is made of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from assay.reading.failures import _ERROR, Failures

from assay.launchers.base import Job
from assay.launchers.places import Place
from assay.launchers.slurm_request import per_node, single
from assay.launchers.slurm_seen import in_history, phase_of
from assay.launchers.verdicts import told_state
from assay.store.layout import create


@pytest.mark.parametrize(
    ("state", "phase"),
    [
        ("PENDING", "queued"),
        ("REQUEUE_HOLD", "queued"),
        ("SUSPENDED", "running"),
        ("COMPLETING", "running"),
        ("COMPLETED", "gone"),
        ("PREEMPTED", "gone"),
        ("EXPEDITING", "running"),  # of a release that we do not know
    ],
)
def test_a_state_is_waiting_going_on_or_an_end(state: str, phase: str) -> None:
    assert phase_of(state) == phase


@pytest.mark.parametrize(
    ("line", "state"),
    [
        ("slurmstepd-n1: error: StepId=7.batch exceeded memory limit (696 > 209), being killed", "OUT_OF_MEMORY"),
        ("slurmstepd: error: Step 7.0 exceeded virtual memory limit (696 > 209), being killed", "OUT_OF_MEMORY"),
        ("slurmstepd-n1: error: Exceeded job memory limit", "OUT_OF_MEMORY"),
        ("slurmstepd: error: Detected 1 oom_kill event in StepId=7.batch.", "OUT_OF_MEMORY"),
        ("slurmstepd-n1: error: *** JOB 7 ON n1 CANCELLED AT 2026-11-18T19:42:17 DUE TO TIME LIMIT ***", "TIMEOUT"),
        ("slurmstepd-n1.example: error: *** JOB 7 ON n1 CANCELLED AT 2026-11-18T19:42:17 ***", "CANCELLED"),
    ],
)
def test_what_the_daemon_of_a_node_writes_names_the_end_whatever_it_calls_itself(line: str, state: str) -> None:
    assert told_state(f"before\n{line}\n") == state
    assert Failures().diagnose(_ERROR.search(line)["message"]).code in ("out-of-memory", "time-limit", "cancelled")


def test_each_process_of_a_task_gets_a_cpu_unless_the_place_says_otherwise(tmp_path: Path) -> None:
    def words(**place: object) -> str:
        job = Job(
            run=create(tmp_path, f"x-{len(place)}"), place=Place(name="x", launcher="slurm", **place), command=["x"]
        )
        return " ".join([*single(job, tmp_path), *per_node(job.place)])

    assert words(procs=2, nodes=3).count("--cpus-per-task=2") == 2, "of the job, and of the srun that starts recorders"
    assert "--cpus-per-task=8" in words(procs=2, cpus=8, nodes=1)
    assert "--cpus-per-task" not in words()


def test_what_accounting_adds_to_a_state_is_left_out() -> None:
    ((name, seen),) = in_history("12_3|sizes|CANCELLED by 1000|0:15|n1|2026-01-01T00:00:00\n")
    assert (name, seen.job_id, seen.state, seen.phase, seen.exit_code) == (
        "sizes[3]", "12_3", "CANCELLED", "gone", None,
    )  # fmt: skip
