"""One dated fact about a run, as one JSON line.

    {"v": 1, "t": 1711811793.8, "mono_s": 812.4, "kind": "metric", "from": "self", "rank": 0, "step": 9, "loss": 7.1}

`t` is the wall clock and may step; `mono_s` is CLOCK_MONOTONIC of the writer's host, shared by all processes of one
boot, and is what durations are made of. A line without `t` is undated.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from assay.model.failure import Failure
from assay.model.record import LAST_T, Record, Report, fact
from assay.model.values import NOTHING, Value

VERSION = 1


@dataclass(frozen=True, kw_only=True)
class Event(Record):
    """What every event says of itself; each kind adds its own fields."""

    kind: ClassVar[str] = ""

    v: int = fact("Version of the format.", VERSION)
    t: float | None = fact("Wall clock, in seconds since 1970; absent where the event is undated.", most=LAST_T)
    mono_s: float | None = fact("Monotonic clock of the writer's host.")
    source: str = fact("Who says it: self (the program), reader:NAME, probe:NAME, launcher, guard.", "self", key="from")
    rank: int = fact("Rank of the process that says it.", 0)
    node: str = fact("Node of the process that says it, where a run has several.", "")
    line: int | None = fact("Line of the output, or of the source, that shows it.")
    offset: int | None = fact("Byte of the output where that line begins.")
    at_s: float | None = fact("Seconds since the run began; worked out when a record is read.")
    came_t: float | None = fact("When the line came, beside the date that it carries itself; not written.")
    extra: Mapping[str, object] = fact("Fields of a newer version.", NOTHING)

    @property
    def origin(self) -> str:
        """`reader`, `probe`, `self`, …: who says it, without the name."""
        return self.source.partition(":")[0]

    @property
    def speaker(self) -> str:
        """`cerebras` of `reader:cerebras`; empty where there is no name."""
        return self.source.partition(":")[2]


@dataclass(frozen=True, kw_only=True)
class _Open(Event):
    """An event whose names are the program's own: everything outside the envelope is a value."""

    rest: ClassVar[str] = "values"

    values: Mapping[str, Value] = fact("What it reports, by the names it was given.", NOTHING)

    @classmethod
    def _take(cls, held: dict[str, object], others: dict[str, object], report: Report) -> None:
        """A value that is not finite stays: a loss that became NaN is news. A list or an object is no figure."""
        fits = {name: value for name, value in others.items() if isinstance(value, (int, float, str))}
        for name in others.keys() - fits.keys() - {"kind"}:
            report(f"`{name}` is neither a number nor text")
        fits.pop("kind", None)
        held["values"] = fits


@dataclass(frozen=True, kw_only=True)
class Metric(_Open):
    """Figures of a moment."""

    kind: ClassVar[str] = "metric"


@dataclass(frozen=True, kw_only=True)
class Result(_Open):
    """Figures of the whole run."""

    kind: ClassVar[str] = "result"


@dataclass(frozen=True, kw_only=True)
class Param(_Open):
    """Settings in effect."""

    kind: ClassVar[str] = "param"


@dataclass(frozen=True, kw_only=True)
class Phase(Event):
    """A named span of a run: where it begins or ends, or how long it took in all."""

    kind: ClassVar[str] = "phase"

    name: str = fact("queue, compile, load, warmup, train, eval, checkpoint, teardown, or the program's own.", "")
    edge: str = fact("begin or end; empty where only the length is known.", "")
    seconds: float | None = fact("How long it took, where only that is known.")


