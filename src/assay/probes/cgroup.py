"""What the kernel counted for the control group that a run is in, where nobody else is in it.

A scheduler gives each job a group, and the kernel knows the most that the group ever held: also what several processes
held together between two looks. The trap: it counts the cache of every file that was read, and ourselves. Both are
taken off, at their largest around the moment, so that the figure is never too high.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from assay.probes.held import size
from assay.probes.tree import ancestors, descendants

ROOT = Path("/sys/fs/cgroup")
#: of both versions: the file of the peak, and the names in memory.stat of what is cached and of what of it is mapped
_VERSIONS = (("memory.peak", "file", "file_mapped"), ("memory.max_usage_in_bytes", "cache", "mapped_file"))


@dataclass(slots=True)
class Cgroup:
    """One group; `seen` is the peak as it was last, so that what was reached before us does not count."""

    folder: Path
    peak_file: str
    cached: str
    mapped: str
    seen_bytes: int = 0
    cache_bytes: int = 0

    def reached(self, tree: Collection[int]) -> int | None:
        """What the tree came to since the last look; None where that was no new peak, or not ours alone."""
        peak_bytes, cache_bytes = self.peak(), self.cache()
        if peak_bytes is None or cache_bytes is None:
            return None
        before_bytes, self.cache_bytes = self.cache_bytes, cache_bytes
        if peak_bytes <= self.seen_bytes:
            return None
        self.seen_bytes = peak_bytes
        others_bytes = self._others(set(tree))
        return None if others_bytes is None else peak_bytes - max(before_bytes, cache_bytes) - others_bytes

    def peak(self) -> int | None:
        """The most that all in the group ever held."""
        text = _content(self.folder / self.peak_file).strip()
        return int(text) if text.isdigit() else None

    def cache(self) -> int | None:
        """Pages of files that no process has mapped, and what the kernel keeps for itself."""
        lines = (line.split() for line in _content(self.folder / "memory.stat").splitlines())
        stat = {words[0]: int(words[1]) for words in lines if len(words) == 2 and words[1].isdigit()}
        if self.cached not in stat:
            return None
        own = _content(self.folder / "memory.kmem.usage_in_bytes").strip()  # of the first version
        kernel = stat.get("kernel", stat.get("slab", int(own) if own.isdigit() else 0))
        return max(0, stat[self.cached] - stat.get(self.mapped, 0)) + kernel

    def _others(self, tree: set[int]) -> int | None:
        """What we and the shell that started us hold; None where there is a stranger among them."""
        others = _beside(self.folder, tree)
        return None if others is None else sum(one.rss_bytes for pid in others if (one := size(pid)) is not None)


def is_shared(folder: Path, tree: set[int]) -> bool:
    """Whether a group holds other groups, or a process that neither belongs to the run nor records or started it."""
    return _beside(folder, tree) is None


def _beside(folder: Path, tree: set[int]) -> set[int] | None:
    """Ourselves and the shells that started us, as far as they are in the group; None where it is shared."""
    with suppress(OSError, ValueError):
        if any(one.is_dir() for one in folder.iterdir()):
            return None
        others = set(map(int, _content(folder / "cgroup.procs").split())) - tree
        return others if others <= {*descendants([os.getpid()]), os.getpid(), *ancestors(os.getpid())} else None
    return None


def cgroup_of(pid: int, root: Path = ROOT) -> Cgroup | None:
    """The group of a process, if it has one below the top and the kernel counts memory for it."""
    for line in _content(Path(f"/proc/{pid}/cgroup")).splitlines():
        _, controllers, path = line.split(":", 2)
        if path.strip("/") and ("memory" in controllers.split(",") or not controllers):
            folder = root / ("memory" if controllers else "") / path.strip("/")
            for names in _VERSIONS:
                found = Cgroup(folder, *names)
                peak_bytes = found.peak()
                if peak_bytes is not None:
                    found.seen_bytes, found.cache_bytes = peak_bytes, found.cache() or 0
                    return found
    return None


def _content(path: Path) -> str:
    with suppress(OSError):
        return path.read_text()
    return ""
