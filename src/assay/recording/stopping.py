"""Signals for the whole tree: each process gets a signal once; what does not end is killed."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable

#: how long a process may take to end once it was asked to
GRACE_S = 5.0
#: a second Ctrl-C kills if it follows the first within this time; later it is another first one
_AGAIN_S = 5.0
#: what a process may take to act on a signal before it is sent the next
_MOMENT_S = 1.0
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


def send(pids: Iterable[int], number: int) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except (ProcessLookupError, PermissionError):  # gone, or another user's (sudo)
            continue


class Stopper:
    """Passes signals on to what `tree` names, and remembers what the run was asked, and when."""

    def __init__(
        self, tree: Callable[[], list[int]], *, shared_group: bool, handles: Callable[[int], bool] = lambda number: True
    ) -> None:
        self._tree, self._handles = tree, handles
        self._handled: dict[int, bool] = {}  # by the signals that were passed on: whether the command handles them
        self._shared_group = shared_group
        self._told_s: dict[int, float] = {}
        self.asked: list[tuple[int, float]] = []  # how the run was asked to end, and when
        self.timed_out = False
        self.killed_s: float | None = None

    @property
    def killing(self) -> bool:
        return self.killed_s is not None

    def forward(self, number: int, *, from_terminal: bool = False) -> None:
        """To every process once; those in our group already have it if the terminal sent it."""
        now_s = time.monotonic()
        again = number == signal.SIGINT and now_s - self._told_s.get(number, float("-inf")) < _AGAIN_S
        self._told_s[number] = now_s
        if number in _ENDING:
            self.asked.append((number, now_s))
        self._handled[number] = self._handles(number)
        if again:
            self.kill()
            return
        pids = self._tree()
        # when a terminal disappears, the kernel signals only the session leader: us, under `ssh -t` or `tmux new`
        alone = number == signal.SIGHUP and os.getsid(0) == os.getpid()
        if from_terminal and self._shared_group and not alone:
            ours = os.getpgrp()
            pids = [pid for pid in pids if _group(pid) != ours]
        send(pids, number)
        send(pids, signal.SIGCONT)  # one that is stopped would never hear of it

    def pass_to(self, pid: int, number: int) -> None:
        """USR1 and USR2 mean something to the program itself, as in `sbatch --signal=USR1@60`."""
        send([pid], number)

    def time_out(self) -> None:
        self.timed_out = True
        self._told_s[signal.SIGTERM] = time.monotonic()
        self.asked.append((signal.SIGTERM, self._told_s[signal.SIGTERM]))
        send(self._tree(), signal.SIGTERM)

    def end(self, pids: list[int]) -> None:
        """Ask what the command left behind to end; those that were asked a moment ago are still at it."""
        if time.monotonic() - self._told_s.get(signal.SIGTERM, float("-inf")) > GRACE_S:
            send(pids, signal.SIGTERM)

    def may_ask_s(self) -> float:
        """When what is left may be asked to end: not while it answers a Ctrl-C that all of the tree just got."""
        told_s = [when for number, when in self._told_s.items() if number in _ENDING and number != signal.SIGTERM]
        return max(told_s, default=float("-inf")) + _MOMENT_S

    def kill(self) -> None:
        """Until nothing is left: a process may fork faster than we look."""
        self.killed_s = self.killed_s or time.monotonic()
        send(self._tree(), signal.SIGKILL)

    def pause(self) -> None:
        """Stop the tree, then ourselves; what continues us continues both."""
        send(self._tree(), signal.SIGSTOP)
        os.kill(os.getpid(), signal.SIGSTOP)
        send(self._tree(), signal.SIGCONT)

    def asked_before(self, ended_s: float, within_s: float) -> int | None:
        """The signal that asked the run to end, if it did end soon after."""
        recent = [number for number, when_s in self.asked if 0 <= ended_s - when_s <= within_s]
        return recent[-1] if recent else None

    def was_killing(self, ended_s: float) -> bool:
        """Whether the main process was killed, and not only what it left behind."""
        return self.killed_s is not None and self.killed_s <= ended_s

    def would_have_died(self, number: int) -> bool:
        """Whether this signal, passed on to the command, would have killed it: the command does not handle it."""
        return not self._handled.get(number, True)


def _group(pid: int) -> int | None:
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return None
