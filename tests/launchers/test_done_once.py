"""Work that was done is not done again, whatever ends its recorder in the moment after."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest
from conftest import PYTHON, wait_for

from assay.launchers.base import Job, Seen
from assay.launchers.places import Place
from assay.launchers.script import script_text
from assay.launchers.slurm import Slurm
from assay.store.job import read_job
from assay.store.layout import RunDir, create, write_json
from assay.study.settle import note_requeue, settle
from assay.summary.build import summarise

#: as a recorder whose node loses its power right after the command has ended
KILLED = """\
#!/bin/bash
echo work >> {ledger}
printf '0 1.0\\n' 1<> {run}/job/.end.0
kill -9 $PPID
"""
#: as one that is ended by the scheduler while it sums up
ENDED = KILLED.replace("kill -9 $PPID", "exit 143")


def job_of(folder: Path, recorder: str) -> tuple[RunDir, list[str]]:
    """A run, and what its scheduler starts."""
    run = create(folder, "x-1")
    (run.path / "job").mkdir()
    program = folder / "recorder"
    program.write_text(recorder.format(ledger=folder / "ledger", run=run.path))
    program.chmod(0o755)
    place = Place(name="there", launcher="slurm", python=str(program))
    write_json(run.run_json, {"v": 1, "id": "x", "place": place.facts()})
    script = run.path / "job" / "script"
    script.write_text(script_text(Job(run=run, place=place, command=["true"]), "me=1\nnode=here", [], ""))
    return run, ["bash", str(script)]


@pytest.mark.parametrize("recorder", [KILLED, ENDED])
def test_a_job_that_is_put_back_right_after_its_work_does_not_do_it_again(tmp_path: Path, recorder: str) -> None:
    run, words = job_of(tmp_path, recorder)
    subprocess.run(words, capture_output=True)
    again = subprocess.run(words, capture_output=True, text=True)
    assert (again.returncode, again.stderr) == (0, "assay: this run is done already\n")
    assert (tmp_path / "ledger").read_text() == "work\n"
    assert (read_job(run).exit_code, summarise(run).status) == (0, "completed")


def test_a_program_that_was_asked_to_end_and_saved_its_state_goes_on_when_its_job_begins_again(tmp_path: Path) -> None:
    run, words = job_of(tmp_path, "#!/bin/bash\necho work >> {ledger}\n")
    subprocess.run(words, capture_output=True)
    end = '{"kind":"end","v":1,"t":1.0,"from":"launcher","status":"interrupted","exit_code":0}\n'
    (run.path / "events" / "n1.jsonl").write_text(end)
    subprocess.run(words, capture_output=True)
    assert (tmp_path / "ledger").read_text() == "work\nwork\n"
    assert len(read_job(run).starts) == 2


def test_a_recorder_that_was_left_behind_by_a_job_that_is_over_does_not_begin(tmp_path: Path) -> None:
    run, _ = job_of(tmp_path, KILLED)
    (run.path / "job" / "start.0").write_text("1.0 here 1 1\n")
    settle(Slurm(), run, Seen(job_id="1", phase="gone", state="FAILED", exit_code=2), patience_left=False)
    command = ["touch", str(tmp_path / "ledger")]
    words = [PYTHON, "-m", "assay.cli.node", str(run.path), "--", *command]
    done = subprocess.run(words, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (125, "error: its job is over: failed with exit code 2\n")
    assert not (tmp_path / "ledger").exists()


@pytest.mark.parametrize("state", ["CANCELLED", "NODE_FAIL", "PREEMPTED"])
def test_a_job_that_ends_right_after_its_work_has_completed_whatever_its_scheduler_says(
    tmp_path: Path, state: str
) -> None:
    run, words = job_of(tmp_path, KILLED)
    subprocess.run(words, capture_output=True)
    assert settle(Slurm(), run, Seen(job_id="1", phase="gone", state=state), patience_left=True)
    assert (summarise(run).status, summarise(run).exit_code) == ("completed", 0)


def test_a_job_that_was_put_back_after_its_work_and_then_cancelled_in_the_queue_has_completed(tmp_path: Path) -> None:
    run, words = job_of(tmp_path, KILLED)
    subprocess.run(words, capture_output=True)
    note_requeue(run, Seen(job_id="1", phase="queued", state="PENDING", restarts=1))
    assert summarise(run).status == "queued"
    assert settle(Slurm(), run, Seen(job_id="1", phase="gone", state="CANCELLED", restarts=1), patience_left=False)
    assert (summarise(run).status, summarise(run).exit_code) == ("completed", 0)


@pytest.mark.parametrize(("command", "noted"), [("true", ["0"]), ("false", [])])
def test_a_recorder_notes_at_once_that_the_work_is_done(tmp_path: Path, command: str, noted: list[str]) -> None:
    run, _ = job_of(tmp_path, KILLED)
    (run.path / "job" / "start.0").write_text("1.0 here 1 1\n")
    (run.path / "job" / ".end.0").write_text(" " * 60 + "\n")
    subprocess.run([PYTHON, "-m", "assay.cli.node", run.path, "--", command], capture_output=True)
    assert (run.path / "job" / ".end.0").read_text().split()[:1] == noted
    assert read_job(run).done == bool(noted)


#: as a recorder that is suspended while its Python starts: it stops before it listens to anyone
STARTING = """\
#!/bin/bash
touch {run}/up
while [ ! -e {run}/go ]; do sleep 0.02; done
echo work >> {ledger}
exit 7
"""


def test_a_job_that_is_suspended_while_its_recorder_starts_ends_with_it_and_with_its_code(tmp_path: Path) -> None:
    run, words = job_of(tmp_path, STARTING)
    job = subprocess.Popen(words, stderr=subprocess.PIPE, start_new_session=True)
    wait_for((run.path / "up").exists, "its recorder")
    (recorder,) = _children(job.pid)
    for number in (signal.SIGTSTP, signal.SIGSTOP, signal.SIGCONT):  # as `scontrol suspend` and `resume` send them
        for pid in (recorder, job.pid):
            os.kill(pid, number)
        wait_for(lambda: _stopped(recorder) is (number != signal.SIGCONT), signal.Signals(number).name)  # noqa: B023
    (run.path / "go").touch()
    assert (job.wait(timeout=60), read_job(run).exit_code) == (7, 7)
    assert (tmp_path / "ledger").read_text() == "work\n"


def _children(pid: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _stopped(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"
