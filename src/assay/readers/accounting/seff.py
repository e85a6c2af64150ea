"""Slurm's `seff`: one job in a dozen lines.

    Job ID: 3431290
    State: COMPLETED (exit code 0)
    Nodes: 1
    Cores per node: 52
    CPU Utilized: 28-17:52:34
    CPU Efficiency: 88.81% of 32-08:47:36 core-walltime
    Job Wall-clock time: 14:56:18
    Memory Utilized: 150.25 GB (estimated maximum)
    Memory Efficiency: 42.27% of 355.47 GB (355.47 GB/node)

The trap: the efficiency is of all cores, the GB are GiB, and cores are given for one node.
"""

from __future__ import annotations

import re

from assay.lines import Line
from assay.readers.accounting.account import Account, Format
from assay.readers.accounting.amounts import seconds, size_bytes
from assay.readers.accounting.states import slurm_state
from assay.reading.reader import NEW, Answer, fraction

_JOB = re.compile(r"\s*Job ID:\s*(?P<job>\d[\w.\[\]-]*)")
_PAIR = re.compile(
    r"\s*(?P<label>Array Job ID|Cluster|User/Group|State|Nodes|Cores per node|Cores|Tasks|GPUs?|CPU Utilized|"
    r"CPU Efficiency|Job Wall-clock time|Wall-clock time|Memory Utilized|Memory Efficiency|GPU Utilization|GPU Memory|"
    r"GPU Efficiency|GPU Utilized|Number of GPUs?|Time limit|Energy Utilized)\s*:\s*(?P<value>\S.*)$",
    re.IGNORECASE,
)
_STATE = re.compile(r"(?P<state>[A-Z_]+)(?: by \d+)?(?: \(exit code (?P<code>\d+)\))?")
_SHARE = re.compile(r"(?P<percent>[\d.]+)\s*%(?: of (?P<of>\S+(?: [KMGTP]?i?B)?))?")


class Seff(Format):
    """A block that begins with `Job ID:`."""

    anchors = (
        "job id:", "state:", "nodes:", "cores per node", "cores:", "cpu utilized", "cpu efficiency", "wall-clock time",
        "memory utilized", "memory efficiency", "cluster:", "user/group", "gpus:", "gpu efficiency", "gpu utilization",
        "time limit:",
    )  # fmt: skip

    def __init__(self) -> None:
        self._nodes = 1
        self._inside = False

    def read(self, account: Account, line: Line, text: str) -> Answer:
        found = _JOB.match(text)
        if found:
            if account.facts or account.job not in ("", found["job"]):
                return NEW
            self._inside, self._nodes = True, 1
            account.strong = False  # any log may name its job
            account.job = found["job"]
            return [account.fact("how", line, job=found["job"])]
        found = _PAIR.match(text) if self._inside else None
        if found is None:
            return None
        label = found["label"].lower()
        if label == "state":
            return self._state(account, line, found["value"])
        facts = self._facts(label, found["value"])
        if facts is None:
            return []
        answer = account.tell(line, facts)
        account.ended = label == "memory efficiency"
        return answer

    def _state(self, account: Account, line: Line, text: str) -> Answer:
        found = _STATE.match(text)
        state = slurm_state(found["state"]) if found else None
        if found is None or state is None:
            return []
        account.strong = True
        return account.end(line, state, int(found["code"]) if found["code"] else None)

    def _facts(self, label: str, value: str) -> dict[str, float | None] | None:
        if label == "nodes":
            self._nodes = int(value) if value.isdigit() else 1
            return {"requested_nodes": self._nodes}
        if label in ("cores per node", "cores"):
            return {"requested_cpus": int(value) * self._nodes if value.isdigit() else None}
        if label in ("gpu", "gpus", "number of gpus", "number of gpu"):
            return {"requested_gpus": int(value) if value.isdigit() else None}
        if label == "cpu utilized":
            return {"cpu_s": seconds(value)}
        if label.endswith("wall-clock time"):
            return {"wall_s": seconds(value)}
        if label == "time limit":
            return {"requested_time_s": seconds(value)}
        share = _SHARE.match(value)
        if label == "cpu efficiency" and share:
            return {"cpu_eff": fraction(float(share["percent"]))}
        if label in ("gpu efficiency", "gpu utilization") and share:
            return {"gpu_util_pct_mean": float(share["percent"])}
        if label == "memory utilized":
            return {"rss_bytes_max": size_bytes(value.split("(")[0]) or None}
        if label == "memory efficiency" and share:
            asked = size_bytes(share["of"]) if share["of"] else None
            return {"mem_eff": fraction(float(share["percent"])), "requested_mem_bytes": asked or None}
        return None
