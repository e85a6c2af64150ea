"""When an event happened, from the clocks of the hosts that wrote it."""

from __future__ import annotations

from dataclasses import dataclass

from assay.model.event import Event


@dataclass(frozen=True, kw_only=True)
class Clock:
    """Seconds since the start of the run, from each host's monotonic clock: steps of the wall clock do not matter."""

    start_t: float
    offset_s: dict[str, float]  # host: wall clock minus monotonic clock, read once

    def at(self, event: Event, host: str) -> float | None:
        if event.mono_s is not None and host in self.offset_s:
            return event.mono_s + self.offset_s[host] - self.start_t
        if event.t is None and not self.offset_s:
            return event.figure("elapsed_s")  # a log that counts from its own start
        return None if event.t is None else event.t - self.start_t
