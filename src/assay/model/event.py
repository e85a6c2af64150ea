"""One dated fact about a run, as one JSON line.

    {"v": 1, "t": 1711811793.8, "mono_s": 812.4, "kind": "metric", "from": "self", "rank": 0, "step": 9, "loss": 7.1}

`t` is the wall clock and may step; `mono_s` is CLOCK_MONOTONIC of the writer's host, shared by all processes of one
boot, and is what durations are made of. A line without `t` is undated.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from assay.model.event_base import ENVELOPE, VERSION, E, Event, Open, hold, place
from assay.model.failure import Failure
from assay.model.record import LONGEST_S, Report, fact, ignore
from assay.model.served import Served
from assay.model.shapes import shaped
from assay.model.values import MOST, Value, is_small

__all__ = [
    "ENVELOPE", "KINDS", "VERSION", "Beat", "End", "Error", "Event", "How", "Metric", "Open", "Param", "PartEnd",
    "Phase", "Result", "Sample", "Seen", "Served",
    "decode", "encode", "event_of", "metric", "now", "place", "read", "told",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Metric(Open):
    """Figures of a moment."""

    kind: ClassVar[str] = "metric"


@dataclass(frozen=True, kw_only=True)
class Result(Open):
    """Figures of the whole run."""

    kind: ClassVar[str] = "result"


@dataclass(frozen=True, kw_only=True)
class Param(Open):
    """Settings in effect."""

    kind: ClassVar[str] = "param"

    @classmethod
    def _fits(cls, value: object) -> bool:
        return is_small(value) or (type(value) is int and -MOST < value < MOST)  # a seed may have more than 64 bits


@dataclass(frozen=True, kw_only=True)
class Phase(Event):
    """A named span of a run: where it begins or ends, or how long it took in all."""

    kind: ClassVar[str] = "phase"

    name: str = fact("queue, compile, load, warmup, train, eval, checkpoint, teardown, or the program's own.", "")
    edge: str = fact("begin or end; empty where only the length is known.", "")
    seconds: float | None = fact("How long it took, where only that is known.", most=LONGEST_S)

    def begins(self, name: str) -> bool:
        return self.name == name and self.edge == "begin"


@dataclass(frozen=True, kw_only=True)
class Sample(Event):
    """What a probe measured; a figure that the machine does not offer is absent."""

    kind: ClassVar[str] = "sample"

    late_s: float | None = fact("How late the sample was taken.")
    cpu_pct: float | None = fact("CPU use since the last sample, in per cent of one core.")
    cpu_s: float | None = fact("CPU time so far, in seconds.")
    rss_bytes: float | None = fact("Resident memory of the process tree.")
    pss_bytes: float | None = fact("Proportional size (PSS) of the process tree.")
    memory_bytes: float | None = fact("Memory of the process tree, pages shared within it counted once, in full.")
    memory_bytes_peak: float | None = fact("Its peak so far, also between two samples.")
    virtual_bytes: float | None = fact("Virtual memory of the process tree.")
    processes: float | None = fact("How many processes there are.")
    threads: float | None = fact("How many threads they have.")
    read_bytes: float | None = fact("Bytes read from disk so far.")
    write_bytes: float | None = fact("Bytes written to disk so far.")
    read_calls: float | None = fact("Calls that read, so far.")
    write_calls: float | None = fact("Calls that wrote, so far.")
    elapsed_s: float | None = fact("Seconds on the sample's own clock, where it carries no date.", most=LONGEST_S)
    host: str = fact("Host of the GPU, where that is another.", "")
    gpu: int | None = fact("Index of the GPU that was sampled.")
    gpu_util_pct: float | None = fact("Share of time in which a kernel ran on the GPU.")
    gpu_sm_pct: float | None = fact("Share of the GPU's processors (SMs) that were busy since the last sample.")
    gpu_tensor_pct: float | None = fact("Share of time in which its tensor cores worked since the last sample.")
    gpu_dram_pct: float | None = fact("Share of its memory bandwidth that was used since the last sample.")
    gpu_mem_bytes: float | None = fact("GPU memory of the run's processes.")
    gpu_mem_used_bytes: float | None = fact("GPU memory in use by anyone.")
    gpu_mem_grown_bytes: float | None = fact("By how much the GPU memory in use has grown since the run began.")
    power_w: float | None = fact("Power drawn now.")
    energy_j: float | None = fact("Energy used by the GPU since the run began.")
    cpu_energy_j: float | None = fact("Energy used by the CPU packages of the host since the run began.")
    cpu_wait_s: float | None = fact("Time since the run began in which a process of it waited for a CPU.")
    memory_wait_s: float | None = fact("Time since the run began in which a process of it waited for memory.")
    io_wait_s: float | None = fact("Time since the run began in which a process of it waited for a disk.")
    sm_mhz: float | None = fact("Clock of the GPU's processors.")
    mem_mhz: float | None = fact("Clock of the GPU's memory.")
    temp_c: float | None = fact("Temperature of the GPU.")
    throttle: tuple[str, ...] = fact("Why the GPU runs slower than it could.", ())


@dataclass(frozen=True, kw_only=True)
class Error(Event):
    """Something went wrong, in the program's words or ours."""

    kind: ClassVar[str] = "error"

    code: str = fact("One of the error codes.", "unknown")
    message: str = fact("What happened.", "")
    hint: str = fact("What to do next.", "")

    @property
    def failure(self) -> Failure:
        return Failure(code=self.code, message=self.message, hint=self.hint or None, line=self.line)


