"""A line that shows what is being read, for people at a terminal."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from assay.text import printable
from assay.units import show_bytes, show_seconds

_EVERY_S = 0.1


class Source(Protocol):
    """What the line reports."""

    @property
    def name(self) -> str: ...

    @property
    def size(self) -> int: ...


@contextmanager
def progress(wanted: bool) -> Iterator[Callable[[Source, int], None]]:
    """Shows the progress of each file on stderr, and clears the line at the end."""
    if not wanted or not sys.stderr.isatty():
        yield lambda source, read_bytes: None
        return
    begin_s, last_s, count = time.monotonic(), 0.0, 0

    def tell(source: Source, read_bytes: int) -> None:
        nonlocal last_s, count
        count += read_bytes == 0
        now_s = time.monotonic()
        if now_s - last_s > _EVERY_S and now_s - begin_s > _EVERY_S:
            last_s = now_s
            room = max(20, shutil.get_terminal_size().columns - 1)
            sys.stderr.write(f"\r\x1b[K{_line(source, read_bytes, count, now_s - begin_s)[:room]}")
            sys.stderr.flush()

    try:
        yield tell
    finally:
        if last_s:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def _line(source: Source, read_bytes: int, count: int, took_s: float) -> str:
    share = min(1.0, read_bytes / source.size) if source.size else 0.0
    bar = "━" * round(20 * share)
    name = printable(Path(source.name).name)
    of = f" of {show_bytes(source.size)}" if source.size else ""
    return f"{bar:─<20} file {count}, {show_bytes(read_bytes)}{of}, {show_seconds(took_s)}: {name}"


@contextmanager
def counted(total: int, what: str) -> Iterator[Callable[[int], None]]:
    """`reading runs 12 of 50` on stderr, for those who sit in front of it."""
    wanted = sys.stderr.isatty() and total > 5

    def tell(done: int) -> None:
        if wanted:
            sys.stderr.write(f"\r\x1b[K{what} {done} of {total}")
            sys.stderr.flush()

    yield tell
    if wanted:
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()
