"""The most that a process tree held at once: pages that its processes share counted once, in full.

A 500 MB array seen by four forks is 531 MB, not the 2,607 that adding up resident sizes gives. Proportional sizes (PSS)
alone do not do: a library that strangers have loaded too would count for less, and the figure would change with them.
So only memory without a file is counted in proportion; what is mapped counts in full, once. What was held between two
looks is known to the kernel for each process, and for all of them together where a run has a control group to itself.

The kernel walks every page to tell (12 ms for 2 GB), so this probe pays from a budget: what a look cost decides when
the next one is due.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable

from assay.model.event import Sample
from assay.probes.cgroup import Cgroup, cgroup_of
from assay.probes.held import Held, Size, distinct_bytes, held, size

#: share of one core that looking may cost
BUDGET = 0.005
#: how far ahead of its budget the probe may go to catch memory that has grown
_CREDIT_S = 0.05
#: what is mapped is looked at again once it has changed by more than this; less of the whole does not matter
_CHANGED = 0.02


class MemoryProbe:
    """Memory of what `pids` names, as often as the budget allows."""

    name = "memory"

    def __init__(self, pids: Callable[[], list[int]], rss_bytes: Callable[[], int]) -> None:
        self._pids = pids
        self._rss_bytes = rss_bytes
        self._lock = threading.Lock()
        self._allowed_s = _CREDIT_S
        self._credited_s = time.monotonic()
        self._seen_rss = 0
        self._sizes: dict[int, Size] = {}  # at the last look
        self._bytes = 0  # of the tree, then
        self._before: dict[int, int] = {}  # peaks of processes that were there before us
        self._mapped: tuple[frozenset[int], int, int] = (frozenset(), 0, 0)  # of these: resident in all, distinct
        self._group: Cgroup | None = cgroup_of(os.getpid())
        self.peak_bytes = 0
        self.cost_s = 0.0

    def sample(self) -> list[Sample]:
        """Nothing while a look is not affordable, or there is nothing to see."""
        with self._lock:
            pss_bytes = self._paid() if self._affordable(0.0) else None
            if pss_bytes is None and not self._alone():
                return []
            return [Sample(pss_bytes=pss_bytes, memory_bytes=self._bytes, memory_bytes_peak=self.peak_bytes)]

    def glance(self) -> None:
        """A look between samples, where several processes share something: what they hold together, no one else knows.

        It leaves half of the credit to the samples.
        """
        with self._lock:
            if len(self._pids()) > 1 and self._affordable(_CREDIT_S / 2):
                self._paid()

    def start_from_here(self) -> None:
        """The peaks of processes that ran before we came do not count until they are passed."""
        with self._lock:
            self._before = {pid: one.peak_bytes for pid in self._pids() if (one := size(pid)) is not None}

    def finish(self) -> None:
        """What was reached since the last look, as far as the kernel counted it."""
        with self._lock:
            reached = self._group.reached(()) if self._group is not None else None
            self.peak_bytes = max(self.peak_bytes, reached or 0)

    def _affordable(self, from_s: float) -> bool:
        now_s = time.monotonic()
        self._allowed_s = min(_CREDIT_S, self._allowed_s + (now_s - self._credited_s) * BUDGET)
        self._credited_s = now_s
        rss_bytes = self._rss_bytes()
        grown = rss_bytes > 1.05 * self._seen_rss
        return rss_bytes > 0 and self._allowed_s >= (from_s - _CREDIT_S if grown else from_s)

    def _paid(self) -> int | None:
        self._seen_rss = self._rss_bytes()
        before_s = time.thread_time()
        pss_bytes = self._look()
        cost_s = time.thread_time() - before_s
        self.cost_s += cost_s
        self._allowed_s -= cost_s
        return pss_bytes

    def _alone(self) -> bool:
        """One process holds what is resident of it, which costs next to nothing to ask."""
        sizes = {pid: one for pid in self._pids() if (one := size(pid)) is not None}
        if len(sizes) != 1:
            return False
        self._note(sizes, sum(one.rss_bytes for one in sizes.values()))
        return True

    def _look(self) -> int | None:
        """The proportional size of the tree; what it holds and held is noted."""
        sizes = {pid: one for pid in self._pids() if (one := size(pid)) is not None}
        parts = {pid: part for pid in sizes if (part := held(pid)) is not None}
        if parts:
            anonymous = sum(one.anonymous_pss_bytes for one in parts.values())
            bytes_ = anonymous + self._mapped_bytes(parts, anonymous)
        else:  # another user's, or an old kernel: one process is what it is
            bytes_ = max((one.rss_bytes for one in sizes.values()), default=0)
        self._note(sizes, bytes_)
        return sum(one.pss_bytes for one in parts.values()) or None

    def _mapped_bytes(self, parts: dict[int, Held], anonymous: int) -> int:
        """Files and shared memory, everything once: at least what one of them has, and at least their shares."""
        resident = sum(one.mapped_rss_bytes for one in parts.values())
        shares = sum(one.mapped_pss_bytes for one in parts.values())
        least = max(shares, max(one.mapped_rss_bytes for one in parts.values()))
        if resident - least <= _CHANGED * (anonymous + least):
            return least
        pids, seen, distinct = self._mapped
        if pids != parts.keys() or abs(resident - seen) > _CHANGED * seen:
            distinct = distinct_bytes(list(parts))
            self._mapped = frozenset(parts), resident, distinct
        return max(distinct, least)

    def _note(self, sizes: dict[int, Size], bytes_: int) -> None:
        """What a process reached between two looks, and has given back since, came on top of what all of them held."""
        base = min(bytes_, self._bytes)
        highest = [bytes_, *self._peaks(sizes)]
        for pid, one in sizes.items():
            last = self._sizes.get(pid)
            if one.peak_bytes > max(self._before.get(pid, 0), last.peak_bytes if last else 0):
                highest.append(base + one.peak_bytes - max(one.rss_bytes, last.rss_bytes if last else 0))
        reached = self._group.reached(sizes) if self._group is not None else None
        self.peak_bytes = max(self.peak_bytes, reached or 0, *highest)
        self._sizes, self._bytes = sizes, bytes_

    def _peaks(self, sizes: dict[int, Size]) -> Iterable[int]:
        for pid, one in sizes.items():
            yield one.peak_bytes if one.peak_bytes > self._before.get(pid, 0) else one.rss_bytes
