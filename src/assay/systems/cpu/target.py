"""The processor of this machine: always here."""

from __future__ import annotations

from assay.facts.host import host_facts
from assay.systems.target import Found, Target
from assay.units import show_bytes


def _detect() -> Found:
    facts = host_facts()
    limits = facts.get("limits", {})
    cores = f"{facts.get('cores_usable', facts.get('cores'))} of {facts.get('cores')} cores"
    quota = f", limited to {limits['cpu_cores']:g} by its container" if "cpu_cores" in limits else ""
    memory = min(limits.get("memory_bytes", float("inf")), facts.get("memory_bytes", float("inf")))
    size = f", {show_bytes(memory)} of memory" if memory != float("inf") else ""
    return Found(ready=True, says=f"{facts.get('cpu', 'a processor')}, {cores}{quota}{size}")


TARGET = Target(
    name="cpu",
    title="the processor of this machine",
    detect=_detect,
    reader="generic",
    notes="built-in workloads run with device=cpu",
)
