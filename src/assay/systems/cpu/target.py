"""The processor of this machine: always here."""

from __future__ import annotations

from assay.facts.host import host_facts
from assay.model.values import number
from assay.systems.target import Found, Target
from assay.units import show_bytes


def _detect() -> Found:
    host = host_facts()
    cores = f"{host.cores_usable or host.cores} of {host.cores} cores"
    quota_cores, sizes = number(host.limits.get("cpu_cores")), (host.limits.get("memory_bytes"), host.memory_bytes)
    quota = f", limited to {quota_cores:g} by its container" if quota_cores is not None else ""
    known = [bytes_ for one in sizes if (bytes_ := number(one)) is not None]
    size = f", {show_bytes(min(known))} of memory" if known else ""
    return Found(ready=True, says=f"{host.cpu or 'a processor'}, {cores}{quota}{size}")


TARGET = Target(
    name="cpu",
    title="the processor of this machine",
    detect=_detect,
    reader="generic",
    notes="built-in workloads run with device=cpu",
)
