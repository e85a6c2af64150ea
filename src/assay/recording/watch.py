"""The probes of a run and their threads: a schedule that does not drift, samples that know how late they were."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress

from assay.model import event as model
from assay.model.event import Event, How, Sample, now
from assay.probes import Probe, TreeProbe, devices, pressure, rapl
from assay.probes.accelerators import State
from assay.probes.memory import MemoryProbe
from assay.probes.tree import HAVE_PROC
from assay.recording.following import Following
from assay.recording.neighbours import Flag
from assay.recording.sent import Sent
from assay.store.writer import EventWriter

#: a process tree that costs more than this share of a core to sample is sampled less often
_TREE_BUDGET = 0.05
#: NVML takes milliseconds a question; power and energy need no more
_ENERGY_BUDGET = 0.01
_SLOW_S = 0.5
_EARLY_S = 0.05
_BEAT_S = 5.0


class Sampler(threading.Thread):
    """Looks at its probes at begin + k × interval, whatever the last look took; skips ticks to stay in its budget."""

    def __init__(
        self,
        probes: list[Probe],
        interval_s: float,
        begin_s: float,
        write: Callable[[str, float, Event], object],
        budget: float = _TREE_BUDGET,
        early_s: float | None = None,
    ) -> None:
        """`early_s` is for one look before the first tick, so that a short run is seen at all."""
        super().__init__(daemon=True, name="assay-" + probes[0].name)
        self._budget = budget
        self._early_s = early_s
        self._probes, self._interval_s, self._begin_s, self._write = probes, interval_s, begin_s, write
        self._over = threading.Event()
        self.cpu_s = 0.0

    def run(self) -> None:
        if self._early_s is not None and self._early_s < self._interval_s:
            if self._over.wait(max(0.0, self._begin_s + self._early_s - time.monotonic())):
                return
            self.look()
        tick = 1
        while not self._over.wait(max(0.0, self._begin_s + tick * self._interval_s - time.monotonic())):
            due_s = self._begin_s + tick * self._interval_s
            before_s = time.thread_time()
            self.look(late_s=time.monotonic() - due_s)
            cost_s = time.thread_time() - before_s
            self.cpu_s += cost_s
            earliest_s = time.monotonic() + cost_s / self._budget - cost_s
            tick = max(tick + 1, math.ceil((earliest_s - self._begin_s) / self._interval_s))

    def look(self, late_s: float = 0.0) -> None:
        for probe in list(self._probes):
            try:
                for event in probe.sample():
                    self._write(probe.name, late_s, event)
            except Exception as problem:  # a probe that breaks must cost the run nothing but its own samples
                self._probes.remove(probe)
                with suppress(Exception):
                    self._write(probe.name, late_s, _fault(probe.name, problem))

    def finish(self) -> None:
        self._over.set()
        self.join()


def _fault(name: str, problem: Exception) -> How:
    said = f"the `{name}` probe failed ({type(problem).__name__}: {problem}), so its samples are missing from then on"
    import traceback

    trace = "".join(traceback.format_exception(problem))[-4000:]
    return How(probe=name, problem=said[:300], traceback=trace)


class Beat:
    """Writes every few seconds that the recorder is alive and which runs are active; dates what others append."""

    name = "beat"

    def __init__(self, flag: Flag, sent: Sent | None, removed: Callable[[], bool], warn: Callable[[str], None]) -> None:
        self._flag, self._sent, self._removed, self._warn = flag, sent, removed, warn
        self._due_s = 0.0
        self._told = False

    def sample(self) -> list[Event]:
        found: list[Event] = []
        if self._sent is not None:
            self._sent.look()
        if time.monotonic() >= self._due_s:
            self._due_s = time.monotonic() + _BEAT_S
            found.append(model.Beat(beside=tuple(self._flag.others())))
            self._check()
        return found

    def _check(self) -> None:
        if not self._told and self._removed():
            self._told = True
            self._warn("the run directory was removed while the command runs: nothing of this run is kept")


class Watch:
    """Every probe that this machine offers, for one run."""

    def __init__(
        self,
        tree: TreeProbe,
        events: EventWriter,
        beat: Beat,
        interval_s: float,
        *,
        begin_s: float,
        environment: Mapping[str, str],
        gpus: State,
        warn: Callable[[str], None],
        also: tuple[Probe, ...] = (),
    ) -> None:
        """`also` is called at every beat."""
        self._events, self._warn = events, warn
        slow_s = max(interval_s, _SLOW_S)
        self._tree = tree
        self._memory = MemoryProbe(tree.pids, lambda: tree.rss_bytes)
        self._following = Following(tree, self._memory.glance, begin_s, self._write) if HAVE_PROC else None
        self._samplers = [
            Sampler([tree], interval_s, begin_s, self._write, early_s=_EARLY_S),
            Sampler([beat, *also], min(interval_s, _SLOW_S), begin_s, self._write),
            Sampler([self._memory], slow_s, begin_s, self._write, early_s=2 * _EARLY_S),
        ]
        energy: list[Probe] = []
        found = devices.probe(gpus, tree.pids, environment)
        if found is not None:
            energy.append(found)
        if rapl.packages():
            energy.append(rapl.RaplProbe())
        if energy:
            self._samplers.append(Sampler(list(energy), slow_s, begin_s, self._write, _ENERGY_BUDGET))
        group = pressure.own_group() if HAVE_PROC else None
        waits: list[Probe] = [] if group is None else [pressure.PressureProbe(group, tree.pids)]
        if waits:
            self._samplers.append(Sampler(list(waits), slow_s, begin_s, self._write))
        self._last = Sampler([beat, *energy, *waits], slow_s, begin_s, self._write)

    def start_from_here(self) -> None:
        """The command ran before we came: its peak until now is not counted."""
        self._memory.start_from_here()
        self._following = None

    def start(self) -> None:
        """If no thread can be started, the command runs without samples; its totals come at its end."""
        started = []
        try:
            for sampler in self._samplers:
                sampler.start()
                started.append(sampler)
            if self._following is not None:
                self._following.start()
        except RuntimeError:
            self._warn("no thread could be started to watch the command: samples are missing; see `ulimit -u`")
        self._samplers = started

    def stop(self) -> None:
        """Counters are read once more, so that they cover the whole run."""
        if self._following is not None:
            self._following.finish()
        for sampler in self._samplers:
            sampler.finish()
        self._memory.finish()
        self._last.look()

    def peak(self) -> dict[str, float]:
        """The most memory that was held at once, as far as it was seen."""
        most = max(self._memory.peak_bytes, self._tree.peak_bytes if self._following is not None else 0)
        return {"memory_bytes_peak": most} if most else {}

    def own_cost(self) -> dict[str, float]:
        """The cost of sampling memory: part of our CPU time, with a separate budget."""
        return {"own_pss_cpu_s": round(self._memory.cost_s, 6)}

    def _write(self, probe: str, late_s: float, event: Event) -> None:
        if isinstance(event, How) and event.problem:
            self._warn(event.problem)
        if isinstance(event, Sample):
            event = event.replace(source=f"probe:{probe}", late_s=round(late_s, 4))
        else:
            event = event.replace(source="launcher")
        self._events.write(now(event))
