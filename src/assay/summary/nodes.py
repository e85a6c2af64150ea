"""The machine's part of a summary where a run has several recorders: one a node, or one a rank.

What is used up (CPU seconds, bytes, joules) and averages of it are added. A greatest value is that of one node, because
the nodes' peaks need not have met; what the ranks of one node held at the same time is added.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from assay.model.event import Beat, End, Sample
from assay.model.summary import Summary
from assay.model.values import Value
from assay.summary.machine import Machine

_ADDED = ("cpu_s", "cpu_pct_mean", "rss_bytes_mean", "pss_bytes_mean", "read_bytes", "write_bytes", "own_cpu_s",
          "gpus_used", "energy_j")  # fmt: skip
_GREATEST = ("cpu_pct_max", "memory_bytes_max", "rss_bytes_max", "rss_bytes_peak", "pss_bytes_max", "gpu_mem_bytes_max")
_AVERAGED = ("gpu_util_pct_mean", "gpu_sm_pct_mean", "gpu_tensor_pct_mean", "gpu_dram_pct_mean",
             "cpu_wait_pct", "memory_wait_pct", "io_wait_pct")  # fmt: skip
#: figures of a moment that the ranks of a node have together, and the field of a summary that holds the greatest
_AT_ONCE = {"cpu_pct": "cpu_pct_max", "memory_bytes": "memory_bytes_max", "rss_bytes": "rss_bytes_max",
            "pss_bytes": "pss_bytes_max"}  # fmt: skip
#: probes that look at the whole host, whichever recorder asks
_OF_THE_HOST = ("probe:gpu", "probe:rapl", "probe:pressure")
_OF_A_NODE = ("cpu_s", "cpu_pct_mean", "cpu_pct_max", "memory_bytes_max", "gpus_used", "gpu_mem_bytes_max")
_OF_A_RANK = ("cpu_s", "cpu_pct_mean", "memory_bytes_max")
#: (node, rank)
Recorder = tuple[str, int]


class Node:
    """What the recorders of one node see together."""

    def __init__(self, first: Recorder) -> None:
        self.first = first  # it takes what any of them says of the host
        self._now: dict[str, dict[int, float]] = {name: {} for name in _AT_ONCE}
        self._most: dict[str, float] = {}
        self._alone = True
        self._last: dict[str, Sample] = {}  # of the first recorder, by probe, for when another one comes

    def add(self, event: Sample) -> None:
        """Of one recorder alone nothing has to be added up, and most nodes have one."""
        if self._alone:
            if event.rank == self.first[1]:
                self._last[event.source] = event
                return
            self._alone = False
            for one in self._last.values():
                self._add(one)
        self._add(event)

    def _add(self, event: Sample) -> None:
        held = event.__dict__
        for name, by_rank in self._now.items():
            figure = held.get(name)
            if figure is not None:
                by_rank[event.rank] = figure
                together = figure if len(by_rank) == 1 else sum(by_rank.values())
                if together > self._most.get(name, 0.0):
                    self._most[name] = together

    def end(self, rank: int) -> None:
        """It holds nothing any more."""
        if self._alone and rank == self.first[1]:
            self._last.clear()
        for by_rank in self._now.values():
            by_rank.pop(rank, None)

    def at_once(self) -> dict[str, float]:
        return {_AT_ONCE[name]: most for name, most in self._most.items()}


class Machines:
    """Takes samples one by one, of one recorder or of many."""

    def __init__(self) -> None:
        self._machines: dict[Recorder, Machine] = {}
        self._nodes: dict[str, Node] = {}

    def add(self, event: Sample) -> None:
        name = event.node
        recorder = (name, event.rank if name else 0)
        machine = self._machines.get(recorder) or self._of(recorder)
        if name:
            node = self._nodes[name]
            if event.source in _OF_THE_HOST:
                machine = self._machines[node.first]
            node.add(event)
        machine.add(event)

    def add_beat(self, event: Beat) -> None:
        self._of(_recorder(event)).add_beat(event)

    def add_end(self, event: End) -> None:
        self._of(_recorder(event))
        if event.node:
            self._nodes[event.node].end(event.rank)

    def _of(self, recorder: Recorder) -> Machine:
        if recorder not in self._machines:
            self._machines[recorder] = Machine()
            self._nodes.setdefault(recorder[0], Node(recorder))
        return self._machines[recorder]

    def summary(self, wall_s: float, ends: list[End]) -> Summary:
        if not self._machines:
            return Machine().summary(wall_s, ends)
        nodes = dict(self._by_node(wall_s, ends))
        if len(nodes) == 1:
            return next(iter(nodes.values()))
        rows = [{"node": name, **node.figures(_OF_A_NODE)} for name, node in nodes.items()]
        return _together(nodes.values()).replace(by_node=tuple(rows))

    def of_ranks(self, wall_s: float, ends: list[End]) -> dict[int, dict[str, Value]]:
        """What each recorder measured, by its rank."""
        return {
            recorder[1]: {"node": recorder[0], **one.figures(_OF_A_RANK)}
            for recorder, one in sorted(self._each(wall_s, ends), key=lambda pair: pair[0][1])
        }

    def _each(self, wall_s: float, ends: list[End]) -> Iterator[tuple[Recorder, Summary]]:
        own: dict[Recorder, list[End]] = {}
        for end in ends:
            own.setdefault(_recorder(end), []).append(end)
        for recorder, machine in self._machines.items():
            yield recorder, machine.summary(wall_s, own.get(recorder, []))

    def _by_node(self, wall_s: float, ends: list[End]) -> Iterator[tuple[str, Summary]]:
        parts: dict[str, list[Summary]] = {name: [] for name in self._nodes}
        for (name, _), one in self._each(wall_s, ends):
            parts[name].append(one)
        for name, node in sorted(self._nodes.items(), key=lambda pair: (pair[1].first[1], pair[0])):
            found = parts[name]
            yield name, found[0] if len(found) == 1 else _together(found, node.at_once())


def _recorder(event: Sample | Beat | End) -> Recorder:
    """Without a node there is one recorder, and a rank is only something that its command printed."""
    return event.node, event.rank if event.node else 0


def _together(parts: Iterable[Summary], at_once: Mapping[str, float] | None = None) -> Summary:
    parts, found = list(parts), dict[str, object]()
    for name in (*_ADDED, *_GREATEST, *_AVERAGED):
        values = [value for part in parts if (value := part.figure(name)) is not None]
        if values:
            most = max(*values, (at_once or {}).get(name, 0.0)) if name in _GREATEST else sum(values)
            found[name] = round(most / len(values), 2) if name in _AVERAGED else round(most, 6)
    return Summary.of(
        {
            **found,
            "beside": sorted({word for part in parts for word in part.beside}),
            "throttled": sorted({word for part in parts for word in part.throttled}),
            "energy_source": next((part.energy_source for part in parts if part.energy_j is not None), None)
            or next((part.energy_source for part in parts if part.energy_source), None),
        }
    )
