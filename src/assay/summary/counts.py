"""How far a run had come at which moment, in a memory that has an end."""

from __future__ import annotations

from typing import TypeAlias

#: moments that are remembered: of more, every other is forgotten, which leaves longer intervals that are as exact
_MOST = 1024

Moment: TypeAlias = tuple[float, float]  # seconds, count


class Counts:
    """When a run had made how many steps or samples: the first, the last, and enough of those between."""

    def __init__(self) -> None:
        self._kept: list[Moment] = []
        self._every, self._passed = 1, 0
        self._last: Moment | None = None
        self.restarted = False

    def add(self, at_s: float, count: float) -> None:
        if self._last is not None and (count <= self._last[1] or at_s < self._last[0]):
            self.restarted = self.restarted or count < self._last[1]
            return
        self._last = (at_s, count)
        if self._passed % self._every == 0:
            self._kept.append(self._last)
            if len(self._kept) > _MOST:
                self._kept, self._every = self._kept[::2], 2 * self._every
        self._passed += 1

    @property
    def moments(self) -> list[Moment]:
        if self._last is None or self._kept[-1] == self._last:
            return self._kept
        return [*self._kept, self._last]
