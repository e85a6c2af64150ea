"""PBS Professional and OpenPBS: `qsub`, `qstat -x -f -F json`, `qdel`.

The traps: without `-x`, or where history is off, an ended job is simply not there; `Exit_status` is negative where PBS
itself ended the job and 256 + n for a signal; a request that can never be met is accepted and says so in its comment.
"""

from __future__ import annotations

import getpass
import json
import math
import re
import subprocess
from collections.abc import Mapping, Sequence

from assay.launchers.asking import Asking
from assay.launchers.base import Job, Refused, Seen, Traits
from assay.launchers.places import Place
from assay.launchers.script import write_script
from assay.launchers.verdicts import verdict_of
from assay.model.job import Verdict

_PHASES = {"Q": "queued", "H": "queued", "W": "queued", "T": "queued", "S": "running", "U": "running",
           "R": "running", "E": "running", "B": "running", "F": "gone", "X": "gone", "M": "gone"}  # fmt: skip
#: exit codes of PBS's own, when it was PBS that ended a job
_KILLED = {
    -29: "TIMEOUT",
    -28: "TIMEOUT",
    -27: "OUT_OF_MEMORY",
    -26: "OUT_OF_MEMORY",
    271: "CANCELLED",
    265: "CANCELLED",
}
_SCHEDULER = Asking(
    name="PBS",
    away=(
        "Connection refused",
        "cannot connect to server",
        "Connection timed out",
        "Communication failure",
        "Unauthorized",
        "server is shutting down",
        "No route to host",
    ),
)
_WHO = """\
me="$PBS_JOBID"
node="$(hostname)\""""
_MASTER = """\
first="$(head -n 1 "$PBS_NODEFILE")"
number="${PBS_JOBID%%.*}"
export ASSAY_MASTER="$first:$((20000 + ${number//[^0-9]/} % 20000))\""""


class Pbs:
    """The three commands, one question a poll."""

    name = "pbs"
    traits = Traits(queues=True)

    def submit(self, job: Job, after: Sequence[str] = ()) -> str:
        path = write_script(job, _WHO, _per_node(job.place), _MASTER)
        done = _SCHEDULER.ask(["qsub", *_request(job), *_after(after), *job.place.extra, str(path)])
        if done.returncode == 0:
            return done.stdout.strip()
        said = _complaint(done)
        _SCHEDULER.check_there(said)
        raise Refused(
            said or f"qsub exited with {done.returncode}", "ask for what this cluster has: qstat -Q, pbsnodes -a"
        )

    def poll(self, places: Sequence[Place]) -> dict[str, Seen]:
        done = _SCHEDULER.ask(["qstat", "-x", "-f", "-F", "json"])
        if done.returncode not in (0, 35, 153):  # finished, unknown: both are answers
            raise _SCHEDULER.silent(_complaint(done))
        user = getpass.getuser()
        return {
            str(facts.get("Job_Name")): _seen(job_id, facts)
            for job_id, facts in _jobs(done.stdout).items()
            if str(facts.get("Job_Name", "")).startswith("assay")
            and str(facts.get("Job_Owner", user)).partition("@")[0] == user
        }

    def cancel(self, jobs: Mapping[str, str]) -> None:
        _SCHEDULER.cancel("qdel", jobs)

    def never_starts(self, seen: Seen) -> str | None:
        if seen.phase == "queued" and seen.reason.startswith("Can Never Run"):
            return "ask for what this cluster has: pbsnodes -a"
        return None

    def verdict(self, seen: Seen, output: str) -> Verdict | None:
        return verdict_of(seen, output)


def _request(job: Job) -> list[str]:
    place = job.place
    words = ["-N", job.name, "-o", str(job.folder / "output"), "-j", "oe", "-V", "-r", "y" if place.requeue else "n"]
    chunk = "".join(f":{name}={value}" for name, value in _chunk(place).items() if value is not None)
    words += ["-l", f"select={place.select or f'{place.nodes}{chunk}'}"]
    limit_s = place.time_s or (job.timeout_s + 300 if job.timeout_s else None)
    if limit_s:
        seconds = math.ceil(limit_s)
        words += ["-l", f"walltime={seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"]
    if place.arrange or place.exclusive:
        words += ["-l", f"place={place.arrange or 'excl'}"]
    if place.partition:
        words += ["-q", place.partition]
    if place.account:
        words += ["-A", place.account]
    return words


def _chunk(place: Place) -> dict[str, object]:
    return {"ncpus": place.cpus, "ngpus": place.gpus, "mem": place.memory, "mpiprocs": place.tasks_per_node}


def _after(ids: Sequence[str]) -> list[str]:
    return ["-W", f"depend=afterany:{':'.join(ids)}"] if ids else []


def _per_node(place: Place) -> list[str]:
    """One recorder a node: PBS itself has no such command, so MPI's is used unless the place names another."""
    if place.per_node:
        return list(place.per_node)
    return [] if place.nodes == 1 else ["mpiexec", "-n", str(place.nodes), "--ppn", "1"]


def _seen(job_id: str, facts: dict[str, object]) -> Seen:
    phase = _PHASES.get(str(facts.get("job_state")), "queued")
    code = facts.get("Exit_status")
    state = str(facts.get("job_state"))
    if phase == "gone":
        state = _KILLED.get(code, "FAILED" if code else "COMPLETED") if isinstance(code, int) else "CANCELLED"
    hosts = re.findall(r"(?:^|\+)([^/+]+)", str(facts.get("exec_host", "")))
    runs = facts.get("run_count", 1)
    return Seen(job_id=job_id, phase=phase, state=state, reason=str(facts.get("comment", "")), node=",".join(hosts),
                restarts=max(0, runs - 1) if isinstance(runs, int) else 0)  # fmt: skip


def _jobs(text: str) -> dict[str, dict[str, object]]:
    """What qstat printed; some releases write numbers and control signs that JSON does not have."""
    try:
        answer = json.loads(text or "{}", strict=False)
    except ValueError:
        raise _SCHEDULER.silent("qstat printed no JSON") from None
    jobs = answer.get("Jobs", {}) if isinstance(answer, dict) else {}
    return {job_id: facts for job_id, facts in jobs.items() if isinstance(facts, dict)}


def _complaint(done: subprocess.CompletedProcess[str]) -> str:
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    return lines[-1].removeprefix("qsub: ") if lines else ""
