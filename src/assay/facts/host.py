"""The machine: processor, memory, limits of the container, kernel, boot."""

from __future__ import annotations

import os
import platform
import socket
import sys
from functools import cache
from pathlib import Path

from assay.model.request import Host
from assay.model.values import NOTHING


def host_facts() -> Host:
    """Facts that every run of this process shares; those that the system does not report are absent."""
    return Host(
        name=socket.gethostname(),
        boot=boot_id(),
        os=f"{platform.system()} {platform.release()}",
        machine=platform.machine(),
        cpu=_cpu_model(),
        cores=os.cpu_count(),
        cores_usable=_usable_cores(),
        memory_bytes=_memory_bytes(),
        limits=_container_limits() or NOTHING,
    )


@cache
def boot_id() -> str | None:
    """Identifies a boot of this host: process ids and monotonic clocks are only valid within one."""
    text = _read("/proc/sys/kernel/random/boot_id")
    return text.strip() if text else None


def _read(path: str | Path) -> str | None:
    try:
        return Path(path).read_text(errors="replace")
    except OSError:
        return None


def _cpu_model() -> str | None:
    for line in (_read("/proc/cpuinfo") or "").splitlines():
        key, _, value = line.partition(":")
        if key.strip() in ("model name", "Model", "cpu model"):
            return value.strip()
    return platform.processor() or None


def _usable_cores() -> int | None:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None


def _memory_bytes() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return None


def _container_limits() -> dict[str, float]:
    """CPU quota in cores and memory limit in bytes of this process's control group and those above it."""
    if sys.platform != "linux":
        return {}
    limits: dict[str, float] = {}
    for folder in _cgroups():
        quota = _read(folder / "cpu.max")
        if quota and not quota.startswith("max"):
            used, period = quota.split()[:2]
            _tighten(limits, "cpu_cores", int(used) / int(period))
        used_us, period_us = _read(folder / "cpu.cfs_quota_us"), _read(folder / "cpu.cfs_period_us")
        if used_us and period_us and int(used_us) > 0:
            _tighten(limits, "cpu_cores", int(used_us) / int(period_us))
        for name in ("memory.max", "memory.limit_in_bytes"):
            text = (_read(folder / name) or "max").strip()
            if text != "max" and int(text) < 2**60:  # version 1 writes a huge number for no limit
                _tighten(limits, "memory_bytes", int(text))
    return limits


def _tighten(limits: dict[str, float], name: str, value: float) -> None:
    limits[name] = min(value, limits.get(name, value))


def _cgroups() -> list[Path]:
    """The control-group folders that bind this process, version 1 and 2, from its own up to the root."""
    folders: list[Path] = []
    for line in (_read("/proc/self/cgroup") or "").splitlines():
        _, controllers, path = line.split(":", 2)
        mount = Path("/sys/fs/cgroup") / controllers if controllers else Path("/sys/fs/cgroup")
        here = mount / path.lstrip("/")
        while True:
            folders.append(here)
            if here == mount or mount not in here.parents:
                break
            here = here.parent
    return folders


def oom_kills() -> int | None:
    """How many processes of this control group the kernel has killed for lack of memory; None where it does not say."""
    for folder in _cgroups():
        for name in ("memory.events", "memory.oom_control"):
            for line in (_read(folder / name) or "").splitlines():
                key, _, count = line.partition(" ")
                if key == "oom_kill":
                    return int(count)
    return None
