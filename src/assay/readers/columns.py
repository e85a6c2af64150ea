"""Figures in columns: what fastai prints, what Hugging Face shows in a notebook, what CSV loggers keep.

    epoch     train_loss  valid_loss  accuracy  time          epoch,step,train_loss,val_acc
    0         0.512341    0.212341    0.931212  00:21         0,49,0.5123,
    1         0.312341    0.182341    0.941212  00:20         0,99,,0.9312

The trap: any words in a row may look like a head. One that counts nothing, or measures nothing, is none.
"""

from __future__ import annotations

import re
from typing import Any

from assay.readers.base import figure
from assay.readers.named import canonical, measured

_COUNTERS = {"epoch", "step", "iter", "iteration", "round", "global_step"}
_DELIMITERS = (re.compile(r"\s*,\s*"), re.compile(r"\s*\t\s*"), re.compile(r"\s{2,}"))
_CELL = re.compile(r"[A-Za-z][\w @/.()-]{0,40}")
_FEWEST, _MOST = 2, 40


class Columns:
    """A table whose head was read: what each of its columns is called."""

    def __init__(self, names: list[str], delimiter: re.Pattern[str]) -> None:
        self._names, self._delimiter = names, delimiter

    def row(self, text: str) -> dict[str, Any] | None:
        """The figures of a row; None where the line is none. A cell may be empty, or a clock."""
        cells = self._delimiter.split(text)
        if len(cells) != len(self._names) or not all(not cell or cell[0] in "0123456789-.n" for cell in cells):
            return None
        figures = {name: figure(cell) for name, cell in zip(self._names, cells, strict=True) if name and cell}
        facts: dict[str, Any] = {name: value for name, value in figures.items() if value is not None}
        for name in ("epoch", "step"):
            if name in facts and facts[name].is_integer():
                facts[name] = int(facts[name])
        return facts


def head(text: str) -> Columns | None:
    """The table that begins with a line."""
    for delimiter in _DELIMITERS:
        cells = delimiter.split(text)
        if _FEWEST <= len(cells) <= _MOST:
            break
    else:
        return None
    if not all(_CELL.fullmatch(cell) for cell in cells):
        return None
    names = [canonical(cell) for cell in cells]
    counts = any(name in _COUNTERS for name in names)
    names = ["step" if name in _COUNTERS - {"epoch"} else name for name in names]
    return Columns(names, delimiter) if counts and any(measured(name) for name in names) else None
