"""Lines to runs: which reader a line is for, and where one run ends and the next begins."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from assay.lines import Line
from assay.model.event import Error, Event
from assay.reading.failures import Failures, Slurm, Trouble, starts_job
from assay.reading.reader import NEW, Answer, Asking, Reader, read
from assay.reading.script import Script
from assay.reading.shapes import Places, Recipe


@dataclass(frozen=True, kw_only=True)
class Kit:
    """Readers by name, in the order in which they are asked, and the known failures of all systems."""

    readers: Mapping[str, type[Reader]]
    failures: Failures = field(default_factory=Failures)


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
    whole: bool = False  # all that a recorded command prints: a report in it is a part of what it printed

    @classmethod
    def knowing(cls, failures: Failures, *, whole: bool = False) -> Draft:
        """A new one, whose neutral readers know these failures."""
        return cls(slurm=Slurm(failures), trouble=Trouble(failures), whole=whole)

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
        reader = self.reader
        return reader is not None and reader.strong and reader.sure and not (self.whole and reader.reports)

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


def last_words(reader: Reader, ask: Asking) -> list[Event]:
    return [] if reader.name in ask.aside else ask(reader, 0, reader.finish) or []


def close(draft: Draft, ask: Asking) -> None:
    """The words of any script count where no reader of one system is sure; a snapshot of a GPU only where it is all."""
    if draft.reader is not None:
        draft.events += last_words(draft.reader, ask)
    if draft.reader is None or not draft.reader.strong or (draft.whole and draft.reader.reports):
        if (
            draft.reader is not None and draft.generic.strong and not draft.reader.strong
        ):  # a word that fitted by chance
            draft.events = [event for event in draft.events if event.source != f"reader:{draft.reader.name}"]
        if draft.account is None or draft.generic.strong:
            draft.events += draft.generic_events + last_words(draft.generic, ask)
    if draft.account is not None:
        draft.events += last_words(draft.account, ask)
        if getattr(draft.account, "snapshot", False) and (draft.generic.strong or draft.settled):
            draft.events = [event for event in draft.events if event.source != "probe:nvidia-smi"]


Names = frozenset[str] | None
#: errors kept in total for all runs of a stream, to limit memory
_ERRORS_KEPT = 10_000


class Splitter:
    """Takes lines in order; hands over each run, with all its events, when it is complete."""

    def __init__(
        self,
        done: Callable[[Draft], None],
        kit: Kit,
        *,
        only: str | None = None,
        whole: bool = False,
        likely: Collection[str] = (),
    ) -> None:
        """`only` names the one reader to use; `whole` keeps everything in one run, as when a command is recorded.

        `likely` are systems that the text around the lines names: a word that is anyone's is theirs there.
        """
        self._done = done
        self._failures = kit.failures
        self._whole = whole
        self._likely = {*likely, only}
        self._kinds = {name: kind for name, kind in kit.readers.items() if name != "generic" and only in (None, name)}
        self._use_generic = only in (None, "generic")
        self._scouts = {name: self._scout(name) for name in self._kinds}
        self.ask = Asking()  # no reader is asked but through it
        self.draft = Draft.knowing(self._failures, whole=self._whole)
        self._at_fence = False  # the last log ended with its fence, and what comes next may be why
        self._typed = ""  # the last command, whatever it does
        self._closed = 0  # runs since the last boundary or report
        self._eaten = False  # whether it was part of a report that is not used here
        self._said = False  # whether the last line gave an event of a run that is known
        self._errors = 0
        self.recipe: Recipe | None = None  # how to read the like of the last line, if the generic reader took it

    def feed(self, line: Line, *, log: bool = True, names: Names = None) -> bool:
        """One line; whether anyone took it.

        `log` is False for a line of prose, which only a reader that knows it for sure may take. `names` are the readers
        whose anchors the line holds; None asks them all.
        """
        self.recipe, self._eaten = None, False
        if not log:
            self._pause()
        elif self._at_fence:
            self._at_fence = False
            if not (self.draft.error is None and Trouble.begins(line.text)):
                self.next_run()
        known = self._specific(line, log, names)
        if self.ask.faults:
            self.set_aside()
        if known and self._said:
            return True
        # a line that its system's reader does not need may still explain a failure
        told = self._neutral(line, names)
        if log and not told and not (known and (self.draft.settled or self._eaten)):
            told = self._generic(line, names)
        if self.ask.faults:
            self.set_aside()
        return known or told

    def _pause(self) -> None:
        generic = self.draft.generic
        if generic.wants_all:
            self.draft.generic_events += self.ask(generic, 0, generic.pause) or []

    def _scout(self, name: str) -> Reader:
        scout = self._kinds[name]()
        scout.sure = scout.sure or scout.system in self._likely
        return scout

    def feed_placed(self, places: Places, raw: bytes, line: Line) -> bool:
        """A line of a shape that only the generic reader took; False where that may be different now."""
        if self.draft.reader is not None or not self._use_generic:
            return False
        generic = self.draft.generic
        event = self.ask(generic, line.number, generic.read_placed, places, raw, line)
        if event is None:
            if self.ask.faults:
                self.set_aside()
            return False
        self.draft.touch(line.number)
        self.draft.generic_events.append(event)
        return True

    @property
    def wants_all(self) -> bool:
        """In the middle of a table or a traceback every line counts, whatever is in it."""
        return self.draft.wants_all

    @property
    def reporting(self) -> bool:
        """In the middle of a report on a job or of a benchmark's results: `Nodes: 1` is a line of it."""
        return self.draft.account is not None or (self.draft.reader is not None and self.draft.reader.reports)

    def boundary(
        self, *, command: str | None = None, number: int = 0, fence: bool = False, typed: str | None = None
    ) -> None:
        """A prompt with a command, a heading, a fence: the current run ends here, and a new command may begin.

        The failure of a script may be in a separate fence below its log. `typed` is what was typed, be it something
        that runs or not.
        """
        self._typed = typed if typed is not None else self._typed
        self._pause()
        generic = self.draft.generic
        self._at_fence = fence and not self.draft.over and self.draft.scripted and not generic.is_done
        if self._at_fence:
            return
        if self.draft.ends_at(command):
            self.next_run()
        self._closed = 0
        if not self.draft.first_line:
            self.draft.weak_line = 0
        if command is not None:
            self.draft.command = command
            self.draft.touch(number, weak=True)

    def next_run(self) -> None:
        if self._whole:
            for reader in (self.draft.reader, self.draft.account):
                self.draft.events += last_words(reader, self.ask) if reader is not None else []
            self.draft.reader = self.draft.account = None
            return
        self._close()
        self._closed = 0 if self.draft.account is not None else self._closed + 1
        self.draft = Draft.knowing(self._failures, whole=self._whole)

    def finish(self) -> None:
        self._close()
        self.draft = Draft.knowing(self._failures, whole=self._whole)

    def _close(self) -> None:
        draft = self.draft
        if (cut_off := self.ask(draft.trouble, draft.last_line, draft.trouble.cut_off)) is not None:
            self._trouble(Line(cut_off.line or 0, ""), [cut_off])
        close(draft, self.ask)
        draft.events += self.ask.take_faults()
        if draft.begun or self._whole:
            self._done(draft)

    def _specific(self, line: Line, log: bool, names: Names) -> bool:
        draft = self.draft
        if draft.account is not None and (names is None or draft.account.name in names):
            answer = self.ask(draft.account, line.number, read, draft.account, line)
            if answer is NEW:
                return self._goes_on(draft.account, line, log, names)
            if isinstance(answer, list):
                return self._reported(line, answer)
        if draft.reader is not None and (names is None or draft.reader.name in names):
            answer = self.ask(draft.reader, line.number, read, draft.reader, line)
            if answer is NEW and draft.generic.strong and not draft.reader.sure:
                draft.dethrone()
                return False
            if answer is NEW:
                return self._goes_on(draft.reader, line, log, names)
            if answer is not None and (answer or log):
                return self._take(line, answer)
        return self._scouted(line, log, names)

    def _scouted(self, line: Line, log: bool, names: Names) -> bool:
        """Whether a reader that has had no line of this run knows this one."""
        draft = self.draft
        for name, scout in self._scouts.items():
            if (names is not None and name not in names) or (draft.reader is not None and draft.reader.name == name):
                continue
            if name in self.ask.aside or (draft.account is not None and draft.account.name == name):
                continue
            answer = self.ask(scout, line.number, read, scout, line)
            if answer is None or not (answer or log or scout.strong or scout.wants_all):
                continue  # not its line, or a sentence that merely names the system
            self._scouts[name] = self._scout(name)
            if draft.generic.strong and not scout.sure and not draft.over:
                continue  # a common word, in the log of a script
            return self._adopt(line, scout, answer)
        return False

    def _goes_on(self, reader: Reader, line: Line, log: bool, names: Names) -> bool:
        """Another run begins with a line: what the reader knows of both goes with it."""
        heir = reader.heir()
        self.next_run()
        answer = self.ask(heir, line.number, read, heir, line) if heir is not None else None
        if heir is not None and isinstance(answer, list):
            return self._adopt(line, heir, answer)
        return self._specific(line, log, names)

    def set_aside(self) -> None:
        """Readers that failed are switched off; their earlier events stay, and the failure is recorded."""
        draft, aside = self.draft, self.ask.aside
        draft.drop(aside, self._failures)
        self._use_generic = self._use_generic and draft.generic.name not in aside
        draft.events += self.ask.take_faults()

    def _adopt(self, line: Line, scout: Reader, answer: Answer) -> bool:
        """A line of another system: a new run, unless what there is has no system yet."""
        draft = self.draft
        if scout.of_job:
            return self._account(line, scout, answer)
        if draft.reader is not None and draft.reader.strong and not scout.strong:
            return False
        # a frame of a traceback may be the first to name the system of what has just failed
        names_it = draft.reader is None and draft.error is not None and not scout.strong and answer == []
        if not names_it and (draft.over or (draft.reader is not None and draft.reader.strong)):
            self.next_run()
        self.draft.reader = scout
        scout.failed = scout.failed or names_it
        return self._take(line, answer)

    def _account(self, line: Line, scout: Reader, answer: Answer) -> bool:
        """A report on a job belongs to the run before it, or to none if several runs came before it."""
        if self.draft.account is not None or (self.draft.begun and self._closed):
            self.next_run()
        self.draft.account = scout
        return self._reported(line, answer)

    def _reported(self, line: Line, answer: Answer) -> bool:
        """A line of a report is not passed to other readers."""
        self._take(line, answer)
        self._said = True
        return True

    def _take(self, line: Line, answer: Answer) -> bool:
        if isinstance(answer, list):
            reader = self.draft.reader
            self._eaten = not answer and reader is not None and reader.reports
            self._said = bool(answer) and self.draft.settled
            self.draft.events += answer
            self.draft.touch(line.number, weak=not answer and not (self.draft.reader and self.draft.reader.strong))
        return True

    def _neutral(self, line: Line, names: Names) -> bool:
        ask, aside, number = self.ask, self.ask.aside, line.number
        if (names is None or "slurm" in names) and "slurm" not in aside:
            answer = ask(self.draft.slurm, number, self.draft.slurm.read, line)
            started = starts_job(answer) and self.draft.begun and not self.draft.slurm.waiting
            if answer is NEW or started:
                self.next_run()
                answer = ask(self.draft.slurm, number, self.draft.slurm.read, line)
            if isinstance(answer, list):
                return self._trouble(line, answer)
        if (names is None or "trouble" in names or self.wants_all) and "trouble" not in aside:
            answer = ask(self.draft.trouble, number, self.draft.trouble.read, line)
            if isinstance(answer, list):
                return not (Trouble.is_key(line.text) and self.draft.only_looked_at(self._typed)) and self._trouble(
                    line, answer
                )
        return False

    def _trouble(self, line: Line, events: list[Event]) -> bool:
        draft = self.draft
        for event in events:
            if isinstance(event, Error) and draft.error is None:
                draft.fail(event)
        self._errors += sum(isinstance(event, Error) for event in events)
        self._take(line, events if self._errors <= _ERRORS_KEPT else [])
        return True

    def _generic(self, line: Line, names: Names) -> bool:
        if not self._use_generic or not (names is None or "generic" in names):
            return False
        generic, number = self.draft.generic, line.number
        reported = self.draft.account is not None and self.draft.account.ended
        may_begin = not self._whole and not self.draft.settled
        if may_begin and (reported or self.ask(generic, number, generic.begins_anew, line.text)):
            self.next_run()
        self.draft.generic.dialects = None if names is None else frozenset(one[1:] for one in names if one[0] == "~")
        answer = self.ask(generic, number, self.draft.generic.read, line)
        if not isinstance(answer, list):
            return False
        draft = self.draft
        if not draft.settled:  # otherwise its facts about the run are not needed
            draft.touch(line.number)
            draft.generic_events += answer
            if draft.reader is not None and draft.reader.strong and draft.generic.strong:
                draft.dethrone()
        self.recipe = self.draft.generic.recipe
        return True
