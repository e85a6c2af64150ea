"""What a server used while a client measured it: memory, CPU and energy, beside the client's own figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from assay.model.event import Phase, Result, Sample, now
from assay.store.layout import RunDir, write_json
from assay.store.reading import read_events
from assay.store.writer import EventWriter
from assay.summary.build import load_summary, summarise

#: the phase of a client in which its figures are made
MEASURED = "measure"
Points = list[tuple[float, float]]


@dataclass(frozen=True, kw_only=True)
class Window:
    """From and to, on the clock that all processes of one machine share."""

    begin_s: float
    end_s: float


@dataclass
class Used:
    """Counters that only grow, and memory, as (moment, value) of each."""

    energy_j: dict[str, Points] = field(default_factory=dict)
    cpu_s: Points = field(default_factory=list)
    memory_bytes: Points = field(default_factory=list)


def note_server(client: RunDir, server: RunDir) -> dict[str, float]:
    """What the server used during the client's measurement, kept with the client's run and given back."""
    window = measured(read_events(client))
    if window is None:
        return {}
    found = figures(window, read_events(server), load_summary(client).output_tokens)
    started_s = load_summary(server).phases.get("start")
    found.update({"server_start_s": started_s} if started_s is not None else {})
    if found:
        writer = EventWriter(client.events, lambda text: None)
        writer.write(now(Result(source="derived:server", values={"server_run": server.path.name, **found})))
        writer.close()
        write_json(client.summary_json, summarise(client).as_json())
    return found


def measured(events: Iterable[object]) -> Window | None:
    """The phase `measure` of a client."""
    edges = {
        event.edge: event.mono_s
        for event in events
        if isinstance(event, Phase) and event.name == MEASURED and event.mono_s is not None
    }
    if "begin" not in edges or "end" not in edges:
        return None
    return Window(begin_s=edges["begin"], end_s=edges["end"])


def figures(window: Window, events: Iterable[object], output_tokens: int | None) -> dict[str, float]:
    """Of the server's samples; what its machine does not measure is absent."""
    used = _used(window, events)
    found: dict[str, float] = {}
    memory_bytes = _most(used.memory_bytes, window)
    if memory_bytes:
        found["server_memory_bytes_max"] = round(memory_bytes)
    cpu_s = _grown(used.cpu_s, window)
    if cpu_s is not None:
        found["server_cpu_s"] = round(cpu_s, 3)
    energies = [grown for points in used.energy_j.values() if (grown := _grown(points, window)) is not None]
    if energies:
        found["server_energy_j"] = round(sum(energies), 3)
        if output_tokens:
            found["server_j_per_output_token"] = round(sum(energies) / output_tokens, 6)
    return found


def _used(window: Window, events: Iterable[object]) -> Used:
    used = Used()
    for event in events:
        if not isinstance(event, Sample) or event.mono_s is None:
            continue
        for name, value in ((f"gpu {event.host} {event.gpu}", event.energy_j), ("cpu", event.cpu_energy_j)):
            if value is not None:
                used.energy_j.setdefault(name, []).append((event.mono_s, value))
        if event.cpu_s is not None:
            used.cpu_s.append((event.mono_s, event.cpu_s))
        memory_bytes = event.memory_bytes or event.pss_bytes or event.rss_bytes
        if memory_bytes:
            used.memory_bytes.append((event.mono_s, memory_bytes))
    return used


def _most(points: Points, window: Window) -> float:
    """Inside the window; where it is shorter than the pause between two looks, at the looks around it."""
    inside = [value for at_s, value in points if window.begin_s <= at_s <= window.end_s]
    before = [value for at_s, value in points if at_s < window.begin_s][-1:]
    after = [value for at_s, value in points if at_s > window.end_s][:1]
    return max(inside or ([*before, *after] if before and after else []), default=0.0)


def _grown(points: Sequence[tuple[float, float]], window: Window) -> float | None:
    """By how much a counter grew inside the window; None where no two looks surround a part of it."""
    if len(points) < 2 or points[-1][0] <= window.begin_s or points[0][0] >= window.end_s:
        return None
    return max(0.0, _at(points, window.end_s) - _at(points, window.begin_s))


def _at(points: Sequence[tuple[float, float]], moment_s: float) -> float:
    """The counter at a moment, on a straight line between two looks."""
    before = points[0]
    for point in points:
        if point[0] >= moment_s:
            share = (moment_s - before[0]) / (point[0] - before[0]) if point[0] > before[0] else 0.0
            return before[1] + max(0.0, share) * (point[1] - before[1])
        before = point
    return points[-1][1]
