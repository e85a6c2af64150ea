"""Probes turn the state of the machine into samples: one file each; recording/watch.py starts them."""

from __future__ import annotations

import resource
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Protocol

from assay.model.event import Event
from assay.probes.parts import Ended
from assay.probes.tree import HAVE_PROC


class Probe(Protocol):
    """Anything that can be looked at again and again."""

    name: str

    def sample(self) -> Sequence[Event]: ...


class TreeProbe(Probe, Protocol):
    """A probe of the process tree, which also waits for children so that their totals are exact."""

    rss_bytes: int
    part_began: Callable[[], object]  # called when a program has begun within the tree

    @property
    def peak_bytes(self) -> int: ...

    def totals(self) -> dict[str, float]: ...

    def wait(self, options: int) -> tuple[int, int, resource.struct_rusage] | None: ...

    def forget(self, cpu_s: float) -> None: ...

    def start_from_here(self) -> None: ...

    def pids(self) -> list[int]: ...

    def follow(self) -> list[int]: ...

    def ends(self, pidfds: Collection[int]) -> None: ...

    def parts(self) -> list[Ended]: ...


def tree_probe(roots: Callable[[], Iterable[int]], begin_s: float) -> TreeProbe:
    """The one for this system."""
    if HAVE_PROC:
        from assay.probes.process import ProcessProbe

        return ProcessProbe(roots, begin_s)
    from assay.probes.process_psutil import PsutilProbe

    return PsutilProbe(roots, begin_s)
