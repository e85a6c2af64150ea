"""From the start of the command to its end: carry its output, pass signals on, wait for what it leaves behind."""

from __future__ import annotations

import os
import selectors
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass

from assay.probes import TreeProbe
from assay.recording.beside import Reading
from assay.recording.guard import Guard
from assay.recording.keys import Keys
from assay.recording.pump import DATED_EVERY_S, Pump
from assay.recording.sent import Sent
from assay.recording.signals import Signals
from assay.recording.stopping import GRACE_S, Stopper, send
from assay.recording.tied import starter_has_died

PASSED_ON = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT}
FOR_THE_PROGRAM = {signal.SIGUSR1, signal.SIGUSR2}
#: how often to see whether a process that is not our own child has ended
_LOOK_AGAIN_S = 0.05
#: what cannot be killed (another user's process) is waited for no longer than this
_LAST_WAIT_S = 2.0
#: once a run was asked to end, output waits no longer for a reader that has taken nothing for so long
_READER_S = 1.0
#: what was asked of the command so shortly before its end still counts
_SOON_S = 10.0


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How the command's main process ended, and when; how long all that it started was watched."""

    status: int
    mono_s: float
    watched_until_s: float
    max_rss_bytes: int
    left_behind: int = 0  # processes that were still there and had to be ended
    left_alive: int = 0  # and those that could not be
    asked_to_end: bool = False  # by someone who waits for that


