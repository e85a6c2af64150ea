"""The cells of one row, whichever way the table is drawn: bars, boxes, commas, tabs."""

from __future__ import annotations

import csv
import re

_BARS = re.compile(r"[|│┃║]")
_RULE = re.compile(r"[\s|+:=\-─━═│┃║┏┓┗┛┡┩┠┨┣┫┯┷┼╇╈╋┳┻├┤┬┴┌┐└┘╞╡╪╘╛╧╒╕╤╭╮╰╯]+")
_MARKUP = re.compile(r"\*\*|__|`|<br\s*/?>")
_LONGEST = 20_000


def is_rule(text: str) -> bool:
    """The line between a head and its rows, or round a table."""
    return _RULE.fullmatch(text) is not None


def barred(text: str) -> list[str] | None:
    """Cells between bars; None where the line is no such row."""
    if not _BARS.search(text) or len(text) > _LONGEST:
        return None
    inner = text.strip()
    inner = inner[1:] if _BARS.match(inner) else inner
    inner = inner[:-1] if inner and _BARS.match(inner[-1]) else inner
    cells = [_MARKUP.sub("", cell).strip() for cell in _BARS.split(inner)]
    return cells if len(cells) > 1 else None


def separated(text: str) -> list[str] | None:
    """Cells between commas, tabs or semicolons, quoted or not; None where there are none."""
    if len(text) > _LONGEST:
        return None
    for sign in (",", "\t", ";"):
        if sign in text:
            try:
                return [cell.strip() for cell in next(csv.reader([text], delimiter=sign, skipinitialspace=True))]
            except (csv.Error, StopIteration):
                return None
    return None
