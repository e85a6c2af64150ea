"""The machine's part of a summary: CPU, memory, GPU and energy, from the samples of the probes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from assay.model.event import Beat, End, Sample
from assay.model.summary import Summary

#: counted from the start of the run
_TOTALS = ("cpu_s", "read_bytes", "write_bytes")


@dataclass(slots=True)
class _Series:
    """Mean and greatest value of a stream of figures."""

    count: int = 0
    total: float = 0.0
    most: float = float("-inf")

    def add(self, figure: float | None) -> None:
        if figure is not None:
            self.count += 1
            self.total += figure
            if figure > self.most:
                self.most = figure

    def mean(self) -> float | None:
        return self.total / self.count if self.count else None

    def max(self) -> float | None:
        return self.most if self.count else None


@dataclass(slots=True)
class _Share:
    """Mean over time of a figure that covers the time since it was last known."""

    total: float = 0.0
    covered_s: float = 0.0
    last_s: float = 0.0

    def add(self, figure: float | None, at_s: float | None) -> None:
        if figure is not None and at_s is not None and at_s > self.last_s:
            self.total += figure * (at_s - self.last_s)
            self.covered_s += at_s - self.last_s
            self.last_s = at_s

    def mean(self) -> float | None:
        return self.total / self.covered_s if self.covered_s else None


@dataclass(slots=True)
class _Gpu:
    util_pct: _Series = field(default_factory=_Series)
    sm_pct: _Share = field(default_factory=_Share)
    tensor_pct: _Share = field(default_factory=_Share)
    dram_pct: _Share = field(default_factory=_Share)
    own_bytes: _Series = field(default_factory=_Series)
    grown_bytes: _Series = field(default_factory=_Series)
    energy_j: float | None = None
    power_ws: float = 0.0  # power × time between samples
    last: tuple[float, float] | None = None
    held_bytes: dict[int, float] = field(default_factory=dict)  # by rank: several may share one

    def add(self, event: Sample) -> None:
        self.util_pct.add(event.gpu_util_pct)
        self.sm_pct.add(event.gpu_sm_pct, event.at_s)
        self.tensor_pct.add(event.gpu_tensor_pct, event.at_s)
        self.dram_pct.add(event.gpu_dram_pct, event.at_s)
        if event.gpu_mem_bytes is not None:
            self.held_bytes[event.rank] = event.gpu_mem_bytes
            self.own_bytes.add(sum(self.held_bytes.values()))
        self.grown_bytes.add(event.gpu_mem_grown_bytes)
        self.energy_j = self.energy_j if event.energy_j is None else event.energy_j
        at_s, power_w = event.at_s, event.power_w
        if at_s is not None and power_w is not None:
            if self.last is not None:
                self.power_ws += (at_s - self.last[0]) * (power_w + self.last[1]) / 2
            self.last = (at_s, power_w)

    def used(self) -> bool:
        """By this run: its processes held memory here; or memory grew, where the probe could see no one's processes."""
        return self.own_bytes.count > 0 or (self.grown_bytes.max() or 0) > 64 << 20


