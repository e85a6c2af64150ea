"""Slurm: `sbatch`, `squeue`, `scancel`, and `sacct` where accounting is on.

Tried on 22.05. The traps: sacct's exit codes are folded above 128 and its JSON calls failed jobs a success, so the job
writes its own; `squeue --json` ignores its filters, so fixed-width text is read; a request that can never be met is
accepted and pends for ever, told only by its reason; a job that begins again truncates its output unless it appends.
"""

from __future__ import annotations

import getpass
import math
import subprocess
from collections.abc import Mapping, Sequence

from assay.errors import RunError
from assay.launchers.asking import Asking
from assay.launchers.base import Job, Refused, Seen, Traits
from assay.launchers.places import Place
from assay.launchers.script import write_script
from assay.launchers.verdicts import verdict_of
from assay.model.job import Verdict
from assay.readers.failures import diagnose

_WIDTHS = (("JobID", 24), ("Name", 32), ("State", 24), ("Reason", 64), ("NodeList", 256), ("RestartCnt", 12))
_FORMAT = ",".join(f"{name}:{width}" for name, width in _WIDTHS)
_QUEUED = {"PENDING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "CONFIGURING", "SPECIAL_EXIT", "RESV_DEL_HOLD"}
_RUNNING = {"RUNNING", "COMPLETING", "SUSPENDED", "STOPPED", "SIGNALING", "STAGE_OUT", "RESIZING"}
#: reasons that no waiting will change, with what to do
_NEVER = {
    "PartitionConfig": "ask for less (tasks, CPUs, nodes, time) than its partition allows: scontrol show partition",
    "PartitionNodeLimit": "ask for fewer nodes, or another partition",
    "PartitionTimeLimit": "ask for less time, or another partition",
    "BadConstraints": "no node has what the constraints ask for",
    "DependencyNeverSatisfied": "what it waited for has failed",
    "InvalidAccount": "name an account that exists: sacctmgr show associations user=$USER",
    "InvalidQOS": "name a quality of service that exists",
    "QOSMaxWallDurationPerJobLimit": "ask for less time",
    "AssocMaxWallDurationPerJobLimit": "ask for less time",
    "QOSMaxNodePerJobLimit": "ask for fewer nodes",
    "AssocMaxNodePerJobLimit": "ask for fewer nodes",
    "JobHoldMaxRequeue": "it was started and lost too often: see its node",
    "JobHeldAdmin": "an administrator holds it",
    "launch_failed_requeued_held": "it could not be launched: see its node",
}
_SCHEDULER = Asking(
    name="Slurm",
    away=(
        "Unable to contact slurm controller",
        "Socket timed out",
        "Connection refused",
        "Zero Bytes were transmitted",
        "Slurm backup controller",
        "Connection timed out",
        "Unexpected message received",
    ),
)
_WHO = """\
me="$SLURM_JOB_ID"
node="${SLURMD_NODENAME:-$(hostname)}\""""
_MASTER = """\
first="$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)"
address="$(scontrol show node "$first" | sed -n 's/.*NodeAddr=\\([^ ]*\\).*/\\1/p')"
export ASSAY_MASTER="${address:-$first}:$((20000 + SLURM_JOB_ID % 20000))\""""


class Slurm:
    """The three commands, one question a poll."""

    name = "slurm"
    traits = Traits(queues=True, starts_tasks=True)

    def submit(self, job: Job, after: Sequence[str] = ()) -> str:
        path = write_script(job, _WHO, _per_node(job.place), _MASTER)
        words = ["sbatch", "--parsable", *_request(job), *_after(after), *job.place.extra, str(path)]
        done = _SCHEDULER.ask(words)
        if done.returncode == 0:
            return done.stdout.strip().partition(";")[0]
        said = _complaint(done)
        _SCHEDULER.check_there(said)
        known = diagnose(said)
        hint = known.hint if known else "ask for what this cluster has: sinfo -o '%P %D %c %m %G'"
        raise Refused(said or f"sbatch exited with {done.returncode}", hint)

    def poll(self, places: Sequence[Place]) -> dict[str, Seen]:
        done = _SCHEDULER.ask(
            ["squeue", "--noheader", "--states=all", f"--user={getpass.getuser()}", f"--Format={_FORMAT}"]
        )
        if done.returncode != 0:
            raise _SCHEDULER.silent(_complaint(done))
        found: dict[str, Seen] = {}
        for line in done.stdout.splitlines():
            job_id, name, state, reason, node, restarts = _cells(line)
            if name.startswith("assay"):
                found[name] = Seen(job_id=job_id, phase=_phase(state), state=state, node=node,
                                   reason="" if reason == "None" else reason,
                                   restarts=int(restarts) if restarts.isdigit() else 0)  # fmt: skip
        return found

    def cancel(self, jobs: Mapping[str, str]) -> None:
        _SCHEDULER.cancel("scancel", jobs)

    def never_starts(self, seen: Seen) -> str | None:
        if seen.phase != "queued":
            return None
        reason = seen.reason.strip("()").replace(" ", "_")
        return _NEVER.get(reason)

    def verdict(self, seen: Seen, output: str) -> Verdict | None:
        return verdict_of(seen, output)


def _request(job: Job) -> list[str]:
    """What is asked of sbatch, as words of its command line: nothing of it passes a shell."""
    place = job.place
    if "\\" in str(job.folder):
        raise RunError(f"slurm cannot write into `{job.folder}`: a backslash in the path", "choose another --runs-dir")
    words = [
        f"--job-name={job.name}",
        f"--output={str(job.folder / 'output').replace('%', '%%')}",
        "--open-mode=append",
        f"--chdir={job.folder}",
        "--export=ALL",
        "--requeue" if place.requeue else "--no-requeue",
        f"--nodes={place.nodes}",
    ]
    given = {
        "ntasks": place.tasks,
        "ntasks-per-node": place.tasks_per_node or (1 if place.nodes > 1 and not place.tasks else None),
        "cpus-per-task": place.cpus,
        "gpus-per-node": place.gpus,
        "mem": place.memory,
        "time": _minutes(job),
        "partition": place.partition,
        "account": place.account,
        "gres": place.gres,
        "ipus": place.ipus,
    }
    words += [f"--{name}={value}" for name, value in given.items() if value is not None]
    return [*words, "--exclusive"] if place.exclusive else words


def _minutes(job: Job) -> int | None:
    """Slurm counts in minutes; a run that has a limit of its own gets a little more, to end by itself."""
    if job.place.time_s is not None:
        return math.ceil(job.place.time_s / 60)
    return None if job.timeout_s is None else math.ceil(job.timeout_s / 60) + 5


def _after(ids: Sequence[str]) -> list[str]:
    """Chains that hold jobs back live in the scheduler, so that they outlast us."""
    return [f"--dependency=afterany:{':'.join(ids)}", "--kill-on-invalid-dep=yes"] if ids else []


def _per_node(place: Place) -> list[str]:
    """One recorder a node; on one node this shell's own child is enough. Slurm forgets CPUs between sbatch and srun."""
    if place.per_node:
        return list(place.per_node)
    if place.nodes == 1:
        return []
    cpus = [f"--cpus-per-task={place.cpus}"] if place.cpus else []
    beside = ["--overlap"] if place.tasks else []
    each = [f"--nodes={place.nodes}", f"--ntasks={place.nodes}", "--ntasks-per-node=1"]
    return ["srun", *each, *cpus, *beside, "--wait=300"]


def tasks_words(place: Place) -> list[str]:
    """What starts several tasks inside a job, in front of the command."""
    if place.tasks is None:
        return []
    cpus = [f"--cpus-per-task={place.cpus}"] if place.cpus else []
    each = [f"--ntasks-per-node={place.tasks_per_node}"] if place.tasks_per_node else []
    beside = ["--overlap"] if place.nodes > 1 else []  # beside the recorders, which hold a task on each node
    return ["srun", f"--nodes={place.nodes}", f"--ntasks={place.tasks}", *each, *cpus, *beside, *place.tasks_with]


def _phase(state: str) -> str:
    return "queued" if state in _QUEUED else "running" if state in _RUNNING else "gone"


def _cells(line: str) -> list[str]:
    cells, at = [], 0
    for _, width in _WIDTHS:
        cells.append(line[at : at + width].strip())
        at += width
    return cells


def _complaint(done: subprocess.CompletedProcess[str]) -> str:
    """What it said that matters, without its name in front."""
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    fatal = next((line for line in lines if "fatal: " in line), "")
    telling = (line for line in lines if "error: " in line or "option" in line)
    said = fatal or next(telling, lines[-1] if lines else "")
    said = said.partition("fatal: " if fatal else "error: ")[2] or said
    if "configuration source" in said:
        raise RunError(f"slurm is not set up here: {said}", "is SLURM_CONF set? `assay doctor` says more")
    return said.removeprefix("Batch job submission failed: ")
