"""A line that says what is being read, for those who sit in front of it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from assay.units import show_bytes


@contextmanager
def progress(wanted: bool) -> Iterator[Callable[[Any], None]]:
    """Tells of each file on stderr, no more often than the eye can follow, and leaves nothing behind."""
    if not wanted or not sys.stderr.isatty():
        yield lambda source: None
        return
    begin_s, last_s, count = time.monotonic(), 0.0, 0

    def tell(source: Any) -> None:
        nonlocal last_s, count
        count += 1
        now_s = time.monotonic()
        if now_s - last_s > 0.1 or source.size > 8 << 20:
            last_s = now_s
            text = f"reading {source.name} ({show_bytes(source.size)}), file {count}, {now_s - begin_s:.0f} s"
            sys.stderr.write(f"\r\x1b[K{text[:100]}")
            sys.stderr.flush()

    yield tell
    sys.stderr.write("\r\x1b[K")
    sys.stderr.flush()


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