@dataclass(frozen=True, kw_only=True)
class How(Event):
    """How the result comes about, and who records it."""

    kind: ClassVar[str] = "how"

    how: str | None = fact("executed, validated, simulated or parsed.")
    model: str | None = fact("The model that runs.")
    engine: str | None = fact("The inference engine that runs it.")
    device: str | None = fact("The hardware that it runs on, as it reports it.")
    job: Value | None = fact("The scheduler's job.")
    command: str | None = fact("The command that a log names as the one it measured.")
    pid: int | None = fact("The command's process.")
    attached: bool | None = fact("Whether the process was there before the recorder.")
    recorder_pid: int | None = fact("The recorder's process.")
    recorder_birth: float | None = fact("When that process began, in clock ticks since the boot.")
    host: str | None = fact("The recorder's host.")
    boot: str | None = fact("The boot of that host.")
    probe: str | None = fact("A probe that was switched off.")
    reader: str | None = fact("A reader that was switched off.")
    problem: str | None = fact("What the record lacks, and why.")
    traceback: str | None = fact("Where in Assay that happened.")
    readings_kept: int | None = fact("Events that were kept of an output that repeats itself.")
    readings_left_out: int | None = fact("Events that were dropped.")
    unread_bytes: int | None = fact("Output that was not read.")
    unread_lines: int | None = fact("The lines that were not read.")


@dataclass(frozen=True, kw_only=True)
class Beat(Event):
    """The recorder lives."""

    kind: ClassVar[str] = "beat"

    beside: tuple[str, ...] = fact("Other Assay runs on this machine.", ())


@dataclass(frozen=True, kw_only=True)
class PartEnd(Event):
    """A program that the command ran has ended: a shell script runs several."""

    kind: ClassVar[str] = "part"

    pid: int | None = fact("Its process.")
    parent: int | None = fact("The process that started it.")
    command: str = fact("Its command line, shortened.", "")
    began_s: float | None = fact("Seconds from the start of the run to its own.", most=LONGEST_S)
    wall_s: float | None = fact("Seconds from its start to its end.", most=LONGEST_S)
    cpu_s: float | None = fact("CPU time of it and of what it waited for.")
    memory_bytes_max: float | None = fact("The most that one of its processes held, as last seen.")
    of_rank: int | None = fact("Its rank, where it is one of the processes of a job.")


@dataclass(frozen=True, kw_only=True)
class Seen(Event):
    """How long a file of other programs' lines was at this moment."""

    kind: ClassVar[str] = "seen"

    file: str = fact("The file's name.", "")
    bytes: int = fact("Its length.", 0)


