"""Follows the programs that a command runs from one to the next, and what each holds.

There is no notification when a process begins, so we look for new ones: often right after one has begun or ended, then
less and less. A descriptor reports the end of each. A command that runs a single program costs a dozen looks.
"""

from __future__ import annotations

import os
import select
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from assay.facts.secrets import mask_arguments
from assay.model.event import Event, PartEnd
from assay.probes import TreeProbe
from assay.probes.parts import Ended

#: when to look after something has begun or ended: at once, then ever later
_FIRST_S, _SLOWER, _LAST_S = 0.002, 1.5, 0.5
#: what looking may cost: a share of one core, beyond so much at the start
_BUDGET, _CREDIT_S = 0.02, 0.02
#: from here on after a start, memory of several processes is worth a look of its own
_SETTLED_S = 0.01
_SHORT = 120


class Following(threading.Thread):
    """Looks until it is stopped; reports every program that has ended."""

    def __init__(
        self, tree: TreeProbe, hold: Callable[[], object], begin_s: float, write: Callable[[str, float, Event], object]
    ) -> None:
        """`hold` has a look at what all of them hold together."""
        super().__init__(daemon=True, name="assay-following")
        self._tree, self._hold, self._begin_s, self._write = tree, hold, begin_s, write
        self._wake_fd = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._over = False
        tree.part_began = self.wake

    def wake(self) -> None:
        with suppress(OSError):
            os.eventfd_write(self._wake_fd, 1)

    def run(self) -> None:
        with suppress(Exception):  # nothing in here is worth a run
            self._follow()

    def _follow(self) -> None:
        """An end is dated at once; looking for new programs waits until the budget allows it."""
        wait_s: float | None = _FIRST_S
        begun_s = allowed_s = time.monotonic()
        pidfds: list[int] = []
        while not self._over:
            happened = self._wait(pidfds, wait_s)
            pidfds = [fd for fd in pidfds if fd not in happened]
            if happened:
                wait_s = _FIRST_S
            if self._over or time.monotonic() < allowed_s:
                wait_s = max(wait_s or 0.0, allowed_s - time.monotonic())
                continue
            pidfds = self.look()
            if wait_s is not None and wait_s >= _SETTLED_S:
                self._hold()
            wait_s = wait_s * _SLOWER if wait_s is not None and wait_s < _LAST_S else None
            allowed_s = begun_s + (time.thread_time() - _CREDIT_S) / _BUDGET

    def _wait(self, pidfds: Sequence[int], wait_s: float | None) -> set[int]:
        """What has happened since the last look."""
        poll = select.poll()
        for fd in (self._wake_fd, *pidfds):
            poll.register(fd, select.POLLIN)
        ready = {fd for fd, _ in poll.poll(None if wait_s is None else 1000 * wait_s)}
        if ready - {self._wake_fd}:
            self._tree.ends(ready)
        with suppress(OSError):
            os.eventfd_read(self._wake_fd)
        return ready

    def look(self) -> list[int]:
        """Looks at the tree once, and reports what has ended."""
        pidfds = self._tree.follow()
        for one in self._tree.parts():
            self._write("process", 0.0, _told(one, self._begin_s))
        return pidfds

    def finish(self) -> None:
        self._over = True
        self.wake()
        if self.ident is not None:
            self.join()
        with suppress(Exception):
            self.look()
        self._tree.part_began = lambda: None
        os.close(self._wake_fd)


def _told(one: Ended, begin_s: float) -> PartEnd:
    return PartEnd(
        pid=one.pid,
        parent=one.parent,
        command=" ".join(mask_arguments(one.words))[:_SHORT],
        began_s=round(max(0.0, one.began_s - begin_s), 3),
        wall_s=round(max(0.0, one.ended_s - one.began_s), 3),
        cpu_s=round(one.cpu_s, 3),
        memory_bytes_max=one.peak_bytes or None,
        of_rank=one.rank,
    )
