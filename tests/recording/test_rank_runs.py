"""Several recorders that one launcher starts, as `srun -n 3 assay run -- …` does: one run, with a row for each rank."""

from __future__ import annotations

import os
import signal
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Assay, wait_for, warnings

from assay.model.summary import Summary
from assay.recording.tasks import task_of
from assay.store.layout import RunDir
from assay.summary.build import load_summary
from assay.views.page import page

RANK = """
import os, sys, time
rank = int(os.environ["SLURM_PROCID"])
print(f"step 5 loss 0.5 samples/s {100 * (rank + 1)}.0", flush=True)
if len(sys.argv) > 1:
    open(f"{sys.argv[1]}-{rank}", "w").close()
    while not os.path.exists(f"{sys.argv[1]}-go"): time.sleep(0.01)
sys.exit(7 * (rank == 2))
"""


def step(rank: int, count: int, job: str = "4711", node: str = "n1") -> dict[str, str]:
    """What srun sets for one task."""
    return {
        "SLURM_JOB_ID": job, "SLURM_STEP_ID": "0", "SLURM_CLUSTER_NAME": "c", "SLURM_PROCID": str(rank),
        "SLURM_STEP_NUM_TASKS": str(count), "SLURMD_NODENAME": node,
    }  # fmt: skip


def start(assay: Assay, rank: int, count: int, *words: str, node: str = "n1") -> subprocess.Popen[bytes]:
    return replace(assay, env={**assay.env, **step(rank, count, node=node)}).start("run", *words)


def ended(task: subprocess.Popen[bytes]) -> tuple[int, bytes, bytes]:
    out, err = task.communicate(timeout=120)
    return task.returncode, out, err


def summary_of(assay: Assay) -> Summary:
    return load_summary(RunDir(assay.run_dir()))


def test_the_tasks_of_a_step_are_one_run_and_one_of_them_closes_it(assay: Assay) -> None:
    script = assay.script(RANK)
    tasks = [start(assay, rank, 3, "--", "python3", str(script), node=f"n{1 + rank // 2}") for rank in range(3)]
    ends = [ended(task) for task in tasks]
    assert [code for code, _, _ in ends] == [0, 0, 7]
    assert all(out.count(b"samples/s") == 1 for _, out, _ in ends), "each prints what it prints without us"
    assert sum(b"kept in" in err for _, _, err in ends) == 1
    assert warnings(b"".join(err for _, _, err in ends)) == []
    summary = assay.summary()
    assert (summary["status"], summary["exit_code"], summary["nodes"]) == ("failed", 7, ["n1", "n2"])
    assert summary["error"]["message"] == "rank 2: exit code 7"
    assert [(row["rank"], row["node"], row["exit_code"]) for row in summary["ranks"]] == [
        (0, "n1", 0),
        (1, "n1", 0),
        (2, "n2", 7),
    ]
    assert summary["samples_per_s"] == 600.0, "the rates of all ranks together"
    assert summary["cpu_s"] == pytest.approx(sum(row["cpu_s"] for row in summary["ranks"]), abs=0.01)
    assert sorted(path.name for path in assay.run_dir().glob("output*.log")) == [
        "output-rank1.log",
        "output-rank2.log",
        "output.log",
    ]
    shown = page(summary_of(assay), RunDir(assay.run_dir()))
    assert "3 ranks · rank 0 is the slowest with 100 samples/s" in shown
    assert "(2 nodes added up)" in shown and "on one node (n" in shown
    assert "problem" not in shown


def test_a_rank_that_is_killed_or_never_came_is_named_and_the_others_go_on(assay: Assay) -> None:
    script, flag = assay.script(RANK), assay.folder / "flag"
    tasks = [start(assay, rank, 3, "--", "python3", str(script), str(flag)) for rank in range(2)]
    wait_for(lambda: all(Path(f"{flag}-{rank}").exists() for rank in range(2)), "both ranks")
    os.kill(tasks[1].pid, signal.SIGKILL)
    ended(tasks[1])
    wait_for(lambda: b'"guard"' in b"".join(one.read_bytes() for one in _events(assay)), "the guard's word")
    assert summary_of(assay).status == "running"
    Path(f"{flag}-go").touch()
    code, _, err = ended(tasks[0])
    assert code == 0, "its own command was let be"
    assert b": interrupted after" in err
    summary = summary_of(assay)
    assert summary.status == "interrupted" and summary.error is not None
    assert summary.error.message.startswith("rank 1: assay was killed")
    assert list(summary.problems) == ["rank 2 of 3 never arrived; is the runs folder the same on every node?"]


def test_the_closing_words_come_from_the_last_rank_when_the_first_ended_long_before(assay: Assay) -> None:
    script, flag = assay.script(RANK), assay.folder / "flag"
    last = start(assay, 1, 2, "--", "python3", str(script), str(flag))
    wait_for(Path(f"{flag}-1").exists, "the second rank")
    code, _, err = ended(start(assay, 0, 2, "--", "python3", str(script)))
    assert code == 0 and b"kept in" not in err, "the run goes on, so there is nothing to sum up yet"
    Path(f"{flag}-go").touch()
    code, _, err = ended(last)
    assert code == 0 and b": completed after" in err and b"2 ranks" in err


def _events(assay: Assay) -> list[Path]:
    return list((assay.run_dir() / "events").glob("*.jsonl"))


def test_a_second_command_of_the_same_step_is_a_second_run(assay: Assay) -> None:
    for rank in (1, 0):  # the first to come need not be the first rank, and the other may come after its end
        code, _, err = ended(start(assay, rank, 2, "--", "true"))
        assert code == 0 and (b"kept in" in err) == (rank == 0)
    assert len(assay.summary()["ranks"]) == 2
    assert ended(start(assay, 1, 2, "--", "false"))[0] == 1
    assert [load_summary(RunDir(one)).status for one in assay.run_dirs()] == ["failed", "completed"]


def test_the_launchers_own_variables_say_which_rank_this_is() -> None:
    slurm = task_of(step(3, 8))
    assert slurm is not None and (slurm.rank, slurm.count, slurm.launch) == (3, 8, "slurm-c-4711-0")
    inside = task_of({**step(0, 2), "OMPI_COMM_WORLD_RANK": "5", "OMPI_COMM_WORLD_SIZE": "8"})
    assert inside is not None and (inside.rank, inside.count) == (5, 8), "mpirun in a step speaks for its own ranks"
    again = task_of({**step(3, 8), "SLURM_RESTART_COUNT": "1"})
    assert again is not None and again.launch != slurm.launch, "a job that was put back into the queue runs anew"
    mpich = [task_of({"PMI_RANK": str(rank), "PMI_SIZE": "2"}) for rank in range(2)]
    assert mpich[0] is not None and mpich[1] is not None and mpich[0].launch == mpich[1].launch
    batch_script = {"SLURM_JOB_ID": "4711", "SLURM_PROCID": "0", "SLURM_NTASKS": "8"}
    assert task_of(batch_script) is None and task_of(step(0, 1)) is None and task_of({}) is None
