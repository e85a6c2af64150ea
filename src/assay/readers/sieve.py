"""Finds the lines that a reader may want in a stream of bytes, without looking at the others.

Most of a large log is noise. Every line of interest contains one of the readers' anchors, and all anchors are searched
for at once (Aho-Corasick, in Rust); without that package one by one, which is slower and finds the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from assay.readers.kit import Kit
from assay.readers.slurm import Slurm
from assay.readers.trouble import Trouble

Match = tuple[int, int, int]  # anchor, begin, end
Search = Callable[[bytes], list[Match]]  # in lower-case text, by position


class Sieve:
    """`lines` gives the numbered lines of a block that hold an anchor, and the names of the readers it is for."""

    def __init__(self, kit: Kit, only: str | None = None) -> None:
        asked = {name: kind.anchors for name, kind in kit.readers.items() if only in (None, name)}
        asked |= {Slurm.name: Slurm.anchors, Trouble.name: (*Trouble.anchors, *kit.failures.anchors)}
        wanted: dict[bytes, set[str]] = {}
        for name, anchors in asked.items():
            for anchor in anchors:
                wanted.setdefault(anchor.encode(), set()).add(name)
        self._anchors = list(wanted)
        self._readers = [frozenset(wanted[anchor]) for anchor in self._anchors]
        self._search = _searcher(self._anchors)

    def lines(self, block: bytes, first_number: int) -> Iterator[tuple[int, int, int, frozenset[str]]]:
        """(number, begin, end, readers) of each line of interest. The block starts at line `first_number`."""
        counted, number = 0, first_number
        begin, end = -1, -1
        readers: frozenset[str] = frozenset()
        for anchor, position, _ in self._search(block.lower()):
            if position < end:  # another anchor in the same line
                if not self._readers[anchor] <= readers:
                    readers |= self._readers[anchor]
                continue
            if end >= 0:
                yield number, begin, end, readers
            begin = block.rfind(b"\n", 0, position) + 1
            end = block.find(b"\n", position)
            end = len(block) if end < 0 else end
            number += block.count(b"\n", counted, begin)
            counted, readers = begin, self._readers[anchor]
        if end >= 0:
            yield number, begin, end, readers

    def names(self, text: str) -> frozenset[str]:
        """The readers that one line is for."""
        found = {anchor for anchor, _, _ in self._search(text.lower().encode("utf-8", "replace"))}
        return frozenset().union(*(self._readers[anchor] for anchor in found))


def _searcher(anchors: list[bytes]) -> Search:
    try:
        from ahocorasick_rs import BytesAhoCorasick, Implementation
    except ImportError:
        return _plain_searcher(anchors)
    # of all its forms this one alone is as quick in running text (2 ms a megabyte, the default 8)
    automaton = BytesAhoCorasick(anchors, implementation=Implementation.DFA)

    def search(text: bytes) -> list[Match]:
        found: list[Match] = automaton.find_matches_as_indexes(text, overlapping=True)
        return found

    return search


def _plain_searcher(anchors: list[bytes]) -> Search:
    def search(text: bytes) -> list[Match]:
        found: list[Match] = []
        for index, anchor in enumerate(anchors):
            at = text.find(anchor)
            while at >= 0:
                found.append((index, at, at + len(anchor)))
                at = text.find(anchor, at + 1)
        return sorted(found, key=lambda item: item[1])

    return search
