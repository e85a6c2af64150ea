"""Where a run's figures come from: the event or the line of output behind each."""

from __future__ import annotations

from dataclasses import dataclass

from assay.model.event import End, Error, Event, How, Open, Param
from assay.model.values import number
from assay.store.layout import RunDir
from assay.store.reading import read_events


@dataclass(frozen=True, kw_only=True)
class Proof:
    """A figure and where it comes from."""

    name: str
    value: str
    place: str
    line: int | None = None  # of the output


def proofs(run: RunDir) -> list[Proof]:
    """For each figure the line that first gave its last value; for each setting and error the first line."""
    words = LastWords()
    for event in read_events(run):
        words.add(event)
    return words.proofs()


class LastWords:
    """Takes events one by one."""

    def __init__(self) -> None:
        self._last: dict[str, tuple[Event, object]] = {}
        self._of_ranks: set[str] = set()  # what several ranks report

    def add(self, event: Event) -> None:
        if isinstance(event, Open):
            for name, value in event.values.items():
                if number(value) is not None or isinstance(event, Param):
                    self._take(name, event, value)
        elif isinstance(event, Error):
            if event.source != "launcher":
                self._last.setdefault("error", (event, event.message))
        elif isinstance(event, How):
            if event.source != "launcher" and event.how is not None:
                self._last.setdefault("how", (event, event.how))
        elif isinstance(event, End) and event.exit_code is not None:
            self._last["exit_code"] = (event, event.exit_code)

    def _take(self, name: str, event: Event, value: object) -> None:
        """The first rank's figures are those of the run; figures of other ranks are not shown."""
        before = self._last.get(name)
        if before is not None and before[0].rank != event.rank:
            self._of_ranks.add(name)
        if before is None or before[0].rank > event.rank or (before[0].rank == event.rank and before[1] != value):
            self._last[name] = (event, value)  # a later line that keeps a value need not state it: `epoch` of a test

    def proofs(self) -> list[Proof]:
        return [
            Proof(name=self._called(name, event), value=_shown(value), place=_place(event), line=event.line or None)
            for name, (event, value) in self._last.items()
        ]

    def _called(self, name: str, event: Event) -> str:
        return f"{name} of rank {event.rank}" if name in self._of_ranks else name


def _shown(value: object) -> str:
    """No digits that only floating point brings: 0.15, not 0.15000000000000002."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _place(event: Event) -> str:
    said = {"self": "reported by the program", "launcher": "seen by the recorder", "guard": "seen by the guard"}
    if event.source == "reader:accounting" and not event.line:
        words = ["reported by the scheduler"]
    elif event.origin == "reader":
        words = [f"from line {event.line:,} of the output" if event.line else "from the output"]
    elif event.origin == "file":
        words = [f"from {event.speaker}"]
    else:
        words = [said.get(event.origin, event.origin), *([f"line {event.line}"] if event.line else [])]
    wall_s = event.wall_s if isinstance(event, End) else None
    if (at_s := event.at_s if wall_s is None else wall_s) is not None:
        words.append(f"{at_s:.2f} s after the start")
    return ", ".join(words)
