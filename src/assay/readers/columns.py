"""Figures in columns: what fastai prints, what Hugging Face shows in a notebook, what CSV loggers keep.

    epoch     train_loss  valid_loss  accuracy  time          epoch,step,train_loss,val_acc
    0         0.512341    0.212341    0.931212  00:21         0,49,0.5123,
    1         0.312341    0.182341    0.941212  00:20         0,99,,0.9312
    | Training Loss | Epoch | Step | Validation Loss |        on a page, as Hugging Face writes it of every model

The trap: any words in a row may look like a head. One that counts nothing, or measures nothing, is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from assay.readers.named import canonical, measured
from assay.readers.settings import SETTING_NAMES
from assay.reading.reader import figure

_COUNTERS = {"epoch", "step", "iter", "iteration", "round", "global_step"}
_DELIMITERS = (",", "\t", None)  # None: two spaces at least
_CELL = re.compile(r"[A-Za-z][\w @/.:()-]{0,40}")
_GAP = re.compile(r"\s{2,}")
_FEWEST, _MOST = 2, 40


class Columns:
    """A table whose head was read: what each of its columns is called."""

    def __init__(self, names: list[str], delimiter: str | None) -> None:
        self._names, self._delimiter = names, delimiter

    def row(self, text: str) -> dict[str, float] | None:
        """The figures of a row; None where the line is none. A cell may be empty, or a clock."""
        return self.facts(_cells(text, self._delimiter))

    def facts(self, cells: Sequence[str]) -> dict[str, float] | None:
        """The figures of a row, by its cells."""
        if len(cells) != len(self._names) or not all(not cell or cell[0] in "0123456789-.n" for cell in cells):
            return None
        figures = {name: figure(cell) for name, cell in zip(self._names, cells, strict=True) if name and cell}
        facts: dict[str, float] = {name: value for name, value in figures.items() if value is not None}
        if "val_loss" in facts and "accuracy" in facts:
            facts["val_accuracy"] = facts.pop("accuracy")  # it stands behind the loss that it was measured with
        for name in ("epoch", "step"):
            if name in facts and float(facts[name]).is_integer():
                facts[name] = int(facts[name])
        return facts


def head(text: str) -> Columns | None:
    """The table that begins with a line."""
    for delimiter in _DELIMITERS:
        cells = _cells(text, delimiter)
        if _FEWEST <= len(cells) <= _MOST:
            break
    else:
        return None
    return of_heads(cells, delimiter)


def of_heads(cells: Sequence[str], delimiter: str | None = None) -> Columns | None:
    """The table whose columns have these heads."""
    if not all(_CELL.fullmatch(cell) for cell in cells):
        return None
    names = ["loss" if cell.lower() == "training loss" else canonical(cell) for cell in cells]
    counts = any(name in _COUNTERS for name in names)
    names = ["step" if name in _COUNTERS - {"epoch"} else name for name in names]
    return Columns(names, delimiter) if counts and any(measured(name) for name in names) else None


def curve(rows: Sequence[Sequence[str]]) -> list[tuple[int, dict[str, float]]]:
    """(place, figures) of each row where a table follows one training; nothing where each of its rows is a run."""
    columns = of_heads(rows[0]) if len(rows) > _FEWEST else None
    if columns is None or any(SETTING_NAMES.get(canonical(cell), "lr") != "lr" for cell in rows[0]):
        return []
    told = [
        (at, facts)
        for at, cells in enumerate(rows[1:], 1)
        if (facts := columns.facts(list(map(_figure_or_none, cells))))
    ]
    whole = len(told) == len(rows) - 1
    return told if whole and _follows([facts for _, facts in told]) else []


def _follows(rows: list[dict[str, float]]) -> bool:
    """Whether the rows count their way through a training: from its beginning, and never back."""
    epochs, steps = ([row[name] for row in rows if name in row] for name in ("epoch", "step"))
    pairs = list(pairwise(epochs))
    if len(epochs) < len(rows):
        return len(steps) == len(rows) > _FEWEST and all(one < two for one, two in pairwise(steps))
    by_step = len(steps) == len(rows) and all(one < two for one, two in pairwise(steps))
    return epochs[0] <= 1 and all(0 <= two - one <= 1 and (by_step or one < two) for one, two in pairs)


def _figure_or_none(cell: str) -> str:
    """`No log`, as Hugging Face has it before the first loss, is no figure of the row."""
    return cell if cell[:1] in "0123456789-." else ""


def _cells(text: str, delimiter: str | None) -> list[str]:
    """Without the spaces round a delimiter; those at both ends of the line belong to its cells."""
    if delimiter is None:
        return _GAP.split(text)
    first, *rest = text.split(delimiter)
    if not rest:
        return [first]
    return [first.rstrip(), *(cell.strip() for cell in rest[:-1]), rest[-1].lstrip()]
