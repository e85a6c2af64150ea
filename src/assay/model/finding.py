"""One thing that the audit has to say: a code, how sure it is, the lines that show it, and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assay.model.record import Record, fact
from assay.model.values import NOTHING

#: `wrong`: the evidence contradicts it. `doubtful`: the evidence cannot support it. `note`: worth knowing.
WRONG, DOUBTFUL, NOTE = SEVERITIES = ("wrong", "doubtful", "note")


@dataclass(frozen=True, kw_only=True)
class Evidence(Record):
    """A line of a source; line 0 is the file's name, or the record of a run rather than its output."""

    source: str = fact("The file.", "")
    line: int = fact("The line's number.", 0)
    text: str = fact("What stands there.", "")
    extra: Mapping[str, object] = fact("Fields of a newer version.", NOTHING)


@dataclass(frozen=True, kw_only=True)
class Finding(Record):
    """What a rule found in a page or a run."""

    code: str = fact("Which rule.", "")
    severity: str = fact("wrong, doubtful or note.", NOTE)
    message: str = fact("What is the matter.", "")
    hint: str = fact("What to do about it.", "")
    source: str = fact("The page or log that it is about.", "")
    evidence: tuple[Evidence, ...] = fact("The lines that show it.", ())
    run: str | None = fact("The id of the run that it is about.")
    instead: str | None = fact("What could truly be said.")
    extra: Mapping[str, object] = fact("Fields of a newer version.", NOTHING)
