"""Read the command's own output while it runs: from output.log, behind the pump, never in its way.

Lines without a date of their own are dated by when they came. What is left at the end is caught up with before the
summary is made.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING

from assay.events import Event
from assay.store.writer import EventWriter

if TYPE_CHECKING:
    from assay.readers.splitter import Draft
    from assay.readers.stream import Stream

_SLICE_BYTES = 1 << 16
_BLOCK_BYTES = 1 << 20
#: further behind than this, a thread of its own catches up
_FAR_BYTES = 8 << 20
#: as long as what it reads is mostly searched, not understood: the search lets go of the interpreter
_SEARCHED_S = 0.006


class OutputReader:
    """Follows output.log. `marks` tells when each part of it came: (offset, wall clock, monotonic clock)."""

    def __init__(self, log: Path, events: EventWriter, *, replaying: bool = False) -> None:
        self._fd = os.open(log, os.O_RDONLY | os.O_CLOEXEC)
        self._events = events
        self._stream: Stream | None = None
        self._marks: deque[tuple[int, float, float]] = deque()
        self._replaying = replaying
        self._read = 0
        self._runner: threading.Thread | None = None
        self._mono_s: dict[float, float] = {}  # wall clock of a mark: its monotonic clock
        self._begin_s = time.monotonic()
        self._skew_s: float | None = None  # our monotonic clock minus the log's own

    def mark(self, offset: int, t: float, mono_s: float) -> None:
        """What comes from this offset on came at this moment."""
        self._marks.append((offset, t, mono_s))

    @property
    def behind(self) -> bool:
        """Whether there is output that was not read yet, as far as the marks tell."""
        return not self._is_hurrying and bool(self._marks) and self._marks[-1][0] >= self._read

    @property
    def _is_hurrying(self) -> bool:
        return self._runner is not None and self._runner.is_alive()

    def hurry(self) -> None:
        """A command that prints without end leaves us no idle moment: then a thread reads what holds nothing."""
        if self._runner is None and self._marks and self._marks[-1][0] - self._read > _FAR_BYTES:
            self._runner = threading.Thread(target=self._catch_up, name="reading", daemon=True)
            self._runner.start()

    def _catch_up(self) -> None:
        cost_s = 0.0
        while cost_s < _SEARCHED_S and self._marks[-1][0] - self._read > _BLOCK_BYTES:
            before_s = time.thread_time()
            self.step(_BLOCK_BYTES)
            cost_s = time.thread_time() - before_s
        if cost_s < _SEARCHED_S:
            self._runner = None  # may be started again

    def step(self, limit: int = _SLICE_BYTES) -> bool:
        """Read a little more; False when there is nothing."""
        content = os.pread(self._fd, limit, self._read)
        if not content:
            return False
        self._read += len(content)
        stream = self._started()
        stream.feed(content, self._when)
        self._flush(stream)
        return True

    def finish(self) -> None:
        """Catch up, and say what follows from all of it."""
        runner = self._runner
        if runner is not None:
            runner.join()
        while self.step(_BLOCK_BYTES):
            pass
        if self._stream is not None:
            self._stream.finish(self._when)
            self._flush(self._stream)
        os.close(self._fd)

    def _started(self) -> Stream:
        """The readers are loaded with the first output: starting the command does not wait for them."""
        if self._stream is None:
            from assay.readers.stream import Stream

            self._stream = Stream(self._done, whole=True)
        return self._stream

    def _when(self, offset: int) -> float | None:
        while len(self._marks) > 1 and self._marks[1][0] <= offset:
            self._marks.popleft()
        if not self._marks:
            return None
        _, t, mono_s = self._marks[0]
        self._mono_s[t] = mono_s
        return t

    def _flush(self, stream: Stream) -> None:
        draft = stream.splitter.draft
        if draft.settled or draft.reader is None:  # else they may be taken back
            self._write(draft.events)
            draft.events = []
        if not draft.settled:
            self._write(draft.generic_events)
        draft.generic_events = []
        if len(self._mono_s) > 1000:
            self._mono_s.clear()

    def _done(self, draft: Draft) -> None:
        """The last words of the readers; everything else was written as it came."""
        self._write(draft.events)
        draft.events = []

    def _write(self, events: list[Event]) -> None:
        for event in events:
            came_t = event.pop("came_t", None)
            mono_s = self._monotonic(event.get("t"), came_t)
            if mono_s is not None:
                event["mono_s"] = round(mono_s, 6)
            self._events.write(event)

    def _monotonic(self, t: float | None, came_t: float | None) -> float | None:
        """When a line came, on the clock that durations are made of.

        A line with a date of its own ties the log's clock to ours, for events that are dated back; a replayed log keeps
        the pace that its dates give it.
        """
        if t is None or t in self._mono_s:  # dated by its coming
            return self._mono_s.get(t or 0.0)
        if self._replaying:
            self._skew_s = self._begin_s - t if self._skew_s is None else self._skew_s
        elif came_t in self._mono_s:
            self._skew_s = self._mono_s[came_t] - t
        return None if self._skew_s is None else t + self._skew_s
