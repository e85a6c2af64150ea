"""One dated fact about a run, as one JSON line.

    {"v": 1, "t": 1711811793.8, "mono_s": 812.4, "kind": "metric", "from": "self", "rank": 0, "step": 9, "loss": 7.1}

Kinds are metric, phase, sample, param, error, result, how, beat, seen and end.
`t` is the wall clock and may step; `mono_s` is CLOCK_MONOTONIC of the writer's host, shared by all processes of one
boot, and is what durations are made of. A line without `t` is undated. Values outside the known keys are the fact.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any, TypeAlias

from assay.model.values import finite, number

__all__ = ["ENVELOPE", "VERSION", "Event", "decode", "encode", "facts", "finite", "make", "number"]

Event: TypeAlias = dict[str, Any]

VERSION = 1
#: keys that say how an event came about; everything else in an event is what it reports
ENVELOPE = frozenset({"v", "t", "mono_s", "kind", "from", "rank", "line", "offset", "at_s"})


def make(kind: str, source: str, /, *, rank: int = 0, **facts: Any) -> Event:
    """An event dated now."""
    return {
        "v": VERSION,
        "t": round(time.time(), 6),
        "mono_s": round(time.monotonic(), 6),
        "kind": kind,
        "from": source,
        "rank": rank,
        **facts,
    }


# made once, and not asked for its encoding: a large log is millions of events
_encode = json.JSONEncoder(separators=(",", ":")).encode
_decode = json.JSONDecoder().decode


def encode(event: Event) -> bytes:
    """One line. ASCII, so that a lone surrogate (a byte of a non-UTF-8 name) survives the way back."""
    return _encode(event).encode("ascii") + b"\n"


def decode(line: bytes) -> Event | None:
    """The event of a line, or None where it is not one; a bare `{"loss": 0.3}` from a shell script is a metric."""
    try:
        event = _decode(str(line, "utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(event, dict):
        return None
    event.setdefault("from", "self")
    kind = event.setdefault("kind", "metric")
    return event if isinstance(kind, str) and isinstance(event["from"], str) else None


def facts(event: Event) -> Iterator[tuple[str, Any]]:
    """What the event reports, without its envelope."""
    return ((name, value) for name, value in event.items() if name not in ENVELOPE)
