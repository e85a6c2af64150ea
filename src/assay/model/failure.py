"""Why a run failed: a code, what happened, what to do, and the line that shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assay.model.record import Record, fact
from assay.model.values import NOTHING

ERROR_CODES = (
    "stale-checkpoint", "no-device", "env-after-srun", "impossible-request", "missing-module", "missing-file",
    "appliance-fault", "fabric-fault", "bad-flag", "threshold", "out-of-memory", "time-limit", "cancelled",
    "interrupted", "permission", "crashed", "no-answer", "setup-failed", "unknown",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Failure(Record):
    """The `error` of a summary."""

    code: str = fact("One of the error codes.", "unknown")
    message: str = fact("What happened.", "")
    hint: str | None = fact("What to do next.")
    line: int | None = fact("The line of the output that shows it.")
    extra: Mapping[str, object] = fact("Fields of a newer version.", NOTHING)

    def __str__(self) -> str:
        return f"{self.code}: {self.message}" + (f" ({self.hint})" if self.hint else "")
