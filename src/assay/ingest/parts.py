"""The lines of a document, each with its role."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from assay.lines import Line

PROSE, LOG, HEADING, FENCE, COMMAND, TABLE, BLANK, CODE = (
    "prose",
    "log",
    "heading",
    "fence",
    "command",
    "table",
    "blank",
    "code",
)

_RULE = re.compile(r"[\s:=-]*")


@dataclass(frozen=True, slots=True)
class Part:
    """A line with its role. `text` is what a reader sees, `said` what a person reads: without markup."""

    line: Line
    kind: str
    said: str = ""
    level: int = 0  # of a heading
    command: str | None = None
    launches: bool = False
    starts: tuple[tuple[int, int], ...] = ()  # of lines that were put together: where each begins in `said`, its number

    @property
    def number(self) -> int:
        return self.line.number

    def line_at(self, place: int) -> int:
        """The line of the file that a place in `said` stands on."""
        return max((number for start, number in self.starts if start <= place), default=self.number)


def table_rows(parts: Iterable[Part]) -> list[tuple[Part, list[str]]]:
    """Lines of a table with their cells, but for the rule beneath its head."""
    rows = [(part, [cell.strip() for cell in _one_bar(part.said).strip().strip("|").split("|")]) for part in parts]
    return [(part, cells) for part, cells in rows if not all(_RULE.fullmatch(cell) for cell in cells)]


def _one_bar(row: str) -> str:
    """Heads of some wikis have two bars: `|| ranks || runtime ||`."""
    return row.replace("||", "|") if row.lstrip().startswith("||") else row
