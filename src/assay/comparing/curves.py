"""What a run had reached, and after how much: its figures against steps, samples, epochs, tokens, seconds, joules."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from assay.comparing.parts import by_part
from assay.comparing.rows import Row
from assay.model.event import Event, Metric, Phase, Sample
from assay.model.values import number
from assay.quantities import common_name

#: what a figure can be read against
AXES = ("steps", "samples", "epochs", "tokens", "seconds", "energy")
_TRUST = {"self": 0, "reader": 1}
#: how far the last point may lie before the limit and still be taken for it
_NEAR = 0.02
#: share of a window of samples that must be filled before its mean counts
_FULL = 0.9


@dataclass(frozen=True, kw_only=True)
class Point:
    """One moment that was logged: where on each axis, and what it said."""

    at: dict[str, float]
    values: dict[str, float]


@dataclass
class Curve:
    """`began`: it is known when the training began, so that its seconds count from there."""

    points: list[Point] = field(default_factory=list)
    began: bool = False

    def value_at(self, axis: str, limit: float, name: str) -> float | None:
        """Between two logged moments on a straight line; None where the run did not come so far or does not say."""
        known = [(p.at[axis], p.values[name]) for p in self.points if axis in p.at and name in p.values]
        known.sort()
        if not known:
            return None
        index = bisect_left(known, (limit, float("-inf")))
        if index == len(known):
            return known[-1][1] if known[-1][0] >= (1 - _NEAR) * limit else None
        (right, value) = known[index]
        if index == 0:
            return value if right <= (1 + _NEAR) * limit else None
        left, before = known[index - 1]
        return before + (value - before) * (limit - left) / (right - left) if right > left else value

    def tells(self, name: str) -> bool:
        """Whether there is a curve: a single point does not show when a value was first reached."""
        return sum(name in point.values for point in self.points) > 1

    def reaches(self, name: str, target: float, *, below: bool, window: float = 0.0) -> Point | None:
        """The first logged moment at which the figure, smoothed over the samples before, is at the target or beyond."""
        for point, value in self._smoothed(name, window):
            if value <= target if below else value >= target:
                return point
        return None

    def best(self, name: str, *, below: bool, window: float = 0.0) -> float | None:
        values = [value for _, value in self._smoothed(name, window)]
        return (min(values) if below else max(values)) if values else None

    def samples(self, name: str) -> float | None:
        """How far the figure is followed; None where no point reports its samples."""
        known = (point.at["samples"] for point in self.points if name in point.values and "samples" in point.at)
        return max(known, default=None)

    def _smoothed(self, name: str, window: float) -> Iterator[tuple[Point, float]]:
        """Each moment with the mean over a window of samples before it, or with its value if samples are not reported.

        The loss of a single batch is noisy, the smaller the noisier, so one low value is not convergence. Means
        over equally many samples are equally noisy, whatever the batch size. There is no value before the first window
        is full.
        """
        held: deque[tuple[float, float]] = deque()
        total, begin = 0.0, None
        for point in self.points:
            value, at = point.values.get(name), point.at.get("samples")
            if value is None:
                continue
            if at is None or not window:
                yield point, value
                continue
            begin = at if begin is None else begin
            held.append((at, value))
            total += value
            while held[0][0] <= at - window:
                total -= held.popleft()[1]
            if len(held) == 1:
                total = value  # exactly, whatever was added and taken away before
            if len(held) == 1 or at - begin >= window * _FULL:
                yield point, total / len(held)


def curve_of(row: Row, events: Iterable[Event]) -> Curve:
    """From the metrics that the program reports, else those read in its output; of rank 0."""
    books: dict[int, list[Metric]] = {}
    energy, begin = _Energy(), Beginning()
    for event in events:
        if isinstance(event, Sample):
            energy.add(event)
        elif isinstance(event, Phase):
            begin.mark(event)
        elif isinstance(event, Metric) and not event.rank:
            books.setdefault(_TRUST.get(event.origin, 2), []).append(event)
    told = books[min(books)] if books else []
    for event in told:
        begin.take(event)
    points = [point for event in told if (point := _point(row, event, begin, energy)) is not None]
    return Curve(points, began=begin.at_s is not None)


class Tracer:
    """`curve_of` for a running run: points are added as their events arrive."""

    def __init__(self, row: Row) -> None:
        self._row, self._energy, self._begin = row, _Energy(), Beginning()
        self._trust: int | None = None
        #: whether better evidence came than the points so far were made of
        self.outdated = False

    def add(self, event: Event) -> Point | None:
        if isinstance(event, Sample):
            self._energy.add(event)
        elif isinstance(event, Phase):
            if self._begin.mark(event):
                self.outdated = self.outdated or self._trust is not None
        elif isinstance(event, Metric) and not event.rank:
            return self._metric(event)
        return None

    def _metric(self, event: Metric) -> Point | None:
        trust = _TRUST.get(event.origin, 2)
        if self._trust is not None and trust < self._trust:
            self.outdated = True
        self._trust = trust if self._trust is None else min(trust, self._trust)
        if trust > self._trust:
            return None
        if self._begin.take(event):
            self.outdated = True  # the points before it are dated from the start of the program
        return _point(self._row, event, self._begin, self._energy)


class Beginning:
    """When the training began: as it was marked, else as the first two of its counts suggest."""

    def __init__(self) -> None:
        self.at_s: float | None = None
        self._marked = False
        self._from_zero: bool | None = None  # whether its epochs are counted from 0
        self._first: dict[str, tuple[float, float]] = {}  # of each count: when, how many

    def mark(self, event: Phase) -> bool:
        """Whether this is news."""
        if self._marked or not event.begins("train"):
            return False
        self.at_s, self._marked = event.at_s, True
        return True

    def take(self, event: Metric) -> bool:
        """Whether it is known by now, and was not before."""
        if self._from_zero is None and "epoch" in event.values:
            self._from_zero = event.values["epoch"] == 0
        if self.at_s is not None or event.at_s is None:
            return False
        for name, count in self.counts(event, named(event)).items():
            first_s, first = self._first.setdefault(name, (event.at_s, count))
            if count > first:
                self.at_s = max(0.0, first_s - first * (event.at_s - first_s) / (count - first))
                return True
        return False

    def counts(self, event: Metric, figures: Mapping[str | None, float | None]) -> dict[str, float]:
        """How much was done by then: an epoch that is counted from 0 is one more once it is over."""
        found = {name: value for name in ("steps", "samples", "tokens") if (value := figures.get(name)) is not None}
        epoch = event.values.get("epoch")
        if isinstance(epoch, (int, float)) and not isinstance(epoch, bool):
            found["epochs"] = epoch + (1 if self._from_zero and isinstance(epoch, int) else 0)
        return found


def named(event: Metric) -> dict[str | None, float | None]:
    """What it reports, under common names."""
    return dict(zip(_common(tuple(event.values)), map(number, event.values.values()), strict=True))


@lru_cache(maxsize=1024)
def _common(names: tuple[str, ...]) -> tuple[str | None, ...]:
    """Most events of a run report the same names."""
    return tuple(common_name(name, names) for name in names)


def _point(row: Row, event: Metric, begin: Beginning, energy: _Energy) -> Point | None:
    figures = named(event)
    values = {name: float(figure) for name, figure in figures.items() if name is not None and figure is not None}
    by_part(values, event, row.summary)
    at, begin_s = begin.counts(event, figures), begin.at_s or 0.0
    if "samples" not in at and "steps" in at and (per_step := _samples_per_step(row)):
        at["samples"] = at["steps"] * per_step
    if event.at_s is not None:
        at["seconds"] = event.at_s - begin_s
        joules = energy.between(begin_s, event.at_s)
        if joules is not None:
            at["energy"] = joules
    elif "samples" in at and row.figures.get("samples_per_s"):
        at["seconds"] = at["samples"] / row.figures["samples_per_s"]  # an undated log: at its mean rate
    return Point(at=at, values=values) if at else None


def _samples_per_step(row: Row) -> float | None:
    steps, samples = row.figures.get("steps"), row.figures.get("samples")
    return samples / steps if steps and samples else row.batch


class _Energy:
    """Joules that all counters together have counted, by time."""

    def __init__(self) -> None:
        self._last: dict[str, float] = {}
        self._times: list[float] = []
        self._totals: list[float] = []

    def add(self, event: Sample) -> None:
        for name, joules in (("GPU", event.energy_j), ("CPU", event.cpu_energy_j)):
            if joules is not None and event.at_s is not None:
                self._last[f"{name} {event.host} {event.gpu}"] = joules
                self._times.append(event.at_s)
                self._totals.append(sum(self._last.values()))

    def between(self, begin_s: float, end_s: float) -> float | None:
        """None where no counter was read."""
        return self._at(end_s) - self._at(begin_s) if self._times else None

    def _at(self, moment_s: float) -> float:
        """Between two looks on a straight line; counters begin at zero with the run."""
        index = bisect_left(self._times, moment_s)
        if index == len(self._times):
            return self._totals[-1]
        left_s, left = (self._times[index - 1], self._totals[index - 1]) if index else (0.0, 0.0)
        right_s, right = self._times[index], self._totals[index]
        share = (moment_s - left_s) / (right_s - left_s) if right_s > left_s else 1.0
        return left + (right - left) * min(1.0, max(0.0, share))
