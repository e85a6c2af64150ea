"""Undo what tools put before every line of a log: line numbers, the rank that printed it, the host, the container.

    [1,0]<stdout>:| groq | 77.47% |          mpirun          trainer-1  | | groq | 77.47% |      docker compose
    [default0]:| groq | 77.47% |             torchrun             41    | groq | 77.47% |       cat -n, an editor

Most lines are understood with it; tables and settings are not. The trap: `10: loss 4.1` may be a step's own number, and
a date says when: only what stands before every line alike is a label, and a date goes only before the row of a table.
"""

from __future__ import annotations

import re

Physical = list[tuple[int, bytes]]

_LABEL = re.compile(
    rb"\[\d+,\d+\]<std(?:out|err)>: ?|\[(?:default|rank) ?\d+\]: ?|\d+: |[\w.-]+ +\| "
    rb"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d (?P<who>\S+ [\w./-]+(?:\[\d+\])?): "
)
_NUMBERED = re.compile(rb"\s*(?P<number>\d{1,15})(?:\t|[:|] ?| |$)")
_DATED_ROW = re.compile(
    rb"(?:\[\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[\d.,]*\]|\d{4}-\d\d-\d\dT[\d:.]+Z (?:stdout|stderr) F) "
    rb"(?=\s*[|+#]|\s+\d+\.\d+\s)"
)
_FEWEST = 3


def unlabelled(physical: Physical) -> Physical:
    """The same lines without a label that all of them have."""
    if sum(bool(raw.strip()) for _, raw in physical) < _FEWEST:
        return physical
    bare = _unnumbered(physical) or _of_one(physical) or physical
    return [(number, _DATED_ROW.sub(b"", raw, count=1) if raw[:1] in b"[2" else raw) for number, raw in bare]


def _unnumbered(physical: Physical) -> Physical | None:
    """Every line, the empty ones too, has the number after that of the line before."""
    bare: Physical = []
    expected = None
    for number, raw in physical:
        found = _NUMBERED.match(raw)
        if found is None:
            if raw.strip():
                return None
            bare.append((number, raw))
            expected = None if expected is None else expected + 1
            continue
        if expected is not None and int(found["number"]) not in (expected, expected - 1):
            return None
        expected = int(found["number"]) + 1
        bare.append((number, raw[found.end() :]))
    return bare


def _of_one(physical: Physical) -> Physical | None:
    """Every line was printed by the same rank, container or service."""
    first = None
    bare: Physical = []
    for number, raw in physical:
        if not raw.strip():
            bare.append((number, raw))
            continue
        found = _LABEL.match(raw)
        if found is None:
            return None
        label = (found["who"] or found[0]).strip()
        first = first or label
        if label != first:
            return None
        bare.append((number, raw[found.end() :]))
    return bare
