"""Bytes in, events out: the same for a file that is read whole and for output that is still being written.

Three ways to read a line, the quickest that serves: by the pattern of a reader that expects a million like it (hot); by
the shape of a line that was read before; and, if it holds a word that a reader looks for, by asking those readers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from assay.lines import LONGEST_BYTES, Line, frames
from assay.model.event import Event
from assay.readers.base import Reader
from assay.readers.draft import Draft
from assay.readers.kit import Kit
from assay.readers.recipes import Shapes
from assay.readers.sieve import Sieve
from assay.readers.splitter import Splitter

#: anchors are searched for in pieces of this size, each so often at most
_PIECE_BYTES = 1 << 16
_SEARCHES = 16
#: so many lines in a row that can be read the short way are worth leaving the search for
_FEW = 4
#: readers that refuse a line whatever they have read before it, as long as none of them wants all
_STATELESS = frozenset({"generic", "slurm", "trouble"})
When = Callable[[int], float | None]  # when the byte at an offset came, if that is known


class Stream:
    """Feeds a splitter from pieces of any size. Memory stays flat: at most one line is kept."""

    def __init__(
        self,
        done: Callable[[Draft], None],
        kit: Kit,
        *,
        only: str | None = None,
        whole: bool = False,
        likely: Collection[str] = (),
        thin: bool = False,
    ) -> None:
        """With `thin`, a block of one line over and over is that line twice: its first and its last."""
        self.repeated = 0  # lines that were left out so
        self._thin = thin
        self.splitter = Splitter(done, kit, only=only, whole=whole, likely=likely)
        self._sieve = Sieve(kit, only)
        self._shapes = Shapes()
        self._rest = b""
        self._number = 1  # of the line that begins with `_rest`
        self._offset = 0  # of its first byte

    def feed(self, content: bytes, when: When | None = None) -> None:
        block = self._rest + content
        cut = block.rfind(b"\n") + 1
        if cut == 0 and len(block) > LONGEST_BYTES:
            cut = len(block)  # a line without an end: taken in pieces
        self._rest = block[cut:]
        at = 0
        while at < cut:
            end = _piece_end(block, at, cut)
            self._read(block[at:end], when)
            at = end

    def leap(self, size_bytes: int, lines: int) -> int:
        """Go on behind so much that is not read, where a line begins; how much of a line was given up with it."""
        given_up = len(self._rest)
        self._offset += given_up + size_bytes
        self._number += lines
        self._rest = b""
        return given_up

    def finish(self, when: When | None = None) -> None:
        if self._rest:
            self._read(self._rest, when)
            self._rest = b""
        self.splitter.finish()

    def _read(self, block: bytes, when: When | None) -> None:
        """Lines with an anchor; every line while a table or a traceback lasts; and the short way where there is one."""
        end = self._repeats_itself(block)
        if end and self._is_wanted(block[:end]):
            if self._thin:
                return self._read_twice(block, end, when)
            end = 0
        at, number, searched = len(block) if end else 0, self._number, 0
        while at < len(block):
            at, number = self._short(block, at, number, when)
            if at >= len(block):
                break
            if self.splitter.wants_all:
                end = block.find(b"\n", at)
                end = len(block) if end < 0 else end
                self._line(block, number, at, end, None, when)
                at, number = end + 1, number + 1
            else:
                searched += 1
                at, number = self._sieved(block, at, number, when, once_more=searched < _SEARCHES)
        self._number += block.count(b"\n")
        self._offset += len(block)

    def _repeats_itself(self, block: bytes) -> int:
        """One line over and over, as a program prints that is stuck: how long it is. Comparing costs nothing."""
        end = block.find(b"\n") + 1
        if not 0 < end < len(block) // 16 or self.splitter.wants_all or len(block) % end:
            return 0
        return end if block == block[:end] * (len(block) // end) else 0

    def _is_wanted(self, line: bytes) -> bool:
        return any(True for _ in self._sieve.lines(line, 1))

    def _read_twice(self, block: bytes, end: int, when: When | None) -> None:
        self._read(block[:end], when)
        lines = len(block) // end - 2
        self.repeated += lines
        self._number += lines
        self._offset += lines * end
        self._read(block[:end], when)

    def _short(self, block: bytes, at: int, number: int, when: When | None) -> tuple[int, int]:
        """Lines that come by the million, one after the other; where to go on."""
        draft = self.splitter.draft
        if draft.reader is None:
            return self._known(block, at, number, when)
        if draft.reader.hot is None:
            return at, number
        while end := self._hot(draft.reader, block, at, number, when):
            at, number = end, number + 1
        return at, number

    def _hot(self, reader: Reader, block: bytes, at: int, number: int, when: When | None) -> int:
        """One line by the pattern of the run's reader: where the next one begins; 0 if it does not fit."""
        read = self.splitter.ask(reader, number, _read_hot, reader, block, at, number)
        if read is None:
            if self.splitter.ask.faults:
                self.splitter.set_aside()
            return 0
        event, end = read
        if when is not None:
            event = event.replace(came_t=when(self._offset + at))
        draft = self.splitter.draft
        draft.events.append(event)
        draft.last_line = number
        return end

    def _known(self, block: bytes, at: int, number: int, when: When | None) -> tuple[int, int]:
        """Lines of a shape that the generic reader has taken before."""
        look_up, feed = self._shapes.look_up, self.splitter.feed_placed
        while at < len(block) and not self.splitter.wants_all:
            end = block.find(b"\n", at)
            raw = block[at:end] if end >= 0 else block[at:]
            places = look_up(raw)
            t = when(self._offset + at) if when else None
            if not places or not feed(places, raw, Line(number, "", t)):
                break
            at, number = at + len(raw) + 1, number + 1
        return at, number

    def _sieved(self, block: bytes, at: int, number: int, when: When | None, *, once_more: bool) -> tuple[int, int]:
        """Until a line makes the next ones count in full, or be read the short way; where to go on."""
        part = block[at:] if at else block
        for found, begin, end, names in self._sieve.lines(part, number):
            asked = self._line(block, found, at + begin, at + end, names, when)
            if asked and (self.splitter.wants_all or (once_more and self._gets_short(block, at + end + 1))):
                return at + end + 1, found + 1
        return len(block), number

    def _gets_short(self, block: bytes, at: int) -> bool:
        """Whether the next few lines can be read the short way."""
        reader = self.splitter.draft.reader
        if reader is not None and reader.hot is None:
            return False
        for _ in range(_FEW):
            if reader is not None and reader.hot is not None:
                found = self.splitter.ask(reader, self._number, reader.hot.match, block, at)
                end = found.end() if found else 0
            else:
                end = block.find(b"\n", at) + 1
                end = end if end and self._shapes.look_up(block[at : end - 1]) else 0
            if not end:
                return False
            at = end
        return True

    def _line(
        self, block: bytes, number: int, begin: int, end: int, names: frozenset[str] | None, when: When | None
    ) -> bool:
        """Whether anyone had to be asked."""
        reader = self.splitter.draft.reader
        if reader is not None and reader.hot is not None and self._hot(reader, block, begin, number, when):
            return True
        raw = block[begin:end]
        places = self._shapes.look_up(raw) if names is not None else None
        if places is False:
            return False  # lines like this one are not needed
        t = when(self._offset + begin) if when else None
        if places and self.splitter.feed_placed(places, raw, Line(number, "", t)):
            return True
        taken = False
        for line in frames(raw, number, t):
            taken = self.splitter.feed(line, names=names) or taken
        if names is not None:
            self._learn(raw, names, taken)
        return True

    def _learn(self, raw: bytes, names: frozenset[str], taken: bool) -> None:
        """So that the next line of this shape is read the short way, or not at all."""
        splitter = self.splitter
        if taken and splitter.recipe is not None and splitter.draft.reader is None:
            self._shapes.learn(raw, splitter.recipe)
        elif not taken and names <= _STATELESS and not splitter.wants_all and b"{" not in raw:
            self._shapes.learn(raw, None)


def _read_hot(reader: Reader, block: bytes, at: int, number: int) -> tuple[Event, int] | None:
    """The event of one line by its reader's pattern, and where the next line begins."""
    assert reader.hot is not None
    found = reader.hot.match(block, at)
    event = reader.read_hot(found, number) if found else None
    return None if found is None or event is None else (event, found.end())


def _piece_end(block: bytes, at: int, cut: int) -> int:
    """After a line end, if there is one."""
    if cut - at <= _PIECE_BYTES:
        return cut
    return block.rfind(b"\n", at, at + _PIECE_BYTES) + 1 or block.find(b"\n", at + _PIECE_BYTES, cut) + 1 or cut
