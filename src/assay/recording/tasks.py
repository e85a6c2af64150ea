"""Which process of a parallel job this is: `srun -n 4 assay run -- …` starts four recorders that belong together.

The trap: a launcher inside a job hands on the scheduler's own variables, which then describe the launcher, so MPI's
variables come first. A batch script has a rank too, but no step of several tasks.
"""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass

from assay.probes.tree import ancestors, birth

#: (rank, how many): the first pair that is there counts
_RANKS = (
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("PMI_RANK", "PMI_SIZE"),
    ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),
)
#: variables that identify one launch
_LAUNCHES = (
    ("SLURM_CLUSTER_NAME", "SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_RESTART_COUNT", "SLURM_SRUN_COMM_PORT"),
    ("PALS_APID",),
    ("PMIX_NAMESPACE",),
    ("OMPI_MCA_ess_base_jobid", "OMPI_MCA_orte_hnp_uri"),
    ("PBS_JOBID",),
)
#: the one that must be there for the others to mean anything
_NEEDED = {"SLURM_CLUSTER_NAME": "SLURM_STEP_ID"}
_LONGEST = 120


@dataclass(frozen=True, kw_only=True)
class Task:
    """One of `count` processes; `launch` is the same for all of them and for no others."""

    rank: int
    count: int
    node: str
    launch: str


def task_of(environment: Mapping[str, str]) -> Task | None:
    """None for a process on its own."""
    for rank_name, count_name in _RANKS:
        rank, count = environment.get(rank_name, ""), environment.get(count_name, "")
        if rank.isdigit() and count.isdigit():
            if not int(rank) < int(count) or int(count) < 2:
                return None
            node = environment.get("SLURMD_NODENAME") or socket.gethostname()
            return Task(rank=int(rank), count=int(count), node=node, launch=_launch(environment))
    return None


def _launch(environment: Mapping[str, str]) -> str:
    """A name that every file system takes."""
    for names in _LAUNCHES:
        if environment.get(_NEEDED.get(names[0], names[0])):
            words = [names[0].partition("_")[0].lower(), *(environment.get(name, "") for name in names)]
            return re.sub(r"[^A-Za-z0-9.]+", "-", "-".join(filter(None, words))).strip("-")[-_LONGEST:]
    launcher = _launcher()
    return f"{socket.gethostname()}-{launcher}-{birth(launcher) or 0.0:.0f}"


def _launcher() -> int:
    """The process that started all ranks of this host: the first above us that has no rank itself."""
    for pid in ancestors(os.getpid()):
        content = _environment(pid)
        if not any(f"\0{rank}=".encode() in content for rank, _ in _RANKS):
            return pid
    return 1


def _environment(pid: int) -> bytes:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return b"\0" + file.read()
    except OSError:
        return b""
