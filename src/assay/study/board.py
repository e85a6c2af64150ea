"""The progress of a study: one row for each planned run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from assay.launchers.base import Seen
from assay.model.summary import Summary
from assay.store.layout import RunDir
from assay.study.plan import Cost, Unit, estimate
from assay.study.records import Key, Record, standing, succeeded
from assay.summary.build import load_summary


@dataclass(kw_only=True)
class Row:
    """One unit and its current run."""

    unit: Unit
    state: str = "missing"  # done, running, queued, failed
    run: RunDir | None = None
    summary: Summary = field(default_factory=Summary)  # empty before its first run
    note: str = ""  # from its scheduler: why it waits, when it may start, what to do
    job_id: str = ""  # the job that the note is about
    needs_you: bool = False  # what it waits for will not come by itself

    def show(self, state: str, run: RunDir | None, summary: Summary | None = None) -> None:
        self.state, self.run, self.note = state, run, ""
        self.summary = summary if summary is not None else self.summary

    def heard(self, seen: Seen, remedy: str | None) -> None:
        """Note the job's state in its queue."""
        self.note, self.job_id, self.needs_you = note_of(seen, remedy), seen.job_id, remedy is not None

    def forget(self) -> None:
        """It must be done again; its earlier run no longer counts."""
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

    def ask(self, success: Sequence[str]) -> None:
        """What the schedulers say of runs that are not done, before any of them is called failed."""
        from assay.study.ask import ask

        rows = {row.run.path.name: row for row in self.of("queued", "running", "failed") if row.run is not None}
        answer = ask(row.run for row in rows.values() if row.run is not None and row.summary.place)
        self.word = answer.problem
        for folder, (seen, remedy) in answer.seen.items():
            rows[folder].show(seen.phase, rows[folder].run)
            rows[folder].heard(seen, remedy)
        for folder in answer.settled:
            _settled(rows[folder], success)
        if answer.problem:
            from assay.study.ask import unsettled

            for row in self.of("failed"):
                if row.run is not None and row.summary.place and unsettled(row.run):
                    row.show("running", row.run)  # its state is unknown, so it is not repeated

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
        """The summaries of completed runs, without warm-ups."""
        return [row.summary for row in self.rows if row.state == "done" and not row.unit.warmup]


def note_of(seen: Seen, remedy: str | None) -> str:
    """`Priority, starts about 14:05`; `JobHeldUser: scontrol release 12`; of one that runs, only what is unusual."""
    if remedy:
        return f"{seen.reason or seen.state}: {remedy}"
    if seen.phase != "queued":
        return ""
    moment = seen.starts.replace("T", " ")[5:16]
    return f"{seen.reason or seen.state.lower()}{f', starts about {moment}' if moment else ''}"


def _settled(row: Row, success: Sequence[str]) -> None:
    assert row.run is not None
    summary = load_summary(row.run)
    row.show("done" if succeeded(summary, success) else "failed", row.run, summary)
