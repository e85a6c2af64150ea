"""A table for the terminal: columns as wide as their cells, fitted to the room there is, and no figure ever cut."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TypeAlias

from assay.views.terminal import UNLIMITED, middle_cut, painted, width_of

#: a column of text is not cut shorter than this: the last columns are left out instead
_LEAST = 8


@dataclass(frozen=True, kw_only=True)
class Column:
    """If there is no room, a text with `cut` is cut with … in its middle, and one with `wrap` is wrapped."""

    heading: str
    right: bool = False
    cut: bool = False
    wrap: bool = False

    @property
    def gives_way(self) -> bool:
        return self.cut or self.wrap


@dataclass(frozen=True)
class Styled:
    """A cell in a style; `beneath` is its second line."""

    text: str
    style: str = ""
    beneath: str = ""


Cell: TypeAlias = str | Styled
_Line: TypeAlias = tuple[str, str]  # text, style


@dataclass(frozen=True, kw_only=True)
class Grid:
    """Rows under headings."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    gap: int = 2

    def fitted(self, room: int) -> Grid:
        """Without the columns from the right that have no room; the first stays."""
        if room >= UNLIMITED:
            return self
        shown, needed = len(self.columns), [self._least(at) for at in range(len(self.columns))]
        while shown > 1 and sum(needed[:shown]) + self.gap * (shown - 1) > room:
            shown -= 1
        return replace(self, columns=self.columns[:shown], rows=[row[:shown] for row in self.rows])

    def keeping(self, needed: Sequence[int], room: int, *, least: int) -> list[int]:
        """Which columns have room, the most `needed` of them first; one that can be cut takes `least` at the least."""
        if room >= UNLIMITED:
            return list(range(len(self.columns)))
        widths = [self._natural(at) for at in range(len(self.columns))]
        widths = [min(width, least) if self.columns[at].gives_way else width for at, width in enumerate(widths)]
        kept: list[int] = []
        taken = -self.gap
        for at in needed:
            if not kept or taken + self.gap + widths[at] <= room:
                kept.append(at)
                taken += self.gap + widths[at]
        return sorted(kept)

    def lines(self, room: int = UNLIMITED, *, colour: bool = False) -> Iterator[str]:
        """Each as it is printed."""
        widths = self._widths(room)
        headings = [self._fitted(Styled(one.heading, "bold"), at, widths[at]) for at, one in enumerate(self.columns)]
        highest = max(map(len, headings), default=0)
        yield from self._drawn([[("", "")] * (highest - len(lines)) + lines for lines in headings], widths, colour)
        simple, length = self._simple(widths), sum(widths) + self.gap * (len(widths) - 1)
        for row in self.rows:
            if set(map(type, row)) == {str}:
                line = simple.format(*row)  # a tenth of the time, and most rows are of this kind
                if len(line) == length and line.isascii() and "\n" not in line:
                    yield line.rstrip(" ")
                    continue
            yield from self._drawn([self._fitted(cell, at, widths[at]) for at, cell in enumerate(row)], widths, colour)

    def _simple(self, widths: Sequence[int]) -> str:
        """The format of a row whose cells all fit in one line."""
        signs = [">" if column.right else "<" for column in self.columns]
        return (" " * self.gap).join(f"{{:{sign}{width}}}" for sign, width in zip(signs, widths, strict=True))

    def _natural(self, at: int) -> int:
        cells = [self.columns[at].heading, *(row[at] for row in self.rows)]
        plain = [cell for cell in cells if type(cell) is str]
        together = "".join(plain)
        if len(plain) == len(cells) and together.isascii() and "\n" not in together:
            return max(map(len, plain))
        return max(width_of(text) for cell in cells for text, _ in _lines(cell))

    def _least(self, at: int) -> int:
        natural = self._natural(at)
        return min(natural, _LEAST) if self.columns[at].gives_way else natural

    def _widths(self, room: int) -> list[int]:
        """As wide as the cells are; where that is too much, the widest that can gives way first."""
        widths = [self._natural(at) for at in range(len(self.columns))]
        over = sum(widths) + self.gap * (len(widths) - 1) - room
        soft = [at for at, column in enumerate(self.columns) if column.gives_way]
        while over > 0 and soft and max(widths[at] for at in soft) > _LEAST:
            widest = max(soft, key=lambda at: widths[at])
            widths[widest] -= 1
            over -= 1
        return widths

    def _drawn(self, cells: Sequence[list[_Line]], widths: Sequence[int], colour: bool) -> Iterator[str]:
        """One line, or more where a cell has more."""
        for pieces in zip_longest(*cells, fillvalue=("", "")):
            shown = (
                _placed(text, painted(text, style, colour), width, right=column.right)
                for (text, style), width, column in zip(pieces, widths, self.columns, strict=True)
            )
            yield (" " * self.gap).join(shown).rstrip(" ")

    def _fitted(self, cell: Cell, at: int, width: int) -> list[_Line]:
        if self.columns[at].wrap:
            return [(part, style) for text, style in _lines(cell) for part in _wrapped(text, width)]
        if self.columns[at].cut:
            return [(middle_cut(text, width), style) for text, style in _lines(cell)]
        return _lines(cell)


def _lines(cell: Cell) -> list[_Line]:
    if isinstance(cell, str):
        return [(text, "") for text in cell.split("\n")]
    lines = [(text, cell.style) for text in cell.text.split("\n")]
    return [*lines, (cell.beneath, "dim")] if cell.beneath else lines


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_on_hyphens=False) or [""]


def _placed(text: str, shown: str, width: int, *, right: bool) -> str:
    space = " " * (width - width_of(text))
    return space + shown if right else shown + space
