"""One of the programs that a command ran, as a shell script runs several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assay.model.record import Record, fact
from assay.model.values import NOTHING


@dataclass(frozen=True, kw_only=True)
class Part(Record):
    """An entry of a summary's `parts`."""

    command: str = fact("Its command line, shortened.", "")
    began_s: float | None = fact("Seconds from the start of the run to its own.")
    wall_s: float | None = fact("Seconds from its start to its end.")
    cpu_s: float | None = fact("CPU time of it and of what it waited for.")
    memory_bytes_max: int | None = fact("The most that one of its processes held, as last seen.")
    rank: int | None = fact("Its rank, where it is one of the processes of a job.")
    node: str | None = fact("The node it ran on, if the run has several.")
    extra: Mapping[str, object] = fact("Fields of a newer version.", NOTHING)
