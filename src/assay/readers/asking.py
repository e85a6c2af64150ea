"""The one place where a reader is asked, and where its mistakes end.

Whatever a program prints, a reader that fails on it costs the run no more than what that reader would have said: the
fault is kept with its traceback, the reader is set aside, and the others go on. A line that takes far too long is given
up (`TooLong`, raised by the timer into the match); the reader continues with the next.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from assay.lines import Line
from assay.model.event import Event, How
from assay.readers.base import Answer, Reader

P = ParamSpec("P")
T = TypeVar("T")
#: so many lines given up, and the reader itself is
_MOST_GIVEN_UP = 64
#: of a traceback; its end says what happened
_KEPT_CHARACTERS = 4000


class TooLong(BaseException):
    """A line has taken too long. It is not an `Exception`, so that no reader catches it by accident."""


class Asking:
    """`reader` is the one that is being asked, `count` how many were; `aside` names those that were switched off."""

    def __init__(self) -> None:
        self.reader: Reader | None = None
        self.count = 0
        self.aside: set[str] = set()
        self.faults: list[Event] = []  # since they were last taken
        self.lines_given_up = 0
        self._given_up: dict[str, int] = {}

    def __call__(
        self, reader: Reader, number: int, question: Callable[P, T], *args: P.args, **named: P.kwargs
    ) -> T | None:
        """What `question` answers; None where the reader failed on line `number`."""
        try:
            self.count += 1
            self.reader = reader
            answer = question(*args, **named)
            self.reader = None
            return answer
        except (Exception, TooLong) as problem:
            self.reader = None
            self._note(reader, number, problem)
            return None

    def take_faults(self) -> list[Event]:
        faults, self.faults = self.faults, []
        return faults

    def _note(self, reader: Reader, number: int, problem: BaseException) -> None:
        name = reader.name
        where = f"line {number}" if number else "the end of the output"
        if isinstance(problem, TooLong):
            self.lines_given_up += 1
            self._given_up[name] = self._given_up.get(name, 0) + 1
            if 1 < self._given_up[name] < _MOST_GIVEN_UP:
                return  # said once
            said = f"{where} takes too long to read, so the `{name}` reader gave it up and went on"
            if self._given_up[name] >= _MOST_GIVEN_UP:
                said = f"the `{name}` reader gave up {_MOST_GIVEN_UP} lines and read nothing after {where}"
                self.aside.add(name)
        else:
            said = f"the `{name}` reader failed on {where} ({_short(problem)}); it read nothing after that"
            self.aside.add(name)
        self.faults.append(_event(name, number, said, problem))


def _event(name: str, number: int, said: str, problem: BaseException) -> Event:
    import traceback

    trace = "".join(traceback.format_exception(problem))[-_KEPT_CHARACTERS:]
    return How(source="launcher", line=number or None, reader=name, problem=said, traceback=trace)


def _short(problem: BaseException) -> str:
    return f"{type(problem).__name__}: {problem}"[:200]


def read(reader: Reader, line: Line) -> Answer:
    """The reader's answer; a word that only its system prints makes it sure."""
    answer = reader.read(line)
    if not reader.sure and answer is not None and reader.own is not None and reader.own.search(line.text):
        reader.sure = True
    return answer
