"""Finds the lines that a reader may want in a stream of bytes, without looking at the others.

Most of a large log is noise. Every line of interest contains one of the readers' anchors, and all anchors are searched
for at once (Aho-Corasick, in Rust); without that package one by one, which is slower and finds the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from assay.readers import READERS
from assay.readers.base import Reader
from assay.readers.slurm import Slurm
from assay.readers.trouble import Trouble

_ALL: tuple[type[Reader], ...] = (*READERS.values(), Slurm, Trouble)
Search = Callable[[bytes], list[tuple[int, int]]]  # lower-case text to (anchor, position), by position


class Sieve:
    """`lines` gives the numbered lines of a block that hold an anchor, and the names of the readers it is for."""

    def __init__(self, only: str | None = None) -> None:
        kinds = [kind for kind in _ALL if only in (None, kind.name) or not kind.system]
        wanted: dict[bytes, set[str]] = {}
        for kind in kinds:
            for anchor in kind.anchors:
                wanted.setdefault(anchor.encode(), set()).add(kind.name)
        self._anchors = list(wanted)
        self._readers = [frozenset(wanted[anchor]) for anchor in self._anchors]
        self._search = _searcher(self._anchors)

    def lines(self, block: bytes, first_number: int) -> Iterator[tuple[int, int, int, frozenset[str]]]:
        """(number, begin, end, readers) of each line of interest. The block starts at line `first_number`."""
        counted, number = 0, first_number
        begin, end = -1, -1
        readers: frozenset[str] = frozenset()
        for anchor, position in self._search(block.lower()):
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


def _searcher(anchors: list[bytes]) -> Search:
    try:
        from ahocorasick_rs import BytesAhoCorasick, Implementation
    except ImportError:
        return _plain_searcher(anchors)
    # of all its forms this one alone is as quick in running text (2 ms a megabyte, the default 8)
    automaton = BytesAhoCorasick(anchors, implementation=Implementation.DFA)
    return lambda text: [
        (anchor, begin) for anchor, begin, _ in automaton.find_matches_as_indexes(text, overlapping=True)
    ]


def _plain_searcher(anchors: list[bytes]) -> Search:
    def search(text: bytes) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        for index, anchor in enumerate(anchors):
            at = text.find(anchor)
            while at >= 0:
                found.append((index, at))
                at = text.find(anchor, at + 1)
        return sorted(found, key=lambda item: item[1])

    return search
