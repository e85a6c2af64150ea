"""CPU, memory, threads and disk of a whole process tree, from /proc.

Two traps. Children that lived between two samples: their CPU time moves into the parent's `cutime` when it waits for
them, so summing utime + stime + cutime + cstime over the living misses nothing. And the price of looking: files are
opened once and re-read in place, and the tree is walked again only when the kernel has handed out a new process id.
"""

from __future__ import annotations

import os
import resource
import threading
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from assay.model.event import Sample
from assay.probes.parts import Ended, Parts
from assay.probes.tree import children

_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_BLOCK_BYTES = 512  # of ru_inblock and ru_oublock
#: lines of /proc/PID/io and what we call them: bytes that reached a disk, calls whatever they reached
_DISK = {b"read_bytes": "read_bytes", b"write_bytes": "write_bytes", b"syscr": "read_calls", b"syscw": "write_calls"}
#: bytes read and written are totals, so they need not be looked at with every sample
_DISK_EVERY_S = 0.5


@dataclass(slots=True)
class _Process:
    pid: int
    stat_fd: int | None
    io_fd: int | None
    born: bytes = b""  # start time in ticks: a process id may be used again, this pair may not
    parent: int = 0
    ticks: int = 0  # its own CPU time and that of the children it waited for
    waited_ticks: int = 0  # the second part alone
    gained_ticks: int = 0  # by how much that part grew since the last look
    threads: int = 0
    rss_pages: int = 0
    virtual_bytes: int = 0
    zombie: bool = False
    stack: bytes = b""  # where it begins: anew with every program


