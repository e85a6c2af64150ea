"""Signals for the whole tree: each process gets a signal once; what does not end is killed."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable

#: how long a process may take to end once it was asked to
GRACE_S = 5.0


def send(pids: Iterable[int], number: int) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except (ProcessLookupError, PermissionError):  # gone, or another user's (sudo)
            continue


class Stopper:
    """Passes signals on to what `tree` names, and remembers why the run was asked to end."""

    def __init__(self, tree: Callable[[], list[int]]) -> None:
        self._tree = tree
        self._interrupts = 0
        self._started = False
        self._early: list[int] = []
        self.asked_by: int | None = None  # the first signal that asked the run to end
        self._told_s = float("-inf")
        self.timed_out = False
        self.killing = False

    def forward(self, number: int, *, except_group: int | None = None) -> None:
        """To every process once; a group that the terminal has signalled already is left out."""
        self.asked_by = self.asked_by or number
        self._told_s = time.monotonic()
        self._interrupts += number == signal.SIGINT
        if self._interrupts > 1 and number == signal.SIGINT:
            self.kill()
            return
        if not self._started:
            self._early.append(number)
            return
        pids = self._tree()
        if except_group is not None:
            pids = [pid for pid in pids if _group(pid) != except_group]
        send(pids, number)

    def begin(self) -> None:
        """The command has started: what came while it was starting is told now."""
        self._started = True
        for number in self._early:
            send(self._tree(), number)

    def time_out(self) -> None:
        self.timed_out = True
        self._told_s = time.monotonic()
        send(self._tree(), signal.SIGTERM)

    def end(self, pids: list[int]) -> None:
        """Ask what the command left behind to end; those that were asked a moment ago are still at it."""
        if time.monotonic() - self._told_s > GRACE_S:
            send(pids, signal.SIGTERM)

    def kill(self) -> None:
        """Until nothing is left: a process may fork faster than we look."""
        self.killing = True
        send(self._tree(), signal.SIGKILL)

    def pause(self) -> None:
        send(self._tree(), signal.SIGSTOP)

    def resume(self) -> None:
        send(self._tree(), signal.SIGCONT)


def _group(pid: int) -> int | None:
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return None
