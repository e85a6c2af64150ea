"""How long the processes of a run waited for a CPU, for memory or for a disk, as the kernel counts it (PSI).

The kernel counts for each control group of version 2. If the group holds other groups, or processes that do not belong
to the run, the count is not the run's, so nothing is recorded.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from pathlib import Path

from assay.model.event import Sample
from assay.probes.cgroup import ROOT, is_shared

_KINDS = ("cpu", "memory", "io")


class PressureProbe:
    """Seconds since the probe was made in which at least one process waited."""

    name = "pressure"

    def __init__(self, folder: Path, pids: Callable[[], Collection[int]]) -> None:
        self._folder, self._pids = folder, pids
        self._first_us = {kind: us for kind in _KINDS if (us := _waited_us(folder, kind)) is not None}
        self._shared = not self._first_us

    def sample(self) -> list[Sample]:
        self._shared = self._shared or is_shared(self._folder, set(self._pids()))
        if self._shared:
            return []
        return [Sample(cpu_wait_s=self._since("cpu"), memory_wait_s=self._since("memory"), io_wait_s=self._since("io"))]

    def _since(self, kind: str) -> float | None:
        now_us, first_us = _waited_us(self._folder, kind), self._first_us.get(kind)
        return None if now_us is None or first_us is None else (now_us - first_us) / 1e6


def group_folder(pid: int, root: Path = ROOT) -> Path | None:
    """The group of a process, if it is below the top and the kernel counts waiting for it."""
    try:
        lines = Path(f"/proc/{pid}/cgroup").read_text().splitlines()
    except OSError:
        return None
    inside = next((line.removeprefix("0::").strip("/") for line in lines if line.startswith("0::")), "")
    for mount in (root, root / "unified"):  # beside groups of the first version it is mounted there
        if inside and _waited_us(mount / inside, "cpu") is not None:
            return mount / inside
    return None


def own_group() -> Path | None:
    return group_folder(os.getpid())


def _waited_us(folder: Path, kind: str) -> int | None:
    """From `some avg10=0.00 avg60=0.00 avg300=0.00 total=1234`."""
    try:
        first = (folder / f"{kind}.pressure").read_text().splitlines()[0]
    except (OSError, IndexError):  # a kernel without it may offer the file and refuse to read it
        return None
    total = first.rpartition("total=")[2]
    return int(total) if first.startswith("some ") and total.isdigit() else None
