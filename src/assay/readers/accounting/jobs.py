"""A job of PBS as an object: what `qstat -f -F json` prints, and the names that `qstat -f` has for the same.

{"Jobs": {"4732778.pbs": {"resources_used": {"cput": "420:16:02", "mem": "1622428kb"}, "job_state": "F", …}}}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assay.lines import Line
from assay.model.event import Event
from assay.readers.accounting.account import Account
from assay.readers.accounting.amounts import clock
from assay.readers.accounting.epilogue import asked_facts, used_facts
from assay.readers.accounting.slurmjobs import slurm_events, slurm_jobs
from assay.readers.accounting.states import pbs_state


def facts_of(values: Mapping[str, str]) -> dict[str, float]:
    """Of names such as `resources_used.mem` and `Resource_List.walltime`; the wait from `qtime` to `stime`."""
    used = {
        name.removeprefix("resources_used."): one for name, one in values.items() if name.startswith("resources_used.")
    }
    asked = {
        name.removeprefix("Resource_List."): one for name, one in values.items() if name.startswith("Resource_List.")
    }
    facts: dict[str, float | None] = {**used_facts(used), **asked_facts(asked)}
    queued, started = clock(values.get("qtime", "")), clock(values.get("stime", ""))
    if queued is not None and started is not None and started >= queued:
        facts["queue_s"] = started - queued
    return {name: value for name, value in facts.items() if value is not None}


def accounts_of(value: object) -> Iterator[list[Event]]:
    """The account of each job in what a scheduler printed as JSON: `qstat -F json`, `sacct --json`."""
    yield from (job_events(name, job) for name, job in jobs_of(value))
    yield from map(slurm_events, slurm_jobs(value))


def jobs_of(value: object) -> Iterator[tuple[str, Mapping[str, object]]]:
    """(id, job) of everything that qstat printed."""
    if not isinstance(value, Mapping):
        return
    jobs = value.get("Jobs")
    if isinstance(jobs, Mapping):
        for name, job in jobs.items():
            if isinstance(job, Mapping):
                yield str(name), job
    elif "resources_used" in value or ("Resource_List" in value and "job_state" in value):
        yield str(value.get("Job_Id", value.get("job_id", value.get("id", "")))), value


def job_events(name: str, job: Mapping[str, object]) -> list[Event]:
    """The account of one job."""
    account = Account()
    flat = {str(key): str(one) for key, one in job.items() if not isinstance(one, (dict, list))}
    for group in ("resources_used", "Resource_List"):
        inner = job.get(group)
        if isinstance(inner, Mapping):
            flat.update({f"{group}.{key}": str(one) for key, one in inner.items()})
    line = Line(1, "")
    events = account.tell(line, facts_of(flat), job=name)
    status = flat.get("Exit_status", flat.get("exit_status", ""))
    code = int(status) if status.lstrip("-").isdigit() else None
    account.end(line, pbs_state(flat.get("job_state", "F"), code), code)
    return [*(events if isinstance(events, list) else []), *account.finish()]
