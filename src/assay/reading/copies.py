"""Undo what copying and pasting does to a log: a prefix before every line, records cut at the width of a terminal.

    [1,0]<stdout>:| groq | 77.47% |          mpirun          trainer-1  | | groq | 77.47% |      docker compose
    [default0]:| groq | 77.47% |             torchrun             41    | groq | 77.47% |       cat -n, an editor

The trap: `10: loss 4.1` may be a step's own number, and a date says when: only what stands before every line alike is a
label, and a date goes only before the row of a table.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from assay import systems

Physical = list[tuple[int, bytes]]

_PREFIXES = (b"> ", b">", b"# ", b"#", b"// ", b"    ", b"\t")
_DATED = re.compile(rb"^\W{0,8}\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d")
_PRINTED = re.compile(
    rb"^\s*(?:\d{4}-\d\d-\d\d[ T]\d\d:|\[\d\d:\d\d|srun: |\(?[\w.-]{1,60}\)? ?\[?\w{1,60}@|Epochs?:|Loss: |\||\+--|"
    rb"Processed \d|Step=)"
)
_FRESH = re.compile(
    rb"^\s*(?:```|~~~|[$%>] |\^C|#|\||\+--|srun: |slurmstepd: |Traceback|[\w.]{1,200}(?:Error|Exception): |"
    rb"\(?[\w.-]{1,60}\)? ?\[?\w{1,60}@|[-*] |\d+[.)] |(?i:epochs?|steps?|iter|iteration|loss):? *\[?\d)"
)
_MARKS = re.compile(rb"^\s*(?:[#>]+ ?)+")
_ESCAPES = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")
_NARROWEST = 40
_AROUND = 12


def mend(physical: Physical) -> Physical:
    """The same lines, each under the number where it began."""
    plain = [(number, _ESCAPES.sub(b"", raw) if b"\x1b" in raw else raw) for number, raw in physical]
    return _unwrap(_unprefix(unlabelled(plain)))


def _unprefix(physical: Physical, again: int = 3) -> Physical:
    """A sign or an indent before every line of the file, or of a block that is a log without it; quoted twice, too."""
    filled = [raw for _, raw in physical if raw.strip()]
    for prefix in _PREFIXES:
        if len(filled) >= 3 and all(raw.startswith(prefix) or raw.strip() == prefix.strip() for raw in filled):
            bare = [(number, raw.removeprefix(prefix)) for number, raw in physical]
            return bare if prefix.isspace() or again == 0 else _unprefix(bare, again - 1)
    result: Physical = []
    at = 0
    while at < len(physical):
        end = at
        while end < len(physical) and physical[end][1].lstrip().startswith((b"#", b">")):
            end += 1
        block = [(number, _MARKS.sub(b"", raw)) for number, raw in physical[at:end]]
        printed = sum(_PRINTED.match(raw) is not None for _, raw in block)
        # a log that was cut at a narrow width, too, has a beginning of a record in every third or fourth line
        if len(block) >= 3 and (printed >= len(block) // 2 or (printed >= 5 and printed >= len(block) // 5)):
            result += block
        else:
            result += physical[at:end]
        if end < len(physical):
            result.append(physical[end])
        at = end + 1
    return result


def _unwrap(physical: Physical) -> Physical:
    """Join what belongs to one record, where the record shows that it was cut."""
    lines = [raw for _, raw in physical]
    widths = [_width(raw) for raw in lines]
    indent = _indent(lines, widths)
    by_words = _by_words(lines, widths)
    result: Physical = []
    at = 0
    while at < len(lines):
        number, raw = physical[at]
        last = at
        while last + 1 < len(lines) and last - at < 8 and _cut(raw, lines[last + 1], widths, last, by_words):
            spaced = by_words and not _is_full(widths, last)  # a full line may have been cut within a word
            last += 1
            raw = raw.rstrip(b"\r\n") + b" " * spaced + lines[last][indent:]
        result.append((number, raw))
        at = last + 1
    return result


def _indent(lines: list[bytes], widths: list[int]) -> int:
    """How far every line that goes on with a record is pushed in, as some terminals and editors do."""
    going_on = [
        after
        for at, (before, after) in enumerate(pairwise(lines))
        if _DATED.match(before) and _is_rest(after) and _is_full(widths, at)
    ]
    depths = {len(line) - len(line.lstrip(b" ")) for line in going_on}
    return min(depths) if len(going_on) >= 3 and min(depths) >= 2 else 0


def _by_words(lines: list[bytes], widths: list[int]) -> bool:
    """Whether lines end where the next word would not have fitted, as in a page that was set and not printed."""
    exact = short = roomy = 0
    for at, (before, after) in enumerate(pairwise(lines)):
        if _DATED.match(before) and _is_rest(after) and b"\r" not in before[:-1]:
            full, no_room = _is_full(widths, at), _no_room(widths, at, after)
            exact, short, roomy = exact + full, short + (no_room and not full), roomy + (not no_room)
    return short >= 1 and exact + short >= 4 and 4 * roomy <= exact + short


def _is_rest(line: bytes) -> bool:
    return bool(line.strip()) and not _DATED.match(line) and not _FRESH.match(line)


def _is_full(widths: list[int], at: int) -> bool:
    return widths[at] >= _NARROWEST and widths[at] == max(widths[max(0, at - _AROUND) : at + _AROUND])


def _no_room(widths: list[int], at: int, following: bytes) -> bool:
    """The next line's first word would have made this one wider than any around it."""
    word = following.split(None, 1)[0]
    widest = max(widths[max(0, at - _AROUND) : at + _AROUND])
    return widths[at] >= _NARROWEST and widths[at] + 1 + len(word) > widest


def _cut(record: bytes, following: bytes, widths: list[int], at: int, by_words: bool) -> bool:
    """Whether a record goes on in the next line."""
    if not following.strip() or b"\r" in record[:-1]:
        return False
    if any(not one.full and one.goes_on(record, following) for one in _cuts()):
        return True
    full = _is_full(widths, at) or (by_words and _no_room(widths, at, following))
    if not full or _DATED.match(following) or _FRESH.match(following):
        return False
    if _DATED.match(record):
        return True
    return any(one.full and one.goes_on(record, following) for one in _cuts())


class _Cut(NamedTuple):
    """A record of one system that may be cut, and how it is seen that it goes on."""

    begins: re.Pattern[bytes]
    whole: re.Pattern[bytes]
    rest: re.Pattern[bytes] | None
    full: bool

    def goes_on(self, record: bytes, following: bytes) -> bool:
        if not self.begins.search(record) or self.whole.search(record):
            return False
        return self.rest.search(following) is not None if self.rest else _DATED.match(following) is None


@cache
def _cuts() -> tuple[_Cut, ...]:
    every = [one for system in systems.every().values() for one in system.cuts]
    return tuple(
        _Cut(re.compile(one.begins), re.compile(one.whole), re.compile(one.rest) if one.rest else None, one.full)
        for one in every
    )


def _width(raw: bytes) -> int:
    """Frames of a bar, drawn over each other, have no width that counts."""
    raw = raw.rstrip(b"\r")
    return 0 if b"\r" in raw else len(raw.decode("utf-8", "replace"))


# --- labels before every line ------------------------------------------------------------

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
