"""Bytes in, events out: the same for a file that is read whole and for output that is still being written."""

from __future__ import annotations

from collections.abc import Callable

from assay.lines import LONGEST_BYTES, frames
from assay.readers.sieve import Sieve
from assay.readers.splitter import Draft, Splitter

#: how often the anchors of one block are searched for anew before it is read line by line
_SEARCHES = 16
_FEW = 4
When = Callable[[int], float | None]  # when the byte at an offset came, if that is known


class Stream:
    """Feeds a splitter from pieces of any size. Memory stays flat: no more than one line is kept."""

    def __init__(self, done: Callable[[Draft], None], *, only: str | None = None, whole: bool = False) -> None:
        self.splitter = Splitter(done, only=only, whole=whole)
        self._sieve = Sieve(only)
        self._rest = b""
        self._number = 1  # of the line that begins with `_rest`
        self._offset = 0  # of its first byte

    def feed(self, content: bytes, when: When | None = None) -> None:
        block = self._rest + content
        cut = block.rfind(b"\n") + 1
        if cut == 0 and len(block) > LONGEST_BYTES:
            cut = len(block)  # a line without an end: taken in pieces
        self._rest = block[cut:]
        if cut:
            self._read(block[:cut], when)

    def finish(self, when: When | None = None) -> None:
        if self._rest:
            self._read(self._rest, when)
            self._rest = b""
        self.splitter.finish()

    def _read(self, block: bytes, when: When | None) -> None:
        """Lines with an anchor; every line while a table or a traceback lasts; and the short way where there is one."""
        at, number, searched = 0, self._number, 0
        while at < len(block):
            at, number = self._hot(block, at, number, when)
            if at >= len(block):
                break
            if self.splitter.wants_all or searched > _SEARCHES:
                end = block.find(b"\n", at)
                end = len(block) if end < 0 else end
                self._line(block, number, at, end, None, when)
                at, number = end + 1, number + 1
            else:
                searched += 1
                at, number = self._sieved(block, at, number, when)
        self._number += block.count(b"\n")
        self._offset += len(block)

    def _hot(self, block: bytes, at: int, number: int, when: When | None) -> tuple[int, int]:
        """Lines that come by the million, one after the other, read by one pattern each."""
        draft = self.splitter.draft
        if draft.reader is None or draft.reader.hot is None:
            return at, number
        match, read, events = draft.reader.hot.match, draft.reader.read_hot, draft.events
        while True:
            found = match(block, at)
            event = read(found, number) if found else None
            if found is None or event is None:
                return at, number
            if when is not None:
                event["came_t"] = when(self._offset + at)
            events.append(event)
            draft.last_line = number
            at, number = found.end(), number + 1

    def _sieved(self, block: bytes, at: int, number: int, when: When | None) -> tuple[int, int]:
        """Until a line makes the next ones count in full, or be read the short way; where to go on."""
        part = block[at:] if at else block
        for found, begin, end, names in self._sieve.lines(part, number):
            self._line(block, found, at + begin, at + end, names, when)
            if self.splitter.wants_all or self._gets_hot(block, at + end + 1):
                return at + end + 1, found + 1
        return len(block), number

    def _gets_hot(self, block: bytes, at: int) -> bool:
        """Whether the next few lines can be read the short way."""
        reader = self.splitter.draft.reader
        if reader is None or reader.hot is None:
            return False
        for _ in range(_FEW):
            found = reader.hot.match(block, at)
            if found is None:
                return False
            at = found.end()
        return True

    def _line(
        self, block: bytes, number: int, begin: int, end: int, names: frozenset[str] | None, when: When | None
    ) -> None:
        t = when(self._offset + begin) if when else None
        for line in frames(block[begin:end], number, t):
            self.splitter.feed(line, names=names)
