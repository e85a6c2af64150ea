"""Bytes in, events out: the same for a file that is read whole and for output that is still being written.

Most lines of a large log differ from others in their digits alone. What was found out about one line of a shape serves
all of them: where its figures stand, or that nobody needs it. So a line is looked at closely once, and a gigabyte is
read in seconds. The rest are asked for in full: by the readers whose fixed words the line holds, and by the one of
scripts for every line.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import accumulate

from assay.lines import LONGEST_BYTES, Line, frames
from assay.model.event import Event
from assay.reading.failures import Slurm, Trouble
from assay.reading.formats import find_words
from assay.reading.reader import Reader
from assay.reading.shapes import ZEROS, Shapes
from assay.reading.splitter import Draft, Kit, Splitter

#: lines are looked at in pieces of this size
_PIECE_BYTES = 1 << 16
#: readers that refuse a line whatever they have read before it, as long as none of them wants all
_STATELESS = frozenset({"generic", "slurm", "trouble"})
When = Callable[[int], float | None]  # when the byte at an offset came, if that is known


class Sieve:
    """Which readers a line is for, by the fixed words that it holds."""

    def __init__(self, kit: Kit, only: str | None = None) -> None:
        asked = {name: kind.anchors for name, kind in kit.readers.items() if only in (None, name) and name != "generic"}
        asked |= {Slurm.name: Slurm.anchors, Trouble.name: (*Trouble.anchors, *kit.failures.anchors)}
        wanted: dict[str, set[str]] = {}
        for name, anchors in asked.items():
            for anchor in anchors:
                wanted.setdefault(anchor, set()).add(name)
        for word, owner in find_words():
            if owner in asked or (owner[0] == "~" and only in (None, "generic")):
                wanted.setdefault(word, set()).add(owner)
        self._readers = [(anchor, frozenset(names)) for anchor, names in wanted.items()]
        self._always = frozenset({"generic"} if only in (None, "generic") else ())
        self._search = _searcher([anchor for anchor, _ in self._readers])

    def names(self, text: str) -> frozenset[str]:
        """The readers that one line is for; the one of scripts is asked about every line."""
        found = set(self._always)
        for index in self._search(text.lower()):
            found |= self._readers[index][1]
        return frozenset(found)


def _searcher(anchors: list[str]) -> Callable[[str], Collection[int]]:
    """Which of many words a text holds: all at once (Aho-Corasick, in Rust), or one by one without that package."""
    try:
        from ahocorasick_rs import AhoCorasick, Implementation
    except ImportError:
        return lambda text: [index for index, anchor in enumerate(anchors) if anchor in text]
    automaton = AhoCorasick(anchors, implementation=Implementation.DFA)
    return lambda text: {found[0] for found in automaton.find_matches_as_indexes(text, overlapping=True)}


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
        """The next bytes; `when` tells for an offset when that byte came."""
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
        """The last line, and what follows from all of them."""
        if self._rest:
            self._read(self._rest, when)
            self._rest = b""
        self.splitter.finish()

    def _read(self, block: bytes, when: When | None) -> None:
        """Every line, the short way where its shape is known."""
        lines = block.split(b"\n")
        if not lines[-1]:
            lines.pop()
        if len(lines) > 16 and self._repeats(lines):
            return self._read_repeated(block, lines, when)
        shapes = block.translate(ZEROS).split(b"\n")
        known, splitter = self._shapes.known, self.splitter
        if splitter.wants_all or any(known.get(shape) is not False for shape in set(shapes)):
            starts = list(accumulate(map(len, lines), lambda total, size: total + size + 1, initial=0))
            for at, raw in enumerate(lines):
                places = known.get(shapes[at])
                if places is False and not splitter.wants_all:
                    continue
                t = when(self._offset + starts[at]) if when else None
                self._line(raw, shapes[at], self._number + at, t)
        self._number += len(lines)
        self._offset += len(block)

    def _line(self, raw: bytes, shape: bytes, number: int, t: float | None) -> None:
        """One line: by the pattern of its run's reader, by its shape, or in full."""
        splitter, shapes = self.splitter, self._shapes
        reader = splitter.draft.reader
        if reader is not None and reader.hot is not None and self._hot(reader, raw, number, t):
            return
        if not splitter.wants_all:
            places = shapes.look_up(shape)
            if places is False or (places and splitter.feed_placed(places, raw, Line(number, "", t))):
                return
        taken, asked = False, frozenset[str]()
        for line in frames(raw, number, t):
            names = self._sieve.names(line.text)
            asked |= names
            taken = splitter.feed(line, names=names) or taken
        generic = splitter.draft.generic
        if taken and splitter.recipe is not None and splitter.draft.reader is None:
            shapes.learn(raw, splitter.recipe)
        elif (
            not taken
            and {one for one in asked if one[0] != "~"} <= _STATELESS
            and generic.passed_over
            and not splitter.wants_all
        ):
            shapes.learn(raw, None)

    def _hot(self, reader: Reader, raw: bytes, number: int, t: float | None) -> bool:
        """One line by the pattern of the run's reader, which expects a million like it."""
        event: Event | None = self.splitter.ask(reader, number, _read_hot, reader, raw, number)
        if event is None:
            if self.splitter.ask.faults:
                self.splitter.set_aside()
            return False
        draft = self.splitter.draft
        draft.events.append(event if t is None else event.replace(came_t=t))
        draft.last_line = number
        return True

    def _repeats(self, lines: list[bytes]) -> bool:
        """One line over and over, as a program prints that is stuck. Comparing costs nothing."""
        return not self.splitter.wants_all and lines[0] == lines[-1] and lines.count(lines[0]) == len(lines)

    def _read_repeated(self, block: bytes, lines: list[bytes], when: When | None) -> None:
        """Such lines, where only the first and the last of them count."""
        shape = lines[0].translate(ZEROS)
        if self._shapes.look_up(shape) is not False:
            size = len(lines[0]) + 1
            places = (0, len(lines) - 1) if self._thin else range(len(lines))
            for at in places:
                t = when(self._offset + at * size) if when else None
                self._line(lines[0], shape, self._number + at, t)
            self.repeated += len(lines) - 2 if self._thin else 0
        self._number += len(lines)
        self._offset += len(block)


def _read_hot(reader: Reader, raw: bytes, number: int) -> Event | None:
    assert reader.hot is not None
    found = reader.hot.match(raw + b"\n")
    return reader.read_hot(found, number) if found else None


def _piece_end(block: bytes, at: int, cut: int) -> int:
    """After a line end, if there is one."""
    if cut - at <= _PIECE_BYTES:
        return cut
    return block.rfind(b"\n", at, at + _PIECE_BYTES) + 1 or block.find(b"\n", at + _PIECE_BYTES, cut) + 1 or cut
