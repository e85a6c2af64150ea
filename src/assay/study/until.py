"""`--until 1%`: repeats are added where an interval is still too wide, and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass

from assay.comparing.comparison import main_figure
from assay.comparing.figures import Figure, figure, show_value
from assay.comparing.groups import group
from assay.comparing.judged import scale_of
from assay.comparing.margins import Amount
from assay.comparing.rows import Row, rows_of
from assay.errors import did_you_mean
from assay.stats import mean
from assay.stats.enough import FIRST_LOOK, half_width
from assay.study.board import Board


@dataclass(frozen=True, kw_only=True)
class Known:
    """How well the figure of one combination of settings is known by its runs so far."""

    figure: Figure
    settings: str  # empty where nothing varies
    n: int
    mean: float
    half: float | None  # of its interval, as the wanted amount is told; None for a single run
    wanted: Amount

    @property
    def enough(self) -> bool:
        return self.n >= FIRST_LOOK and self.half is not None and self.half <= _size(self.wanted, self.figure)

    @property
    def text(self) -> str:
        """`batch_size 8: samples/s 9,142, known to ± 0.8 % after 7 runs`"""
        if self.half is None:
            found = f"{self.figure.noun} is {show_value(self.figure, self.mean)}, from one run"
        else:
            shown = Amount(value=self.half, relative=self.wanted.relative or self.figure.points)
            found = f"{self.figure.noun} is known to ± {_short(shown, self.figure)} after {self.n} runs"
        return f"{self.settings}: {found}" if self.settings else found


def known_so_far(wanted: Amount, board: Board) -> dict[str, Known]:
    """By cell, as far as its runs report the figure."""
    cells = {row.summary.id: row.unit for row in board.rows if row.state == "done" and not row.unit.warmup}
    rows = rows_of(board.summaries(), extra=[wanted.figure] if wanted.figure else ()).rows
    one = _figure(wanted, rows)
    if one is None:
        return {}
    by_cell: dict[str, list[Row]] = {}
    for row in rows:
        if one.name in row.figures:
            by_cell.setdefault(cells[row.summary.id].cell, []).append(row)
    found = {}
    for cell, mine in by_cell.items():
        values = [row.figures[one.name] for row in mine]
        settings = cells[mine[0].summary.id].varied
        found[cell] = Known(
            figure=one,
            settings=", ".join(f"{name} {value}" for name, value in settings.items()),
            n=len(values),
            mean=mean(values),
            half=half_width(scale_of(one, [values]), values, relative=wanted.relative and not one.points),
            wanted=wanted,
        )
    return found


def unknown_figure(wanted: Amount, board: Board) -> str:
    """Why it can never be enough: no run so far reports the figure; empty where one does."""
    rows = rows_of(board.summaries(), extra=[wanted.figure] if wanted.figure else ()).rows
    if not rows or _figure(wanted, rows) is not None:
        return ""
    names = {name for row in rows for name in row.figures}
    hint = did_you_mean(wanted.figure or "", names) if wanted.figure else None
    return f"no run reports `{wanted.figure or 'a figure'}`" + (f" ({hint})" if hint else "")


def spare(wanted: Amount, board: Board) -> None:
    """Take runs off the board that are no longer needed: none of their combination has to be made."""
    enough = {cell for cell, one in known_so_far(wanted, board).items() if one.enough}
    board.rows[:] = [
        row for row in board.rows
        if row.unit.warmup or row.unit.cell not in enough or row.state in ("done", "running", "queued")
    ]  # fmt: skip


def _figure(wanted: Amount, rows: list[Row]) -> Figure | None:
    if not rows:
        return None
    if wanted.figure is None:
        return main_figure(group(rows).groups)
    return figure(wanted.figure) if any(wanted.figure in row.figures for row in rows) else None


def _size(wanted: Amount, one: Figure) -> float:
    """In the unit of `half`."""
    return wanted.value / 100 if one.points and not wanted.relative else wanted.value


def _short(amount: Amount, one: Figure) -> str:
    if amount.relative:
        return f"{100 * amount.value:.2g} {'points' if one.points else '%'}"
    return show_value(one, amount.value)
