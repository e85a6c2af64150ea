"""The active runs of a study: progress, rate and loss of each."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path

from assay.model.event import Event, Metric
from assay.store.layout import RunDir
from assay.store.reading import Follower
from assay.study.board import Board, Row
from assay.study.prepare import name_of
from assay.text import printable
from assay.units import show_number, show_seconds
from assay.views.terminal import middle_cut, shortened

_FULL, _EMPTY = "█", "░"
_BAR, _NAME = 16, 28
_LOSSES = ("loss", "train_loss")
_RATES = {"samples_per_s": "samples/s", "tokens_per_s": "tokens/s"}
#: runs side by side that have a line each
_MOST = 4
#: of a run's events at one look: a long run that was going on before us is caught up with in pieces
_PIECE_BYTES = 4 << 20


def bar(share: float, width: int = _BAR) -> str:
    """`██████░░░░`"""
    full = round(max(0.0, min(1.0, share)) * width)
    return _FULL * full + _EMPTY * (width - full)


class Going:
    """Follows the active runs, and forgets those that have ended."""

    def __init__(self) -> None:
        self._seen: dict[Path, _Seen] = {}

    def lines(self, board: Board, room: int) -> list[str]:
        """One for each, as wide as there is room; the rest are counted in the head."""
        rows = [row for row in board.of("running") if row.run is not None][:_MOST]
        self._seen = {row.run.path: self._seen.get(row.run.path) or _Seen(row.run) for row in rows if row.run}
        for one in self._seen.values():
            one.look()
        names = [middle_cut(printable(name_of(row.unit)), _NAME) for row in rows]
        width = max(map(len, names), default=0)
        told = [self._seen[row.run.path] for row in rows if row.run]
        return [
            shortened(f"  {name:<{width}}  {'  '.join(one.words(_expected(row, board)))}", room)
            for name, row, one in zip(names, rows, told, strict=True)
        ]


class _Seen:
    """The latest step, loss and rate of one run."""

    def __init__(self, run: RunDir) -> None:
        self._follower = Follower(run)
        self.at_s = 0.0
        self.step: float | None = None
        self._loss: float | None = None
        self._rate = ""

    def look(self) -> None:
        for event in self._follower.new_events(_PIECE_BYTES):
            self._take(event)

    def _take(self, event: Event) -> None:
        self.at_s = max(self.at_s, event.at_s or 0.0)
        if not isinstance(event, Metric) or event.rank:
            return
        self.step = next((v for name in ("step", "steps") if (v := event.figure(name)) is not None), self.step)
        for value in (event.value(name) for name in reversed(_LOSSES)):
            self._loss = value if isinstance(value, (int, float)) else self._loss
        for name, unit in _RATES.items():
            if (rate := event.figure(name)) is not None:
                self._rate = f"{show_number(rate)} {unit}"

    def words(self, expected: tuple[float | None, float | None]) -> Iterator[str]:
        """`████░░░░ 52 %`, `step 84 of 160`, `14,900 samples/s`, `loss 0.31`, `3.1 s`"""
        steps, wall_s = expected
        share = self.step / steps if steps and self.step is not None else self.at_s / wall_s if wall_s else None
        if share is not None:
            yield f"{bar(share)} {100 * min(1.0, share):.0f} %"
        if self.step is not None:
            yield f"step {show_number(self.step)}" + (f" of {show_number(steps)}" if steps else "")
        if self._rate:
            yield self._rate
        if self._loss is not None:
            yield f"loss {show_number(self._loss) if math.isfinite(self._loss) else 'NaN'}"
        yield show_seconds(self.at_s) if self.at_s else "starting"


def _expected(row: Row, board: Board) -> tuple[float | None, float | None]:
    """Steps and seconds of the runs of this combination that are done."""
    done = [one.summary for one in board.of("done") if one.unit.cell == row.unit.cell]
    steps = {one.steps for one in done}
    walls = [one.wall_s for one in done if one.wall_s is not None]
    return next(iter(steps)) if len(steps) == 1 else None, _median(walls)


def _median(values: Sequence[float]) -> float | None:
    return statistics.median(values) if values else None
