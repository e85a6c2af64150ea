"""The same figures where there is no /proc: a Mac. Costs more; short-lived children count once they are waited for."""

from __future__ import annotations

import os
import resource
import threading
import time
from collections.abc import Callable, Collection, Iterable
from typing import Any

from assay.model.event import Sample
from assay.probes.parts import Ended
from assay.probes.tree import BLIND


class PsutilProbe:
    """Stands in for `ProcessProbe`, with psutil behind it."""

    name = "process"
    peak_bytes = 0  # not known here

    def __init__(self, roots: Callable[[], Iterable[int]], begin_s: float) -> None:
        if not BLIND:
            import psutil

            self._psutil = psutil
        self._roots = roots
        self._lock = threading.Lock()
        self._cpu_by_process: dict[tuple[int, float], float] = {}  # (pid, birth): CPU seconds when last seen
        self._living: list[int] = []
        self._reaped_s = 0.0
        self._last_s, self._last_cpu_s = begin_s, 0.0
        self.rss_bytes = 0
        self.part_began: Callable[[], object] = lambda: None

    def sample(self) -> list[Sample]:
        with self._lock:
            processes = self._look()
            now_s = time.monotonic()
            if not processes:
                return []
            cpu_s, since_s = self._cpu_s(), now_s - self._last_s
            sample = Sample(
                cpu_s=round(cpu_s, 3),
                cpu_pct=round(max(0.0, 100 * (cpu_s - self._last_cpu_s) / since_s), 2) if since_s > 0 else 0.0,
                rss_bytes=self.rss_bytes,
                processes=len(processes),
                threads=sum(threads for _, threads in processes),
            )
            self._last_s, self._last_cpu_s = now_s, max(cpu_s, self._last_cpu_s)
            return [sample]

    def totals(self) -> dict[str, float]:
        with self._lock:
            self._look()
            return {"cpu_s": round(self._cpu_s(), 6)}

    def wait(self, options: int) -> tuple[int, int, resource.struct_rusage] | None:
        """Wait for any child of ours; its exact total replaces what was seen of it and of those it waited for."""
        with self._lock:
            try:
                pid, status, usage = os.wait4(-1, options)
            except ChildProcessError:
                return None
            if pid == 0:
                return None
            for key in [key for key in self._cpu_by_process if key[0] == pid]:
                del self._cpu_by_process[key]
            self._reaped_s += usage.ru_utime + usage.ru_stime
            return pid, status, usage

    def start_from_here(self) -> None:
        with self._lock:
            self._look()
            self._reaped_s -= self._cpu_s()

    def forget(self, cpu_s: float) -> None:
        self._reaped_s -= cpu_s

    def pids(self) -> list[int]:
        with self._lock:
            return list(self._living)

    def follow(self) -> list[int]:
        return []

    def ends(self, pidfds: Collection[int]) -> None:
        pass

    def parts(self) -> list[Ended]:
        return []

    def _cpu_s(self) -> float:
        return sum(self._cpu_by_process.values()) + self._reaped_s

    def _look(self) -> list[tuple[int, int]]:
        """(pid, threads) of the living; the vanished are dropped, as their parent's children times hold them."""
        found: list[tuple[int, int]] = []
        cpu: dict[tuple[int, float], float] = {}
        rss_bytes = 0
        for process in self._tree():
            try:
                with process.oneshot():
                    times, memory = process.cpu_times(), process.memory_info()
                    cpu[process.pid, process.create_time()] = sum(times[:4])
                    found.append((process.pid, process.num_threads()))
                    rss_bytes += memory.rss
            except self._psutil.Error:
                continue
        self._cpu_by_process, self._living, self.rss_bytes = cpu, [pid for pid, _ in found], rss_bytes
        return found

    def _tree(self) -> Iterable[Any]:
        for root in () if BLIND else self._roots():
            try:
                process = self._psutil.Process(root)
                yield process
                yield from process.children(recursive=True)
            except self._psutil.Error:
                continue
