"""Events by the shape of their JSON objects: almost all lines of a record look like one before them.

What was found out of the first serves all. Only the others are looked at one field at a time.
"""

from __future__ import annotations

from assay.model.event_base import Event, Way, way_of
from assay.model.record import Report

#: shapes that are remembered, so that memory has an end
_MOST_WAYS = 4096
_WAYS: dict[tuple[object, ...], Way] = {}


def shaped(kind: str, known: type[Event] | None, raw: dict[str, object], report: Report) -> Event | None:
    """The event of an object of that kind; None if it is not one."""
    shape = (kind, *raw, *map(type, raw.values()))
    way = _WAYS.get(shape)
    if way is None and known is not None and len(_WAYS) < _MOST_WAYS:
        way = _WAYS[shape] = way_of(known, raw)
    event = way.event(raw) if way is not None else None
    return _one_by_one(known, raw, report) if event is None else event


def _one_by_one(known: type[Event] | None, raw: dict[str, object], report: Report) -> Event | None:
    if not isinstance(raw.get("from", ""), str):
        return None
    if known is None:
        return Event.of(raw, report)
    return known.of({name: value for name, value in raw.items() if name != "kind"}, report)
