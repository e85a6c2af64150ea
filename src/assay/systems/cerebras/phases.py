"""The phases of a Cerebras log: queue, compile, program, load, input, train, eval, checkpoint, teardown.

    2024-03-30 15:12:41,103 INFO:   Compiling the model. This may take a few minutes.
    2024-03-30 15:14:02,777 INFO:   Poll ingress status: Waiting for job service readiness … Queueing
    2024-03-30 15:16:16,590 INFO:   Beginning appliance run

While its input workers fill their pipeline the wafer waits, for 62 of 78 minutes in one published log:

    2025-10-13 20:59:43,763 INFO:   Waiting for input workers to prime the data pipeline and begin streaming ...
    2025-10-13 21:43:07,489 INFO:   Input workers have begun streaming input data

`cszoo fit` may train and evaluate in one log: a second compile after the last checkpoint is the evaluation's.

A model that is only lowered (`validate_only`) is said to be compiled, too, and that is all there is of such a run:

    2026-11-15 15:12:42,009 INFO:   Compiling the model. This may take a few minutes.
    2026-11-15 15:12:42,010 INFO:   Compile validated locally
    2026-11-15 15:12:42,010 INFO:   Compile was successful!
"""

from __future__ import annotations

import re
from collections.abc import Callable

from assay.core.dates import moment
from assay.lines import Line
from assay.model.event import Event
from assay.reading.reader import NEW, Answer, Reader

#: what may begin a phase or end one; the words alone decide which
PHASE = re.compile(
    r"Compiling the model|Initiating a new (?:compile|execute) wsjob|Poll ingress|Ingress is ready"
    r"|Compile validated locally"
    r"|Compile was successful|Found existing cached compile|Programming Cerebras|About to send initial weights"
    r"|Finished sending initial weights|Device programming is complete|Appliance staging is complete"
    r"|Finished staging the appliance|Beginning appliance run|Heartbeat thread stopped"
    r"|Waiting for input workers|Input workers have begun"
)
CHECKPOINT = re.compile(r"Saving checkpoint at (?:global )?step|Saved checkpoint")
_TOOK = re.compile(r"Saved checkpoint for .{0,80}? in (?P<seconds>\d[\d.]*) seconds")
#: stages of a real compile: where none is printed, an earlier compile was used again
STAGE = re.compile(
    r"transforms\.\.\.|Optimizing layouts|Exploring floorplans|Compiling (?:kernels|image|final)|Code gen"
    r"|Allocating buff"
)


