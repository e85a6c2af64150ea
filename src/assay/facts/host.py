"""The machine: processor, memory, limits of the container, kernel, boot."""

from __future__ import annotations

import os
import platform
import socket
import sys
from collections.abc import Iterator
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
    for folder, is_second in _cgroups("cpu"):
        names = ("cpu.max",) if is_second else ("cpu.cfs_quota_us", "cpu.cfs_period_us")
        words = " ".join(_read(folder / name) or "" for name in names).split()
        if len(words) == 2 and words[0] != "max" and int(words[0]) > 0:
            _tighten(limits, "cpu_cores", int(words[0]) / int(words[1]))
    for folder, is_second in _cgroups("memory"):
        text = (_read(folder / ("memory.max" if is_second else "memory.limit_in_bytes")) or "max").strip()
        if text != "max" and int(text) < 2**60:  # version 1 writes a huge number for no limit
            _tighten(limits, "memory_bytes", int(text))
    return limits


def _tighten(limits: dict[str, float], name: str, value: float) -> None:
    limits[name] = min(value, limits.get(name, value))


def _cgroups(controller: str) -> Iterator[tuple[Path, bool]]:
    """The control-group folders that bind this process, from its own up to the root, and whether each is of the second
    version; of the first, only those that know the controller."""
    for line in (_read("/proc/self/cgroup") or "").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers and controller not in controllers.split(","):
            continue
        mount = Path("/sys/fs/cgroup") / controllers if controllers else Path("/sys/fs/cgroup")
        here = mount / path.lstrip("/")
        yield here, not controllers
        while here != mount and mount in here.parents:
            here = here.parent
            yield here, not controllers


def oom_kills() -> int | None:
    """How many processes of this control group the kernel has killed for lack of memory; None where it does not say."""
    for folder, is_second in _cgroups("memory"):
        for line in (_read(folder / ("memory.events" if is_second else "memory.oom_control")) or "").splitlines():
            key, _, count = line.partition(" ")
            if key == "oom_kill":
                return int(count)
    return None
