"""Accelerators of every vendor, a line each: how to see that a driver is there, and the module that asks it.

Nothing of a vendor is imported before its driver was seen, so that a machine without one pays for a look at /dev alone.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from glob import glob

from assay.probes import Probe
from assay.probes.accelerators import State
from assay.probes.gpu import kept_apart


@dataclass(frozen=True, kw_only=True)
class Vendor:
    """One line of the table. `drivers` are files that only exist where its driver is loaded."""

    name: str
    title: str
    module: str
    drivers: tuple[str, ...]
    tried: str = ""  # the hardware that the probe was tried on; empty: answers as its documents show them


VENDORS = (
    Vendor(name="nvidia", title="NVIDIA GPUs", module="assay.probes.gpu", tried="H200",
           drivers=("/dev/nvidia*", "/proc/driver/nvidia", "/dev/dxg")),
    Vendor(name="amd", title="AMD GPUs", module="assay.probes.amd", drivers=("/dev/kfd",)),
    Vendor(name="gaudi", title="Intel Gaudi", module="assay.probes.gaudi",
           drivers=("/sys/module/habanalabs",)),
    Vendor(name="intel", title="Intel GPUs", module="assay.probes.intel",
           drivers=("/sys/module/i915/drivers/pci:i915/0*", "/sys/module/xe/drivers/pci:xe/0*")),
)  # fmt: skip
_NONE = State(status="none")


def look() -> State:
    """The first vendor whose devices can be asked; else the first whose driver does not answer; else none."""
    broken = _NONE
    for vendor in VENDORS:
        state = look_at(vendor) if _present(vendor) else _NONE
        if state.status == "ready":
            return state
        broken = state if broken is _NONE and state.status == "broken" else broken
    return broken


def look_at(vendor: Vendor) -> State:
    with kept_apart():
        found = importlib.import_module(vendor.module).look()
    assert isinstance(found, State)
    return found


def probe(state: State, pids: Callable[[], list[int]], environment: Mapping[str, str]) -> Probe | None:
    """What looks at the devices of a state that is ready."""
    vendor = next((one for one in VENDORS if one.name == state.vendor), None)
    if state.status != "ready" or vendor is None:
        return None
    with kept_apart():
        made: Probe = importlib.import_module(vendor.module).probe(pids, environment)
    return made


def report() -> list[tuple[str, bool, str]]:
    """(vendor, whether its devices are measured here, why or why not), for `assay doctor`."""
    rows = []
    for vendor in VENDORS:
        state = look_at(vendor) if _present(vendor) else _NONE
        tried = f"tried on {vendor.tried}" if vendor.tried else "tried on recorded answers, not on hardware"
        if state.status == "ready":
            says = f"{len(state.names)} found, measured through {state.through} ({tried})"
        elif state.status == "broken":
            says = f"a driver is loaded, but {state.problem} ({tried})"
        else:
            says = state.problem or f"no driver for {vendor.title} is loaded"
            says = f"{says} ({tried})"
        rows.append((vendor.name, state.status == "ready", says))
    if sys.platform == "darwin":
        rows.append(("apple", False, "macOS reports GPU use and power to root alone (powermetrics): not recorded"))
    return rows


def _present(vendor: Vendor) -> bool:
    return any(glob(pattern) if "*" in pattern else os.path.exists(pattern) for pattern in vendor.drivers)
