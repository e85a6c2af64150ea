"""Memory of a process tree with shared pages counted once: PSS, from smaps_rollup.

A 500 MB array seen by four forks is 531 MB, not the 2,607 that adding up resident sizes gives. The kernel walks every
page to tell (12 ms for 2 GB), so this probe pays from a budget: what a look cost decides when the next one is due.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from assay.model.event import Sample

#: share of one core that looking may cost
BUDGET = 0.005
#: how far ahead of its budget the probe may go to catch memory that has grown
_CREDIT_S = 0.05


class MemoryProbe:
    """PSS of what `pids` names, as often as the budget allows."""

    name = "memory"

    def __init__(self, pids: Callable[[], list[int]], rss_bytes: Callable[[], int]) -> None:
        self._pids = pids
        self._rss_bytes = rss_bytes
        self._allowed_s = _CREDIT_S
        self._credited_s = time.monotonic()
        self._seen_rss = 0
        self.cost_s = 0.0

    def sample(self) -> list[Sample]:
        """Nothing while a look is not affordable, or there is nothing to see."""
        now_s = time.monotonic()
        self._allowed_s = min(_CREDIT_S, self._allowed_s + (now_s - self._credited_s) * BUDGET)
        self._credited_s = now_s
        rss_bytes = self._rss_bytes()
        grown = rss_bytes > 1.05 * self._seen_rss
        if rss_bytes == 0 or self._allowed_s < (-_CREDIT_S if grown else 0):
            return []
        before_s = time.thread_time()
        total = sum(filter(None, map(pss_bytes, self._pids())))
        cost_s = time.thread_time() - before_s
        self.cost_s += cost_s
        self._allowed_s -= cost_s
        self._seen_rss = rss_bytes
        return [Sample(pss_bytes=total)] if total else []


def pss_bytes(pid: int) -> int | None:
    """None where the process is gone, another user's, or the kernel too old (before 4.14)."""
    try:
        fd = os.open(f"/proc/{pid}/smaps_rollup", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        text = os.read(fd, 4096)
    except OSError:
        return None
    finally:
        os.close(fd)
    at = text.find(b"\nPss:")
    return int(text[at + 5 :].split(None, 1)[0]) * 1024 if at >= 0 else None
