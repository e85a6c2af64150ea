"""Read the command's own output while it runs: from output.log, behind the pump, never in its way.

Lines without a date get the time they arrived. The rest is read before the summary is made, within a budget: if it does
not fit, samples and the end are read, and the summary names what was not read.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypedDict

from assay.model.event import Event, How
from assay.recording.thinning import Thinning

if TYPE_CHECKING:
    from assay.reading.splitter import Draft
    from assay.reading.stream import Stream


class Report(TypedDict, total=False):
    """What reading the output came to; `failed` is a traceback."""

    unread_bytes: int
    unread_lines: int
    repeated_lines: int
    events_left_out: int
    events_kept: int
    problems: list[str]
    failed: str
    stopped: bool
    modules: dict[str, str]  # that it had to load, and their sources


_SLICE_BYTES = 1 << 16
_BLOCK_BYTES = 1 << 20
#: further behind than this, it is caught up with at once
_FAR_BYTES = 8 << 20
#: as long as what is read is mostly searched, not understood, which costs next to nothing
_SEARCHED_S = 0.006
#: share of a core for reading the output while the command runs; the rest is read when it is over
_SHARE = 0.05
#: output that is dated once is read once: see pump.DATED_EVERY_S
_SETTLES_S = 0.015
#: the end of the output is always read, because it shows how the run ended
_LAST_BYTES = 1 << 18
Write = Callable[[Sequence[Event]], int]  # gives how large the events have become


class OutputReader:
    """Follows output.log. Marks hold when each part of it arrived: (offset, wall clock, monotonic clock)."""

    def __init__(self, log: int, write: Write, *, replaying: bool = False) -> None:
        self._fd = log
        self._write_events = write
        self.stream: Stream | None = None
        self.thinning = Thinning()
        self.unread_bytes = self.unread_lines = 0
        self.faults: list[str] = []
        self._written_bytes = 0
        self._marks: deque[tuple[int, float, float]] = deque()
        self._replaying = replaying
        self._read = 0
        self._again_s = 0.0
        self._mono_s: dict[float, float] = {}  # wall clock of a mark: its monotonic clock
        self._begin_s = time.monotonic()
        self._skew_s: float | None = None  # our monotonic clock minus the log's own

    def mark(self, offset: int, t: float, mono_s: float) -> None:
        """What comes from this offset on came at this moment."""
        if not self.behind:
            self._again_s = max(self._again_s, time.monotonic() + _SETTLES_S)
        self._marks.append((offset, t, mono_s))

    @property
    def behind(self) -> bool:
        """Whether some output has not been read yet, by the marks."""
        return bool(self._marks) and self._marks[-1][0] >= self._read

    def patience_s(self) -> float | None:
        """How long nothing needs to be done here; None: until more is printed."""
        return max(0.0, self._again_s - time.monotonic()) if self.behind else None

    def turn(self) -> None:
        """Read a little, then pause so that reading stays within its share of a core."""
        far = self._marks[-1][0] - self._read > _FAR_BYTES
        before_s = time.process_time()
        any_more = self._step(_BLOCK_BYTES if far else _SLICE_BYTES)
        cost_s = time.process_time() - before_s
        rest_s = 0.0 if far and cost_s < _SEARCHED_S else cost_s / _SHARE
        self._again_s = time.monotonic() + (rest_s if any_more else max(rest_s, _SETTLES_S))

    def finish(self, budget_s: float, stopped: Callable[[], bool]) -> None:
        """Catch up within so many seconds of computing, or until `stopped`, and say what follows from all of it."""
        size = os.fstat(self._fd).st_size
        last = max(self._read, size - _LAST_BYTES)
        self._catch_up(last, time.process_time() + budget_s, stopped)
        if self._read < last:
            self._leap(last - self._read)
        while not stopped() and self._step(_SLICE_BYTES):
            pass
        self._leap(size - self._read)
        if self.stream is not None:
            self.stream.finish(self._when)
            self._flush(self.stream)
        self._write(self.thinning.finish())
        os.close(self._fd)

    def _catch_up(self, to: int, ends_s: float, stopped: Callable[[], bool]) -> None:
        """All of it where there is time for that; else samples, as far apart as the time that is left asks for."""
        began_s, read_bytes = time.process_time(), 0
        while self._read < to and not stopped():
            before = self._read
            if not self._step(min(_SLICE_BYTES, to - self._read)):
                return
            read_bytes += self._read - before
            now_s = time.process_time()
            left_s = ends_s - now_s
            if left_s <= 0:
                return
            in_time_bytes = read_bytes / max(now_s - began_s, 1e-6) * left_s
            rest_bytes = to - self._read
            if rest_bytes > 1.5 * in_time_bytes and now_s - began_s > 0.1 * (ends_s - began_s):
                self._leap(min(rest_bytes, int(_SLICE_BYTES * (rest_bytes / in_time_bytes - 1))))

    @property
    def read_bytes(self) -> int:
        return self._read

    def _step(self, limit: int) -> bool:
        """Read a little more; False when there is nothing."""
        content = os.pread(self._fd, limit, self._read)
        if not content:
            return False
        self._read += len(content)
        stream = self._started()
        try:
            stream.feed(content, self._when)
        except Exception as problem:  # ours, not a reader's: what it was fed is lost to it, and nothing else
            self._fail(problem, len(content))
        self._flush(stream)
        return True

    def _leap(self, size_bytes: int) -> None:
        """Skip so many bytes, continue at the beginning of a line, and count what was skipped."""
        if size_bytes <= 0:
            return
        begin, end, lines, content = self._read, self._read + size_bytes, 0, b""
        while self._read < end and (content := os.pread(self._fd, min(_BLOCK_BYTES, end - self._read), self._read)):
            self._read += len(content)
            lines += content.count(b"\n")
        while not content.endswith(b"\n") and (content := os.pread(self._fd, _SLICE_BYTES, self._read)):
            content = content[: content.find(b"\n") + 1] or content
            self._read += len(content)
            lines += content.count(b"\n")
        self.unread_bytes += self._read - begin + self._started().leap(self._read - begin, lines)
        self.unread_lines += lines

    def _fail(self, problem: Exception, size_bytes: int) -> None:
        said = f"{size_bytes:,} bytes of the output could not be read ({type(problem).__name__}: {problem})"[:300]
        import traceback

        trace = "".join(traceback.format_exception(problem))[-4000:]
        if not self.faults:
            self._write([How(source="launcher", problem=said, traceback=trace)])
        self.unread_bytes += size_bytes

    def _note(self, said: str) -> None:
        """What is worth a warning goes into the record: the terminal is the command's."""
        self._write([How(source="launcher", problem=said)])

    def _started(self) -> Stream:
        """The readers are loaded with the first output: a command that prints nothing pays nothing for them."""
        if self.stream is None:
            from assay import systems
            from assay.reading.stream import Stream
            from assay.store.notices import listen

            listen(self._note)
            self.stream = Stream(self._done, systems.kit(), whole=True, thin=True)
        return self.stream

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
            self._thin(draft.events)
            draft.events = []
        if not draft.settled:
            self._thin(draft.generic_events)
        draft.generic_events = []
        if len(self._mono_s) > 1000:
            self._mono_s.clear()

    def _done(self, draft: Draft) -> None:
        """The last words of the readers; everything else was written as it came."""
        self._thin(draft.events)
        draft.events = []

    def _thin(self, events: list[Event]) -> None:
        self._write(self.thinning.take(list(map(self._timed, events)), self._written_bytes, self._read))

    def _timed(self, event: Event) -> Event:
        mono_s = self._monotonic(event.t, event.came_t)
        return event if mono_s is None else event.replace(mono_s=round(mono_s, 6))

    def _write(self, events: Sequence[Event]) -> None:
        self.faults += [event.problem for event in events if isinstance(event, How) and event.problem]
        if events:
            self._written_bytes = self._write_events(events)

    def _monotonic(self, t: float | None, came_t: float | None) -> float | None:
        """When a line came, on the clock that durations are made of.

        A line with a date relates the log's clock to ours, for events that are dated back; a replayed log keeps
        the pace that its dates give it.
        """
        if t is None or t in self._mono_s:  # dated by its coming
            return self._mono_s.get(t or 0.0)
        if self._replaying:
            self._skew_s = self._begin_s - t if self._skew_s is None else self._skew_s
        elif came_t in self._mono_s:
            self._skew_s = self._mono_s[came_t] - t
        return None if self._skew_s is None else t + self._skew_s
