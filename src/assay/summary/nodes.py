"""The machine's part of a summary where a run has several nodes.

What is used up (CPU seconds, bytes, joules) and averages of it are added; a greatest value is that of one node, because
the nodes' peaks need not have met.
"""

from __future__ import annotations

from assay.model.event import Beat, End, Event, Sample
from assay.model.summary import Summary
from assay.summary.machine import Machine

_ADDED = ("cpu_s", "cpu_pct_mean", "rss_bytes_mean", "pss_bytes_mean", "read_bytes", "write_bytes", "own_cpu_s",
          "gpus_used", "energy_j")  # fmt: skip
_GREATEST = ("cpu_pct_max", "memory_bytes_max", "rss_bytes_max", "rss_bytes_peak", "pss_bytes_max", "gpu_mem_bytes_max")
_AVERAGED = ("gpu_util_pct_mean",)


class Machines:
    """Takes samples one by one, of one node or of many."""

    def __init__(self) -> None:
        self._nodes: dict[str, Machine] = {}

    def add(self, event: Sample) -> None:
        self._of(event).add(event)

    def add_beat(self, event: Beat) -> None:
        self._of(event).add_beat(event)

    def _of(self, event: Event) -> Machine:
        return self._nodes.setdefault(event.node, Machine())

    def summary(self, wall_s: float, ends: list[End]) -> Summary:
        for end in ends:
            self._of(end)
        if not self._nodes:
            return Machine().summary(wall_s, ends)
        parts = [
            machine.summary(wall_s, [end for end in ends if end.node == node]) for node, machine in self._nodes.items()
        ]
        return parts[0] if len(parts) == 1 else _together(parts)


def _together(parts: list[Summary]) -> Summary:
    found: dict[str, object] = {}
    for name in (*_ADDED, *_GREATEST, *_AVERAGED):
        values = [value for part in parts if (value := part.figure(name)) is not None]
        if values:
            most = max(values) if name in _GREATEST else sum(values)
            found[name] = round(most / len(values), 2) if name in _AVERAGED else round(most, 6)
    return Summary.of(
        {
            **found,
            "beside": sorted({word for part in parts for word in part.beside}),
            "throttled": sorted({word for part in parts for word in part.throttled}),
            "energy_source": next((part.energy_source for part in parts if part.energy_source), None),
        }
    )
