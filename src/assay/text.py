"""Text from elsewhere, made fit to be shown: on a terminal, on one line, in a spreadsheet."""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
#: control characters, and halves of characters that no file can hold
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
#: what makes a spreadsheet take a cell for a formula
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def printable(text: str, instead: str = "?", keep: str = "") -> str:
    """Without what would move a cursor or change a colour; `keep` lists signs that may stay all the same."""
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() or sign in keep else instead for sign in text)


def visible(text: str) -> str:
    """Text of any number of lines for a file or a chart: what a terminal would not show is left out or `?`."""
    return _UNSEEN.sub("?", _ESCAPES.sub("", text.replace("\r\n", "\n")))


def without_escapes(line: str) -> str:
    return _ESCAPES.sub("", line)


def safe_cell(value: T) -> T | str:
    """A cell that a spreadsheet would take for a formula is made text, and nothing in it moves a cursor."""
    if not isinstance(value, str):
        return value
    return ("'" if value.startswith(_FORMULA) else "") + visible(value)


def csv_table(rows: Iterable[Iterable[object]]) -> str:
    """Headings are a row, too: names of settings and of runs come from elsewhere."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(map(safe_cell, row) for row in rows)
    return text.getvalue()


def html_table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A plain table for a notebook; nothing in it is taken for markup."""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in heads)
    lines = ("".join(f"<td>{html.escape(_short(cell))}</td>" for cell in row) for row in rows)
    return (
        f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(f'<tr>{line}</tr>' for line in lines)}</tbody></table>"
    )


def _short(cell: object) -> str:
    return f"{cell:.6g}" if isinstance(cell, float) else str(cell)


def listing(words: Sequence[str]) -> str:
    """`16, 32 and 64`"""
    return ", ".join(words[:-1]) + (" and " if len(words) > 1 else "") + words[-1] if words else ""


def capital(text: str) -> str:
    """As a sentence begins; `val_bpb` stays as it is."""
    return text if "_" in text.partition(" ")[0] else f"{text[:1].upper()}{text[1:]}"


def counted(number: int, noun: str) -> str:
    """`1 run`, `1,024 runs`"""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
