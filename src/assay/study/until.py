"""`--until 1%`: repeats are added where an interval is still too wide and one more helps most, and nowhere else."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from assay.comparing.comparison import main_figure
from assay.comparing.figures import Figure, figure, show_value
from assay.comparing.groups import Group, group
from assay.comparing.judged import scale_of
from assay.comparing.margins import Wanted
from assay.comparing.pairs import Pairs
from assay.comparing.rows import Row, rows_of
from assay.errors import did_you_mean
from assay.stats.enough import FIRST_LOOK, gain, half_width, half_width_between
from assay.study.board import Board
from assay.study.plan import Unit


@dataclass(frozen=True, kw_only=True)
class Known:
    """How well a figure of one combination of settings is known so far, or its difference from the first one.

    `gains` has, for each cell that it rests on, how much one more run would help.
    """

    figure: Figure
    settings: str  # empty where nothing varies
    n: tuple[int, ...]
    half: float | None  # of the interval, in the unit of what is wanted; None where one run cannot tell
    wanted: Wanted
    gains: Mapping[str, float]

    @property
    def enough(self) -> bool:
        size = self.wanted.amount.value
        size /= 100 if self.figure.points and not self.wanted.amount.relative else 1
        return min(self.n) >= FIRST_LOOK and self.half is not None and self.half <= size

    @property
    def text(self) -> str:
        """`mode compiled: throughput is known to ± 0.8 % after 7 runs`"""
        what = f"the difference in {self.figure.noun}" if self.wanted.difference else self.figure.noun
        counts = " + ".join(map(str, self.n))
        found = f"{what} is not known, after {counts} runs"
        if self.half is not None:
            found = f"{what} is known to ± {self._shown(self.half)} after {counts} runs"
        return f"{self.settings}: {found}" if self.settings else found

    def _shown(self, half: float) -> str:
        if self.figure.points:
            return f"{100 * half:.2g} points"
        return f"{100 * half:.2g} %" if self.wanted.amount.relative else show_value(self.figure, half)


def known_so_far(wanted: Wanted, board: Board) -> list[Known]:
    """Of every combination whose runs report the figure, in the order of the study."""
    units = {row.summary.id: row.unit for row in board.rows if row.state == "done" and not row.unit.warmup}
    rows = rows_of(board.summaries(), extra=[wanted.figure] if wanted.figure else ()).rows
    one = _figure(wanted, rows)
    if one is None:
        return []
    first = {row.unit.cell: row.unit for row in reversed(board.rows) if not row.unit.warmup}
    mine: dict[str, list[Row]] = {cell: [] for cell in sorted(first, key=lambda cell: first[cell].number)}
    for row in rows:
        if one.name in row.figures:
            mine[units[row.summary.id].cell].append(row)
    groups = {cell: Group(key=(cell,), label=_called(first[cell]), rows=rows) for cell, rows in mine.items() if rows}
    return list(_differences(wanted, one, groups) if wanted.difference else _alone(wanted, one, groups))


def _alone(wanted: Wanted, one: Figure, groups: Mapping[str, Group]) -> Iterator[Known]:
    relative = wanted.amount.relative and not one.points
    for cell, runs in groups.items():
        values = runs.sample(one.name)
        scale = scale_of(one, [values])
        yield Known(
            figure=one, settings=runs.label, n=(len(values),), half=half_width(scale, values, relative=relative),
            wanted=wanted, gains={cell: gain(scale, values)},
        )  # fmt: skip


def _differences(wanted: Wanted, one: Figure, groups: Mapping[str, Group]) -> Iterator[Known]:
    """Of every combination from the first, judged as the comparison judges them."""
    pairs, relative = Pairs(figure=one, groups=list(groups.values())), wanted.amount.relative and not one.points
    (start, base), *others = groups.items()
    for cell, runs in others:
        samples, estimates = (runs.sample(one.name), base.sample(one.name)), pairs.judged(runs, base).estimates
        half = None if min(map(len, samples)) < 2 else 0.0  # where all repeats agree
        if estimates and half is not None:
            half = half_width_between(pairs.scale, estimates, samples[1].mean, relative=relative)
        yield Known(
            figure=one, settings=runs.label, n=tuple(map(len, samples)), half=half, wanted=wanted,
            gains={cell: gain(pairs.scale, samples[0]), start: gain(pairs.scale, samples[1])},
        )  # fmt: skip


def cells_to_repeat(wanted: Wanted, board: Board, open_cells: Collection[str]) -> set[str]:
    """Where one more run helps most: of what is too wide, one cell each, among those that may have more."""
    found = set()
    for one in known_so_far(wanted, board):
        gains = {cell: size for cell, size in one.gains.items() if cell in open_cells}
        if gains and not one.enough:
            found.add(max(gains, key=lambda cell: gains[cell]))
    return found


def spare(wanted: Wanted, board: Board) -> None:
    """Take runs off the board that are no longer needed: their combination is known well enough."""
    known = known_so_far(wanted, board)
    needed = {cell for one in known if not one.enough for cell in one.gains}
    done = {cell for one in known for cell in one.gains} - needed
    board.rows[:] = [
        row for row in board.rows
        if row.unit.warmup or row.unit.cell not in done or row.state in ("done", "running", "queued")
    ]  # fmt: skip


def unknown_figure(wanted: Wanted, board: Board) -> str:
    """Why it can never be enough: no run so far reports the figure; empty where one does."""
    rows = rows_of(board.summaries(), extra=[wanted.figure] if wanted.figure else ()).rows
    if not rows or _figure(wanted, rows) is not None:
        return ""
    names = {name for row in rows for name in row.figures}
    hint = did_you_mean(wanted.figure or "", names) if wanted.figure else None
    return f"no run reports `{wanted.figure or 'a figure'}`" + (f" ({hint})" if hint else "")


def _figure(wanted: Wanted, rows: list[Row]) -> Figure | None:
    if not rows:
        return None
    if wanted.figure is None:
        return main_figure(group(rows).groups)
    return figure(wanted.figure) if any(wanted.figure in row.figures for row in rows) else None


def _called(unit: Unit) -> str:
    return ", ".join(f"{name} {value}" for name, value in unit.varied.items())
