"""Slurm: `sbatch`, `squeue`, `scancel`, and `sacct` where accounting is on.

Tried on 22.05. The traps: sacct's exit codes are folded above 128 and its JSON calls failed jobs a success, so the job
writes its own; `squeue --json` ignores its filters, so fixed-width text is read; `squeue --jobs` fails on a single id
that it has forgotten; a request that can never be met is accepted and pends for ever, as only its reason shows; a job
that begins again truncates its output unless it appends; an element of an array has another number than its `123_4`.
"""

from __future__ import annotations

import getpass
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from assay.errors import RunError
from assay.launchers.asking import Asking
from assay.launchers.base import Job, Limited, Refused, Seen, Traits
from assay.launchers.script import write_script
from assay.launchers.slurm_reasons import remedy_of
from assay.launchers.slurm_request import array, per_node, single
from assay.launchers.slurm_seen import HISTORY_FORMAT, QUEUE_FORMAT, in_history, in_queue, pick
from assay.launchers.verdicts import verdict_of
from assay.model.job import Verdict

_SCHEDULER = Asking(
    name="Slurm",
    conf="SLURM_CONF",
    away=(
        "Unable to contact slurm controller",
        "Socket timed out",
        "Connection refused",
        "Zero Bytes were transmitted",
        "Slurm backup controller",
        "Connection timed out",
        "Unexpected message received",
    ),
    limits=(
        "MaxSubmitJob",  # AssocMaxSubmitJobLimit, QOSMaxSubmitJobPerUserLimit, QOSMaxSubmitJobLimit, ...
        "GrpSubmitJob",
        "temporarily unable to accept job",  # MaxJobCount
        "Job violates accounting/QOS policy (job submit limit",
    ),
)
_NO_SUCH_JOB = "Invalid job id specified"
_WHO = """\
me="$SLURM_JOB_ID"
[ -z "$SLURM_ARRAY_TASK_ID" ] || me="${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
node="${SLURMD_NODENAME:-$(hostname)}\""""
_MASTER = """\
first="$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)"
address="$(scontrol show node "$first" | sed -n 's/.*NodeAddr=\\([^ ]*\\).*/\\1/p')"
export ASSAY_MASTER="${address:-$first}:$((20000 + SLURM_JOB_ID % 20000))\""""


class Slurm:
    """The commands, one question a poll."""

    name = "slurm"
    traits = Traits(queues=True, starts_tasks=True)
    most_elements = 1000  # of an array, unless the site allows fewer

    def submit(self, job: Job) -> str:
        return _submitted(single(job, _script(job)))

    def submit_array(self, name: str, jobs: Sequence[Job]) -> list[str]:
        for job in jobs:
            _script(job)
        number = _submitted(array(name, jobs))
        return [f"{number}_{index}" for index in range(len(jobs))]

    def poll(self, jobs: Mapping[str, str]) -> dict[str, Seen]:
        done = _ask_queue(_which(jobs))
        if _NO_SUCH_JOB in done.stderr:
            if len(set(map(_array_of, jobs.values()))) == 1:
                return {}  # the only one that was asked for is forgotten
            done = _ask_queue([f"--user={getpass.getuser()}"])  # some releases fail for one that is forgotten
        if done.returncode != 0:
            raise _SCHEDULER.silent(_complaint(done))
        return pick(in_queue(done.stdout), jobs)

    def history(self, jobs: Mapping[str, str]) -> dict[str, Seen]:
        """Nothing where accounting is off."""
        ids = ",".join(dict.fromkeys(_array_of(job_id) for job_id in jobs.values() if job_id))
        words = ["sacct", "--allocations", "--noheader", "--parsable2", f"--format={HISTORY_FORMAT}", f"--jobs={ids}"]
        try:
            done = _SCHEDULER.ask(words) if ids else None
        except RunError:  # no sacct here
            return {}
        return pick(in_history(done.stdout), jobs) if done is not None and done.returncode == 0 else {}

    def cancel(self, jobs: Mapping[str, str]) -> None:
        _SCHEDULER.cancel("scancel", jobs)

    def remedy(self, seen: Seen) -> str | None:
        return remedy_of(seen)

    def verdict(self, seen: Seen, output: str) -> Verdict | None:
        return verdict_of(seen, output)


def _script(job: Job) -> Path:
    return write_script(job, _WHO, per_node(job.place), _MASTER)


def _submitted(words: Sequence[str]) -> str:
    """The number of what was taken."""
    done = _SCHEDULER.ask(["sbatch", "--parsable", *words])
    if done.returncode == 0:
        return done.stdout.strip().partition(";")[0]
    said = _complaint(done)
    _SCHEDULER.check_there(said)
    _SCHEDULER.check_room(done.stderr)
    if "Invalid job array specification" in said:
        raise Limited("this cluster takes fewer elements in an array")
    from assay.readers.failures import diagnose  # readers are many, and the recorder of a job needs none of them here

    known = diagnose(said)
    hint = known.hint if known else "ask for what this cluster has: sinfo -o '%P %D %c %m %G'"
    raise Refused(said or f"sbatch exited with {done.returncode}", hint)


def _ask_queue(which: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return _SCHEDULER.ask(["squeue", "--noheader", "--array", "--states=all", *which, f"--Format={QUEUE_FORMAT}"])


def _which(jobs: Mapping[str, str]) -> list[str]:
    """Ask for our own jobs by their ids, one id for a whole array; by name if an id was lost."""
    if all(jobs.values()):
        return [f"--jobs={','.join(dict.fromkeys(map(_array_of, jobs.values())))}"]
    names = dict.fromkeys(name.partition("[")[0] for name in jobs)
    return [f"--user={getpass.getuser()}", f"--name={','.join(names)}"]


def _array_of(job_id: str) -> str:
    return job_id.partition("_")[0]


def _complaint(done: subprocess.CompletedProcess[str]) -> str:
    """What it said that matters, without its name in front."""
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    fatal = next((line for line in lines if "fatal: " in line), "")
    telling = (line for line in lines if "error: " in line or "option" in line)
    said = fatal or next(telling, lines[-1] if lines else "")
    said = said.partition("fatal: " if fatal else "error: ")[2] or said
    if "configuration source" in said or "configuration file" in said:
        raise RunError(f"Slurm is not set up here: {said}", "check SLURM_CONF, then run: assay doctor")
    return said.removeprefix("Batch job submission failed: ")
