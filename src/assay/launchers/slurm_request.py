"""What is asked of `sbatch`, as words of its command line: nothing of it passes a shell."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from pathlib import Path

from assay.errors import RunError
from assay.launchers.base import Job
from assay.launchers.places import Place
from assay.store.layout import write_whole

#: the run of an element lies behind a link that is called like its number
_ELEMENT = """\
#!/bin/bash
# {name}: each element of this array does the run that its number links to
cd {folder}/"$SLURM_ARRAY_TASK_ID"/job || exit 125
# all elements are submitted with one comment; each says in its own which run it is. The last one has the number of the
# array as its own, which would mean all of them
me="${{SLURM_ARRAY_JOB_ID}}_$SLURM_ARRAY_TASK_ID"
scontrol update "JobId=$me" "Comment=$(cd .. && pwd -P)" < /dev/null > /dev/null 2>&1 &
exec bash ./script
"""


def single(job: Job, script: Path) -> list[str]:
    """One job by itself."""
    return [*_named(job.name, job.folder, "output", job.run.path), *_request(job), str(script)]


def array(name: str, jobs: Sequence[Job]) -> list[str]:
    """Many jobs that ask for the same, as elements of one. Its folder lies beside the runs and is made here."""
    folder = array_folder(jobs[0], name)
    folder.mkdir(parents=True, exist_ok=True)
    for index, job in enumerate(jobs):
        link = folder / str(index)
        link.unlink(missing_ok=True)
        link.symlink_to(job.run.path)
    script = folder / "script"
    write_whole(script, _ELEMENT.format(name=name, folder=shlex.quote(str(folder))).encode(), mode=0o700)
    at_once = f"%{jobs[0].place.throttle}" if jobs[0].place.throttle else ""
    elements = f"--array=0-{len(jobs) - 1}{at_once}"
    named = _named(name, folder, "%a/job/output", jobs[0].run.path.parent)
    return [*named, elements, *_request(jobs[0]), str(script)]


def array_folder(job: Job, name: str) -> Path:
    return job.run.path.parent / ".arrays" / name


def _named(name: str, folder: Path, inside: str, about: Path) -> list[str]:
    """What it is called, and where what Slurm itself prints goes: `inside` the folder that it starts in."""
    if "\\" in str(folder):
        message = f"Slurm cannot write to `{folder}`, because the path contains a backslash"
        raise RunError(message, "choose another --runs-dir")
    output = f"{str(folder).replace('%', '%%')}/{inside}"
    return [f"--job-name={name}", f"--output={output}", "--open-mode=append", f"--chdir={folder}", f"--comment={about}"]


def _request(job: Job) -> list[str]:
    place = job.place
    words = ["--export=ALL", "--requeue" if place.requeue else "--no-requeue", f"--nodes={place.nodes}"]
    given = {
        "ntasks": place.tasks,
        "ntasks-per-node": place.tasks_per_node or (1 if place.nodes > 1 and not place.tasks else None),
        "cpus-per-task": place.task_cpus,
        "gpus-per-node": place.gpus,
        "mem": place.memory,
        "time": _minutes(job),
        "partition": place.partition,
        "account": place.account,
        "gres": place.gres,
        "ipus": place.ipus,
    }
    words += [f"--{name}={value}" for name, value in given.items() if value is not None]
    return [*words, *(["--exclusive"] if place.exclusive else []), *place.extra]


def _minutes(job: Job) -> int | None:
    """Slurm counts in minutes; a run that has a limit of its own gets a little more, to end by itself."""
    if job.place.time_s is not None:
        return math.ceil(job.place.time_s / 60)
    return None if job.timeout_s is None else math.ceil(job.timeout_s / 60) + 5


def per_node(place: Place) -> list[str]:
    """One recorder a node; on one node this shell's own child is enough. Slurm forgets CPUs between sbatch and srun."""
    if place.per_node:
        return list(place.per_node)
    if place.nodes == 1:
        return []
    cpus = [f"--cpus-per-task={place.task_cpus}"] if place.task_cpus else []
    beside = ["--overlap"] if place.tasks else []
    each = [f"--nodes={place.nodes}", f"--ntasks={place.nodes}", "--ntasks-per-node=1"]
    return ["srun", *each, *cpus, *beside, "--wait=300"]


def tasks_words(place: Place) -> list[str]:
    """What starts several tasks inside a job, in front of the command."""
    if place.tasks is None:
        return []
    cpus = [f"--cpus-per-task={place.task_cpus}"] if place.task_cpus else []
    each = [f"--ntasks-per-node={place.tasks_per_node}"] if place.tasks_per_node else []
    beside = ["--overlap"] if place.nodes > 1 else []  # beside the recorders, which hold a task on each node
    return ["srun", f"--nodes={place.nodes}", f"--ntasks={place.tasks}", *each, *cpus, *beside, *place.tasks_with]
