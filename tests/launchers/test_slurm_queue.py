"""On a real Slurm: what happened while no one watched is asked for, work is never done twice, nothing is deleted."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import Assay, wait_for
from slurm_cluster import Cluster

pytestmark = pytest.mark.slow

#: what the jobs themselves say they did; each ends when it is let go
LEDGER = """\
echo begin $1 >> ledger
while [ ! -e go ]; do sleep 0.05; done
echo done $1 >> ledger
"""


@pytest.fixture
def on_slurm(assay: Assay, slurm: Cluster) -> Assay:
    slurm.wait_until_idle()
    assay.env = dict(slurm.env)
    return assay


def study(assay: Assay, runs: int, more: str = "on: slurm") -> Path:
    (assay.folder / "work.sh").write_text(LEDGER)
    path = assay.folder / "sizes.yaml"
    path.write_text(f"command: [bash, work.sh, '{{x}}']\ngrid: {{x: {{from: 1, to: {runs}}}}}\n{more}\n")
    return path


def ledger(assay: Assay) -> list[str]:
    path = assay.folder / "ledger"
    return sorted(path.read_text().splitlines()) if path.exists() else []


def ids(assay: Assay) -> list[str]:
    return sorted(path.read_text().strip() for path in assay.runs.glob("*/job/id"))


def left_running(assay: Assay, path: Path, runs: int) -> list[str]:
    """A study whose submitter was killed while its jobs run: their ids."""
    process = assay.start("study", path)
    wait_for(lambda: len(ledger(assay)) == runs and len(ids(assay)) == runs, "all to begin")
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    return ids(assay)


def finished(assay: Assay, path: Path) -> subprocess.CompletedProcess[bytes]:
    (assay.folder / "go").touch()
    done: Any = assay("study", path)
    return done


def test_many_runs_are_one_array_and_each_is_found_by_its_number(on_slurm: Assay, slurm: Cluster) -> None:
    path = study(on_slurm, 5)
    process = on_slurm.start("study", path)
    runs = wait_for(lambda: len(found := _by_job(on_slurm)) == 5 and found, "their ids")
    array = min(runs).partition("_")[0]
    assert runs.keys() == {f"{array}_{index}" for index in range(5)}
    words = ("squeue", "-h", "-r", "-j", array, "-o", "%i %k")
    told = {f"{job} {folder}" for job, folder in runs.items()}
    wait_for(lambda: set(slurm.ask(*words).stdout.splitlines()) == told, "each to say in the queue which run it is")
    assert slurm.ask("squeue", "-h", "-j", array, "-o", "%j").stdout.startswith("sizes.5runs-")
    (on_slurm.folder / "go").touch()
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert on_slurm("show", f"{array}_3").stdout.count(f"{array}_3".encode()) >= 1


def _by_job(assay: Assay) -> dict[str, Path]:
    return {path.read_text().strip(): path.parents[1] for path in assay.runs.glob("*/job/id")}


def test_requeued_and_suspended_jobs_are_not_begun_again_by_another_submitter(on_slurm: Assay, slurm: Cluster) -> None:
    path = study(on_slurm, 2)
    first, second = left_running(on_slurm, path, 2)
    slurm.ask("scontrol", "requeue", first)
    slurm.ask("scontrol", "suspend", second)
    wait_for(lambda: "PENDING" in slurm.ask("squeue", "-h", "-j", first, "-o", "%T").stdout, "the requeue")
    for beats in on_slurm.runs.glob("*/events/*"):  # as a file system shows them that looks seldom
        os.utime(beats, (1, 1))
    told = on_slurm("study", path, "--status").stdout.decode()
    assert "1 running, 1 queued" in told and "failed" not in told.splitlines()[0]
    assert "SUSPENDED" in told
    slurm.ask("scontrol", "resume", second)
    # it would rest for two minutes; in the second of its end its node refuses it, for its credential is revoked
    slurm.ask("scontrol", "update", f"JobId={first}", "StartTime=now+2")
    assert finished(on_slurm, path).returncode == 0
    assert [line for line in ledger(on_slurm) if line.startswith("done")] == ["done 1", "done 2"]
    assert len(on_slurm.run_dirs()) == 2


def test_a_time_limit_that_no_one_saw_is_told_and_not_tried_again_with_the_same(
    on_slurm: Assay, slurm: Cluster
) -> None:
    path = study(on_slurm, 1, "on: {place: slurm, time: 10m}")
    (job_id,) = left_running(on_slurm, path, 1)
    slurm.ask("scontrol", "update", f"JobId={job_id}", "EndTime=now+1")
    wait_for(lambda: "TIMEOUT" in slurm.ask("squeue", "-h", "-t", "all", "-j", job_id, "-o", "%T").stdout, "its end")
    done = finished(on_slurm, path)
    assert done.returncode == 1
    assert b"ended at the time or memory limit and would again" in done.stderr
    (summary,) = on_slurm.ls()
    assert (summary["status"], summary["error"]["code"]) == ("failed", "time-limit")


def test_a_held_job_is_reported_with_its_remedy_and_never_deleted(on_slurm: Assay, slurm: Cluster) -> None:
    path = study(on_slurm, 1, "on: {place: slurm, extra: --hold}")
    process = on_slurm.start("study", path)
    job_id = wait_for(lambda: ids(on_slurm), "its job")[0]
    told = wait_for(lambda: _told(on_slurm, path, b"JobHeldUser"), "the reason")
    assert f"scontrol release {job_id}".encode() in told
    assert process.stderr is not None
    assert any(b"JobHeldUser" in line for line in process.stderr), "said at once, not only when it is asked for"
    (on_slurm.folder / "go").touch()
    slurm.ask("scontrol", "release", job_id)
    assert process.wait(timeout=60) == 0


def test_a_run_whose_submitter_is_ended_says_what_becomes_of_its_job(on_slurm: Assay, slurm: Cluster) -> None:
    for place, becomes in (
        ("slurm,time=100m", b"stays in the queue and cannot start as it is: ask for less time, or end it: scancel "),
        ("slurm", b"keeps running: watch it with `assay show --live "),
    ):
        process = on_slurm.start("run", "--on", place, "--", "sleep", "600")
        assert process.stderr is not None
        until = b"PartitionTimeLimit" if "100m" in place else b"runs on"
        said = next(line for line in process.stderr if until in line)
        process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=60)[1]
        assert process.returncode == 130 and becomes in said
    slurm.ask("scancel", *ids(on_slurm))
    wait_for(lambda: not slurm.ask("squeue", "-h").stdout, "their end")


def test_an_element_of_an_array_that_was_cancelled_in_the_queue_was_cancelled(on_slurm: Assay, slurm: Cluster) -> None:
    path = study(on_slurm, 2, "on: {place: slurm, extra: --hold}")
    process = on_slurm.start("study", path)
    wait_for(lambda: len(ids(on_slurm)) == 2, "their jobs")
    process.kill()
    process.communicate()
    slurm.ask("scancel", *ids(on_slurm))
    wait_for(lambda: not slurm.ask("squeue", "-h", "-r").stdout, "the end of both")
    assert b"2 failed: cancelled: the job was cancelled in the queue" in on_slurm("study", path, "--status").stdout


def test_a_wrong_configuration_is_named_at_once_and_a_slow_answer_is_waited_for_with_a_word(assay: Assay) -> None:
    assay.env = {"SLURM_CONF": str(assay.folder / "none.conf")}
    done = assay("run", "--on", "slurm", "--", "true")
    assert (done.returncode, assay.run_dirs()) == (125, [])
    assert f"SLURM_CONF names `{assay.folder}/none.conf`, which does not exist".encode() in done.stderr
    sbatch = assay.script("#!/bin/bash\nwhile [ ! -e go ]; do sleep 0.05; done\necho no room >&2; exit 1\n", "sbatch")
    sbatch.chmod(0o755)
    assay.env = {"PATH": f"{assay.folder}:{os.environ['PATH']}"}
    process = assay.start("run", "--on", "slurm", "--", "true")
    assert process.stderr is not None
    assert b"Slurm has not answered `sbatch` for 2 s" in process.stderr.readline()
    (assay.folder / "go").touch()
    assert b"no room" in process.communicate(timeout=60)[1]


def test_a_job_that_was_requeued_and_held_is_reported_with_its_remedy(on_slurm: Assay, slurm: Cluster) -> None:
    path = study(on_slurm, 1)
    (job_id,) = left_running(on_slurm, path, 1)
    slurm.ask("scontrol", "requeuehold", job_id)
    told = wait_for(lambda: _told(on_slurm, path, b"held"), "the reason")
    assert (
        f"1 queued: job requeued in held state: held by you or in your name: scontrol release {job_id}" in told.decode()
    )
    assert b"starts about" not in told
    (on_slurm.folder / "go").touch()
    slurm.ask("scontrol", "release", job_id)
    slurm.ask("scontrol", "update", f"JobId={job_id}", "StartTime=now+2")
    assert finished(on_slurm, path).returncode == 0


def _told(assay: Assay, path: Path, word: bytes) -> bytes:
    said: bytes = assay("study", path, "--status").stdout
    return said if word in said else b""


def test_a_limit_on_jobs_means_waiting_and_no_more_are_in_the_queue_than_asked_for(
    on_slurm: Assay, slurm: Cluster
) -> None:
    """One job a user, as debug queues have it: `sbatch` refuses the next as Slurm words it."""
    refusing = on_slurm.folder / "bin" / "sbatch"
    refusing.parent.mkdir()
    refusing.write_text(
        '#!/bin/bash\necho x >> "$TRIES"\nif [[ "$*" == *--array* || -n "$(squeue -h --me)" ]]; then\n'
        "  echo 'sbatch: error: QOSMaxSubmitJobPerUserLimit' >&2\n"
        "  echo 'sbatch: error: Batch job submission failed: Job violates accounting/QOS policy' >&2; exit 1\n"
        'fi\nexec /usr/bin/sbatch "$@"\n'
    )
    refusing.chmod(0o755)
    on_slurm.env |= {"PATH": f"{refusing.parent}:{on_slurm.env['PATH']}", "TRIES": str(on_slurm.folder / "tries")}
    path = study(on_slurm, 3)
    (on_slurm.folder / "go").touch()
    done = on_slurm("study", path)
    assert done.returncode == 0, done.stderr
    assert b"the queue takes no more jobs of yours now (QOSMaxSubmitJobPerUserLimit)" in done.stderr
    assert ledger(on_slurm) == [f"{word} {x}" for word in ("begin", "done") for x in (1, 2, 3)]
    assert len((on_slurm.folder / "tries").read_text().split()) < 30


def test_cancel_finds_the_jobs_of_a_study_that_was_edited_since(on_slurm: Assay, slurm: Cluster) -> None:
    path = study(on_slurm, 2)
    jobs = left_running(on_slurm, path, 2)
    path.write_text(path.read_text().replace("to: 2", "to: 3").replace("work.sh", "other.sh"))
    assert b"2 runs ended" in on_slurm("study", path, "--cancel").stderr
    assert slurm.ask("squeue", "-h", "-j", ",".join(jobs)).stdout == ""
    assert {summary["error"]["code"] for summary in on_slurm.ls()} == {"cancelled"}


def test_a_submitter_inside_a_job_does_not_pass_its_own_request_on(on_slurm: Assay) -> None:
    on_slurm.env |= {
        "SLURM_JOB_ID": "7",
        "SBATCH_TIMELIMIT": "99999",
        "SLURM_NTASKS_PER_NODE": "64",
        "SLURM_PROCID": "0",
    }
    done = on_slurm("run", "-q", "--on", "slurm", "--", "sh", "-c", 'echo "$SLURM_NTASKS_PER_NODE"')
    assert (done.returncode, done.stdout) == (0, b"\n"), done.stderr
