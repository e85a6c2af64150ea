"""A run's output in pieces that a page can hold: its end, around a line, what is new, and where a word stands."""

from __future__ import annotations

import time
from typing import Any

from assay.store.files import kept_file, try_open
from assay.store.layout import RunDir
from assay.views.logtail import plain

_BLOCK = 1 << 18
#: longer lines are cut, and say how long they are
LONGEST = 2000
_MOST_HITS = 200
#: how far back the beginning of a line is looked for
_FARTHEST = 16 << 20
#: a search says how far it came, and can go on from there
_PATIENCE_S = 2.0


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


def tail(run: RunDir, lines: int, end: int | None = None) -> dict[str, Any]:
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


def around(run: RunDir, line: int, lines: int, first_line: int = 1) -> dict[str, Any]:
    """The lines about a numbered one."""
    wanted = max(first_line, line - lines // 2)
    found: list[str] = []
    number, begin, carry = first_line, 0, b""
    for at, block in _blocks(run):
        if number + block.count(b"\n") < wanted:  # far away: only counted
            number += block.count(b"\n")
            carry, begin = b"", at + block.rfind(b"\n") + 1
            carry = block[block.rfind(b"\n") + 1 :]
            continue
        parts = (carry + block).split(b"\n")
        carry = parts.pop()
        for part in parts:
            if number >= wanted:
                found.append(shown(part))
            else:
                begin += len(part) + 1
            number += 1
            if len(found) == lines:
                return _numbered(found, wanted, begin, size_of(run))
    if carry and number >= wanted:
        found.append(shown(carry))
    return _numbered(found, wanted, begin, size_of(run))


def _numbered(found: list[str], first: int, begin: int, size: int) -> dict[str, Any]:
    return {"lines": found, "first": first, "begin": begin, "size": size}


def search(run: RunDir, text: str, start: int = 0, number: int = 1) -> dict[str, Any]:
    """Lines that hold the text, whatever its case, from a byte on."""
    wanted, hits = text.lower().encode("utf-8", "replace"), []
    ends_s, at, carry = time.monotonic() + _PATIENCE_S, start, b""
    for where, block in _blocks(run, start):
        cut = block.rfind(b"\n") + 1
        whole = carry + block[:cut]
        if not cut and len(carry) < (64 << 20):
            carry += block
            continue
        if wanted in whole.lower():
            for index, part in enumerate(whole.split(b"\n")):
                if wanted in part.lower():
                    hits.append({"line": number + index, "text": _near(part, wanted)})
        number += whole.count(b"\n")
        carry, at = block[cut:], where + cut
        if len(hits) >= _MOST_HITS or time.monotonic() > ends_s:
            return {"hits": hits[:_MOST_HITS], "at": at, "line": number, "size": size_of(run), "done": False}
    if wanted in carry.lower():
        hits.append({"line": number, "text": _near(carry, wanted)})
    return {"hits": hits[:_MOST_HITS], "at": size_of(run), "line": number, "size": size_of(run), "done": True}


def _near(raw: bytes, wanted: bytes) -> str:
    """Of a long line, what stands about the word."""
    if len(raw) <= LONGEST:
        return shown(raw)
    at = raw.lower().find(wanted)
    return f"… {shown(raw[max(0, at - 200) : at + 400])} … ({len(raw):,} bytes in this line)"


class Growth:
    """What is appended to the output, from now on."""

    def __init__(self, run: RunDir) -> None:
        self._run, self.at, self._carry = run, size_of(run), b""

    def new(self) -> dict[str, Any] | None:
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


def _blocks(run: RunDir, start: int = 0) -> Any:
    """(offset, bytes)"""
    file = try_open(run.path, run.output_log.name)
    if file is None:
        return
    with file:
        file.seek(start)
        while block := file.read(_BLOCK):
            yield start, block
            start += len(block)