class Phased(Reader):
    """A run by its phases alone. A reader of its figures says when it is `over`, and whether it has `stepped`."""

    def __init__(self) -> None:
        super().__init__()
        self._loaded: tuple[int, float] | None = None  # the last word before training, where none says that it begins
        self._open: list[str] = []  # phases that have begun and not ended
        self._suspended: str | None = None  # the phase that waits while the job is queued
        self._last_queued: tuple[int, float] | None = None
        self._last_train: tuple[int, float | None] | None = None
        self._tail_from: tuple[int, float] | None = None  # where teardown would begin
        self._began: tuple[int, float] | None = None  # where the appliance began, until it is known with what
        self._last_eval: tuple[int, float] | None = None
        self._programmed = False  # whether programming goes on when the input is there
        self._saved_last = False  # whether a checkpoint came after the last step
        self._stages = 0
        self._compiled = False
        self._compiled_from = 0  # the line where the compile began, if the log goes back that far
        self._cached = False
        self._validated = False  # lowered, not compiled: nothing was there to be used again
        self._end_first = False  # in a pasted excerpt the end line may stand before its steps

    @property
    def over(self) -> bool:
        return (self.ended or self.failed) and not (self._end_first and not self.failed)

    @property
    def stepped(self) -> bool:
        return False

    def phase_line(self, line: Line, found: re.Match[str]) -> Answer:
        text, t = line.text, moment(line.text)
        if self.over and "Heartbeat" not in text:
            return NEW
        handle = next((handle for word, handle in self._words if word in text), None)
        if handle is Phased._compile_begins and self.stepped and not self._saved_last:
            return NEW
        return [] if t is None or handle is None else handle(self, line, t)

    def _compile_begins(self, line: Line, t: float) -> list[Event]:
        self.strong = True
        self._compiled_from = self._compiled_from or line.number
        return self._begin(line, t, "compile")

    def _poll(self, line: Line, t: float) -> list[Event]:
        """While a job waits its turn nothing is compiled or programmed: that phase stops, and goes on afterwards."""
        queued = "Queueing" in line.text
        if queued:
            self._last_queued = (line.number, t)
        if queued and "queue" not in self._open:
            self.strong = True
            self._suspended = next((name for name in ("compile", "program") if name in self._open), None)
            closed = self._close(line, t, self._suspended) if self._suspended else []
            return [*closed, *self._begin(line, t, "queue")]
        if not queued and "queue" in self._open:
            resumed = self._begin(line, t, self._suspended) if self._suspended else []
            self._suspended = None
            return [*self._close(line, t, "queue"), *resumed]
        return []

    def _found_cached(self, line: Line, t: float) -> list[Event]:
        self._cached = self.strong = True
        return [self.fact("result", line, t, compile_cached=True)]

    def _lowered(self, line: Line, t: float) -> list[Event]:
        self._validated = True
        return []

    def _compile_ends(self, line: Line, t: float) -> list[Event]:
        self._compiled = not self._validated
        self.ended = self.ended or self._validated
        return self._close(line, t, "compile")

    def _program_begins(self, line: Line, t: float) -> list[Event]:
        return self._begin(line, t, "program")

    def _program_ends(self, line: Line, t: float) -> list[Event]:
        return self._close(line, t, "program")

    def _load_begins(self, line: Line, t: float) -> list[Event]:
        return self._begin(line, t, "load")

    def _load_ends(self, line: Line, t: float) -> list[Event]:
        self._loaded = (line.number, t)
        return self._close(line, t, "load")

    def _train_begins(self, line: Line, t: float) -> list[Event]:
        self.strong = True
        self._loaded = None
        closed = [*self._close(line, t, "input"), *self._close(line, t, "program")]
        if self.stepped:  # what follows a training in the same log looks at what it came to
            return [*closed, *self._begin(line, t, "eval")]
        self._began = (line.number, t)
        return closed

    def _input_begins(self, line: Line, t: float) -> list[Event]:
        """Nothing is programmed during this time."""
        self._programmed = "program" in self._open
        return [*self._close(line, t, "program"), *self._begin(line, t, "input")]

    def _input_ends(self, line: Line, t: float) -> list[Event]:
        resumed = self._begin(line, t, "program") if self._programmed and "input" in self._open else []
        return [*self._close(line, t, "input"), *resumed]

    def _name_begun(self, name: str) -> list[Event]:
        """Training or evaluation: only its first line tells which of them has begun."""
        if self._began is None:
            return []
        number, t = self._began
        self._began = None
        self._open.append(name)
        return [self.fact("phase", number, t, name=name, edge="begin")]

    def _eval_goes_on(self, line: Line, t: float | None) -> list[Event]:
        if t is None:
            return []
        self._last_eval = self._tail_from = (line.number, t)
        saved = self._close(line, t, "checkpoint")  # of which no other line says that it is done
        return [*saved, *(self._name_begun("eval") or self._begin(line, t, "eval"))]

    def _eval_ends(self, line: Line) -> list[Event]:
        t = moment(line.text)
        if t is None or "eval" not in self._open:
            return []
        self._tail_from = (line.number, t)
        return self._close(line, t, "eval")

    #: a word of a line that `PHASE` fits, and what it means; the first that is there counts
    _words: tuple[tuple[str, Callable[[Phased, Line, float], list[Event]]], ...] = (
        ("Compiling the model", _compile_begins),
        ("new compile wsjob", _compile_begins),
        ("Poll ingress", _poll),
        ("Ingress is ready", _poll),
        ("Found existing cached compile", _found_cached),
        ("Compile validated locally", _lowered),
        ("Compile was successful", _compile_ends),
        ("Programming Cerebras", _program_begins),
        ("About to send initial weights", _load_begins),
        ("initial weights", _load_ends),
        ("staging", _program_ends),
        ("Waiting for input workers", _input_begins),
        ("Input workers have begun", _input_ends),
        ("Beginning appliance run", _train_begins),
    )

    def checkpoint(self, line: Line, found: re.Match[str]) -> Answer:
        t, begin = moment(line.text), "Saving" in line.text
        took = _TOOK.search(line.text) if not begin and t is None and "checkpoint" not in self._open else None
        if took:
            return [self.fact("phase", line, name="checkpoint", seconds=float(took["seconds"]))]
        if begin and self.ended and not self._end_first:
            return NEW
        if t is not None and not begin:
            self._tail_from = (line.number, t)
        self._saved_last = True
        if begin == ("checkpoint" in self._open):  # a second begin, or an end without one
            return []
        (self._open.append if begin else self._open.remove)("checkpoint")
        return [self._mark(line, t, "checkpoint", begin)]

    def stage(self, line: Line, found: re.Match[str]) -> Answer:
        if moment(line.text) is None:
            return None
        if self.over:
            return NEW
        self._stages += 1
        return []

    def _close_down(self, line: Line) -> list[Event]:
        """The tail of a run: from the last training line or checkpoint to the word that it is done."""
        t = moment(line.text)
        if t is None or self._tail_from is None or t <= self._tail_from[1] or "teardown" in self._open:
            return []
        number, begin_t = self._tail_from
        self._tail_from = None
        begin = self.fact("phase", number, begin_t, name="teardown", edge="begin")
        return [begin, self.fact("phase", line, t, name="teardown", edge="end")]

    def _begin(self, line: Line, t: float, name: str) -> list[Event]:
        if name in self._open:
            return []
        self._open.append(name)
        return [self._mark(line, t, name, True)]

    def _close(self, line: Line, t: float, name: str) -> list[Event]:
        if name not in self._open:
            return []
        self._open.remove(name)
        return [self._mark(line, t, name, False)]

    def _mark(self, line: Line, t: float | None, name: str, begin: bool) -> Event:
        return self.fact("phase", line, t, name=name, edge="begin" if begin else "end")

    def _last_phases(self) -> list[Event]:
        """Phases that end where they were last heard of."""
        events = self._name_begun("train")
        if self._loaded is not None and self._last_train is not None and self._last_train[1] is not None:
            begin, begin_t = self._loaded
            events.append(self.fact("phase", begin, begin_t, name="train", edge="begin"))
            self._open.append("train")
        if "train" in self._open and self._last_train is not None and self._last_train[1] is not None:
            number, t = self._last_train
            events.append(self.fact("phase", number, t, name="train", edge="end"))
        if "eval" in self._open and self._last_eval is not None:
            number, t = self._last_eval
            events.append(self.fact("phase", number, t, name="eval", edge="end"))
        if "queue" in self._open and self._last_queued is not None:  # it was given up there
            number, t = self._last_queued
            events.append(self.fact("phase", number, t, name="queue", edge="end"))
        return events
