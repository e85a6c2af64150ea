"""Runs of a study while they go on: a table that changes, or a line for each that ends."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from assay.cli.start import say
from assay.study.board import Board


@contextmanager
def stopping() -> Iterator[None]:
    """TERM and HUP are a Ctrl-C from elsewhere."""

    def stop(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def live(board: Board, width: int | None) -> Iterator[Callable[[Board], None]]:
    """On a terminal a table that changes; elsewhere a line for every run that ends."""
    if not sys.stderr.isatty():
        yield _line_by_line(board)
        return
    from assay.views.study import head_line, table
    from assay.views.terminal import Redrawn, shortened

    drawn = Redrawn()

    def tell(board: Board) -> None:
        room = drawn.room()[0]
        lines = table(board).fitted(room).lines(room, colour=drawn.colour)
        drawn.show([shortened(head_line(board, width), room), *lines])

    yield tell


def _line_by_line(board: Board) -> Callable[[Board], None]:
    from assay.views.study import ended_line

    ended = {id(row) for row in board.of("done")}
    failed = {id(row): row.summary for row in board.of("failed")}  # will be tried again

    def tell(board: Board) -> None:
        for row in board.of("done", "failed"):
            if id(row) not in ended and failed.get(id(row)) is not row.summary:
                ended.add(id(row))
                say(ended_line(row, len(ended), len(board.rows)))

    return tell


@contextmanager
def quietly() -> Iterator[Callable[[Board], None]]:
    yield lambda board: None
