"""How a job ended if it could not record that itself: from the scheduler, or from us if we ended it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assay.model.record import LAST_T, Record, fact
from assay.model.values import NOTHING


@dataclass(frozen=True, kw_only=True)
class Verdict(Record):
    """One word on a job. Without a status it is only where the job stands: put back into the queue."""

    state: str | None = fact("In the scheduler's own word.")
    reason: str | None = fact("The scheduler's reason.")
    node: str | None = fact("Where it ran.")
    restarts: int | None = fact("How often it was requeued.")
    status: str | None = fact("completed, failed or interrupted.")
    code: str | None = fact("Code of the error.")
    message: str | None = fact("What happened.")
    hint: str | None = fact("What to do about it.")
    t: float | None = fact("When it was noted.", most=LAST_T)
    extra: Mapping[str, object] = fact("Fields of a newer version.", NOTHING)


def refused(message: str, hint: str | None) -> Verdict:
    """The end of a job that the scheduler refuses or can never start."""
    return Verdict(status="failed", code="impossible-request", message=message, hint=hint)


def stopped() -> Verdict:
    """The end of a server that we stopped because its work was done."""
    return Verdict(status="completed", message="stopped when its work was done")


def unanswered(message: str) -> Verdict:
    """The end of a server that we stopped because it did not answer."""
    return Verdict(status="failed", code="no-answer", message=message)


def cancelled(message: str) -> Verdict:
    """The end of a job that we cancelled."""
    return Verdict(status="interrupted", code="cancelled", message=message)
