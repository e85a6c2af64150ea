"""One finding of the audit: a code, how certain it is, the lines that show it, and what to do."""

from __future__ import annotations

from dataclasses import asdict, dataclass

#: `wrong`: the evidence contradicts it. `doubtful`: the evidence cannot support it. `note`: worth knowing.
WRONG, DOUBTFUL, NOTE = SEVERITIES = ("wrong", "doubtful", "note")


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """A line of a source; line 0 is the file's name, or the record of a run rather than its output."""

    source: str
    line: int
    text: str


@dataclass(frozen=True, kw_only=True)
class Finding:
    """`run` is the id of the run it is about, if there is one; `instead` is what could be written instead."""

    code: str
    severity: str
    message: str
    hint: str
    source: str
    evidence: tuple[Evidence, ...] = ()
    run: str | None = None
    instead: str | None = None

    def as_dict(self) -> dict[str, object]:
        return {name: value for name, value in asdict(self).items() if value is not None}
