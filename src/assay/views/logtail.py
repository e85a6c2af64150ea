"""The output of a run, from the end or around a moment, without reading all of it."""

from __future__ import annotations

import bisect

from assay.store.files import try_open
from assay.store.layout import RunDir
from assay.store.times import arrivals
from assay.text import without_escapes

_BLOCK = 1 << 16


def tail(run: RunDir, lines: int, *, end: int | None = None) -> list[str]:
    """The last lines before byte `end` of the output (else its end), made safe to show."""
    file = try_open(run.path, run.output_log.name)
    if file is None:
        return []
    with file:
        size = file.seek(0, 2)
        stop = size if end is None else min(end, size)
        file.seek(max(0, stop - _BLOCK))
        content = file.read(min(stop, _BLOCK))
    shown = [plain(line) for line in content.decode("utf-8", "replace").split("\n")]
    if shown and not shown[-1]:
        shown.pop()
    return shown[-lines:] if lines > 0 else []


def plain(line: str) -> str:
    """What a terminal would show of a line: after the last carriage return, without escapes."""
    line = without_escapes(line.rstrip("\r"))
    line = line.rsplit("\r", 1)[-1]
    return "".join(c if c.isprintable() else " " if c == "\t" else "" for c in line)


def offset_at(run: RunDir, mono_s: float) -> int | None:
    """How much had been printed at a moment of the recorder's monotonic clock."""
    marks = [(mono_s, offset) for offset, mono_s in arrivals(run)]
    if not marks:
        return None
    at = bisect.bisect_right(marks, (mono_s, 1 << 62))
    return marks[at][1] if at < len(marks) else None
