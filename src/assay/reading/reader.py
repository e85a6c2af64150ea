"""What a reader is, and the one place where one is asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Final, ParamSpec, TypeVar

from assay.lines import Line
from assay.model.event import VERSION, Event, How, told

# What a reader is: a small state machine that turns lines of one run's log into events.
#
# A reader sees the lines of one run. When a line shows that another run has begun, it answers NEW, and a fresh reader
# gets that line again. It opens no files, asks no clock and imports no vendor's package.


class _New:
    def __repr__(self) -> str:
        return "NEW"


#: the line belongs to another run, which begins here
NEW: Final = _New()
Answer = list[Event] | _New | None  # None: not a line of mine
Table = Sequence[tuple[re.Pattern[str], Callable[..., Answer]]]
_NOTHING: Mapping[str, object] = {}


class Reader:
    """Base of all readers. `ended` says that the run's last word was read; `strong` that there is a run at all.

    `sure` says that a word was read that only this system prints: `Training completed successfully` is anyone's. And
    `proven` that its own runtime spoke, though what it runs prints in a form that is anyone's.
    """

    name = ""
    system = ""
    #: what a line of interest must contain, in lower case; other lines are skipped
    anchors: tuple[str, ...] = ()

    #: what is looked for in a line, in this order, and who answers
    table: ClassVar[Table] = ()

    #: a whole line that occurs by the million, with its end; None if there is no such line
    hot: re.Pattern[bytes] | None = None

    #: a word that no other system prints; None if none of its words are shared
    own: re.Pattern[str] | None = None

    #: whether it reads what a scheduler or a tool beside it reports of a job: that joins the run it stands with
    of_job = False

    #: whether a typed command decides how the lines below it are read
    hears_commands = False

    #: whether it reads reports, whose lines may look like a person's text about a run
    reports = False

    #: this system's device, if one log covers several devices: each of them becomes a run
    own_device = ""

    def __init__(self) -> None:
        self.failed = False  # what ended the run before its time was read elsewhere
        self.sure = self.own is None
        self.strong = False
        self.ended = False
        self.proven = False
        self.in_table = False  # every line counts, whatever is in it

    def read_hot(self, found: re.Match[bytes], number: int) -> Event | None:
        """The one event of a line that `hot` matches, quickly; None to have it read the long way."""
        return None

    def read(self, line: Line) -> Answer:
        """The events of a line; an empty list if the line is ours but adds nothing."""
        return self.look_up(line, line.text)

    def look_up(self, line: Line, text: str) -> Answer:
        """The answer of the handler of the first pattern that is found in the text."""
        for pattern, handle in self.table:
            found = pattern.search(text)
            if found:
                return handle(self, line, found)
        return self.otherwise(line, text)

    def otherwise(self, line: Line, text: str) -> Answer:
        """The answer to a line that no pattern of the table fits."""
        return None

    @property
    def wants_all(self) -> bool:
        """In the middle of a table every line counts, whatever is in it."""
        return self.in_table

    def devices(self) -> list[str]:
        """The devices that its figures belong to, if there are several."""
        return []

    def heir(self) -> Reader | None:
        """The reader of the next run if the same table or block continues; None for a new one."""
        return None

    def finish(self) -> list[Event]:
        """What follows from all lines together: settings worked out, the outcome."""
        return []

    def fact(
        self,
        kind: str,
        line: Line | int,
        t: float | None = None,
        found: Mapping[str, object] = _NOTHING,
        /,
        **named: object,
    ) -> Event:
        """`found` are facts under names that the log gave; `named` those under names of ours."""
        held: dict[str, object] = {"v": VERSION, "source": f"reader:{self.name}"}
        if isinstance(line, int):
            held["line"] = line
        else:
            held["line"] = line.number
            if t is None:
                t = line.t
            elif line.t is not None:
                held["came_t"] = line.t  # beside the date it carries itself
        if t is not None:
            held["t"] = t
        return told(kind, held, {**found, **named} if named else found)


def fraction(percent: float | None) -> float | None:
    """98.05 is 0.9805, and not a hair less."""
    return None if percent is None else round(percent / 100, 12)


_GROUPED = re.compile(r"[-+]?[1-9]\d{0,2}(?:,\d{3})+(?!\d)")


def figure(text: str) -> float | None:
    """`1,024`, `7.07812`, `1.00e-03`, `nan`: a number, or None. A comma that parts no thousands is a decimal one."""
    if "," in text:
        text = text.rstrip(",")
        text = text.replace(",", "") if _GROUPED.match(text) else text.replace(",", ".")
    try:
        return float(text)
    except ValueError:
        return None


# The one place where a reader is asked, and where its mistakes end.
#
# Whatever a program prints, a reader that fails on it costs the run no more than what that reader would have said: the
# fault is kept with its traceback, the reader is set aside, and the others go on. A line that takes far too long is given
# up (`TooLong`, raised by the timer into the match); the reader continues with the next.

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