class Machine:
    """Takes samples one by one."""

    def __init__(self) -> None:
        self._cpu_pct, self._rss, self._pss, self._memory = _Series(), _Series(), _Series(), _Series()
        self._memory_peak = _Series()
        self._ours = False  # whether samples are our own, of a tree that is known
        self._totals: dict[str, float] = {}  # as the last sample that has them says
        self._gpus: dict[tuple[str, int], _Gpu] = {}
        self._seen: dict[int, _Gpu] = {}  # from a tool that measures whole GPUs, for all their users
        self._cpu_energy_j: float | None = None
        self._waited_s: dict[str, float | None] = {}
        self._late_s = _Series()
        self.throttled: set[str] = set()
        self.beside: set[str] = set()

    def add(self, event: Sample) -> None:
        probe = event.speaker
        if probe in ("process", "psrecord"):
            self._ours = self._ours or probe == "process"
            self._cpu_pct.add(event.cpu_pct)
            if event.rss_bytes != 0 or probe == "psrecord":  # what we look at has memory until it has ended
                self._rss.add(event.rss_bytes)
            self._late_s.add(event.late_s)
            held = event.__dict__
            for name in _TOTALS:
                if (total := held.get(name)) is not None:
                    self._totals[name] = total
        elif probe == "memory":
            self._pss.add(event.pss_bytes)
            self._memory.add(event.memory_bytes)
            self._memory_peak.add(event.memory_bytes_peak)
        elif probe == "nvidia-smi" and event.gpu is not None:
            self._seen.setdefault(event.gpu, _Gpu()).add(event)
        elif probe == "gpu" and event.gpu is not None:
            key = (event.host, event.gpu)
            if key not in self._gpus:
                self._gpus[key] = _Gpu()
            self._gpus[key].add(event)
            self.throttled.update(event.throttle)
        elif probe == "rapl":
            self._cpu_energy_j = event.cpu_energy_j
        elif probe == "pressure":
            self._waited_s = {"cpu": event.cpu_wait_s, "memory": event.memory_wait_s, "io": event.io_wait_s}

    def add_beat(self, event: Beat) -> None:
        self.beside.update(event.beside)

    def summary(self, wall_s: float, ends: list[End]) -> Summary:
        """The part of a summary that comes from the machine."""
        end = ends[-1] if ends else End()
        totals = {**self._totals, **_totals(end)}
        cpu_s = totals.get("cpu_s")
        watched_s = end.watched_s or wall_s  # longer, where something outlived the main process
        mean_pct = round(100 * cpu_s / watched_s, 2) if cpu_s is not None and watched_s > 0 else self._cpu_pct.mean()
        rss_max = _greatest(self._rss.max(), end.rss_bytes_peak)
        found: dict[str, object] = {
            "cpu_s": cpu_s,
            "cpu_pct_mean": mean_pct,
            "cpu_pct_max": _greatest(self._cpu_pct.max(), mean_pct) if self._cpu_pct.count else None,
            "memory_bytes_max": _whole(self._held(end)),
            "rss_bytes_mean": _whole(self._rss.mean()),
            "rss_bytes_max": _whole(rss_max),
            "rss_bytes_peak": end.rss_bytes_peak,
            "pss_bytes_mean": _whole(self._pss.mean()),
            "pss_bytes_max": _whole(self._pss.max()),
            "read_bytes": totals.get("read_bytes"),
            "write_bytes": totals.get("write_bytes"),
            "own_cpu_s": end.own_cpu_s,
            "beside": sorted(self.beside),
            "throttled": sorted(self.throttled),
        }
        for kind, waited_s in self._waited_s.items():
            if waited_s is not None and watched_s > 0:
                found[f"{kind}_wait_pct"] = round(min(100.0, 100 * waited_s / watched_s), 2)
        found.update(self._gpu_figures())
        found.update(self._seen_figures() if self._seen and not self._used_gpus() else {})
        energy = self._energy()
        if cpu_s is not None or self._gpus or "energy_j" in energy:  # of a log we know nothing: not even that
            found.update(energy)
        return Summary.of(found)

    def _held(self, end: End) -> float | None:
        """The most at once, never less than the kernel knows of one process; in older records, the nearest to it."""
        held = _greatest(self._memory.max(), self._memory_peak.max(), end.memory_bytes_peak)
        if held is None:
            held = self._pss.max() or (self._rss.max() if self._ours else None)
        return _greatest(held, end.rss_bytes_peak)

    def _used_gpus(self) -> list[_Gpu]:
        return [one for one in self._gpus.values() if one.used()]

    def _gpu_figures(self) -> dict[str, object]:
        used = self._used_gpus()
        memory = [most for one in used if (most := one.own_bytes.max() or one.grown_bytes.max()) is not None]
        return {
            "gpus_used": len(used) or None,
            "gpu_util_pct_mean": _mean(one.util_pct.mean() for one in used),
            "gpu_sm_pct_mean": _mean(one.sm_pct.mean() for one in used),
            "gpu_tensor_pct_mean": _mean(one.tensor_pct.mean() for one in used),
            "gpu_dram_pct_mean": _mean(one.dram_pct.mean() for one in used),
            "gpu_mem_bytes_max": _whole(sum(memory)) if memory else None,
        }

    def _seen_figures(self) -> dict[str, object]:
        """Figures of a log of nvidia-smi: the mean over all its GPUs, and the most memory that any of them held."""
        util = [mean for one in self._seen.values() if (mean := one.util_pct.mean()) is not None]
        memory = [most for one in self._seen.values() if (most := one.own_bytes.max()) is not None]
        energy_j = sum(one.power_ws for one in self._seen.values())
        return {
            "gpu_util_pct_mean": round(sum(util) / len(util), 3) if util else None,
            "gpu_mem_bytes_max": _whole(max(memory)) if memory else None,
            "energy_j": round(energy_j, 3) or None,
            "energy_source": "estimated: GPU power x time" if energy_j else None,
        }

    def _energy(self) -> dict[str, object]:
        """Joules, and where they come from: a counter is a measurement, power × time between samples an estimate."""
        parts: list[tuple[float, str, str]] = []
        for one in self._used_gpus():
            if one.energy_j is not None:
                parts.append((one.energy_j, "measured", "GPU energy counter"))
            elif one.power_ws > 0:
                parts.append((one.power_ws, "estimated", "GPU power x time"))
        if self._cpu_energy_j is not None:
            parts.append((self._cpu_energy_j, "measured", "CPU package counter, whole host"))
        if not parts:
            return {"energy_source": "unavailable: no GPU in use with a counter, no readable CPU counter"}
        kind = "estimated" if any(kind == "estimated" for _, kind, _ in parts) else "measured"
        sources = sorted({source for _, _, source in parts})
        return {
            "energy_j": round(sum(joules for joules, _, _ in parts), 3),
            "energy_source": f"{kind}: {' + '.join(sources)}",
        }


def _totals(event: Sample | End) -> dict[str, float]:
    """What is counted from the start of the run."""
    return {name: value for name in _TOTALS if (value := getattr(event, name)) is not None}


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(sum(known) / len(known), 2) if known else None


def _greatest(*values: float | None) -> float | None:
    return max((value for value in values if value is not None), default=None)


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value)
