"""Orphaned processes of the command come to us, as their reaper; the guard learns about them, so that it can end them
if we are killed.

A process that has left its parents, its session and its environment behind can be found in no other way once we are
gone. It is named by its id and its birth, so that no stranger is ever meant.
"""

from __future__ import annotations

from collections.abc import Callable

from assay.model.event import Event
from assay.probes.tree import birth
from assay.recording.guard import Guard


class Orphans:
    """A probe that gives no samples. It also wakes our helpers, should someone have stopped them."""

    name = "orphans"

    def __init__(self, ours: Callable[[], list[int]], guard: Guard, wake_helpers: Callable[[], None]) -> None:
        self._ours, self._guard, self._wake_helpers = ours, guard, wake_helpers
        self._told: dict[int, float] = {}

    def sample(self) -> list[Event]:
        self._wake_helpers()
        there = self._ours()
        if any(pid not in self._told for pid in there):
            born = {pid: birth(pid) for pid in there}
            self._told = {pid: since for pid, since in born.items() if since is not None}
            self._guard.tell("adopted", *(f"{pid}:{since:.6f}" for pid, since in self._told.items()))
        return []
