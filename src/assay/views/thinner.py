"""Keep a few of very many similar events as they arrive, also for active runs and those that do not fit into memory.

Each stretch of a curve keeps its first, last, lowest and highest event of every figure. When there are too many
stretches, neighbours are joined, and so a peak is never lost however long the run.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from assay.model.event import Beat, Event, Metric, Open, Phase, Sample, Seen, Served
from assay.quantities import spellings

#: a curve is cut into so many at least and twice as many at most
STRETCHES = 300
_SAMPLES = (
    "cpu_pct",
    "rss_bytes",
    "pss_bytes",
    "memory_bytes",
    "gpu_util_pct",
    "gpu_sm_pct",
    "gpu_mem_bytes",
    "power_w",
)
#: of events that are no curve, so many from the beginning and from the end
_ENDS = 2000
#: figures of one writer whose peaks are kept; the rest is thinned with them
_MOST_NAMES = 12
_NO_FIGURE = {*spellings("steps"), *spellings("samples"), *spellings("tokens"), "epoch", "epochs"}
_CHUNK = 64
Numbered: TypeAlias = tuple[int, Event]


class Thinner:
    """`total` counts what was seen. Of metrics the peaks of `figures` are kept; without, of all that are seen."""

    def __init__(self, stretches: int = STRETCHES, figures: Sequence[str] = ()) -> None:
        self.total = 0
        self._stretches, self._figures = stretches, figures
        self._groups: dict[tuple[object, ...], _Group] = {}
        self._others: dict[str, _Ends] = {}
        self._requests = _Even()

    def add(self, event: Event) -> None:
        self.total += 1
        if isinstance(event, (Metric, Sample)):
            # whatever a program has put there
            key = (event.kind, event.source, event.rank, str(event.value("gpu")), str(event.value("host")))
            group = self._groups.get(key)
            if group is None:
                wanted = _SAMPLES if isinstance(event, Sample) else self._figures
                group = self._groups[key] = _Group(self._stretches, wanted)
            group.add((self.total, event))
        elif isinstance(event, Served):
            self._requests.add((self.total, event))
        elif not isinstance(event, (Beat, Seen)):
            self._others.setdefault(event.kind, _Ends()).add((self.total, event))

    def events(self) -> list[Event]:
        """What is kept, in the order in which it came."""
        kept = [one for group in self._groups.values() for one in group.kept()]
        kept += [one for ends in self._others.values() for one in ends.kept()] + self._requests.kept()
        return [event for _, event in sorted(kept, key=lambda one: one[0])]


def thinned(events: Iterable[Event], stretches: int, figures: Sequence[str]) -> list[Event]:
    """Those of a whole run at once."""
    thinner = Thinner(stretches, figures)
    for event in events:
        thinner.add(event)
    return thinner.events()


class _Group:
    """One writer's curve, with the peaks of those figures that are `wanted`; where none is, of the first that come."""

    def __init__(self, stretches: int, wanted: Sequence[str]) -> None:
        self._most, self._wanted = 2 * stretches, wanted
        self._names: list[str] = []
        self._missing = set(wanted) - _NO_FIGURE  # not seen yet
        self._most_names = len(wanted) or _MOST_NAMES
        self._closed: list[list[Numbered]] = []
        self._open: list[Numbered] = []
        self._width, self._count = 1, 0

    def add(self, one: Numbered) -> None:
        if len(self._names) < self._most_names:
            self._learn(one[1])
        self._open.append(one)
        self._count += 1
        if self._count == self._width:
            self._closed.append(_peaks(self._open, self._names))
            self._open, self._count = [], 0
            if len(self._closed) == self._most:
                pairs = zip(self._closed[::2], self._closed[1::2], strict=True)
                self._closed = [_peaks(a + b, self._names) for a, b in pairs]
                self._width *= 2
        elif len(self._open) >= _CHUNK * (1 + len(self._names)):
            self._open = _peaks(self._open, self._names)

    def _learn(self, event: Event) -> None:
        if self._wanted and isinstance(event, Open) and self._missing.isdisjoint(event.values):
            return
        for name in self._wanted or [name for name, _ in event.facts()]:
            known = name in self._names or name in _NO_FIGURE
            if not known and event.figure(name) is not None and len(self._names) < self._most_names:
                self._names.append(name)
                self._missing.discard(name)

    def kept(self) -> list[Numbered]:
        return [one for part in self._closed for one in part] + _peaks(self._open, self._names)


def _peaks(part: list[Numbered], names: Sequence[str]) -> list[Numbered]:
    """The first, the last, and for each figure the lowest and the highest."""
    last = len(part) - 1
    if last < 2:
        return part
    kept = {0, last}
    for name in names:
        values = [event.figure(name) for _, event in part]
        known = [value for value in values if value is not None]
        if known:
            kept.update((values.index(min(known)), last - values[::-1].index(max(known))))
    return [part[at] for at in sorted(kept)]


class _Even:
    """From all over a run: percentiles of what is kept are those of all, which the first and the last are not."""

    def __init__(self) -> None:
        self._kept: list[Numbered] = []
        self._count, self._step = 0, 1

    def add(self, one: Numbered) -> None:
        if self._count % self._step == 0:
            self._kept.append(one)
            if len(self._kept) > 2 * _ENDS:
                self._kept = self._kept[::2]
                self._step *= 2
        self._count += 1

    def kept(self) -> list[Numbered]:
        return self._kept


class _Ends:
    """The first and the last of many. A phase that is open when the first are full still gets its end."""

    def __init__(self) -> None:
        self._first: list[Numbered] = []
        self._last: deque[Numbered] = deque(maxlen=_ENDS)
        self._open: dict[tuple[str, str, int], int] = {}

    def add(self, one: Numbered) -> None:
        event = one[1]
        name, edge = (event.name, event.edge) if isinstance(event, Phase) else ("", "")
        key = (name, event.source, event.rank)
        if len(self._first) < _ENDS:
            self._first.append(one)
            self._open[key] = self._open.get(key, 0) + (edge == "begin") - (edge == "end")
        elif edge == "end" and self._open.get(key, 0) > 0:
            self._first.append(one)
            self._open[key] -= 1
        else:
            self._last.append(one)

    def kept(self) -> list[Numbered]:
        return [*self._first, *self._last]
