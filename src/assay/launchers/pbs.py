"""PBS Professional and OpenPBS: `qsub`, `qstat -x -f -F json IDS`, `qdel`.

The traps: without ids qstat answers for everyone's jobs; without `-x`, or where history is off, an ended job is simply
not there; a limit on a user's jobs is a refusal that passes; `Can Never Run` is the comment of a job that may run
tomorrow, when a file system is back.
"""

from __future__ import annotations

import math
import re
import subprocess
from collections.abc import Mapping, Sequence

from assay.errors import UsageError
from assay.launchers.asking import Asking
from assay.launchers.base import Job, Limited, Refused, Seen, Traits
from assay.launchers.places import Place
from assay.launchers.qstat import Facts, jobs_in_json, jobs_in_text, seen_in
from assay.launchers.script import write_script
from assay.launchers.verdicts import verdict_of
from assay.model.job import Verdict

#: what qsub says where a user has as many jobs as are allowed just now
_LIMIT = re.compile(r"would exceed [^\n]{0,200}limit|[Mm]aximum number of jobs|exceeds? [^\n]{0,100}limit on jobs")
#: ids that surely fit into one command line
_AT_ONCE = 500
_SCHEDULER = Asking(
    name="PBS",
    conf="PBS_CONF_FILE",
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

    def submit(self, job: Job) -> str:
        path = write_script(job, _WHO, _per_node(job.place), _MASTER)
        done = _SCHEDULER.ask(["qsub", *_request(job), *job.place.extra, str(path)])
        if done.returncode == 0:
            return done.stdout.strip()
        said = _complaint(done)
        _SCHEDULER.check_there(said)
        if _LIMIT.search(said):
            raise Limited(said, "it is submitted when one of your jobs has ended")
        raise Refused(said or f"qsub exited with {done.returncode}", "see what this cluster has: qstat -Q; pbsnodes -a")

    def poll(self, jobs: Mapping[str, str]) -> dict[str, Seen]:
        ids = {name: job_id or _found_by_name(name) for name, job_id in jobs.items()}
        names = {_number(job_id): name for name, job_id in ids.items() if job_id}
        known, found = [job_id for job_id in ids.values() if job_id], dict[str, Seen]()
        for at in range(0, len(known), _AT_ONCE):
            for job_id, facts in _asked(known[at : at + _AT_ONCE]).items():
                found[names.get(_number(job_id), "")] = seen_in(job_id, facts)
        return found

    def cancel(self, jobs: Mapping[str, str]) -> None:
        _SCHEDULER.cancel("qdel", jobs)

    def remedy(self, seen: Seen) -> str | None:
        """What PBS calls `Can Never Run` may run when a file system or a node is back."""
        if seen.phase != "queued":
            return None
        if seen.state == "H":
            return f"it is held; release it with qrls {seen.job_id}"
        if not seen.reason.startswith("Can Never Run"):
            return None
        if "_fs" in seen.reason or "filesystems" in seen.reason:
            return "a file system is down; the job starts when it is back"
        return f"if no such nodes are expected, end it with qdel {seen.job_id} and ask for less (pbsnodes -a)"

    def verdict(self, seen: Seen, output: str) -> Verdict | None:
        return verdict_of(seen, output)


def _request(job: Job) -> list[str]:
    place = job.place
    words = [
        "-N",
        _called(job.name),
        "-o",
        str(job.folder / "output"),
        "-j",
        "oe",
        "-V",
        "-r",
        "y" if place.requeue else "n",
    ]
    words += ["-l", f"select={_select(place)}"]
    limit_s = place.time_s or (job.timeout_s + 300 if job.timeout_s else None)
    if limit_s:
        seconds = math.ceil(limit_s)
        words += ["-l", f"walltime={seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"]
    if arrangement := _arrangement(place):
        words += ["-l", f"place={arrangement}"]
    if place.filesystems:
        words += ["-l", f"filesystems={':'.join(place.filesystems)}"]
    if place.partition:
        words += ["-q", place.partition]
    if place.account:
        words += ["-A", place.account]
    return words


def _select(place: Place) -> str:
    """`1:system=polaris` of a place, for as many nodes as are asked for, with what else is asked for of each."""
    given = place.select or str(place.nodes)
    if "+" in given:
        if place.nodes > 1:
            message = f"`select: {given}` asks for several kinds of nodes, so `nodes` cannot change their number"
            raise UsageError(message, "give the whole of it: --on PLACE,select=…")
        return given
    count, *chunk = given.split(":")
    if not count.isdigit():
        count, chunk = "1", [count, *chunk]
    named = {one.partition("=")[0] for one in chunk}
    wanted = {"ncpus": place.task_cpus, "ngpus": place.gpus, "mem": place.memory, "mpiprocs": place.tasks_per_node}
    more = [f"{name}={value}" for name, value in wanted.items() if value is not None and name not in named]
    return ":".join([str(place.nodes) if place.nodes > 1 else count, *chunk, *more])


def _arrangement(place: Place) -> str:
    """Chunks that may share a node would put two recorders on one."""
    parts = [place.arrange or ("scatter" if place.nodes > 1 else "")]
    if place.exclusive and "excl" not in parts[0]:
        parts.append("excl")
    return ":".join(part for part in parts if part)


def _per_node(place: Place) -> list[str]:
    """One recorder a node: PBS itself has no such command, so MPI's is used unless the place names another."""
    if place.per_node:
        return list(place.per_node)
    return [] if place.nodes == 1 else ["mpiexec", "-n", str(place.nodes), "--ppn", "1"]


def _asked(ids: Sequence[str]) -> dict[str, Facts]:
    """Of these jobs alone; those that the server has forgotten are left out."""
    done = _SCHEDULER.ask(["qstat", "-x", "-f", "-F", "json", *ids])
    _check_answered(done)
    found = jobs_in_json(done.stdout)
    if found is None:
        done = _SCHEDULER.ask(["qstat", "-x", "-f", *ids])
        _check_answered(done)
        found = jobs_in_text(done.stdout)
    return found


def _number(job_id: str) -> str:
    """`12` of `12.server` and `12.server.example.com`: qsub and qstat need not agree on the rest."""
    return job_id.partition(".")[0]


def _check_answered(done: subprocess.CompletedProcess[str]) -> None:
    if done.returncode not in (0, 35, 153):  # finished, unknown: both are answers
        raise _SCHEDULER.silent(_complaint(done))


def _found_by_name(name: str) -> str:
    """The id of a job whose submitter was killed before keeping it; empty if it never arrived."""
    done = _SCHEDULER.ask(["qselect", "-x", "-N", _called(name)])
    if done.returncode != 0:
        raise _SCHEDULER.silent(_complaint(done))
    return (done.stdout.split() or [""])[0]


def _called(name: str) -> str:
    """As qsub takes it: letters, digits and a few signs."""
    return re.sub(r"[^A-Za-z0-9_.+-]", "_", name)


def _complaint(done: subprocess.CompletedProcess[str]) -> str:
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    return lines[-1].removeprefix("qsub: ") if lines else ""
