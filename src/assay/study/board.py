"""Where a study stands: one row a run that it wants, and what is left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from assay.model.summary import Summary
from assay.store.layout import RunDir
from assay.study.plan import Cost, Unit, estimate
from assay.study.records import Key, Record, standing


@dataclass(kw_only=True)
class Row:
    """One unit and the run that stands for it now."""

    unit: Unit
    state: str = "missing"  # done, running, queued, failed
    run: RunDir | None = None
    summary: Summary = field(default_factory=Summary)  # empty, where there is no run

    def show(self, state: str, run: RunDir | None, summary: Summary | None = None) -> None:
        self.state, self.run = state, run
        self.summary = summary if summary is not None else self.summary

    def forget(self) -> None:
        """It is to be done again: the run that stood for it counts no more."""
        self.state, self.run, self.summary = "missing", None, Summary()


class Board:
    """All rows, in the order of the plan, and a word from the scheduler where there is one."""

    def __init__(self, units: Sequence[Unit], records: Sequence[Record], success: Sequence[str]) -> None:
        by_key: dict[Key, list[Record]] = {}
        for one in records:
            by_key.setdefault(one.key, []).append(one)
        self.rows: list[Row] = []
        self.word = ""
        for unit in units:
            state, record = standing(unit, by_key.get(unit.key, ()), success)
            row = Row(unit=unit, state=state)
            if record is not None:
                row.show(record.status if state == "active" else state, record.run, record.summary)
            self.rows.append(row)

    def count(self, *states: str) -> int:
        return sum(row.state in states for row in self.rows)

    def of(self, *states: str) -> list[Row]:
        return [row for row in self.rows if row.state in states]

    def walls(self) -> dict[str, list[float]]:
        """Seconds of the runs that are done, by cell."""
        found: dict[str, list[float]] = {}
        for row in self.rows:
            wall_s = row.summary.wall_s
            if row.state == "done" and wall_s is not None:
                found.setdefault(row.unit.cell, []).append(wall_s)
        return found

    def left(self) -> Cost:
        """What is still to be done, those that failed not counted."""
        return estimate([row.unit for row in self.of("missing", "queued", "running")], self.walls())

    def summaries(self) -> list[Summary]:
        """Of the runs that count: done, and no warm-up."""
        return [row.summary for row in self.rows if row.state == "done" and not row.unit.warmup]
