"""Read a run's events, in order of time, from however many writers there were; once, or as they come."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from assay.events import Event, decode, number
from assay.store.layout import RunDir

Arrivals = list[tuple[int, Event]]  # length of a file in bytes, and the event that saw it so long


@dataclass(kw_only=True)
class Problems:
    """What could not be read: filled while reading. A torn last line is what a kill leaves, and is no problem."""

    torn: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Clock:
    """Seconds since the start of the run, from each host's monotonic clock: steps of the wall clock do not matter."""

    start_t: float
    offset_s: dict[str, float]  # host: wall clock minus monotonic clock, read once

    def at(self, event: Event, host: str) -> float | None:
        mono_s, t = number(event.get("mono_s")), number(event.get("t"))
        if mono_s is not None and host in self.offset_s:
            return mono_s + self.offset_s[host] - self.start_t
        if t is None and not self.offset_s:
            return number(event.get("elapsed_s"))  # a log that counts from its own start
        return None if t is None else t - self.start_t


def read_events(run: RunDir, problems: Problems | None = None) -> Iterator[Event]:
    """All events, oldest first; each dated one gains `at_s`, its seconds since the run began."""
    files = sorted(run.events.glob("*.jsonl"))
    clock, seen = _clock(files), _arrivals(files)
    streams = [_one_file(path, clock, seen.get(path.name, []), problems or Problems()) for path in files]
    for _, _, event in heapq.merge(*streams, key=lambda item: item[:2]):
        yield event


class Follower:
    """Reads what has come since it was last asked: the live counterpart of `read_events`."""

    def __init__(self, run: RunDir) -> None:
        self._run = run
        self._read: dict[Path, int] = {}
        self._clock = Clock(start_t=0.0, offset_s={})
        self._now_s: float | None = None  # how far the run has come, for lines without a date
        self.behind = False  # whether the last look left something unread

    @property
    def read_bytes(self) -> int:
        return sum(self._read.values())

    def new_events(self, most_bytes: int | None = None) -> list[Event]:
        """In order of time within this batch. Lines that are still being written wait for the next.

        `most_bytes` of each file at a time, for those who must not hold a long run in memory; then ask until none come.
        """
        files = sorted(self._run.events.glob("*.jsonl"))
        if any(path not in self._read for path in files):
            self._clock = _clock(files)
        found: list[tuple[float, int, Event]] = []
        self.behind = False
        for path in files:
            try:
                with open(path, "rb") as file:
                    file.seek(self._read.get(path, 0))
                    content = file.read(-1 if most_bytes is None else most_bytes)
                    if len(content) == most_bytes and b"\n" not in content:
                        content += file.read()  # one line is longer than that
            except OSError:
                continue
            self.behind = self.behind or len(content) == most_bytes
            whole = content[: content.rfind(b"\n") + 1]
            self._read[path] = self._read.get(path, 0) + len(whole)
            found += _dated(whole.splitlines(), path, self._clock)
        events = [event for _, _, event in sorted(found, key=lambda item: item[:2])]
        self._now_s = max((event["at_s"] for event in events if "at_s" in event), default=self._now_s)
        for event in events:
            if "at_s" not in event and self._now_s is not None:
                event["at_s"] = self._now_s  # it came since we last looked
        return events


def host_of(path: Path) -> str:
    """The writer's host, from `<host>-<pid>-<start>.jsonl`."""
    return path.stem.rsplit("-", 2)[0]


def _dated(lines: list[bytes], path: Path, clock: Clock) -> Iterator[tuple[float, int, Event]]:
    for count, line in enumerate(lines):
        event = decode(line)
        if event is not None:
            at_s = clock.at(event, host_of(path))
            if at_s is not None:
                event["at_s"] = round(at_s, 6)
            yield at_s or 0.0, count, event


def _lines(path: Path) -> Iterator[tuple[bytes, int]]:
    """Lines with the offset of their end."""
    end = 0
    try:
        with open(path, "rb") as file:
            for line in file:
                end += len(line)
                yield line, end
    except OSError:
        return


def _clock(files: list[Path]) -> Clock:
    """The first event of a host that carries both clocks ties its monotonic clock to the wall: the recorder's own
    where there is one, since anyone may write anything into the other files."""
    first: dict[str, tuple[bool, float, float]] = {}
    for path in files:
        for line, _ in _lines(path):
            event = decode(line) or {}
            t, mono_s = number(event.get("t")), number(event.get("mono_s"))
            if t is not None and mono_s is not None:
                host, ours = host_of(path), event.get("from") != "launcher"
                first[host] = min(first.get(host, (ours, mono_s, t)), (ours, mono_s, t))
                break
    offset_s = {host: t - mono_s for host, (_, mono_s, t) in first.items()}
    start_t = min((t for _, _, t in first.values()), default=None)
    return Clock(start_t=_first_date(files) if start_t is None else start_t, offset_s=offset_s)


def _first_date(files: list[Path]) -> float:
    """Of a log that was read and not recorded: it has no clock but the dates in it."""
    for path in files:
        for line, _ in _lines(path):
            t = number((decode(line) or {}).get("t")) if b'"t":' in line else None
            if t is not None:
                return t
    return 0.0


def _arrivals(files: list[Path]) -> dict[str, Arrivals]:
    """For files that other programs append to: how long each was at which moment, as the recorder saw it."""
    seen: dict[str, Arrivals] = {}
    for path in files:
        for line, _ in _lines(path):
            if b'"kind":"seen"' in line:
                event = decode(line)
                if event is not None:
                    size = number(event.get("bytes"))
                    seen.setdefault(str(event.get("file")), []).append((int(size or 0), event))
    return seen


def _one_file(path: Path, clock: Clock, arrivals: Arrivals, problems: Problems) -> Iterator[tuple[float, int, Event]]:
    """(order, line number, event): an undated event stays behind the dated one before it."""
    host, waiting = host_of(path), iter(arrivals)
    arrival = next(waiting, None)
    last_s = float("-inf")
    torn: str | None = None
    for count, (line, end) in enumerate(_lines(path), 1):
        if torn:
            problems.torn.append(torn)
            torn = None
        if not line.strip():
            continue
        event = decode(line)
        if event is None:
            torn = f"{path.name}:{count}"  # only a problem if another line follows
            continue
        while arrival is not None and arrival[0] < end:
            arrival = next(waiting, None)
        at_s = clock.at(event, host)
        if at_s is None and arrival is not None:
            at_s = clock.at(arrival[1], host)
        if at_s is not None:
            event["at_s"] = round(at_s, 6)
            last_s = max(last_s, at_s)
        yield last_s, count, event
