"""What PBS sites print at the end of a job's output.

    ======================================================================================
                      Resource Usage on 2017-08-23 15:04:49:
       Job Id:             7978542.pbs01
       Exit Status:        0
       NCPUs Requested:    32                     NCPUs Used: 32
                                               CPU Time Used: 00:05:06
       Memory Requested:   62.0GB                Memory Used: 0B
       Walltime requested: 00:10:00            Walltime Used: 00:29:34
    ======================================================================================
    Resources Used:  cput=00:10:00,mem=1000kb,ncpus=4,vmem=2000kb,walltime=00:11:00

The trap: two pairs to a line; memory of 0B was not measured.
"""

from __future__ import annotations

import re

from assay.lines import Line
from assay.readers.accounting.account import Account, Format
from assay.readers.accounting.amounts import seconds, size_bytes
from assay.readers.accounting.states import exit_state
from assay.reading.reader import NEW, Answer, figure

_TITLE = re.compile(r"\s*Resource Usage on \d{4}-\d\d-\d\d")
_JOB = re.compile(r"\s*Job I[Dd]:\s*(?P<job>\d[\w.\[\]-]*)$")
_PAIR = re.compile(
    r"(?P<label>Exit Status|NCPUs Requested|NGPUs Requested|CPU Time Used|Memory Requested|Memory Used|"
    r"Walltime requested|"
    r"Walltime Used|GPU Utilisation|GPU Memory Used|Nodes Requested):\s*(?P<value>-?[\d.:]+ ?[KMGTkmgt]?[bB]?)",
    re.IGNORECASE,
)
_LIST = re.compile(
    r"\s*(?P<which>Resources? (?:Used|List|Requested)|Limits)\s*:\s*(?P<rest>\w[\w.]*=\S.*)$", re.IGNORECASE
)
_MEMBER = re.compile(r"(?<![a-z_.])(?P<name>[a-z_.]{1,40})=(?P<value>[^,\s]+)")


class Epilogue(Format):
    """From its title to the line that closes it."""

    anchors = (
        "resource usage on", "memory used", "walltime used", "job id:", "exit status", "ncpus requested",
        "cpu time used", "memory requested", "walltime requested", "gpu utilisation", "resources used", "resource list",
        "resources requested", "ngpus", "limits:",
    )  # fmt: skip

    def __init__(self) -> None:
        self._inside = False

    def read(self, account: Account, line: Line, text: str) -> Answer:
        if _TITLE.match(text):
            if account.facts:
                return NEW
            self._inside = account.strong = True
            return []
        found = _LIST.match(text)
        if found:
            return self._listed(account, line, found["which"].lower(), found["rest"])
        if not self._inside:
            return None
        found = _JOB.match(text)
        if found:
            return account.tell(line, job=found["job"])
        pairs = list(_PAIR.finditer(text))
        return self._pairs(account, line, pairs) if pairs else None

    def _pairs(self, account: Account, line: Line, pairs: list[re.Match[str]]) -> Answer:
        facts: dict[str, float | None] = {}
        for pair in pairs:
            label, value = pair["label"].lower(), pair["value"].strip()
            if label == "exit status":
                status = int(float(value)) if figure(value) is not None else None
                account.end(line, exit_state(status) if status is not None else None, status)
            else:
                facts.update(_fact(label, value))
        return account.tell(line, facts)

    def _listed(self, account: Account, line: Line, which: str, text: str) -> Answer:
        values = {found["name"]: found["value"] for found in _MEMBER.finditer(text)}
        if not {"walltime", "cput", "mem", "ncpus", "select", "nodes"} & values.keys():
            return None
        return account.tell(line, used_facts(values) if "used" in which else asked_facts(values))


def _fact(label: str, value: str) -> dict[str, float | None]:
    if label in ("ncpus requested", "ngpus requested", "nodes requested"):
        name = {"nc": "requested_cpus", "ng": "requested_gpus", "no": "requested_nodes"}[label[:2]]
        return {name: figure(value)}
    if label == "cpu time used":
        return {"cpu_s": seconds(value)}
    if label.startswith("walltime"):
        return {"wall_s" if label.endswith("used") else "requested_time_s": seconds(value)}
    if label == "gpu utilisation":
        return {"gpu_util_pct_mean": figure(value)}
    size = size_bytes(value)
    names = {
        "memory requested": "requested_mem_bytes",
        "memory used": "rss_bytes_max",
        "gpu memory used": "gpu_mem_bytes_max",
    }
    return {names[label]: size or None}


def used_facts(values: dict[str, str]) -> dict[str, float | None]:
    """PBS's `resources_used`."""
    return {
        "cpu_s": seconds(values.get("cput", "")),
        "wall_s": seconds(values.get("walltime", "")),
        "rss_bytes_max": size_bytes(values.get("mem", "")) or None,
        "used_vmem_bytes": size_bytes(values.get("vmem", "")) or None,
        "cpu_pct_mean": figure(values.get("cpupercent", "")),
    }


def asked_facts(values: dict[str, str]) -> dict[str, float | None]:
    """PBS's `Resource_List`; `nodes=2:ppn=8` and `select=2:ncpus=8:ngpus=4` are asked of each of them."""
    chunk = values.get("select", "") or values.get("nodes", "")
    count, *each = chunk.split(":")
    number = int(count) if count.isdigit() else 1
    inner = dict(one.split("=", 1) for one in each if "=" in one and "+" not in chunk)
    of_each = {"ncpus": inner.get("ncpus", inner.get("ppn", "")), "ngpus": inner.get("ngpus", inner.get("gpus", ""))}
    nodes = values.get("nodect", count if "nodes" in values else "")
    return {
        "requested_cpus": figure(values.get("ncpus", "")) or _times(of_each["ncpus"], number),
        "requested_nodes": figure(nodes) if nodes.isdigit() else None,
        "requested_gpus": figure(values.get("ngpus", "")) or _times(of_each["ngpus"], number),
        "requested_mem_bytes": size_bytes(values.get("mem", "")) or None,
        "requested_time_s": seconds(values.get("walltime", "")),
    }


def _times(text: str, number: int) -> float | None:
    return int(text) * number if text.isdigit() else None
