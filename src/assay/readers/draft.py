"""A run while it is read: what was found so far, and which readers continue."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field

from assay.model.event import Error, Event
from assay.readers.base import Reader
from assay.readers.failures import Failures
from assay.reading.script import Script
from assay.readers.slurm import Slurm
from assay.readers.trouble import Trouble

#: what shows a log that another program writes
_LOOKS = re.compile(r"(?:tail|less|watch|cat|more|journalctl|kubectl logs|docker logs)\b")


@dataclass
class Draft:
    """A run in the making: what was read of it so far, and the readers that wait for more."""

    slurm: Slurm
    trouble: Trouble
    reader: Reader | None = None
    account: Reader | None = None  # of the job: what a scheduler or a tool beside the program reports
    generic: Script = field(default_factory=Script)
    events: list[Event] = field(default_factory=list)
    generic_events: list[Event] = field(default_factory=list)
    first_line: int = 0
    last_line: int = 0
    weak_line: int = 0  # the first line since the last boundary that may turn out to belong here
    command: str | None = None
    error: Error | None = None

    @classmethod
    def knowing(cls, failures: Failures) -> Draft:
        """A new one, whose neutral readers know these failures."""
        return cls(slurm=Slurm(failures), trouble=Trouble(failures))

    @property
    def over(self) -> bool:
        """Its last word was read, good or bad."""
        return (
            self.error is not None
            or (self.reader is not None and self.reader.ended and self.reader.strong)
            or (self.account is not None and self.account.ended)
        )

    @property
    def begun(self) -> bool:
        """Something of it is worth keeping."""
        return (
            self.over
            or (self.reader is not None and self.reader.strong)
            or (self.account is not None and self.account.strong)
            or self.slurm.waiting
            or self.scripted
        )

    @property
    def scripted(self) -> bool:
        """Whether this is the log of a script: several lines with figures, or one with its command or other facts."""
        return self.generic.strong or (
            self.generic.measured > 0 and (self.command is not None or self.generic.says_more)
        )

    def ends_at(self, command: str | None) -> bool:
        """Whether it is complete where a heading or a fence stands, or where this command was typed."""
        reported = self.account is not None and self.account.strong
        return self.over or reported or (self.begun if command is not None else self.scripted)

    @property
    def system(self) -> str:
        reader = self.reader
        if reader is not None and ((reader.sure and (reader.strong or self.error is not None)) or reader.proven):
            return reader.system
        return ""

    @property
    def settled(self) -> bool:
        """Whether its reader is certain."""
        return self.reader is not None and self.reader.strong and self.reader.sure

    def dethrone(self) -> None:
        """Drop a system whose reader only saw words that any program prints, with what it reported."""
        assert self.reader is not None
        self.events = [event for event in self.events if event.source != f"reader:{self.reader.name}"]
        self.reader = None

    @property
    def wants_all(self) -> bool:
        """In the middle of a table or a traceback every line counts, whatever is in it."""
        in_table = any(reader is not None and reader.wants_all for reader in (self.reader, self.account))
        return bool(self.trouble.inside or self.trouble.framed or in_table or self.generic.wants_all)

    def only_looked_at(self, typed: str) -> bool:
        """Whether the key that stops a program stopped none that ran: it was over, or only followed with `tail -f`."""
        return _LOOKS.match(typed) is not None or self.over or self.generic.is_done or not self.begun

    def fail(self, error: Error) -> None:
        self.error = error
        self.generic.failed = True
        if self.reader is not None and not self.reader.ended:
            self.reader.failed = True

    def drop(self, names: Collection[str], failures: Failures) -> None:
        """Stop using these readers; what they reported before stays."""
        if self.reader is not None and self.reader.name in names:
            self.reader = None
        if self.account is not None and self.account.name in names:
            self.account = None
        if self.trouble.name in names:
            self.trouble = Trouble(failures)  # it may have been in the middle of something
        if self.generic.name in names:
            self.generic.drop_open()

    def touch(self, number: int, *, weak: bool = False) -> None:
        """Extend the run to this line; a weak line alone does not begin one, but belongs to it later."""
        self.weak_line = self.weak_line or number
        if self.first_line or not weak:
            self.first_line = self.first_line or self.weak_line
            self.last_line = max(self.last_line, number)
