"""What repeats is thinned: a program may print its figures more often than anyone will ever look at them.

The first few thousand events of a kind are kept one by one. From then on they are taken in groups that grow: of each
group its first and last event stay, and those with the lowest and highest value of every figure. So a curve keeps its
ends, its peaks and an even sample, and events never outgrow the output that they were read from.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from assay.model.event import Event, Open

#: so many groups of one size, before they double
_GROUPS = 2048
_LARGEST = 1 << 14
_MOST_SERIES = 256
#: events may always take this much, however short the lines are
_FREE_BYTES = 4 << 20


@dataclass
class _Series:
    """Events of the same kind with the same figures. `waiting` is the group that is being gathered."""

    size: int = 1
    groups: int = 0
    waiting: list[Open] = field(default_factory=list)


class Thinning:
    """`take` gives what to write, in the order of its lines; the last event of a series that is thinned waits."""

    def __init__(self) -> None:
        self.taken = self.kept = 0
        self._series: dict[tuple[object, ...], _Series] = {}
        self._thinned: dict[tuple[object, ...], _Series] = {}  # those that are thinned

    @property
    def left_out(self) -> int:
        return self.taken - self.kept - sum(len(series.waiting) for series in self._thinned.values())

    def take(self, events: list[Event], written_bytes: int, read_bytes: int) -> list[Event]:
        """`written_bytes` and `read_bytes` are how large the events and the output have become by now."""
        self.taken += len(events)
        over = written_bytes > max(_FREE_BYTES, read_bytes)
        kept: list[Event] = []
        for event in events:
            if isinstance(event, Open):  # of these the last one counts; phases add up, and errors are few
                self._sort_in(event, kept, over=over)
            else:
                kept += [*self._all_that_wait(), event]
        self.kept += len(kept)
        return kept

    def finish(self) -> list[Open]:
        """What still waits."""
        kept = self._all_that_wait()
        self.kept += len(kept)
        return kept

    def _sort_in(self, event: Open, kept: list[Event], *, over: bool) -> None:
        key: tuple[object, ...] = (event.kind, event.source, *event.values)
        if key not in self._series and len(self._series) >= _MOST_SERIES:
            key = key[:2]  # no two lines name the same: then they are thinned together
        series = self._series.setdefault(key, _Series())
        if series.size == 1:
            # what is seldom is written behind what was printed before it
            kept += [*self._all_that_wait(), event] if self._thinned else [event]
        else:
            series.waiting.append(event)
            if len(series.waiting) <= series.size:
                return
            *group, last = series.waiting
            kept += _outline(group, whole=False)  # the last one begins the next group
            series.waiting = [last]
        series.groups += 1
        if over or series.groups >= _GROUPS:
            series.size, series.groups = min(_LARGEST, 8 if series.size == 1 else 2 * series.size), 0
            self._thinned[key] = series

    def _all_that_wait(self) -> list[Open]:
        found: list[Open] = []
        for series in self._thinned.values():
            found += _outline(series.waiting, whole=True)
            series.waiting = []
        return sorted(found, key=lambda event: event.line or 0)


def _outline(group: list[Open], *, whole: bool) -> list[Open]:
    """The first, of a whole group the last, and the lowest and highest of every figure, in their order."""
    if len(group) <= 2:
        return group
    places = {0, len(group) - 1} if whole else {0}
    for name in group[0].values:
        values = [float(value) for event in group if isinstance(value := event.values.get(name), (int, float))]
        if len(values) == len(group):
            places |= {values.index(min(values)), values.index(max(values))}
    return [group[place] for place in sorted(places)]
