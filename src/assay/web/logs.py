"""A run's output in pieces that a page can hold: its end, around a line, what is new, and where a word stands."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TypedDict

from assay.store.files import kept_file, try_open
from assay.store.layout import RunDir
from assay.views.logtail import plain
from assay.web.places import STEP, Places

_BLOCK = 1 << 18
#: longer lines are cut, and say how long they are
LONGEST = 2000
_MOST_HITS = 200
#: how far back the beginning of a line is looked for
_FARTHEST = 16 << 20
#: a search says how far it came, and can go on from there
_PATIENCE_S, _MOST_BYTES = 0.25, 128 << 20
_LONGEST_LINE = 1 << 16


def shown(raw: bytes) -> str:
    """As a terminal would leave it, and no longer than anyone reads."""
    if len(raw) <= 4 * LONGEST:
        text = plain(raw.decode("utf-8", "replace"))
        if len(text) <= LONGEST:
            return text
    text = plain(raw[: 4 * LONGEST].decode("utf-8", "replace"))
    return f"{text[:LONGEST]} … ({len(raw):,} bytes in this line)"


def size_of(run: RunDir) -> int:
    kept = kept_file(run.path, run.output_log.name)
    return kept.size_bytes if kept else 0


class Lines(TypedDict, total=False):
    """Lines of the output, the bytes that they begin and end at, and the number of the first where it is known."""

    lines: list[str]
    first: int
    begin: int
    end: int
    size: int


def tail(run: RunDir, lines: int, end: int | None = None) -> Lines:
    """The last lines before a byte; `begin` is where they start, to ask for those before."""
    size = size_of(run)
    stop = size if end is None else max(0, min(end, size))
    reach = _BLOCK
    while True:
        start = max(0, stop - reach)
        parts = _read(run, start, stop - start).split(b"\n")
        if start == 0 or len(parts) > lines + 1 or reach >= _FARTHEST:
            break
        reach *= 8  # one line may be longer than all we looked at
    if not parts[-1]:
        parts.pop()
    if start > 0 and len(parts) > 1:  # begins in the middle of a line
        start += len(parts.pop(0)) + 1
    if len(parts) > lines:
        start += sum(len(part) + 1 for part in parts[:-lines])
        parts = parts[-lines:]
    return {"lines": [shown(part) for part in parts], "begin": start, "end": stop, "size": size}


def around(run: RunDir, line: int, lines: int, first_line: int, places: Places, patience_s: float) -> Lines | None:
    """The lines about a numbered one; None where so many lines are not counted yet."""
    wanted = max(first_line, line - lines // 2)
    ends = wanted - first_line
    near = places.before(ends, patience_s)
    if near is None:
        return None
    begin, counted = near
    head = _read(run, begin, STEP).split(b"\n", ends - counted)
    if len(head) <= ends - counted:
        return _numbered([], wanted, size_of(run), size_of(run))  # it has no such line
    begin += sum(map(len, head[:-1])) + len(head) - 1
    reach = _BLOCK
    while True:
        content = _read(run, begin, reach)
        parts = content.split(b"\n")
        if len(content) < reach or len(parts) > lines or reach >= _FARTHEST:
            break
        reach *= 8
    if not parts[-1]:
        parts.pop()
    return _numbered([shown(part) for part in parts[:lines]], wanted, begin, size_of(run))


def _numbered(found: list[str], first: int, begin: int, size: int) -> Lines:
    return {"lines": found, "first": first, "begin": begin, "size": size}


def search(run: RunDir, text: str, start: int = 0, number: int = 1) -> dict[str, object]:
    """Lines that hold the text, whatever its case, from a byte on: so far as one request may read."""
    wanted, size = text.lower().encode("utf-8", "replace"), size_of(run)
    hits: dict[int, dict[str, object]] = {}
    ends_s, at, carry = time.monotonic() + _PATIENCE_S, start, b""
    for where, block in _blocks(run, start):
        cut = block.rfind(b"\n") + 1 or len(block)
        whole = carry + block[:cut]
        _look(whole, wanted, number, hits)
        number += whole.count(b"\n")
        # of a line without end only the last part is kept, so that a word between two pieces is found
        carry, at = block[cut:] if whole.endswith(b"\n") else whole[-_LONGEST_LINE:], where + cut
        if len(hits) >= _MOST_HITS or at - start >= _MOST_BYTES or time.monotonic() > ends_s:
            return _found(hits, at, number, size, done=False)
    _look(carry, wanted, number, hits)
    return _found(hits, size, number, size, done=True)


def _look(content: bytes, wanted: bytes, number: int, hits: dict[int, dict[str, object]]) -> None:
    if wanted in content.lower():
        for line, part in enumerate(content.split(b"\n"), number):
            if line not in hits and wanted in part.lower():
                hits[line] = {"line": line, "text": _near(part, wanted)}


def _found(hits: dict[int, dict[str, object]], at: int, line: int, size: int, *, done: bool) -> dict[str, object]:
    return {"hits": list(hits.values())[:_MOST_HITS], "at": at, "line": line, "size": size, "done": done}


def _near(raw: bytes, wanted: bytes) -> str:
    """Of a long line, what stands about the word."""
    if len(raw) <= LONGEST:
        return shown(raw)
    at = raw.lower().find(wanted)
    return f"… {shown(raw[max(0, at - 200) : at + 400])} …"


class Growth:
    """What is appended to the output, from now on."""

    def __init__(self, run: RunDir) -> None:
        self._run, self.at, self._carry = run, size_of(run), b""

    def new(self) -> dict[str, object] | None:
        """Whole lines since the last look; of a flood only the end, and how much was left out."""
        size = size_of(self._run)
        if size == self.at:
            return None
        skipped = max(0, size - self.at - _BLOCK)
        content = _read(self._run, self.at + skipped, size - self.at - skipped)
        self.at += skipped + len(content)
        parts = (content if skipped else self._carry + content).split(b"\n")
        self._carry = parts.pop()[-_BLOCK:]
        found = [shown(part) for part in parts]
        return {"lines": found[-400:], "skipped": skipped, "size": size} if found or skipped else None


def _read(run: RunDir, start: int, count: int) -> bytes:
    file = try_open(run.path, run.output_log.name)
    if file is None:
        return b""
    with file:
        file.seek(start)
        return file.read(count)


def _blocks(run: RunDir, start: int = 0) -> Iterator[tuple[int, bytes]]:
    """(offset, bytes)"""
    file = try_open(run.path, run.output_log.name)
    if file is None:
        return
    with file:
        file.seek(start)
        while block := file.read(_BLOCK):
            yield start, block
            start += len(block)
