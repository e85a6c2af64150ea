"""Where a run's figures come from: the event or the line of output behind each."""

from __future__ import annotations

from dataclasses import dataclass

from assay.events import Event, facts, number
from assay.store.layout import RunDir
from assay.store.reading import read_events


@dataclass(frozen=True, kw_only=True)
class Proof:
    """A figure and the place that says so."""

    name: str
    value: str
    place: str
    line: int | None = None  # of the output


def proofs(run: RunDir) -> list[Proof]:
    """The last word on each figure of the command, and the first on each setting and error."""
    words = LastWords()
    for event in read_events(run):
        words.add(event)
    return words.proofs()


class LastWords:
    """Takes events one by one."""

    def __init__(self) -> None:
        self._last: dict[str, tuple[Event, object]] = {}

    def add(self, event: Event) -> None:
        if event["kind"] in ("metric", "result", "param"):
            for name, value in facts(event):
                if number(value) is not None or event["kind"] == "param":
                    self._last[name] = (event, value)
        elif event["kind"] in ("error", "how") and event.get("from") != "launcher":
            self._last.setdefault(event["kind"], (event, event.get("message") or event.get("how")))
        elif event["kind"] == "end" and "exit_code" in event:
            self._last["exit_code"] = (event, event.get("exit_code"))

    def proofs(self) -> list[Proof]:
        return [
            Proof(name=name, value=str(value), place=_place(event), line=_line(event))
            for name, (event, value) in self._last.items()
        ]


def _line(event: Event) -> int | None:
    line = number(event.get("line"))
    return int(line) if line else None


def _place(event: Event) -> str:
    source, _, reader = str(event.get("from")).partition(":")
    said = {"self": "said by the program", "launcher": "seen by the recorder", "guard": "seen by the guard"}
    words = [f"read as {reader}" if source == "reader" else said.get(source, source)]
    if event.get("line"):
        words.append(f"line {event['line']}")
    if "at_s" in event:
        words.append(f"{event['at_s']:.2f} s after the start")
    return ", ".join(words)
