"""SambaNova's launcher: what it prints around a compile and a run, before and after the training's own lines.

    Model: bert / COMPILE START AT 0 / COMPILE END AT 780 / Submitted batch job 30451 / Duration:  781
    RUN COMMAND: … --max_seq_length 128 -b 256 --learning_rate 0.000175

The trap: `Duration` is the compile, or nothing at all where the compiled file was there already.
"""

from __future__ import annotations

import re

from assay.core.dates import moment
from assay.lines import Line
from assay.model.values import number
from assay.reading.reader import NEW, Answer, Reader, Table, figure
from assay.systems.sambanova.course import SEQUENCES, TOKENS

_HEADER = re.compile(r"^\W*Model:\s+(?P<model>[\w.-]+)\s*$")
_COMPILE = re.compile(r"COMPILE (?P<edge>START|END) AT\s+(?P<seconds>\d+)")
_SUBMITTED = re.compile(r"Submitted batch job (?P<job>\d+)")
_DURATION = re.compile(r"^\W*Duration:\s+(?P<seconds>\d+)\s*$")
_COMMAND = re.compile(r"(?P<what>COMPILE|RUN) COMMAND:\s*(?P<command>.*)")
_FLAG = re.compile(r"(?<!\S)(?P<name>--max_seq_length|--learning_rate|--steps_this_run|-b)[ =]+(?P<value>[\d.eE-]+)")
_FLAGS = {"--max_seq_length": "seq_len", "--learning_rate": "lr", "--steps_this_run": "max_steps", "-b": "batch_size"}


class Launcher(Reader):
    """The part of a log that the launcher writes."""

    def __init__(self) -> None:
        super().__init__()
        self._header = False
        self._compile_from: int | None = None
        self._compiled = self._ran = False
        self._per_task = SEQUENCES
        self._tokens = TOKENS
        self._duration: int | None = None
        self._end_line = 0

    def _head(self, line: Line, found: re.Match[str]) -> Answer:
        if self.strong or self._header:
            return NEW
        self._header = True
        return [self.fact("how", line, model=found["model"])]

    def _compile(self, line: Line, found: re.Match[str]) -> Answer:
        seconds = int(found["seconds"])
        if found["edge"] == "START":
            if self._compiled or self._duration is not None or self._compile_from is not None:
                return NEW
            self._compile_from, self.strong = seconds, True
            return [self.fact("phase", line, moment(line.text), name="compile", edge="mark")]
        if self._compiled:
            return NEW
        self._compiled = self.strong = True
        took = seconds - (self._compile_from or 0)
        return [
            self.fact("phase", line, name="compile", seconds=took),
            self.fact("result", line, compile_cached=took <= 1),
        ]

    def _submitted(self, line: Line, found: re.Match[str]) -> Answer:
        if not (self.strong or self._header):
            return None
        return [self.fact("how", line, job=found["job"])]

    def _took(self, line: Line, found: re.Match[str]) -> Answer:
        seconds = int(found["seconds"])
        if not (self.strong or self._header or self.sure):
            return None  # anyone's
        if self._duration is not None:
            return NEW
        self._duration, self._end_line = seconds, line.number
        self.strong = self.ended = True
        return [self.fact("result", line, wall_s=seconds)]

    def _command(self, line: Line, found: re.Match[str]) -> Answer:
        if found["what"] == "RUN":
            if self._ran:
                return NEW
            self._ran = True
        self.strong = True
        settings = {_FLAGS[name]: number(figure(value)) for name, value in _FLAG.findall(found["command"])}
        self._per_task = int(settings.get("batch_size") or self._per_task)
        self._tokens = int(settings.get("seq_len") or self._tokens)
        settings.pop("max_steps", None)
        facts = {
            name: int(v) if float(v).is_integer() and name != "lr" else v
            for name, v in settings.items()
            if v is not None
        }
        if "batch_size" in facts:
            facts["batch_size_per_task"] = facts.pop("batch_size")
        return [self.fact("param", line, moment(line.text), facts)]

    launching: Table = (
        (_HEADER, _head),
        (_COMPILE, _compile),
        (_COMMAND, _command),
        (_SUBMITTED, _submitted),
        (_DURATION, _took),
    )
