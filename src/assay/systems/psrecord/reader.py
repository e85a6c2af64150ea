"""psrecord: its log, plain or CSV, with or without disk columns, and what it prints.

    # Elapsed time   CPU (%)     Real (MB)   Virtual (MB)
           0.000        0.000        7.816       11.047
    Process finished (9.74 seconds)

Three traps: the MB are MiB; 0 % throughout means that a shell was watched and not the work it started; and without
--log the rows stand between the lines of the program.
"""

from __future__ import annotations

import math
import re

from assay.lines import Line
from assay.model.event import Event
from assay.reading.reader import NEW, Answer, Reader

_HEADER = re.compile(r"#\s*Elapsed time\s+CPU \(%\)\s+Real \(MB\)")
_CSV_HEADER = re.compile(r"^\s*elapsed_time,nproc,cpu,mem_real")
_NUMBERS = re.compile(
    r"^[\s>#]*(?:[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?[\s,]+){3,8}[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?\s*$"
)
_STARTING = re.compile(
    r"Starting up command '(?P<command>(?:(?!Starting up command ').)*)' and attaching to process"
    r"|Attaching to process (?P<pid>\d+)"
)
_FINISHED = re.compile(r"Process finished \((?P<seconds>[\d.]+) seconds\)")
_MIB = 1024 * 1024
#: more lines than these without a row: the table is over
_MOST_OTHERS = 50


class Psrecord(Reader):
    """One recording."""

    name = "psrecord"
    system = "psrecord"
    anchors = ("elapsed time", "elapsed_time", "and attaching to process", "process finished", "attaching to process")

    def __init__(self) -> None:
        super().__init__()
        self._in_table = False
        self._csv = False
        self._rows = 0
        self._columns = 0
        self._others = 0  # lines of the program itself since the last row
        self._started = False
        self._wall_s: float | None = None
        self._last_s = 0.0
        self._end_line = 0

    def _starting(self, line: Line, found: re.Match[str]) -> Answer:
        if self.strong:
            return NEW
        self._started = self.strong = True
        return [self.fact("how", line, command=found["command"])] if found["command"] else []

    def _head(self, line: Line, found: re.Match[str]) -> Answer:
        if self._rows or self._wall_s is not None:
            return NEW
        self._in_table, self._csv, self.strong = True, found.re is _CSV_HEADER, True
        return []

    def _finished(self, line: Line, found: re.Match[str]) -> Answer:
        if self._wall_s is not None:
            return NEW
        self._wall_s, self._end_line = float(found["seconds"]), line.number
        self.strong = self.ended = True
        return [self.fact("result", line, wall_s=self._wall_s)]

    def otherwise(self, line: Line, text: str) -> Answer:
        self._other(text)
        return None

    @property
    def wants_all(self) -> bool:
        return self._in_table

    def _other(self, text: str) -> None:
        """What the program prints comes between the rows where both write to one terminal."""
        if text.strip() and self._in_table:
            self._others += 1
            self._in_table = self._others <= _MOST_OTHERS

    def _row(self, line: Line, found: re.Match[str]) -> Answer:
        if not self._in_table:
            return None
        cells = [float(cell) for cell in re.split(r"[\s,]+", line.text.strip("># \t\r"))]
        if not all(map(math.isfinite, cells)):
            return None
        back = self._rows > 0 and cells[0] < self._last_s
        if len(cells) != (self._columns or len(cells)) or (back and self._others):
            self._other(line.text)  # figures of the program
            return None
        if back:
            return NEW
        self._columns, self._others = len(cells), 0
        elapsed_s, cells = cells[0], cells[1:]
        processes = int(cells.pop(0)) if self._csv else None
        self._rows += 1
        self._last_s = elapsed_s
        figures = {"cpu_pct": cells[0], "rss_bytes": round(cells[1] * _MIB), "elapsed_s": elapsed_s}
        if len(cells) > 2:
            figures["virtual_bytes"] = round(cells[2] * _MIB)
        if processes is not None:
            figures["processes"] = processes
        if len(cells) >= 7:
            names = ("read_calls", "write_calls", "read_bytes", "write_bytes")
            figures.update({name: int(value) for name, value in zip(names, cells[3:7], strict=True)})
        return [self.fact("sample", line, None, figures).replace(source="probe:psrecord")]

    def finish(self) -> list[Event]:
        events = []
        if self._wall_s is None and self._rows:
            events.append(self.fact("result", self._end_line, covered_s=self._last_s))
        status = "completed" if self.ended else "unfinished"
        return [*events, self.fact("end", self._end_line, status=status)]

    table = (
        (_NUMBERS, _row),
        (_STARTING, _starting),
        (_CSV_HEADER, _head),
        (_HEADER, _head),
        (_FINISHED, _finished),
    )
