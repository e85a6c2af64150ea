"""Jobs of Slurm as objects: what `sacct --json` prints.

    {"jobs": [{"job_id": 554433, "state": {"current": ["COMPLETED"]},
               "time": {"elapsed": 3605, "limit": {"set": true, "number": 120}},
               "tres": {"allocated": [{"type": "cpu", "count": 64}, {"type": "gres", "name": "gpu", "count": 8}]},
               "steps": [{"tres": {"requested": {"max": [{"type": "mem", "count": 90194313216}]}}}]}]}

The trap: limits are minutes and memory asked for is MiB, but what a step used is bytes; a number may stand for itself
or in an object that says whether it is set; and `squeue --json` looks alike, with other names and nothing used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from assay.lines import Line
from assay.model.event import Event
from assay.model.values import number
from assay.readers.accounting.account import Account
from assay.readers.accounting.states import slurm_state

_MIB = 1024 * 1024
Job = Mapping[str, object]


def slurm_jobs(value: object) -> Iterator[Job]:
    """The jobs of what sacct printed; nothing of anything else."""
    jobs = value.get("jobs") if isinstance(value, Mapping) else None
    for job in jobs if isinstance(jobs, list) else ():
        if isinstance(job, Mapping) and "job_id" in job and "elapsed" in _inner(job, "time"):
            yield job


def slurm_events(job: Job) -> list[Event]:
    """The account of one job."""
    account, line = Account(), Line(1, "")
    events = account.tell(line, _facts(job), job=_name(job))
    state_name = _state(job)
    state, code = slurm_state(state_name), _number(_inner(job, "exit_code").get("return_code"))
    over = state is not None and state.status not in ("running", "queued")
    account.end(line, state, int(code) if over and code is not None else None)
    return [*(events if isinstance(events, list) else []), *account.finish()]


def _facts(job: Job) -> dict[str, float | None]:
    time, tres, required = _inner(job, "time"), _inner(job, "tres"), _inner(job, "required")
    granted = _counts(tres.get("allocated")) or _counts(tres.get("requested"))
    limit_min, memory_mib = _number(time.get("limit")), granted.get("mem")
    started, submitted = _number(time.get("start")), _number(time.get("submission"))
    return {
        "requested_cpus": granted.get("cpu") or _number(required.get("CPUs")),
        "requested_nodes": granted.get("node") or _number(job.get("allocation_nodes")),
        "requested_gpus": granted.get("gres/gpu"),
        "requested_mem_bytes": None if memory_mib is None else memory_mib * _MIB,
        "requested_time_s": None if limit_min is None else limit_min * 60,
        "wall_s": _number(time.get("elapsed")),
        "cpu_s": _span(time.get("total")) or None,
        "rss_bytes_max": _most(job),
        "queue_s": started - submitted if started and submitted and started >= submitted else None,
        "energy_j": _counts(tres.get("consumed")).get("energy"),
    }


def _most(job: Job) -> float | None:
    """Of the largest step: what its largest task held, times its tasks."""
    sizes = (_memory(step) * max(1.0, _number(_inner(step, "tasks").get("count")) or 1.0) for step in _steps(job))
    return max(sizes, default=0.0) or None


def _name(job: Job) -> str:
    """`554438_2` for a task of an array."""
    array = _inner(job, "array")
    of, task = _number(array.get("job_id")), _number(array.get("task_id"))
    return f"{int(of)}_{int(task)}" if of and task is not None else str(job["job_id"])


def _state(job: Job) -> str:
    current = _inner(job, "state").get("current", "")
    return str(current[0] if isinstance(current, list) and current else current)


def _steps(job: Job) -> Iterator[Job]:
    steps = job.get("steps")
    yield from (step for step in (steps if isinstance(steps, list) else ()) if isinstance(step, Mapping))


def _memory(step: Job) -> float:
    """The most that a task of a step held, which Slurm files under what was requested."""
    used = _inner(_inner(step, "tres"), "requested")
    return _counts(used.get("max")).get("mem", 0.0)


def _counts(listed: object) -> dict[str, float]:
    """`[{"type": "cpu", "count": 64}, {"type": "gres", "name": "gpu", "count": 8}]` by name."""
    found: dict[str, float] = {}
    for one in listed if isinstance(listed, Iterable) and not isinstance(listed, (str, Mapping)) else ():
        count = _number(one.get("count")) if isinstance(one, Mapping) else None
        if count:
            kind, name = str(one.get("type", "")), str(one.get("name") or "").partition(":")[0]
            found.setdefault(f"{kind}/{name}" if kind == "gres" else kind, count)
    return found


def _inner(value: Job, name: str) -> Job:
    inner = value.get(name)
    return inner if isinstance(inner, Mapping) else {}


def _span(value: object) -> float:
    """`{"seconds": 30, "microseconds": 250000}`."""
    parts = value if isinstance(value, Mapping) else {}
    return (_number(parts.get("seconds")) or 0.0) + (_number(parts.get("microseconds")) or 0.0) / 1e6


def _number(value: object) -> float | None:
    """A number, or one that stands in an object which says that it is set."""
    if isinstance(value, Mapping):
        return _number(value.get("number")) if value.get("set") and not value.get("infinite") else None
    return number(value)
