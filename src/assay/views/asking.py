"""What to ask the scheduler for next time: what a job used, plus a margin that is stated."""

from __future__ import annotations

import math
from collections import Counter

from assay.model.summary import Summary
from assay.units import show_bytes

#: on top of what was used
MARGIN = 0.2
#: on top of what was allowed, where a job reached that and what it needs is unknown
_MORE = 0.5
_MIB, _GIB = 1 << 20, 1 << 30
#: a recorder and its helpers are in the same job, and no part of what was measured. Slurm without cgroups adds up the
#: RSS of processes: 72 MiB for a silent command, 85 for one that prints 1,000 lines a second, at most 97
_RECORDER_BYTES = 100 * _MIB
_FIVE_MINUTES_S = 300
_LIMITS = {"time-limit": "time", "out-of-memory": "mem"}


def request_lines(summary: Summary, job: Summary | None = None) -> list[str]:
    """`#SBATCH --time=00:35:00`, one a line; none where nothing can be saved, or nothing is known. `job` is what its
    scheduler reports about the whole job: it may have run more than this, and looked at it less often."""
    wanted = _next(summary)
    if job is not None and summary.status == "completed":
        whole = _next(job)
        both = {name: max(wanted[name], whole[name]) for name in wanted.keys() & whole.keys()}
        wanted = both if job.status == "completed" else whole
    if not wanted:
        return []
    if _on_pbs(summary):
        return _pbs(wanted, summary)
    words = {"time": f"--time={_clock(wanted.get('time', 0))}", "mem": f"--mem={_slurm_size(wanted.get('mem', 0))}",
             "mem_per_cpu": f"--mem-per-cpu={_slurm_size(wanted.get('mem_per_cpu', 0))}",
             "cpus": f"--cpus-per-task={wanted.get('cpus', 0)}", "gpus": f"--gpus={wanted.get('gpus', 0)}"}  # fmt: skip
    return [f"#SBATCH {words[name]}" for name in words if name in wanted]


def margin_words(summary: Summary) -> str:
    """How the lines were made."""
    reached = _LIMITS.get(summary.error.code) if summary.error else None
    if reached:
        what = "time" if reached == "time" else "memory"
        return f"the job ran out of {what}: {100 * _MORE:.0f} % more than it had; how much it needs is unknown"
    ours, wanted = _of_recorders(summary), _next(summary)
    for_us = f", and {show_bytes(ours)} for Assay" if ours and "mem" in wanted else ""
    return (
        f"what it used plus {100 * MARGIN:.0f} %{for_us}{'; time rounded up to 5 minutes' if 'time' in wanted else ''}"
    )


def _next(summary: Summary) -> dict[str, int]:
    """What to request next time: memory per node, CPUs per task."""
    had, error = summary.requested, summary.error.code if summary.error else ""
    nodes = max(1, round(had.get("nodes", 1)))
    if error in _LIMITS:
        return _after_a_limit(had.get("time_s", 0.0), had.get("mem_bytes", 0.0) / nodes, error)
    if summary.status != "completed" or not had or not summary.wall_s:
        return {}
    found = {"time": _time(summary.wall_s * (1 + MARGIN))}
    tasks = max(1, round(had.get("tasks", 1)))
    if summary.cpu_s is not None:
        found["cpus"] = max(1, math.ceil(summary.cpu_s / summary.wall_s * (1 + MARGIN) / tasks))
    if summary.gpus_used:
        found["gpus"] = summary.gpus_used
    most = {"time": had.get("time_s", math.inf), "cpus": had.get("cpus", 0.0) / tasks, "gpus": had.get("gpus", 0.0)}
    found = {name: value for name, value in found.items() if value < most[name]}
    return found | _memory(summary, nodes, tasks * found["cpus"] if "cpus" in found else had.get("cpus", 0.0))


def _memory(summary: Summary, nodes: int, cpus: float) -> dict[str, int]:
    """Measured memory is that of the highest node; a scheduler reports that of the whole job, and not how its tasks
    were spread over nodes: what is asked for each CPU goes where the tasks go."""
    had = summary.requested.get("mem_bytes", 0.0)
    tasks = max(1, round(summary.requested.get("tasks", nodes)))
    if summary.memory_bytes_max is not None:
        # a page that several processes share counts for each of them where RSS is added up
        held = max(summary.memory_bytes_max, summary.rss_bytes_max or 0)
        size = _size(held * (1 + MARGIN) + _of_recorders(summary))
    elif summary.rss_bytes_max is None:
        return {}
    elif nodes > 1 and tasks > nodes and cpus and not _on_pbs(summary):
        size = _size(summary.rss_bytes_max * (1 + MARGIN) / cpus, 10 * _MIB)
        return {"mem_per_cpu": size} if size * cpus < had else {}
    else:
        size = _size(summary.rss_bytes_max * (1 + MARGIN) * math.ceil(tasks / nodes) / tasks)
    return {"mem": size} if size * nodes < had else {}


def _on_pbs(summary: Summary) -> bool:
    return "." in (summary.job_id or "")


def _of_recorders(summary: Summary) -> int:
    """What those on the fullest node need; nothing where no recorder was in the job."""
    if summary.memory_bytes_max is None or summary.how == "parsed":
        return 0
    by_node = Counter(row["node"] for row in summary.ranks if "node" in row)
    return _RECORDER_BYTES * max(by_node.values(), default=1)


def _after_a_limit(time_s: float, mem_bytes: float, error: str) -> dict[str, int]:
    found = {"time": _time(time_s * (1 + _MORE))} if error == "time-limit" else {"mem": _size(mem_bytes * (1 + _MORE))}
    return {name: value for name, value in found.items() if value}


def _time(wall_s: float) -> int:
    return math.ceil(wall_s / _FIVE_MINUTES_S) * _FIVE_MINUTES_S


def _size(held_bytes: float, unit: int = 100 * _MIB) -> int:
    """Rounded up to 100 MiB, from 4 GiB on to whole GiB."""
    unit = _GIB if held_bytes >= 4 * _GIB else unit
    return math.ceil(held_bytes / unit) * unit


def _clock(time_s: int) -> str:
    days, rest = divmod(time_s, 86400)
    return f"{f'{days}-' if days else ''}{rest // 3600:02d}:{rest % 3600 // 60:02d}:00"


def _slurm_size(size: int) -> str:
    return f"{size // _GIB}G" if size >= 4 * _GIB else f"{size // _MIB}M"


def _pbs(wanted: dict[str, int], summary: Summary) -> list[str]:
    lines, had = [], summary.requested
    if "time" in wanted:
        hours, rest = divmod(wanted["time"], 3600)
        lines.append(f"#PBS -l walltime={hours:02d}:{rest // 60:02d}:00")
    if wanted.keys() & {"mem", "cpus", "gpus"}:
        nodes = max(1, round(had.get("nodes", 1)))
        tasks = math.ceil(max(1, round(had.get("tasks", 1))) / nodes)
        cpus = wanted["cpus"] * tasks if "cpus" in wanted else math.ceil(had.get("cpus", 0) / nodes)
        gpus = wanted.get("gpus", round(had.get("gpus", 0)))
        size = wanted.get("mem", round(had.get("mem_bytes", 0) / nodes))
        parts = [f"select={nodes}", *([f"ncpus={cpus}"] if cpus else []),
                 *([f"ngpus={math.ceil(gpus / nodes)}"] if gpus else []),
                 *([f"mem={math.ceil(size / _MIB)}mb"] if size else [])]  # fmt: skip
        lines.append(f"#PBS -l {':'.join(parts)}")
    return lines
