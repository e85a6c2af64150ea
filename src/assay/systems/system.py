"""What a system is: all that one vendor's hardware, or one tool, brings with it, as one value.

Nothing outside of this folder tests a system's name. What is special about one stands here as data that the reader of
logs, the import of pages, the comparison, the audit and the doctor ask for. Patterns are text until they are needed, so
that the table of all systems costs next to nothing to load: a recorder does so before it starts its command.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assay.model.event import Event
from assay.model.known import KnownFailure, KnownSpread

if TYPE_CHECKING:
    from assay.reading.reader import Reader
    from assay.systems.target import Target


@dataclass(frozen=True, kw_only=True)
class Cut:
    """A record that pasting cuts at the width of a terminal, and how it is seen that it goes on in the next line."""

    begins: bytes  # a regular expression: what such a record holds
    whole: bytes  # one that it fits when nothing of it is missing
    rest: bytes = b""  # one that the line after it fits, where that is its rest; empty: any that bears no date
    full: bool = False  # only where the line is as wide as the widest around it


@dataclass(frozen=True, kw_only=True)
class OwnFile:
    """A file that is no log, and is known by its name: what its content says, as events of one run.

    People rename files: one of another name that ends in one of `endings` is read as well where it holds `mark`.
    """

    names: tuple[str, ...]
    endings: tuple[str, ...] = ()
    mark: bytes = b""
    read: Callable[[bytes, str], list[Event]]  # content and name; nothing where it is some other program's
    device: str | None = None  # what the run is of


@dataclass(frozen=True, kw_only=True)
class Mislabelled:
    """A figure whose name in the log is not what it counts."""

    label: str  # as the log has it: `training_sequences_per_second`
    counts: str  # what it counts: `tokens`
    figure: str  # the figure of a summary that it is kept as
    beside: tuple[str, ...]  # figures of the same run that are what the label says, the best first
    called: str  # what those count: `samples per second`


@dataclass(frozen=True, kw_only=True)
class Traps:
    """What people take for something else in its logs; the audit looks for each."""

    setting: str = ""  # how a setting reaches the program, where changing it elsewhere has no effect: a remedy
    duration_is_compile: bool = False  # the duration that its launcher prints is the compile alone
    train_covers_compile: bool = False  # the seconds of training that it prints begin with the compile
    pairs_are_figures: bool = False  # `Name=value` in its lines is a figure: on a page, such a line claims no setting
    mislabelled: tuple[Mislabelled, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Course:
    """What holds for the exercises of one course alone, and not for the system: its readers work settings out by it."""

    about: str  # which exercise, and which of its constants are relied on
    ten_classes: str = ""  # the words of a result that is an accuracy in ten classes


@dataclass(frozen=True, kw_only=True)
class System:
    """One kind of hardware, or one tool, whose logs are known."""

    name: str  # as in `system` of a summary, and in `--target` and `--reader`
    #: a regular expression for the words that name it in prose, in the name of a file, in a command; in any case
    words: str = ""
    #: gives the class of its reader; called when there is a log to be read
    reader: Callable[[], type[Reader]] | None = None
    #: gives the hardware: how it is seen that it is here, and how a workload starts on it
    target: Callable[[], Target] | None = None
    #: what goes wrong with it alone, the more particular first
    failures: tuple[KnownFailure, ...] = ()
    #: codes of failures that anyone may meet, and that it is known for
    known_for: tuple[str, ...] = ()
    #: how far identical runs lie apart, for those who ran a thing once; each with its source
    spreads: tuple[KnownSpread, ...] = ()
    traps: Traps = field(default_factory=Traps)
    course: Course | None = None
    cuts: tuple[Cut, ...] = ()
    files: tuple[OwnFile, ...] = ()
    #: beginnings of variables that change how it behaves; a run keeps them
    environment: tuple[str, ...] = ()
    #: beginnings of packages whose version a run keeps, in lower case
    packages: tuple[str, ...] = ()
    #: programs of its own that start a run: on a page, a command that begins with one begins another run
    launches: tuple[str, ...] = ()
    #: programs of its own that are installed beside the Python that they start
    programs: tuple[str, ...] = ()