@dataclass(frozen=True, kw_only=True)
class End(Event):
    """The run is over: how, and what it used in all."""

    kind: ClassVar[str] = "end"

    status: str = fact("completed, failed, interrupted or unfinished.", "")
    exit_code: int | None = fact("What the command returned; 128 + N where signal N ended it.")
    signal: str | None = fact("The signal that ended it.")
    error: Failure | None = fact("What went wrong, as the recorder saw it.")
    wall_s: float | None = fact("Seconds from start to end of the command.", most=LONGEST_S)
    watched_s: float | None = fact("Seconds until its last background process had ended.", most=LONGEST_S)
    watching_ended: str | None = fact("Why an attached recorder stopped watching, where no exit code is known.")
    left_behind: int | None = fact("Processes that it left behind.")
    cpu_s: float | None = fact("CPU time of all its processes.")
    cpu_unclaimed_s: float | None = fact("CPU time of processes that nobody waited for, as last seen.")
    rss_bytes_peak: float | None = fact("The largest resident size of any one process, from the kernel.")
    memory_bytes_peak: float | None = fact("The most memory that was held at once, as it was seen.")
    read_bytes: float | None = fact("Bytes read from disk.")
    write_bytes: float | None = fact("Bytes written to disk.")
    read_calls: float | None = fact("Calls that read.")
    write_calls: float | None = fact("Calls that wrote.")
    own_cpu_s: float | None = fact("CPU time of the recorder itself.")
    own_pss_cpu_s: float | None = fact("The part of it that measuring shared memory took.")
    output_lost_bytes: float | None = fact("Output that could not be written to disk.")
    output_not_passed_on: bool | None = fact("Whether output could not be passed on to where it was meant for.")


KINDS: dict[str, type[Event]] = {
    one.kind: one for one in (Metric, Result, Param, Phase, Sample, Served, Error, How, Beat, PartEnd, Seen, End)
}

#: by the reader of a record, so they are not in its lines
_WORKED_OUT = frozenset({"at_s", "came_t"})
# made once, not asked for its encoding, and without the frame of `raw_decode`: a large log is millions of events
_encode = json.JSONEncoder(separators=(",", ":")).encode
_new = object.__new__
_scan = json.JSONDecoder().scan_once  # type: ignore[attr-defined]


def encode(event: Event) -> bytes:
    """One line. ASCII, so that a lone surrogate (a byte of a non-UTF-8 name) survives the way back."""
    raw = event.as_json()
    if not _WORKED_OUT.isdisjoint(raw):
        raw = {name: value for name, value in raw.items() if name not in _WORKED_OUT}
    return _encode(raw).encode("ascii") + b"\n"


def decode(line: bytes, report: Report = ignore) -> Event | None:
    """The event of a line, or None where it is not one; a bare `{"loss": 0.3}` from a shell script is a metric."""
    try:
        text = str(line, "utf-8", "surrogatepass").strip(" \t\n\r")
        raw, end = _scan(text, 0)
    except (ValueError, StopIteration, RecursionError):
        return None
    if end != len(text) or not isinstance(raw, dict):
        return None
    if not _WORKED_OUT.isdisjoint(raw):  # ours alone to say
        raw = {name: value for name, value in raw.items() if name not in _WORKED_OUT}
    return event_of(raw, report)


def event_of(raw: dict[str, object], report: Report = ignore) -> Event | None:
    """The event of a JSON object, whose parts it may keep; None if it is not one. An event of an unknown kind becomes a
    plain `Event`, and is written back unchanged.
    """
    kind = raw.get("kind", "metric")
    return shaped(kind, KINDS.get(kind), raw, report) if type(kind) is str else None


def told(kind: str, held: dict[str, object], facts: Mapping[str, object]) -> Event:
    """An event from values that need no check: `held` are the fields that every event has, `facts` what it reports. A
    figure that a log calls `t` is not a date; a log may name the process that printed a line.
    """
    cls = KINDS[kind]
    if not ENVELOPE.isdisjoint(facts):
        if type(rank := facts.get("rank")) is int:
            held["rank"] = rank
        facts = {name: value for name, value in facts.items() if name not in ENVELOPE}
    if cls.rest == "values":
        held["values"] = facts
    elif facts.keys() <= cls.__dataclass_fields__.keys():
        held.update(facts)
    else:
        held["extra"] = {name: value for name, value in facts.items() if name not in cls.__dataclass_fields__}
        held.update({name: value for name, value in facts.items() if name in cls.__dataclass_fields__})
    one = _new(cls)
    hold(one, held)
    return one


def metric(source: str, line: int, t: float, values: Mapping[str, float]) -> Metric:
    """The quickest way, for lines that come by the million; none of the names may be the envelope's."""
    one = _new(Metric)
    hold(one, {"v": VERSION, "source": source, "line": line, "t": t, "values": values})
    return one


def read(source: str, line: int, kind: str, facts: Mapping[str, object], t: float | None = None) -> Event:
    """An event that was read in a file, with who read it."""
    return told(kind, {"v": VERSION, "source": source, "line": line, "t": t}, facts)


def now(event: E) -> E:
    """The same, dated now."""
    return event.replace(t=round(time.time(), 6), mono_s=round(time.monotonic(), 6))