class ProcessProbe:
    """Watches what `roots` names and all that descends from it, reparented or not, until it is gone."""

    name = "process"

    def __init__(self, roots: Callable[[], Iterable[int]], begin_s: float) -> None:
        self._roots = roots
        self._lock = threading.Lock()
        self._known: dict[int, _Process] = {}
        self._reaped: dict[int, int] = {}  # pid: ticks it had gained when we waited for it
        self._loadavg = os.open("/proc/loadavg", os.O_RDONLY | os.O_CLOEXEC)
        self._newest_pid = b""
        self._files_left = min(512, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 4)
        self._lost_ticks = 0  # of processes that nobody waited for
        self._reaped_s = 0.0  # of processes that we waited for
        self._reaped_disk = {"read_bytes": 0, "write_bytes": 0}
        self._disk = dict.fromkeys(_DISK.values(), 0)
        self._disk_from: dict[str, int] = {}
        self._disk_due_s = 0.0
        self._last_s, self._last_cpu_s = begin_s, 0.0
        self._parts = Parts(begin_s)
        self.part_began: Callable[[], object] = lambda: None
        self.rss_bytes = 0

    def sample(self) -> list[Sample]:
        """Totals over the tree now; nothing when none of it is left."""
        with self._lock:
            self._look()
            now_s = time.monotonic()
            if not self._known:
                return []
            cpu_s, since_s = self._cpu_s(), now_s - self._last_s
            since_pct = 100 * (cpu_s - self._last_cpu_s) / since_s if since_s > 0 else None
            self._last_s, self._last_cpu_s = now_s, cpu_s
            living = [one for one in self._known.values() if not one.zombie]
            sample = Sample(
                cpu_s=round(cpu_s, 3),
                cpu_pct=None if since_pct is None else round(max(0.0, since_pct), 2),
                rss_bytes=self.rss_bytes,
                virtual_bytes=sum(one.virtual_bytes for one in living),
                processes=len(living),
                threads=sum(one.threads for one in living),
            )
            if now_s < self._disk_due_s:
                return [sample]
            self._disk_due_s = now_s + _DISK_EVERY_S
            return [sample.replace(**self._disk_totals())]

    def totals(self) -> dict[str, float]:
        """What the tree used in all; exact for everything that was waited for."""
        with self._lock:
            self._look()
            facts = {"cpu_s": round(self._cpu_s(), 6), "cpu_unclaimed_s": round(self._lost_ticks * _TICK_S, 2)}
            return {**facts, **self._disk_totals()}

    def wait(self, options: int) -> tuple[int, int, resource.struct_rusage] | None:
        """Wait for any child of ours, counting what it used in place of what was seen of it; None if none is done."""
        with self._lock:
            try:
                pid, status, usage = os.wait4(-1, options)
            except ChildProcessError:
                return None
            if pid == 0:
                return None
            cpu_s = usage.ru_utime + usage.ru_stime
            gone = self._known.pop(pid, None)
            if gone:
                self._reaped[pid] = round(cpu_s / _TICK_S) - gone.ticks
                self._close(gone)
                self._parts.gone(pid, cpu_s, gone.parent)
            self._reaped_s += cpu_s
            self._reaped_disk["read_bytes"] += usage.ru_inblock * _BLOCK_BYTES
            self._reaped_disk["write_bytes"] += usage.ru_oublock * _BLOCK_BYTES
            return pid, status, usage

    def start_from_here(self) -> None:
        """What was used so far is not counted: a process that ran before we came."""
        with self._lock:
            self._look()
            self._reaped_s -= self._cpu_s()
            before = self._disk_totals()
            self._disk_from = dict(before)
            self._disk = dict.fromkeys(before, 0)

    def forget(self, cpu_s: float) -> None:
        """What was waited for and is not the command's: a helper of ours."""
        self._reaped_s -= cpu_s

    def follow(self) -> list[int]:
        """Look for programs that began or ended, and at what they hold; descriptors that tell when one of them ends."""
        with self._lock:
            self._look()
            self._parts.measure()
            return self._parts.pidfds()

    def ends(self, pidfds: Collection[int]) -> None:
        """What these descriptors stand for has just ended."""
        with self._lock:
            self._parts.ends(pidfds)

    def parts(self) -> list[Ended]:
        """The programs that have ended since this was asked last."""
        with self._lock:
            return self._parts.take()

    @property
    def peak_bytes(self) -> int:
        """The most that one process held, as far as it was seen."""
        return self._parts.peak_bytes

    def pids(self) -> list[int]:
        with self._lock:
            return list(self._known)

    def _cpu_s(self) -> float:
        return (sum(one.ticks for one in self._known.values()) + self._lost_ticks) * _TICK_S + self._reaped_s

    def _look(self) -> None:
        """Bring the tree up to date."""
        newest = os.pread(self._loadavg, 128, 0).rsplit(None, 1)[-1]
        if newest != self._newest_pid:
            self._newest_pid = newest
            self._walk()
        gone = [one for one in self._known.values() if not self._read(one)]
        for one in gone:
            del self._known[one.pid]
            self._close(one)
        if gone:
            self._settle(gone)
        self._reaped.clear()
        self._tell_parts()
        self.rss_bytes = _PAGE_BYTES * sum(one.rss_pages for one in self._known.values())

    def _tell_parts(self) -> None:
        began = False
        for one in self._known.values():
            if one.zombie:
                self._parts.gone(one.pid, one.ticks * _TICK_S, one.parent)
            elif self._parts.met(one.pid, one.parent, one.stack, one.born, one.ticks * _TICK_S):
                began = True
        if began:
            self.part_began()

    def _walk(self) -> None:
        """Find new processes. Starts from everything known, so that what was reparented away is not lost."""
        todo = [*self._roots(), *self._known]
        met: set[int] = set()
        while todo:
            pid = todo.pop()
            if pid not in met:
                met.add(pid)
                if pid in self._known or self._meet(pid):
                    todo += children(pid)

    def _meet(self, pid: int) -> bool:
        one = _Process(pid, self._open(pid, "stat"), self._open(pid, "io"))
        if self._read(one):
            self._known[pid] = one
            return True
        self._close(one)
        return False

    def _open(self, pid: int, name: str) -> int | None:
        if self._files_left <= 0:
            return None
        try:
            fd = os.open(f"/proc/{pid}/{name}", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return None
        self._files_left -= 1
        return fd

    def _close(self, one: _Process) -> None:
        for fd in (one.stat_fd, one.io_fd):
            if fd is not None:
                os.close(fd)
                self._files_left += 1

    def _read(self, one: _Process) -> bool:
        """Bring one process up to date; False when it is gone."""
        text = _content(one.stat_fd, one.pid, "stat")
        if not text:
            return False
        # the name in brackets may itself hold brackets and blanks: fields are counted from the last one
        fields = text[text.rindex(b")") + 2 :].split(None, 26)
        if one.born != fields[19]:
            if one.born:
                return False
            one.born = fields[19]
        waited = int(fields[13]) + int(fields[14])
        one.gained_ticks, one.waited_ticks = waited - one.waited_ticks, waited
        one.ticks = int(fields[11]) + int(fields[12]) + waited
        one.parent = int(fields[1])
        one.zombie = fields[0] == b"Z"
        one.threads = int(fields[17])
        one.virtual_bytes = int(fields[20])
        one.rss_pages = int(fields[21])
        one.stack = fields[25]
        return True

    def _settle(self, gone: list[_Process]) -> None:
        """CPU time of ended processes moves to the parent that waited for them; keep what did not."""
        by_pid = {one.pid: one for one in gone}
        owed: dict[int, list[_Process]] = {}
        for one in gone:
            heir = one.parent
            while heir in by_pid:
                heir = by_pid[heir].parent
            owed.setdefault(heir, []).append(one)
        for heir, ones in owed.items():
            gained, ticks = self._gained(heir), sum(one.ticks for one in ones)
            if gained < ticks - 2 * len(ones):  # each of the four counters is cut to a whole tick
                self._lost_ticks += ticks - max(0, gained)
            for one in ones:  # what one alone left is all that it used; of several we know what we saw
                used = max(one.ticks, gained) if len(ones) == 1 else one.ticks
                self._parts.gone(one.pid, used * _TICK_S, one.parent)

    def _gained(self, heir: int) -> int:
        """What it has taken over, read once more: it may have waited for a child after we had looked at it."""
        one = self._known.get(heir)
        if one is None:
            return self._reaped.get(heir, 0)
        gained = one.gained_ticks
        if self._read(one):
            one.gained_ticks += gained
        return one.gained_ticks

    def _disk_totals(self) -> dict[str, int]:
        """Bytes read and written by the tree. Like CPU time, those of a child move to the parent that waits for it."""
        total = {**dict.fromkeys(_DISK.values(), 0), **self._reaped_disk}
        for one in self._known.values():
            for line in _content(one.io_fd, one.pid, "io").splitlines():
                name, _, count = line.partition(b":")
                if name in _DISK:
                    total[_DISK[name]] += int(count)
        since = {name: count - self._disk_from.get(name, 0) for name, count in total.items()}
        self._disk = {name: max(count, self._disk[name]) for name, count in since.items()}
        return self._disk


def _content(fd: int | None, pid: int, name: str) -> bytes:
    """Of a file in /proc/PID, by its open descriptor where there is one; empty when the process is gone."""
    try:
        if fd is not None:
            return os.pread(fd, 2048, 0)
        with open(f"/proc/{pid}/{name}", "rb", buffering=0) as file:
            return file.read(2048) or b""
    except OSError:
        return b""
