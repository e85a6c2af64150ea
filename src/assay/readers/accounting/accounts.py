"""The accounts of many jobs in one text, by job: what `sacct` or `qstat` printed, without a log around it."""

from __future__ import annotations

from collections.abc import Iterable

from assay.lines import Line
from assay.model.event import Event
from assay.readers.accounting.reader import Accounting
from assay.reading.reader import NEW


def accounts(lines: Iterable[str]) -> dict[str, list[Event]]:
    """The events of each job; of one that is listed twice, the last."""
    found: dict[str, list[Event]] = {}
    reader, events = Accounting(), list[Event]()

    def close() -> None:
        if reader.job:
            found[reader.job] = [*events, *reader.finish()]

    for number, text in enumerate(lines, 1):
        line = Line(number, text)
        answer = reader.read(line)
        if answer is NEW:
            close()
            heir = reader.heir()
            assert isinstance(heir, Accounting)
            reader, events = heir, []
            answer = reader.read(line)
        if isinstance(answer, list):
            events += answer
    close()
    return found