@dataclass(frozen=True, kw_only=True)
class Sample(Event):
    """What a probe measured; a figure that the machine does not offer is absent."""

    kind: ClassVar[str] = "sample"

    late_s: float | None = fact("How late the probe looked.")
    cpu_pct: float | None = fact("CPU use since the last sample, in per cent of one core.")
    cpu_s: float | None = fact("CPU time so far, in seconds.")
    rss_bytes: int | None = fact("Resident memory of the process tree.")
    pss_bytes: int | None = fact("Memory of the process tree, pages shared within it counted once.")
    virtual_bytes: int | None = fact("Virtual memory of the process tree.")
    processes: int | None = fact("How many processes there are.")
    threads: int | None = fact("How many threads they have.")
    read_bytes: int | None = fact("Bytes read from disk so far.")
    write_bytes: int | None = fact("Bytes written to disk so far.")
    gpu: int | None = fact("Index of the GPU that the sample is of.")
    gpu_util_pct: float | None = fact("Share of time in which a kernel ran on the GPU.")
    gpu_mem_bytes: int | None = fact("GPU memory of the run's own processes.")
    gpu_mem_used_bytes: int | None = fact("GPU memory in use by anyone.")
    gpu_mem_grown_bytes: int | None = fact("By how much the GPU memory in use has grown since the run began.")
    power_w: float | None = fact("Power drawn now.")
    energy_j: float | None = fact("Energy used by the GPU since the run began.")
    cpu_energy_j: float | None = fact("Energy used by the CPU packages of the host since the run began.")
    sm_mhz: float | None = fact("Clock of the GPU's processors.")
    mem_mhz: float | None = fact("Clock of the GPU's memory.")
    temp_c: float | None = fact("Temperature of the GPU.")
    throttle: tuple[str, ...] = fact("Why the GPU runs slower than it could.", ())


@dataclass(frozen=True, kw_only=True)
class Trouble(Event):
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
    device: str | None = fact("The hardware that it runs on, as it says itself.")
    job: str | None = fact("The scheduler's job.")
    pid: int | None = fact("The command's process.")
    attached: bool | None = fact("Whether the process was there before the recorder.")
    recorder_pid: int | None = fact("The recorder's process.")
    recorder_birth: int | None = fact("When that process began, in clock ticks since the boot.")
    host: str | None = fact("The recorder's host.")
    boot: str | None = fact("The boot of that host.")
    probe: str | None = fact("A probe or reader that was set aside.")
    problem: str | None = fact("Why it was.")


@dataclass(frozen=True, kw_only=True)
class Beat(Event):
    """The recorder lives."""

    kind: ClassVar[str] = "beat"

    beside: tuple[str, ...] = fact("Other measured runs on this machine.", ())


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
    wall_s: float | None = fact("Seconds from start to end of the command.")
    watched_s: float | None = fact("Seconds until the last process that it left behind was gone.")
    left_behind: int | None = fact("Processes that it left behind.")
    cpu_s: float | None = fact("CPU time of all its processes.")
    cpu_unclaimed_s: float | None = fact("CPU time of processes that nobody waited for, as last seen.")
    rss_bytes_peak: int | None = fact("The largest resident size of any one process, from the kernel.")
    read_bytes: int | None = fact("Bytes read from disk.")
    write_bytes: int | None = fact("Bytes written to disk.")
    own_cpu_s: float | None = fact("CPU time of the recorder itself.")
    own_pss_cpu_s: float | None = fact("The part of it that measuring shared memory took.")
    output_lost_bytes: int | None = fact("Output that could not be written to disk.")
    output_not_passed_on: bool | None = fact("Whether output could not be passed on to where it was meant for.")


KINDS: dict[str, type[Event]] = {
    one.kind: one for one in (Metric, Result, Param, Phase, Sample, Trouble, How, Beat, Seen, End)
}

# made once, and not asked for its encoding: a large log is millions of events
_encode = json.JSONEncoder(separators=(",", ":")).encode
_decode = json.JSONDecoder().decode


def encode(event: Event) -> bytes:
    """One line. ASCII, so that a lone surrogate (a byte of a non-UTF-8 name) survives the way back."""
    raw = {"kind": event.kind, **event.as_json()}
    raw.pop("came_t", None)
    return _encode(raw).encode("ascii") + b"\n"


def decode(line: bytes, report: Report | None = None) -> Event | None:
    """The event of a line, or None where it is not one; a bare `{"loss": 0.3}` from a shell script is a metric."""
    try:
        raw = _decode(str(line, "utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return None
    kind = raw.pop("kind", "metric") if isinstance(raw, dict) else None
    known = KINDS.get(kind) if isinstance(kind, str) else None
    if known is None:
        return None
    return known.of(raw, report) if report else known.of(raw)
