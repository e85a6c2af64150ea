"""From the start of the command to its end: carry its output, pass signals on, wait for what it leaves behind."""

from __future__ import annotations

import os
import selectors
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from assay.probes import TreeProbe
from assay.run.guard import Guard
from assay.run.pump import Pump
from assay.run.reading import OutputReader
from assay.run.stopping import GRACE_S, Stopper
from assay.run.terminal import Terminal, suspend

_PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
#: how often to see whether a process that is not our own child has ended
_LOOK_AGAIN_S = 0.05
#: share of a core for reading the output while the command runs; the rest is read when it is over
_READING_BUDGET = 0.05


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How the command's main process ended, and when."""

    status: int
    mono_s: float
    left_behind: int = 0  # processes that were still there and had to be ended


class Loop:
    """One command, from start to end. Everything happens in this one thread but the probes."""

    def __init__(
        self,
        tree: TreeProbe,
        living: Callable[[], list[int]],
        pumps: list[Pump],
        reader: OutputReader,
        terminal: Terminal | None,
        stopper: Stopper,
        guard: Guard,
        *,
        keep_daemons: bool,
    ) -> None:
        self._tree, self._living = tree, living
        self._child = 0
        self._pumps, self._terminal, self._stopper, self._guard = pumps, terminal, stopper, guard
        self._reader = reader
        self._read_again_s = 0.0
        self._keep_daemons = keep_daemons
        self._ended: Ended | None = None
        self._left_behind = 0
        self._kill_at_s: float | None = None
        self._selector = selectors.DefaultSelector()
        self._listening = False

    def listening(self) -> _Signals:
        """While this is entered, signals are passed on to the command and end only it, not us."""
        return _Signals(self._handlers(), self._selector)

    def run(self, child: int, timeout_s: float | None) -> Ended:
        self._child = child
        for pump in self._pumps:
            self._selector.register(pump.fd, selectors.EVENT_READ, pump)
        if timeout_s is not None:
            signal.setitimer(signal.ITIMER_REAL, timeout_s)
        self._reap()  # it may have ended before anyone listened for that
        while not self._over():
            self._turn()
        signal.setitimer(signal.ITIMER_REAL, 0)
        for pump in self._pumps:
            if pump.open:
                pump.drain()
        assert self._ended is not None
        return Ended(status=self._ended.status, mono_s=self._ended.mono_s, left_behind=self._left_behind)

    def _turn(self) -> None:
        self._listen_to_keys()
        waiting = self._ended is not None or self._stopper.killing or self._stopper.timed_out
        ready = self._selector.select(self._patience_s(waiting))
        if not ready and self._reader.behind and time.monotonic() >= self._read_again_s:
            self._read_a_little()
        for key, _ in ready:
            if isinstance(key.data, Pump):
                self._carry(key.data)
            else:
                key.data()
        self._reap()
        if waiting:
            self._hurry()

    def _patience_s(self, waiting: bool) -> float | None:
        """How long to wait for something to happen: for ever, unless there is something to come back to."""
        limits = [_LOOK_AGAIN_S] if waiting else []
        if self._reader.behind:
            limits.append(max(0.0, self._read_again_s - time.monotonic()))
        return min(limits) if limits else None

    def _read_a_little(self) -> None:
        """Only when nothing waits to be carried, and never for more than a share of a core."""
        before_s = time.thread_time()
        self._reader.step()
        cost_s = time.thread_time() - before_s
        self._read_again_s = time.monotonic() + cost_s / _READING_BUDGET

    def _carry(self, pump: Pump) -> None:
        pump.copy()
        if pump.refused:
            self._guard.tell("close", pump.fd)  # it holds the other copy of this end
        if not pump.open or pump.refused:
            self._selector.unregister(pump.fd)
            if pump.refused:
                pump.close()

    def _listen_to_keys(self) -> None:
        """Follow the terminal as we come to the foreground and leave it."""
        if self._terminal is None or self._terminal.listening == self._listening:
            return
        self._listening = self._terminal.listening
        if self._listening:
            self._selector.register(self._terminal.fd, selectors.EVENT_READ, self._terminal.forward)
        else:
            self._selector.unregister(self._terminal.fd)

    def _reap(self) -> None:
        while done := self._tree.wait(os.WNOHANG):
            pid, status, usage = done
            if pid == self._child:
                self._ended = Ended(status=status, mono_s=time.monotonic())
                self._after_the_end()
            elif pid == self._guard.pid:
                self._tree.forget(usage.ru_utime + usage.ru_stime)

    def _after_the_end(self) -> None:
        """What the command left running is asked to end, unless it is to be kept."""
        left = self._living()
        if not self._keep_daemons and left:
            self._left_behind = len(left)
            self._stopper.end(left)
            self._kill_at_s = time.monotonic() + GRACE_S

    def _hurry(self) -> None:
        if self._stopper.timed_out and self._kill_at_s is None:
            self._kill_at_s = time.monotonic() + GRACE_S
        if self._stopper.killing or (self._kill_at_s is not None and time.monotonic() > self._kill_at_s):
            self._stopper.kill()

    def _over(self) -> bool:
        if self._ended is None:
            return False
        return self._keep_daemons or not self._living()

    def _handlers(self) -> dict[int, Callable[[], None]]:
        handlers: dict[int, Callable[[], None]] = {
            number: lambda number=number: self._stopper.forward(number)  # type: ignore[misc]
            for number in _PASSED_ON
        }
        handlers[signal.SIGCHLD] = lambda: None
        handlers[signal.SIGALRM] = self._stopper.time_out
        handlers[signal.SIGTSTP] = self._terminal.suspend if self._terminal else lambda: suspend(self._stopper)
        if self._terminal is not None:
            handlers[signal.SIGWINCH] = self._terminal.resize
            handlers[signal.SIGCONT] = self._terminal.enter
        return handlers


class _Signals:
    """Handlers for the length of a run. Ones that were ignored when we started (nohup) stay ignored."""

    def __init__(self, handlers: dict[int, Callable[[], None]], selector: selectors.BaseSelector) -> None:
        self._handlers, self._selector = handlers, selector
        self._before: dict[int, Any] = {}

    def __enter__(self) -> None:
        self._read, self._write = os.pipe()
        for fd in (self._read, self._write):
            os.set_blocking(fd, False)
        self._selector.register(self._read, selectors.EVENT_READ, self._drain)
        self._wakeup = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        for number, handler in self._handlers.items():
            if signal.getsignal(number) != signal.SIG_IGN:
                self._before[number] = signal.signal(number, lambda *_, handler=handler: handler())

    def __exit__(self, *failure: object) -> None:
        for number, before in self._before.items():
            # the command is over: someone who goes on pressing Ctrl-C must not cost us the summary
            signal.signal(number, signal.SIG_IGN if number in _PASSED_ON else before)
        signal.set_wakeup_fd(self._wakeup)
        os.close(self._read)
        os.close(self._write)

    def _drain(self) -> None:
        with suppress(BlockingIOError):
            while os.read(self._read, 4096):
                pass