class Loop:
    """One command, from start to end. Everything happens in this one thread but the probes; nothing in it waits."""

    def __init__(
        self,
        tree: TreeProbe,
        living: Callable[[], list[int]],
        pumps: list[Pump],
        reading: Reading,
        stopper: Stopper,
        guard: Guard,
        sent: Sent,
        *,
        keep_daemons: bool,
    ) -> None:
        self._tree, self._living, self._pumps, self._reading = tree, living, pumps, reading
        self._stopper, self._guard, self._sent, self._keep_daemons = stopper, guard, sent, keep_daemons
        self._selector = selectors.DefaultSelector()
        self._child = 0
        self.ended: tuple[int, float, int] | None = None  # status, when, largest resident size
        self._others_rss_bytes = 0  # the largest of what came to us as its reaper
        self._left_behind = 0
        self._ask_at_s: float | None = None
        self._kill_at_s: float | None = None
        self._give_up_at_s: float | None = None
        self._times_out_at_s: float | None = None
        self._date_again_s: float | None = 0.0

    def run(self, child: int, signals: Signals, timeout_s: float | None) -> Ended:
        self._child = child
        self._times_out_at_s = None if timeout_s is None else time.monotonic() + timeout_s
        for fd in signals.fds:
            self._selector.register(fd, selectors.EVENT_READ, signals)
        for pump in self._pumps:
            pump.join(self._selector)
        self._reap()  # it may have ended before anyone listened for that
        while not self._over():
            self._turn()
        watched_until_s = time.monotonic()
        assert self.ended is not None
        status, mono_s, max_rss_bytes = self.ended
        self._drain(mono_s)
        return Ended(
            status=status,
            mono_s=mono_s,
            watched_until_s=watched_until_s if self._left_behind else mono_s,
            max_rss_bytes=max(max_rss_bytes, self._others_rss_bytes),
            left_behind=self._left_behind,
            left_alive=0 if self._keep_daemons else len(self._living()),
            asked_to_end=bool(self._asked_s(mono_s)),
        )

    def _drain(self, ended_s: float) -> None:
        """Wait until what was printed is where it goes, which a reader that pauses may put off for ever.

        A command that waits for a reader ends when it is asked to; one that has ended, because we took its output from
        it, is represented by us.
        """
        while busy := [pump for pump in self._pumps if pump.drain()]:
            left_s = self._readers_time_s(busy, ended_s)
            if left_s is not None and left_s <= 0:
                for pump in busy:
                    pump.give_up()
                return
            relayed = any(pump.relayed for pump in busy)
            for key, _ in self._selector.select(_LOOK_AGAIN_S if relayed else left_s):
                if isinstance(key.data, Keys):
                    key.data.turn(self._selector)
                elif isinstance(key.data, Sent):
                    self._date(key.data)
                elif not isinstance(key.data, Pump):
                    self._listen(key.data)

    def _asked_s(self, ended_s: float) -> list[float]:
        """When the run was asked to end, as far as that may be why it ended, or came later."""
        asked_s = [when for _, when in self._stopper.asked if when > ended_s - _SOON_S]
        late_s = self._times_out_at_s
        return asked_s if late_s is None or not ended_s < late_s <= time.monotonic() else [*asked_s, late_s]

    def _readers_time_s(self, busy: list[Pump], ended_s: float) -> float | None:
        """How much longer readers may take: for ever, until someone asks us to end; asked again, no longer."""
        now_s, asked_s = time.monotonic(), self._asked_s(ended_s)
        if not asked_s:
            return None if self._times_out_at_s is None else self._times_out_at_s - now_s
        if len(asked_s) > 1 and max(asked_s) > ended_s:
            return 0.0
        since_s = max(ended_s, *asked_s)
        return min(since_s + GRACE_S, max(since_s, *(pump.moved_s for pump in busy)) + _READER_S) - now_s

    def _turn(self) -> None:
        self._listen_for_lines()
        ready = self._selector.select(self._patience_s())
        if self._reading.patience_s() == 0:
            self._reading.tell()
        for key, _ in ready:
            if isinstance(key.data, Pump):
                self._carry(key.data)
            elif isinstance(key.data, Keys):
                key.data.turn(self._selector)
            elif isinstance(key.data, Sent):
                self._date(key.data)
            else:
                self._listen(key.data)
        self._reap()
        self._hurry()

    def _patience_s(self) -> float | None:
        """How long to wait for something to happen: for ever, unless there is something to come back to."""
        limits: list[float] = []
        now_s = time.monotonic()
        if self.ended is not None or self._stopper.killing or self._kill_at_s is not None:
            limits.append(_LOOK_AGAIN_S)
        if self._times_out_at_s is not None and not self._stopper.timed_out:
            limits.append(max(0.0, self._times_out_at_s - now_s))
        if self._date_again_s is not None:
            limits.append(max(0.0, self._date_again_s - now_s))
        untold_s = self._reading.patience_s()
        if untold_s is not None:
            limits.append(untold_s)
        return min(limits) if limits else None

    def _date(self, sent: Sent) -> None:
        """Date the new lines, then pause, so that a file that grows all the time is not read all the time."""
        sent.turn()
        self._selector.unregister(sent.fd)  # type: ignore[arg-type]
        self._date_again_s = time.monotonic() + DATED_EVERY_S

    def _listen_for_lines(self) -> None:
        if self._date_again_s is not None and time.monotonic() >= self._date_again_s:
            self._date_again_s = None
            if self._sent.fd is not None:
                self._selector.register(self._sent.fd, selectors.EVENT_READ, self._sent)

    def _carry(self, pump: Pump) -> None:
        pump.turn()
        if pump.refused:
            self._guard.tell("close", pump.fd)  # it holds the other copy of this end
            pump.close()

    def _listen(self, signals: Signals) -> None:
        for number, from_terminal in signals.read():
            if number in PASSED_ON:
                self._stopper.forward(number, from_terminal=from_terminal)
                if starter_has_died():  # no one is left who would ask again
                    self._kill_at_s = time.monotonic() + GRACE_S
            elif number in FOR_THE_PROGRAM:
                self._stopper.pass_to(self._child, number)
            elif number == signal.SIGTSTP:
                self._stopper.pause()
            elif number == signal.SIGWINCH:
                self._resize()

    def _resize(self) -> None:
        """Signal the resize again, because the terminal did so before the pseudo-terminal had the new size."""
        terminals = [pump.terminal for pump in self._pumps if pump.terminal is not None]
        for terminal in terminals:
            terminal.resize()
        if terminals:
            send(self._living(), signal.SIGWINCH)

    def _reap(self) -> None:
        while done := self._tree.wait(os.WNOHANG):
            pid, status, usage = done
            if pid == self._child:
                self.ended = (status, time.monotonic(), usage.ru_maxrss * 1024)
                self._after_the_end()
            elif pid == self._guard.pid:
                self._tree.forget(usage.ru_utime + usage.ru_stime)
            elif pid == self._reading.pid:
                self._tree.forget(usage.ru_utime + usage.ru_stime)
                self._reading.ended(usage)
            else:
                self._others_rss_bytes = max(self._others_rss_bytes, usage.ru_maxrss * 1024)

    def _after_the_end(self) -> None:
        """What the command left running is asked to end, unless it is to be kept."""
        left = self._living()
        if not self._keep_daemons and left:
            self._left_behind = len(left)
            self._ask_at_s = self._stopper.may_ask_s()
            self._ask()

    def _ask(self) -> None:
        """A process that was just signalled gets a moment to finish, because it may be printing its last lines."""
        now_s = time.monotonic()
        if self._ask_at_s is not None and now_s >= self._ask_at_s:
            self._ask_at_s = None
            self._stopper.end(self._living())
            self._kill_at_s = now_s + GRACE_S

    def _hurry(self) -> None:
        """What was asked to end and has not is killed; what cannot be killed is left."""
        self._ask()
        now_s = time.monotonic()
        due = self._times_out_at_s is not None and now_s >= self._times_out_at_s and self.ended is None
        if due and not self._stopper.timed_out:
            self._stopper.time_out()
            self._kill_at_s = now_s + GRACE_S
        if self._stopper.killing or (self._kill_at_s is not None and now_s > self._kill_at_s):
            self._stopper.kill()
            if self.ended is not None:
                self._give_up_at_s = self._give_up_at_s or now_s + _LAST_WAIT_S

    def _over(self) -> bool:
        if self.ended is None:
            return False
        gave_up = self._give_up_at_s is not None and time.monotonic() > self._give_up_at_s
        return self._keep_daemons or gave_up or not self._living()
