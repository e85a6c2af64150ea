"""How many jobs a scheduler takes from us now: learned from what it refuses, and asked again after a while.

Limits on what a user may have in the queue mean waiting. A refusal of many is tried again at once with half of them; a
refusal of one is tried again when a job of ours has ended, or after a pause that doubles, with some chance in it so
that many who wait do not ask at the same moment.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

_FIRST_PAUSE_S = 2.0
_LONGEST_PAUSE_S = 60.0


class Room:
    """One for each study."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, chance: Callable[[], float] = random.random
    ) -> None:
        self._clock, self._chance = clock, chance
        self._next: int | None = None  # None: as many as there are
        self._ended = 0
        self._pause_s = _FIRST_PAUSE_S
        self._again_at_s = 0.0
        self.why = ""  # it waits, in the scheduler's word

    def size(self, wanted: int) -> int:
        """How many of these to try now; none while it has to wait."""
        if self.why and self._clock() < self._again_at_s:
            return 0
        return wanted if self._next is None else min(wanted, self._next)

    def taken(self, count: int) -> None:
        if self._next is not None:
            self._next = 2 * count
        self._pause_s, self._ended, self.why = _FIRST_PAUSE_S, 0, ""

    def refused(self, count: int, why: str) -> None:
        if count > 1:
            self._next = count // 2
            return
        self._next, self.why = 1, why
        self._again_at_s = self._clock() + self._pause_s * (0.75 + self._chance() / 2)
        self._pause_s = min(_LONGEST_PAUSE_S, 2 * self._pause_s)

    def ended(self) -> None:
        """A job of ours has left the queue: as many may fit now as have left since the last refusal."""
        if self.why:
            self._ended += 1
            self._next, self._again_at_s = self._ended, 0.0
