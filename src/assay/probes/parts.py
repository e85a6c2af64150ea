"""The programs that a command runs: when each began and ended, what it used.

A process that was only forked counts with its parent; one that has started another program is a part. The
two look alike but for the top of their stack, which a fork keeps and a new program gets anew.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass

from assay.probes.held import size

_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
#: so many are followed at once, and so many are told of: of a build with thousands only what takes long
_FOLLOWED, _TOLD = 64, 200
#: one that is told of after them is longer than this share of the time since the run began
_LONG = 0.01
_LONGEST_COMMAND, _LONGEST_ENVIRONMENT = 4096, 1 << 17
_RANKS = (b"RANK", b"OMPI_COMM_WORLD_RANK", b"PMI_RANK", b"SLURM_PROCID")


@dataclass(slots=True)
class Part:
    """A program while it runs."""

    pid: int
    parent: int
    words: tuple[str, ...]
    began_s: float
    cpu_before_s: float = 0.0  # of what ran in the same process before it
    peak_bytes: int = 0
    pidfd: int = -1
    ended_s: float | None = None
    rank: int | None = None  # among the processes of one job


@dataclass(frozen=True, kw_only=True, slots=True)
class Ended:
    """A program that is over."""

    pid: int
    parent: int
    words: tuple[str, ...]
    began_s: float
    ended_s: float
    cpu_s: float
    peak_bytes: int
    rank: int | None = None


class Parts:
    """Follows the programs of one tree; all times come from the monotonic clock."""

    def __init__(self, begin_s: float) -> None:
        self._begin_s = begin_s
        self._root = 0  # the command itself: the first that is met
        self._stacks: dict[int, bytes] = {}  # of every process that was met
        self._above: dict[int, int] = {}  # who started it
        self._running: dict[int, Part] = {}
        self._ended: list[Ended] = []
        self._count = 0
        self.peak_bytes = 0  # of any one process, as far as it was seen

    def met(self, pid: int, parent: int, stack: bytes, born: bytes, cpu_s: float) -> bool:
        """Whether a program has begun: in a process not seen before, or in place of the one that was there."""
        self._root = self._root or pid
        before = self._stacks.get(pid)
        if stack in (b"0", before):  # a zombie has none
            return False
        above = self._stacks.get(parent)
        self._above.setdefault(pid, parent)
        forked = above == stack or (above is None and stack in self._stacks.values())
        self._stacks[pid] = stack
        if pid in self._running:
            self._running[pid].words = _words(pid)
        elif pid == self._root:
            if before is not None:  # `sh -c 'a; b'` becomes `b`
                self._running[pid] = Part(pid, parent, _words(pid), time.monotonic(), cpu_before_s=cpu_s)
        elif not forked:
            self._running[pid] = part = Part(pid, self._starter(parent), _words(pid), _began_s(born), rank=_rank(pid))
            if len(self._running) <= _FOLLOWED:
                with suppress(OSError, AttributeError):  # an old kernel
                    part.pidfd = os.pidfd_open(pid)
            return True
        return False

    def _starter(self, pid: int) -> int:
        """The program that a process belongs to: what it has forked starts others in its name."""
        met = set()
        while pid != self._root and pid not in self._running and pid in self._above and pid not in met:
            met.add(pid)
            pid = self._above[pid]
        return pid

    def gone(self, pid: int, cpu_s: float, heir: int) -> None:
        """A process has ended; its peak also counts for the program that started it."""
        self._stacks.pop(pid, None)
        self._above.pop(pid, None)
        part = self._running.pop(pid, None)
        if part is None:
            return
        ended_s = part.ended_s or time.monotonic()
        _let_go(part)
        outer = self._running.get(heir)
        if outer is not None:
            outer.peak_bytes = max(outer.peak_bytes, part.peak_bytes)
        if self._count < _TOLD or ended_s - part.began_s > _LONG * (ended_s - self._begin_s):
            self._count += 1
            one = Ended(
                pid=pid,
                parent=part.parent,
                words=part.words,
                began_s=part.began_s,
                ended_s=ended_s,
                cpu_s=max(0.0, cpu_s - part.cpu_before_s),
                peak_bytes=part.peak_bytes,
                rank=part.rank,
            )
            self._ended.append(one)

    def ends(self, pidfds: Collection[int]) -> None:
        """Their processes have just ended."""
        for part in self._running.values():
            if part.pidfd in pidfds:
                part.ended_s = time.monotonic()
                _let_go(part)

    def measure(self) -> None:
        """Note the peaks of the command and of the programs that run."""
        root = size(self._root)
        for part in self._running.values():
            seen = size(part.pid)
            if seen is not None:
                part.peak_bytes = max(part.peak_bytes, seen.peak_bytes)
        peaks = [part.peak_bytes for part in self._running.values()]
        self.peak_bytes = max(self.peak_bytes, root.peak_bytes if root else 0, *peaks)

    def pidfds(self) -> list[int]:
        """Descriptors that turn readable when one of them ends."""
        return [part.pidfd for part in self._running.values() if part.pidfd >= 0]

    def take(self) -> list[Ended]:
        """Those that have ended since this was asked last."""
        taken, self._ended = self._ended, []
        return taken


def _let_go(part: Part) -> None:
    if part.pidfd >= 0:
        os.close(part.pidfd)
        part.pidfd = -1


def _words(pid: int) -> tuple[str, ...]:
    with suppress(OSError), open(f"/proc/{pid}/cmdline", "rb") as file:
        return tuple(os.fsdecode(word) for word in file.read(_LONGEST_COMMAND).rstrip(b"\0").split(b"\0"))
    return ()


def _rank(pid: int) -> int | None:
    """As torchrun, MPI and Slurm tell it to each process."""
    with suppress(OSError), open(f"/proc/{pid}/environ", "rb") as file:
        for word in file.read(_LONGEST_ENVIRONMENT).split(b"\0"):
            name, _, value = word.partition(b"=")
            if name in _RANKS and value.isdigit():
                return int(value[:9])
    return None


def _began_s(born: bytes) -> float:
    """From ticks since the boot, which go on while a machine sleeps, to the monotonic clock."""
    since_s = time.clock_gettime(time.CLOCK_BOOTTIME) - int(born) * _TICK_S
    return time.monotonic() - max(0.0, since_s)
