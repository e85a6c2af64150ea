"""What a job was given, from the variables that its scheduler sets, and how much of that a recorded run used.

    SLURM_JOB_CPUS_PER_NODE=16(x2),8   SLURM_MEM_PER_NODE=64000   SLURM_MEM_PER_CPU=2000   SLURM_GPUS_ON_NODE=4

The trap: memory is in MiB and of one node or one CPU, so the highest node is held against the memory of a node.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from assay.errors import AssayError
from assay.model.request import Request
from assay.model.summary import Summary
from assay.model.values import number
from assay.units import parse_seconds

_MIB = 1 << 20
_PER_NODE = re.compile(r"(\d{1,6})(?:\(x(\d{1,6})\))?")


def granted(variables: Mapping[str, str]) -> dict[str, float]:
    """cpus, nodes, gpus, mem_bytes and time_s of the whole job, as far as they are known."""
    cpus = _cpus(variables.get("SLURM_JOB_CPUS_PER_NODE", "")) or _whole(variables, "PBS_NP")
    nodes = _whole(variables, "SLURM_JOB_NUM_NODES", "SLURM_NNODES", "PBS_NUM_NODES")
    of_node, of_cpu = _whole(variables, "SLURM_MEM_PER_NODE"), _whole(variables, "SLURM_MEM_PER_CPU")
    on_node = _whole(variables, "SLURM_GPUS_ON_NODE")
    begin, end = _whole(variables, "SLURM_JOB_START_TIME"), _whole(variables, "SLURM_JOB_END_TIME")
    found = {
        "cpus": cpus,
        "nodes": nodes,
        "tasks": _whole(variables, "SLURM_NTASKS"),
        "gpus": on_node * (nodes or 1) if on_node else None,
        "mem_bytes": _MIB * (of_node * (nodes or 1) if of_node else (of_cpu or 0) * (cpus or 0)),
        "time_s": end - begin if begin and end and end > begin else _whole(variables, "PBS_WALLTIME"),
    }
    return {name: value for name, value in found.items() if value}


def of_granted(asked: Request, machine: Summary, wall_s: float) -> dict[str, object]:
    """`requested` and the efficiencies of a run that was recorded inside a job. Not every scheduler tells a job what
    time it has: then it is what the place asked for."""
    had = granted(asked.scheduler)
    limit_s = _limit_s(asked)
    if had and limit_s is not None:
        had.setdefault("time_s", limit_s)
    if not had:
        return {}
    found: dict[str, object] = {"requested": had}
    if machine.cpu_s is not None and "cpus" in had and wall_s > 0:
        found["cpu_eff"] = round(machine.cpu_s / (wall_s * had["cpus"]), 6)
    if machine.memory_bytes_max is not None and "mem_bytes" in had:
        found["mem_eff"] = round(machine.memory_bytes_max * had.get("nodes", 1) / had["mem_bytes"], 6)
    if "time_s" in had:
        found["time_eff"] = round(wall_s / had["time_s"], 6)
    return found


def killed_for_memory(outcome: Mapping[str, object], of_job: Mapping[str, object]) -> dict[str, object]:
    """The error of a run without an end that held more than its job had: schedulers that add up RSS kill all of a job
    at once, its recorders too."""
    share = number(of_job.get("mem_eff"))
    error = outcome.get("error")
    silent = outcome.get("status") == "interrupted" and outcome.get("exit_code") is None and isinstance(error, dict)
    if not silent or share is None or share <= 1:
        return {}
    message = f"the job was killed while this run held {100 * share:.0f} % of the memory that the job asked for"
    error = {"code": "out-of-memory", "message": message, "hint": "a smaller batch, or more memory for the job"}
    return {"status": "failed", "error": error}


def _limit_s(asked: Request) -> float | None:
    given = asked.place.extra.get("time") if asked.place is not None else None
    try:
        return parse_seconds(str(given)) if isinstance(given, (str, int, float)) else None
    except AssayError:  # of another version
        return None


def _cpus(text: str) -> int | None:
    """`16(x2),8` is 40."""
    parts = [_PER_NODE.fullmatch(part) for part in text.split(",")]
    return sum(int(one[1]) * int(one[2] or 1) for one in parts if one) if all(parts) else None


def _whole(variables: Mapping[str, str], *names: str) -> int | None:
    """The first of them that is a number above 0."""
    for name in names:
        text = variables.get(name, "")
        if text.isdigit() and len(text) < 16 and number(int(text)):
            return int(text)
    return None
