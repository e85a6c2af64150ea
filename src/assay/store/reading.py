"""Read a run's events, in order of time, from however many writers there were; once, or as they come."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from assay.model.event import Event, Sample, Seen, decode, place
from assay.store import eventfile
from assay.store.clock import Clock
from assay.store.eventfile import EventFile
from assay.store.files import event_files, read_small
from assay.store.layout import RunDir

NOT_WHOLE = "not a whole event"
_MOST_PROBLEMS = 20
#: (order, line number, the file's number, event)
Row: TypeAlias = tuple[float, int, int, Event]
#: of more files than this, none stays open while it is read: a job of a thousand nodes has more than a process may open
_MOST_OPEN = 100
#: small files are read once and held, up to so much in all
_SMALL_BYTES = 32 << 20
_SEEN = b'"kind":"seen"'
Arrivals = list[tuple[int, Event]]  # length of a file in bytes, and the event that saw it so long
Take: TypeAlias = Callable[[Sample], None]


@dataclass(kw_only=True)
class Problems:
    """What could not be read, filled while reading. A torn last line is normal after a kill."""

    found: list[str] = field(default_factory=list)


def read_events(run: RunDir, problems: Problems | None = None, take: Take | None = None) -> Iterator[Event]:
    """All events, oldest first; each dated one gains `at_s`, its seconds since the run began.

    `take` gets the samples of hosts with one recorder as they are read, oldest first in each file, and they are not
    among the events: most events of a job of a thousand nodes are samples, and no two of its nodes share one.
    """
    kept = event_files(run.path)
    small = read_small(run.path, "events", kept, eventfile.PIECE_BYTES, _SMALL_BYTES)
    files = [EventFile(run.path, one.name, content=small.get(one.name)) for one in kept]
    firsts = _firsts(files)
    clock, seen, single = _clock(files, firsts), _arrivals(files), _single(firsts) if take else frozenset()
    found = problems or Problems()
    if len(files) > _MOST_OPEN:
        files = [replace(file, stays_open=False) for file in files]
    streams = [
        _one_file(at, file, clock, seen.get(file.name, []), found, take if file.host in single else None)
        for at, file in enumerate(files)
    ]
    for _, _, _, event in heapq.merge(*streams):
        yield event


class Follower:
    """Reads what has come since it was last asked: the live counterpart of `read_events`."""

    def __init__(self, run: RunDir) -> None:
        self._run = run
        self._read: dict[str, int] = {}
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
        files = [EventFile(self._run.path, kept.name) for kept in event_files(self._run.path)]
        found: list[tuple[float, int, Event]] = []
        self.behind = known = False
        for file in files:
            begin = self._read.get(file.name, 0)
            content = file.piece(begin, most_bytes)
            self.behind = self.behind or len(content) == most_bytes
            whole = content[: content.rfind(b"\n") + 1]
            if not whole and len(content) > eventfile.LONGEST_LINE:
                whole = content  # too long for an event: continue from here
            self._read[file.name] = begin + len(whole)
            if whole and not begin and not known:  # not when it appears: an empty file shows no clock
                self._clock, known = _clock(files, _firsts(files)), True
            found += _dated(whole.splitlines(), file, self._clock)
        events = [event for _, _, event in sorted(found, key=lambda item: item[:2])]
        self._now_s = max((event.at_s for event in events if event.at_s is not None), default=self._now_s)
        # what has no date came since we last looked
        return [event.replace(at_s=self._now_s) if event.at_s is None else event for event in events]


def _dated(lines: list[bytes], file: EventFile, clock: Clock) -> Iterator[tuple[float, int, Event]]:
    host = file.host
    for count, line in enumerate(lines):
        heard: list[str] = []
        event = decode(line, heard.append)
        if heard or (event is None and line.strip()):
            file.told(count + 1, heard[0] if heard else NOT_WHOLE)
        if event is not None:
            at_s = clock.at(event, host)
            yield at_s or 0.0, count, event if at_s is None else place(event, round(at_s, 6))


def _firsts(files: list[EventFile]) -> dict[EventFile, Event]:
    """The first event of each file that carries both clocks."""
    found: dict[EventFile, Event] = {}
    for file in files:
        for line, _ in file.lines():
            event = decode(line)
            if event is not None and event.t is not None and event.mono_s is not None:
                found[file] = event
                break
    return found


def _clock(files: list[EventFile], firsts: dict[EventFile, Event]) -> Clock:
    """The first event of a host that carries both clocks ties its monotonic clock to the wall: the recorder's own
    where there is one, since anyone may write anything into the other files."""
    first: dict[str, tuple[bool, float, float]] = {}
    for file, event in firsts.items():
        one = (event.source != "launcher", event.mono_s or 0.0, event.t or 0.0)
        first[file.host] = min(first.get(file.host, one), one)
    offset_s = {host: t - mono_s for host, (_, mono_s, t) in first.items()}
    start_t = min((t for _, _, t in first.values()), default=None)
    return Clock(start_t=_first_date(files) if start_t is None else start_t, offset_s=offset_s)


def _single(firsts: dict[EventFile, Event]) -> frozenset[str]:
    """Hosts with one recorder, however many files its probes write: their samples add up in any order."""
    recorders: dict[str, set[tuple[str, int]]] = {}
    for file, event in firsts.items():
        if event.origin not in ("self", "reader"):  # what the command writes and prints has its own ranks
            recorders.setdefault(file.host, set()).add((event.node, event.rank))
    return frozenset(host for host, found in recorders.items() if len(found) == 1)


def _first_date(files: list[EventFile]) -> float:
    """For a log that was imported: the dates in it are its only clock."""
    for file in files:
        for line, _ in file.lines():
            event = decode(line) if b'"t":' in line else None
            if event is not None and event.t is not None:
                return event.t
    return 0.0


def _arrivals(files: list[EventFile]) -> dict[str, Arrivals]:
    """For files that other programs append to: how long each was at which moment, as the recorder saw it."""
    seen: dict[str, Arrivals] = {}
    for file in files:
        for line, _ in file.lines() if file.holds(_SEEN) else ():
            event = decode(line) if _SEEN in line else None
            if isinstance(event, Seen):
                seen.setdefault(event.file, []).append((event.bytes, event))
    return seen


def _one_file(
    number: int, file: EventFile, clock: Clock, arrivals: Arrivals, problems: Problems, take: Take | None
) -> Iterator[Row]:
    """An undated event stays behind the dated one before it."""
    waiting, host = iter(arrivals), file.host
    offset_s = clock.offset_s[host] - clock.start_t if host in clock.offset_s else None
    arrival = next(waiting, None)
    last_s = float("-inf")
    bad: list[tuple[int, str]] = []
    heard: list[str] = []
    report = heard.append
    torn = 0  # a line that is not an event: only a problem if another line follows
    more = 0
    try:
        for count, (line, end) in enumerate(file.lines(), 1):
            if torn:
                bad, more = _with(bad, more, (torn, NOT_WHOLE))
                torn = 0
            event = decode(line, report)
            if event is None:
                torn = count if line.strip() else 0
                continue
            if heard:
                bad, more = _with(bad, more, (count, heard[0]))
                heard.clear()
            while arrival is not None and arrival[0] < end:
                arrival = next(waiting, None)
            mono_s = event.mono_s
            at_s = mono_s + offset_s if mono_s is not None and offset_s is not None else clock.at(event, host)
            if at_s is None and arrival is not None:
                at_s = clock.at(arrival[1], host)
            if at_s is not None:
                place(event, round(at_s, 6))
                last_s = at_s if at_s > last_s else last_s
            if take is not None and type(event) is Sample:
                take(event)
            else:
                yield last_s, count, number, event
    finally:
        if bad:
            problems.found += [f"{file.name}:{count} {_said(why)}" for count, why in bad]
            problems.found += [f"{file.name}: {more:,} more lines like these"] if more else []
            file.told(*bad[0], len(bad) - 1 + more)


def _with(bad: list[tuple[int, str]], more: int, one: tuple[int, str]) -> tuple[list[tuple[int, str]], int]:
    """A few are kept and the others counted: a damaged file may hold millions."""
    return ([*bad, one], more) if len(bad) < _MOST_PROBLEMS else (bad, more + 1)


def _said(why: str) -> str:
    return f"is {NOT_WHOLE}" if why == NOT_WHOLE else f"is read in part: {why}"
