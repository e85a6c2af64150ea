"""Tables that a program prints row by row: the line that may be their head, and the cells of a row.

Epoch    GPU_mem      loss            a row may have a bar behind it: `1/3  0G  1.592: 100%|███| 5/5`
phase setup : 0.00 (  0%)  0.01       a label before a colon, with a share behind each number
"""

from __future__ import annotations

import re

from assay.core.numbers import quantity, tokens
from assay.lines import Line
from assay.reading.tables import bar_cells, columns_of

DRAWING = re.compile(
    r"\d%\s{0,3}[|\[]|[█▉▊▋▌▍▎▏━╸]|\|[-=>]{3,120}\||(?<!\d)\d{1,9}/\d{1,9} \[|"
    r"^\s{0,20}\w{1,20} \d{1,9}/\d{1,9}\s{0,3}:?$"
)
BAR_BEHIND = re.compile(r" ?[|━─█▏▎▍▌▋▊▉╸]")
DRAWN_BAR = re.compile(r":?\s{0,4}(?<!\d)\d{1,3}% ?[|━─█▏▎▍▌▋▊▉╸]")
_EDGE = re.compile(r"[\[(].*|.*[\])]")
_PLAIN_HEAD = re.compile(r" ?[A-Za-z_][\w./@%-]*")
_BAR_SIGN = re.compile(r"^\s{0,40}[|│┃║]|(?:^|\s)[|│┃║](?:\s|$)")
_BARE_DIGIT = re.compile(r"(?<![\w@\-+.])\d")
_LETTER = re.compile(r"[^\W\d_]|#")


class Columns:
    """A table that is being printed: the names of its columns, and how its rows are cut."""

    def __init__(self, heads: list[str], sign: str) -> None:
        self.heads, self.sign, self.rows = heads, sign, 0

    def cells(self, text: str) -> list[str] | None:
        """The cells of a row; None where a line is none."""
        text = without_bar(text)
        if DRAWING.search(text) and "|" not in self.sign:
            return None
        if self.sign == ",":
            cut = [one.strip() for one in text.split(",")]
            return cut if len(cut) == len(self.heads) and any(quantity(one) is not None for one in cut) else None
        if self.sign and _BAR_SIGN.search(text):
            cut = bar_cells(text)
        else:
            cut = columns_of(text)
            if len(cut) != len(self.heads):
                cut = text.split()
        if len(cut) == len(self.heads) + 1 and quantity(cut[0]) is None:
            return cut if sum(quantity(one) is not None for one in cut) * 2 >= len(self.heads) else None
        if len(cut) != len(self.heads) and not (self.rows and len(cut) == len(self.heads) - 1):
            return None if self.sign else _label_and_numbers(text, len(self.heads))
        wholes = sum(quantity(one) is not None for one in cut)
        return cut if wholes * 2 >= len(cut) and wholes else None


def without_bar(text: str) -> str:
    """A line without the progress bar at its end: `1/3  0G  1.592: 100%|███| 5/5 [00:00<00:00]`."""
    found = DRAWN_BAR.search(text) if "%" in text else None
    return text[: found.start()].rstrip(" :") if found else text


def head_of(line: Line, text: str) -> tuple[int, list[str], str] | None:
    """The names of columns where a line may be the head of a table: words alone, in three columns or between bars."""
    text = without_bar(text)
    if len(text) > 400 or text.rstrip()[-1:] in ".:;!?,":
        return None
    if _BARE_DIGIT.search(text) and not _BAR_SIGN.search(text):  # `coef  std err  z  P>|z|  [0.025  0.975]`
        wide = columns_of(text)
        named = [one for one in wide if not _EDGE.fullmatch(one)]
        if len(named) < 3 or len(named) < len(wide) - 2 or any(_BARE_DIGIT.search(one) for one in named):
            return None
        return line.number, wide, ""
    if text.count(",") >= 2 and all(_PLAIN_HEAD.fullmatch(one) for one in text.strip().split(",")):
        return line.number, text.strip().split(","), ","
    bars = _BAR_SIGN.search(text) is not None
    heads = bar_cells(text) if bars else columns_of(text)
    if not bars and len(heads) < 3:
        heads = text.split()
        if len(heads) < 3 or len(heads) > 12 or any(len(one) > 16 for one in heads):
            return None
    if len(heads) < 2 or any(len(one.split()) > 4 or not _LETTER.search(one) or one.endswith(":") for one in heads):
        return None
    return line.number, [one.strip() for one in heads], "|" if bars else ""


def _label_and_numbers(text: str, width: int) -> list[str] | None:
    """The cells of `phase setup  :  0.00 (  0%)  0.01 (  2%)`: a label, and as many numbers outside of brackets."""
    depth, label, found = 0, len(text), []
    for token in tokens(text):
        depth += (token.kind in ("(", "[")) - (token.kind in (")", "]"))
        if token.number is not None and not depth:
            found.append(token.text)
            label = min(label, token.start)
    head = text[:label].strip(" :|")
    return [head, *found] if head and len(found) in (width - 1, width) and len(found) > 1 else None
