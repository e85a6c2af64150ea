"""Why a run failed: Python tracebacks, whole or in part, and the messages of programs that give up.

    Traceback (most recent call last):
      File "train.py", line 279, in <module>
    torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB

The trap: the word "error" is everywhere, and most of it did not end anything. Only what ends a program counts.
"""

from __future__ import annotations

import re

from assay.lines import Line
from assay.model.event import Event
from assay.readers.base import Answer, Reader
from assay.readers.failures import Failures
from assay.readers.moments import moment

_TRACEBACK = re.compile(r"Traceback \(most recent call last\)")
_FRAME = re.compile(r"^[\s>#*\d:.,-]*(?:(?:INFO:|ERROR:)\s*)?File \"[^\"]+\", line \d+")
_EXCEPTION = re.compile(
    r"^[\s>#*`\"'-]*(?P<name>(?:[A-Za-z_]\w*\.)*(?:[A-Za-z_]*(?:Error|Exception|Fault|Failure)|KeyboardInterrupt|SystemExit))"
    r"(?::\s*(?P<message>.*))?$"
)
#: how an exception of any name ends a traceback: `mylib.StopTraining: patience is over`
_RAISED = re.compile(
    r"(?:[A-Za-z_]\w*\.)+[A-Z]\w*(?::\s.*)?$|[A-Z]\w*[a-z](?:Exit|Iteration|Warning|Interrupt|Expired|Timeout)(?::\s.*)?$"
)
_FATAL = re.compile(
    r"(?i:^[\s>#*`\"'-]{0,40}(?:\S{1,200}: )?error: (?:ambiguous option|unrecognized arguments|"
    r"argument |the following arguments))"
    r"|(?i:^[\s>#*`\"'-]*ERROR: Could not install packages)|CondaError: |can't open file '"
    r"|PBS: job killed: |Segmentation fault \(core|CUDA out of memory"
    r"|OOM when allocating tensor"
)
#: without one of these there is nothing to see
_HINT = re.compile(
    r"[Ee]rror|ERROR|[Ee]xception|Fault|Failure|File \"|Interrupt|SystemExit|PBS: job|Traceback|Failed to|"
    r"\^C|out of memory|OOM when|can't open|Segmentation|FATAL|CRITICAL"
)
#: the line of a program that raises, where no more of a traceback was kept
_RAISE = re.compile(r"\s+raise (?P<what>[A-Za-z_][\w.]{0,200})")
_STOPPED = re.compile(r"\s*\^C\s*$")
_LAST_LINES = 400


class Trouble(Reader):
    """Whatever ended a run before its time. Neutral: it belongs to the run it follows, on whatever system."""

    name = "trouble"
    anchors = (
        "traceback", "error", "exception", "fault", "failure", "file \"", "interrupt", "systemexit", "pbs: job killed",
        "out of memory", "oom when", "can't open", "^c",
    )  # fmt: skip

    def __init__(self, failures: Failures) -> None:
        super().__init__()
        self._failures = failures
        self.inside = 0  # lines since a traceback began; 0 outside of one
        self.framed = False
        self._text: list[str] = []
        self._begin: Line | None = None

    def read(self, line: Line) -> Answer:
        text = line.text
        if not (self.inside or self.framed or _HINT.search(text) or self._failures.may_tell(text)):
            return None
        if _STOPPED.match(text):
            return [self.fact("error", line, code="interrupted", message="^C", hint="stopped by hand")]
        if _TRACEBACK.search(text):
            self.inside, self._begin, self._text = 1, line, []
            return []
        found = _EXCEPTION.match(text)
        if found and (self.inside or self.framed or (found["message"] and self._failures.diagnose(text))):
            return [self._tell(line, found["name"], found["message"] or "")]
        if self.inside:
            return self._go_on(line)
        if _FRAME.match(text):
            self.framed, self._begin = True, self._begin or line
            return []
        if self.framed and text.startswith((" ", "\t")):
            return []  # the source line under a frame
        if _FATAL.search(text) or self._failures.ends_a_run(text):
            return [self._tell(line, "", text.strip())]
        if text.strip():
            self.framed = False
        return None

    @staticmethod
    def is_key(text: str) -> bool:
        """Whether a line is only the key that stops a program, as a terminal shows it."""
        return _STOPPED.match(text) is not None

    @staticmethod
    def begins(text: str) -> bool:
        """Whether a line is the first of a failure's own words."""
        return _TRACEBACK.search(text) is not None or _FATAL.search(text) is not None

    def cut_off(self) -> Event | None:
        """A traceback whose last line, the exception, is not there: it was raised all the same."""
        frames = [text for text in self._text if _FRAME.match(text)]
        if not self.inside or not frames or self._begin is None:
            return None
        raised = next((found for text in reversed(self._text) if (found := _RAISE.match(text))), None)
        message = raised["what"] if raised else "a traceback without its last line"
        return self._tell(self._begin, "", message)

    def _go_on(self, line: Line) -> Answer:
        """Frames and source lines; a traceback that never comes to its exception is given up."""
        self.inside += 1
        self._text.append(line.text)
        if self.inside > _LAST_LINES:
            self.inside = 0
            return None
        if line.text.startswith((" ", "\t")) or _FRAME.match(line.text) or not line.text.strip():
            return []
        raised = _RAISED.match(line.text) if self.inside > 2 else None
        if raised:
            return [self._tell(line, "", line.text.strip())]
        known = self._failures.diagnose(line.text)
        if known and known.code not in ("missing-file", "permission"):
            return [self._tell(line, "", line.text.strip())]
        return [] if self.inside < 3 or moment(line.text) is None else self._give_up()

    def _give_up(self) -> Answer:
        self.inside = 0
        return None

    def _tell(self, line: Line, name: str, message: str) -> Event:
        self.inside, self.framed = 0, False
        self.strong = True
        whole = (f"{name}: {message}" if name and message else name or message).strip()
        known = self._failures.diagnose(whole)
        code = known.code if known else "crashed"
        if name.endswith("SystemExit"):
            code = "unknown"
        facts = {"code": code, "message": _short(whole)}
        if known:
            facts["hint"] = known.hint
        return self.fact("error", line, moment(line.text), facts)


def _short(text: str) -> str:
    return text if len(text) <= 300 else text[:297] + "..."
