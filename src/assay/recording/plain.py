"""The fallback if our own code fails during a command: it still gets its output, its signals and its exit code.

Nothing here is shared with the loop that failed but the descriptors: bytes are carried, signals passed on, and the
command is waited for. What is lost is what makes a record good: sizes of terminals, dates of lines, keys of a pager.
"""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from assay.recording.signals import Signals
from assay.recording.sink import Sink
from assay.recording.stopping import GRACE_S, send
from assay.recording.streams import payload

_LOOK_AGAIN_S = 0.1
_ENDING = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT}
_PASSED_ON = _ENDING | {signal.SIGUSR1, signal.SIGUSR2}


@dataclass
class Pipe:
    """One output of the command: where it is read, where it goes, and what was read and has not gone there yet."""

    fd: int
    sink: Sink | None
    packets: bool
    pending: bytes


@dataclass
class Plain:
    """One command, carried on with as little as will do. `living` names what it started."""

    child: int
    pipes: list[Pipe]
    log: int
    living: Callable[[], list[int]]
    times_out_at_s: float | None
    ended: tuple[int, float, int] | None  # its status, when, its largest resident size: if it is known already
    timed_out: bool = False
    left_behind: int = 0
    _is_asked_to_end: bool = False

    def run(self, signals: Signals, *, keep_daemons: bool) -> tuple[int, float, int]:
        """How the command ended."""
        asked_s: float | None = None
        while not self._is_over(keep_daemons=keep_daemons, asked_s=asked_s):
            self._turn(signals, _LOOK_AGAIN_S)
            self._wait()
            now_s = time.monotonic()
            late = self.times_out_at_s is not None and now_s > self.times_out_at_s and self.ended is None
            if (late or self.ended is not None) and asked_s is None and not (self.ended and keep_daemons):
                asked_s, self.timed_out = now_s, late
                left = self._left()
                self.left_behind = 0 if late else len(left)
                send(left, signal.SIGTERM)
            if asked_s is not None and now_s > asked_s + GRACE_S:
                send(self._left(), signal.SIGKILL)
        self._drain(signals)
        assert self.ended is not None
        return self.ended

    def _drain(self, signals: Signals) -> None:
        """What it has printed already, however slowly that is read, unless someone asks us to end."""
        sinks = [pipe.sink for pipe in self.pipes if pipe.sink is not None]
        while self._turn(signals, _LOOK_AGAIN_S if self._is_waited_for() else 0) or self._is_waited_for():
            if self._may_not_wait():
                for pipe in self.pipes:
                    pipe.sink, pipe.pending = None, b""
        self.pipes.clear()
        while not all(sink.is_through() for sink in sinks) and not self._may_not_wait():
            self._turn(signals, _LOOK_AGAIN_S)

    def _may_not_wait(self) -> bool:
        return self._is_asked_to_end or (self.times_out_at_s is not None and time.monotonic() > self.times_out_at_s)

    def _is_waited_for(self) -> bool:
        """Whether a reader has yet to take what was printed."""
        return any(pipe.pending and pipe.sink is not None for pipe in self.pipes)

    def _is_over(self, *, keep_daemons: bool, asked_s: float | None) -> bool:
        if self.ended is None:
            return False
        gave_up = asked_s is not None and time.monotonic() > asked_s + 2 * GRACE_S
        return keep_daemons or gave_up or not self._left()

    def _turn(self, signals: Signals, patience_s: float) -> bool:
        """Whether anything was to be done."""
        reading = [pipe.fd for pipe in self.pipes if not pipe.pending]
        writing = [pipe.sink.fd for pipe in self.pipes if pipe.pending and pipe.sink is not None]
        ready, free, _ = select.select([*reading, *signals.fds], writing, [], patience_s)
        if any(fd in ready for fd in signals.fds):
            for number, from_terminal in signals.read():
                self._is_asked_to_end = self._is_asked_to_end or number in _ENDING
                if number in _PASSED_ON and not from_terminal:
                    send(self._left(), number)
        moved = False
        for pipe in list(self.pipes):
            if pipe.fd in ready:
                moved = True
                self._read(pipe)
            elif pipe.pending and pipe.sink is not None and pipe.sink.fd in free:
                moved = True
                self._pass_on(pipe)
        return moved

    def _read(self, pipe: Pipe) -> None:
        try:
            content = os.read(pipe.fd, 1 << 16)
        except BlockingIOError:
            return
        except OSError:  # a pseudo-terminal ends with EIO
            content = b""
        if not content:
            self.pipes.remove(pipe)
            return
        pipe.pending = payload(content, packets=pipe.packets)
        with suppress(OSError):
            os.write(self.log, pipe.pending)
        self._pass_on(pipe)

    def _pass_on(self, pipe: Pipe) -> None:
        try:
            while pipe.pending and pipe.sink is not None:
                pipe.pending = pipe.pending[pipe.sink.write(pipe.pending) :]
        except BlockingIOError:
            return
        except OSError:  # nothing reads it any more: a terminal that is gone ends nothing, a pipe ends the writer
            pipe.sink = None
            if not pipe.packets:
                self.pipes.remove(pipe)
                os.close(pipe.fd)
        pipe.pending = b"" if pipe.sink is None else pipe.pending

    def _left(self) -> list[int]:
        try:
            return self.living()
        except Exception:  # it may be what failed
            return [] if self.ended else [self.child]

    def _wait(self) -> None:
        with suppress(ChildProcessError):
            while True:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
                if pid == 0:
                    return
                if pid == self.child:
                    self.ended = (status, time.monotonic(), usage.ru_maxrss * 1024)
