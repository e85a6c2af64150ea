"""What `qstat -x -f` reports about jobs, as JSON or as text, because some releases print invalid JSON.

    {"Jobs": {"4732778.pbs": {"Job_Name": "md", "job_state": "F", "Exit_status": 0, "run_count": 1, …}}}

    Job Id: 4732778.pbs
        Job_Name = md
        Resource_List.walltime = 48:00:00
        comment = Job run at Tue Mar 12 at 13:04 on (node1299:ncpus=48) and
        finished

Follows the output that PBS Professional's guides publish (release 2022.1 and before); no PBS was at hand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from assay.launchers.base import Seen

Facts = Mapping[str, object]
_PHASES = {"Q": "queued", "H": "queued", "W": "queued", "T": "queued", "S": "running", "U": "running",
           "R": "running", "E": "running", "B": "running", "F": "gone", "X": "gone", "M": "gone"}  # fmt: skip
#: exit codes of PBS's own, where it was PBS that ended a job
_KILLED = {
    -29: "TIMEOUT",
    -28: "TIMEOUT",
    -27: "OUT_OF_MEMORY",
    -26: "OUT_OF_MEMORY",
    271: "CANCELLED",
    265: "CANCELLED",
}
#: its codes for a job that it could not start
_NOT_LAUNCHED = (-1, -2, -4, -8, -9, -10, -13, -21, -22, -23)
_SIZES = {"b": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30, "tb": 1 << 40}
_SIZE = re.compile(r"([0-9]{1,18})([kmgt]?b)")
_WHOLE = re.compile(r"[0-9]{1,9}")
_PAIR = re.compile(r" {4}([A-Za-z_]{1,60})(?:\.([A-Za-z_0-9]{1,60}))? = (.*)")


def jobs_in_json(text: str) -> dict[str, Facts] | None:
    """None where it is no JSON: one job of anyone can make it so."""
    try:
        answer = json.loads(text or "{}", strict=False)
    except (ValueError, RecursionError):
        return None
    jobs = answer.get("Jobs", {}) if isinstance(answer, dict) else {}
    return {job_id: facts for job_id, facts in jobs.items() if isinstance(facts, dict)}


def jobs_in_text(text: str) -> dict[str, Facts]:
    """The same of `qstat -x -f`; a line that begins with a tab goes on with the one before."""
    found: dict[str, dict[str, object]] = {}
    job: dict[str, object] = {}
    for line in re.sub(r"\n\t", "", text).splitlines():
        if line.startswith("Job Id: "):
            job = found.setdefault(line.removeprefix("Job Id: ").strip(), {})
            continue
        pair = _PAIR.fullmatch(line)
        if pair is None:
            continue
        name, inner, value = pair.groups()
        if inner is None:
            job[name] = int(value) if re.fullmatch(r"-?[0-9]{1,9}", value) else value
        else:
            part = job.setdefault(name, {})
            if isinstance(part, dict):
                part[inner] = value
    return dict(found)


def seen_in(job_id: str, facts: Facts) -> Seen:
    state = str(facts.get("job_state"))
    phase = _PHASES.get(state, "queued")
    code, reason = facts.get("Exit_status"), str(facts.get("comment", ""))
    if phase == "gone":
        state = _last_word(facts, code) if isinstance(code, int) else "CANCELLED"
        reason = "JobLaunchFailure" if code in _NOT_LAUNCHED else reason
    runs = facts.get("run_count")
    starts = runs if isinstance(runs, int) else 0
    hosts = re.findall(r"(?:^|\+)([^/+]+)", str(facts.get("exec_host", "")))
    return Seen(job_id=job_id, phase=phase, state=state, reason=reason, node=",".join(dict.fromkeys(hosts)),
                restarts=starts if phase == "queued" else max(0, starts - 1),
                exit_code=code if phase == "gone" and isinstance(code, int) and 0 <= code < 256 else None)  # fmt: skip


def _last_word(facts: Facts, code: int) -> str:
    """A signal alone does not tell a `qdel` from a limit: what was used beside what was asked for does."""
    if code in (271, 265, 143, 137):
        limits, used = _part(facts, "Resource_List"), _part(facts, "resources_used")
        asked_s, used_s = _seconds(limits.get("walltime")), _seconds(used.get("walltime"))
        if asked_s and used_s and used_s >= asked_s:
            return "TIMEOUT"
        asked_bytes, used_bytes = _bytes(limits.get("mem")), _bytes(used.get("mem"))
        if asked_bytes and used_bytes and used_bytes >= asked_bytes:
            return "OUT_OF_MEMORY"
    return _KILLED.get(code, "FAILED" if code else "COMPLETED")


def _part(facts: Facts, name: str) -> Facts:
    part = facts.get(name)
    return part if isinstance(part, Mapping) else {}


def _seconds(value: object) -> int | None:
    """Of `48:00:00`."""
    parts = str(value).split(":")
    return sum(60**at * int(n) for at, n in enumerate(reversed(parts))) if all(map(_WHOLE.fullmatch, parts)) else None


def _bytes(value: object) -> int | None:
    found = _SIZE.fullmatch(str(value).lower())
    return int(found[1]) * _SIZES[found[2]] if found else None
