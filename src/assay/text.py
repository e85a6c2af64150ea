"""Text from elsewhere, made fit to be shown: on a terminal, on one line, in a spreadsheet."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")
#: what makes a spreadsheet take a cell for a formula
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def printable(text: str, instead: str = "?", keep: str = "") -> str:
    """Without what would move a cursor or change a colour; `keep` lists signs that may stay all the same."""
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() or sign in keep else instead for sign in text)


def safe_cell(value: T) -> T | str:
    """A cell that a spreadsheet would take for a formula is made text."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
