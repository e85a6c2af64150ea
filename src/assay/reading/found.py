"""What was found in a document: one value a run, from its log or from prose."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from assay.model.event import End, Event, Metric, Param, Result, Sample
from assay.model.values import Value
from assay.reading.splitter import Draft


@dataclass(frozen=True, kw_only=True)
class Found:
    """A run: its lines, its events, and the claims about it."""

    system: str
    first_line: int
    last_line: int
    events: list[Event]
    claims: dict[str, Value] = field(default_factory=dict)
    claim_lines: dict[str, int] = field(default_factory=dict)
    device: str | None = None
    command: str | None = None
    prose: bool = False
    section: int = 0
    name: str | None = None  # what its own tool calls it
    text: bytes | None = None  # its evidence, where that is not lines of the source
    headings: tuple[str, ...] = ()  # that its table or list stands below
    caption: str = ""

    def with_claims(self, claims: Mapping[str, Value], lines: dict[str, int]) -> Found:
        """These come first: what is nearer to the run wins over what is farther."""
        return replace(self, claims={**claims, **self.claims}, claim_lines={**lines, **self.claim_lines})

    def params(self) -> dict[str, Value]:
        """Settings that its log shows."""
        params: dict[str, Value] = {}
        for event in self.events:
            if isinstance(event, Param):
                told = {name: value for name, value in event.values.items() if name != "device"}
                params.update({name: value for name, value in told.items() if isinstance(value, (str, int, float))})
        return params

    def facts(self, *names: str) -> dict[str, float]:
        """The last word on each figure."""
        values: dict[str, float] = {}
        for event in self.events:
            if isinstance(event, (Metric, Result, Sample)):
                values.update(
                    {name: v for name, v in event.facts() if isinstance(v, (int, float)) and type(v) is not bool}
                )
        return {name: values[name] for name in names if name in values} if names else values


def from_draft(draft: Draft, system: str) -> list[Found]:
    """A draft is one run; a table of two devices is two."""
    base = Found(
        system=system,
        first_line=draft.first_line,
        last_line=draft.last_line,
        events=_with_outcome(draft),
        command=draft.command,
    )
    reader = draft.reader
    if reader is None or not reader.devices():
        return [base]
    runs = []
    for device in reader.devices():
        events = [event for event in base.events if event.value("device") in (None, device)]
        if device != reader.own_device:  # what was built was built for that one
            events = [event for event in events if event.value("compile_cached") is None]
        runs.append(replace(base, events=events, device=device))
    return runs


def _with_outcome(draft: Draft) -> list[Event]:
    """A run whose only reader was a neutral one has no last event yet; one that was stopped by hand did not fail."""
    stopped = draft.error is not None and draft.error.code == "interrupted"
    if any(isinstance(event, End) for event in draft.events):
        return [_stopped(event) for event in draft.events] if stopped else draft.events
    status = "interrupted" if stopped else "failed" if draft.error is not None else "unfinished"
    return [*draft.events, End(source="reader:ingest", line=draft.last_line, status=status)]


def _stopped(event: Event) -> Event:
    return event.replace(status="interrupted") if isinstance(event, End) and event.status == "failed" else event


_CPU = re.compile(r"(?:^|_)cpu(?:_\w+)?_pct$")
_MEMORY = re.compile(r"(?:^|_)(?:memory|mem|ram|rss)(?:_\w+)?_(?P<unit>kb|mb|gb|kib|mib|gib|bytes)$")
_PEAK = re.compile(r"(?:^|_)(?:max|peak|min|highest|lowest)(?:_|$)")
_BYTES = {"bytes": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30}


def with_profile(events: list[Event], line: int, *, is_one: bool = False) -> list[Event]:
    """The mean use of the CPU and of memory that a person gives, as psrecord measures them: its MB are MiB."""
    found: dict[str, float] = {}
    for event in events:
        for name, value in event.facts():
            if not isinstance(value, (int, float)) or _PEAK.search(name):
                continue
            memory = _MEMORY.search(name)
            if _CPU.search(name):
                found.setdefault("cpu_pct", value)
            elif memory:
                found.setdefault("rss_bytes", float(round(value * _BYTES[memory["unit"]])))
    if not found or not ("cpu_pct" in found or is_one):
        return events
    return [*events, Sample(source="probe:psrecord", line=line).replace(**found)]
