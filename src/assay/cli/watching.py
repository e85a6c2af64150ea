"""The runs of a study while it is active: a live table, or one line for each run that ends."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from assay.cli.start import say
from assay.study.board import Board

_QUIET_S = 60.0


@contextmanager
def stopping() -> Iterator[None]:
    """TERM and HUP are a Ctrl-C from elsewhere; under nohup, HUP is nothing."""

    def stop(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    heard = [one for one in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(one) != signal.SIG_IGN]
    before = {number: signal.signal(number, stop) for number in heard}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


_REDRAWN_S = 0.5


@contextmanager
def live(board: Board, width: int | None) -> Iterator[Callable[[Board], None]]:
    """On a terminal a table that changes; elsewhere a line for every run that ends."""
    if not sys.stderr.isatty():
        yield _line_by_line(board, width)
        return
    from assay.views.going import Going, bar
    from assay.views.study import head_line, table
    from assay.views.terminal import Redrawn, shortened
    from assay.views.waiting import note_lines

    drawn, going = Redrawn(), Going()
    before: tuple[float, list[str]] = (0.0, [])

    def tell(board: Board) -> None:
        nonlocal before
        states, now_s = [row.state for row in board.rows], time.monotonic()
        if states == before[1] and now_s < before[0] + _REDRAWN_S:
            return  # what is measured here should not notice that someone is watching
        before = (now_s, states)
        room = drawn.room()[0]
        head = f"{bar(board.count('done', 'failed') / max(1, len(board.rows)))} {head_line(board, width)}"
        lines = table(board).fitted(room).lines(room, colour=drawn.colour)
        notes = [shortened(line, room) for line in note_lines(board)]
        drawn.show([shortened(head, room), *going.lines(board, room), *notes, *lines])

    try:
        yield tell
    finally:
        drawn.show(())  # what it came to is printed once, below


def _line_by_line(board: Board, width: int | None) -> Callable[[Board], None]:
    from assay.views.study import ended_line, head_line
    from assay.views.waiting import note_lines

    first_seen = _first_seen()
    ended = {id(row) for row in board.of("done")}
    failed = {id(row): row.summary for row in board.of("failed")}  # will be tried again
    last_s = time.monotonic()

    def tell(board: Board) -> None:
        nonlocal last_s
        for row in board.of("done", "failed"):
            if id(row) not in ended and failed.get(id(row)) is not row.summary:
                ended.add(id(row))
                say(ended_line(row, len(ended), len(board.rows)))
                last_s = time.monotonic()
        for line in first_seen(board):
            say(line)
            last_s = time.monotonic()
        if time.monotonic() - last_s >= _QUIET_S:  # so that a log shows why nothing happens
            last_s = time.monotonic()
            for line in (head_line(board, width), *note_lines(board)):
                say(line)

    return tell


def _first_seen() -> Callable[[Board], list[str]]:
    """Why the study waits, where that is more than a queue: said at once, and after that once a minute."""
    from assay.views.waiting import notes

    known: set[object] = set()

    def look(board: Board) -> list[str]:
        found: list[tuple[object, str]] = [(board.word, board.word)] if board.word else []
        found += [(note.key, note.line) for note in notes(board) if note.needs_you]
        new = [line for key, line in found if key not in known]
        known.update(key for key, _ in found)
        return new

    return look


@contextmanager
def quietly() -> Iterator[Callable[[Board], None]]:
    yield lambda board: None
