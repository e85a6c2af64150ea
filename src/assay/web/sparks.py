"""A small curve for each run of a list: its loss, or the first figure that it reports."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from itertools import pairwise

from assay.model.event import Event, Metric
from assay.model.values import number
from assay.quantities import common_name
from assay.store.layout import RunDir
from assay.views.columns import FIGURES, short

_WIDTH = 48
_MOST_HELD = 20_000


@dataclass(frozen=True, kw_only=True)
class Spark:
    """Its metric, and as many values as can be seen."""

    name: str
    values: list[float]


class Sparks:
    """Each is read once, and again where its run's files have changed."""

    def __init__(self, events_of: Callable[[RunDir], Iterable[Event] | None]) -> None:
        self._events_of = events_of
        self._held: dict[str, tuple[object, dict[str, object] | None]] = {}

    def get(self, run: RunDir, stamp: object) -> dict[str, object] | None:
        held = self._held.get(run.path.name)
        if held is not None and stamp is not None and held[0] == stamp:
            return held[1]
        events = self._events_of(run)
        made = None if events is None else spark_of(events)
        found = asdict(made) if made else None
        if len(self._held) > _MOST_HELD:
            self._held.clear()
        if events is not None:
            self._held[run.path.name] = (stamp, found)
        return found


def spark_of(events: Iterable[Event]) -> Spark | None:
    curves: dict[str, list[float]] = {}
    for event in events:
        if isinstance(event, Metric) and not event.rank:
            for name, value in event.values.items():
                common = common_name(name, event.values)
                if common in FIGURES and (found := number(value)) is not None:
                    curves.setdefault(str(common), []).append(found)
    for figure in FIGURES:
        if len(curves.get(figure, ())) > 1:
            return Spark(name=figure, values=_few(curves[figure]))
    return None


def _few(values: list[float]) -> list[float]:
    """Means of even pieces."""
    if len(values) <= _WIDTH:
        return [short(one) for one in values]
    ends = [round(at * len(values) / _WIDTH) for at in range(_WIDTH + 1)]
    pieces = [values[begin:end] for begin, end in pairwise(ends)]
    return [short(sum(piece) / len(piece)) for piece in pieces]
