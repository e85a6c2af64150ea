"""What an engine is asked for, and how one is made."""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay_workloads.engines import ENGINES

if TYPE_CHECKING:
    import numpy

    from assay_workloads.engines.classifier import Classifier

    Array = numpy.ndarray[Any, numpy.dtype[Any]]
    #: ids [batch, length] int64 in host memory, how many of each row are real (None: all) → logits in host memory
    Engine = Callable[[Array, Array | None], Array]


@dataclass(frozen=True, kw_only=True)
class Shape:
    """What the engine will be given: [batch, length] with lengths where padded, else [batch, any length]."""

    batch: int
    length: int
    padded: bool

    @property
    def masked(self) -> bool:
        """Whether rows can be of different lengths."""
        return self.padded or self.batch > 1


class NotHere(Exception):
    """An engine that cannot run on this machine, and why."""


def build(name: str, model: Classifier, shape: Shape, *, device: str, threads: int) -> Engine:
    """An engine ready to run, or NotHere. Threads apply to a CPU; 0 leaves them as they are."""
    module, needs, devices, precision = ENGINES[name]
    if device not in devices:
        raise NotHere(f"runs on {' or '.join(devices)}")
    for package in needs:
        if importlib.util.find_spec(package) is None:
            raise NotHere(f"pip install {package}")
    make = importlib.import_module(module).build
    try:
        engine: Engine = make(model, shape, device=device, threads=threads, precision=precision)
    except NotHere:
        raise
    except Exception as problem:  # whatever a vendor's compiler throws: the other engines still have their rows
        raise NotHere(f"{type(problem).__name__}: {' '.join(str(problem).split())[:160]}") from problem
    return engine


def thread_counts(batch: int) -> Sequence[int]:
    """Worth trying: 1, 2, 4, 8, and all cores where a batch is large enough to feed them."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return sorted({count for count in (1, 2, 4, 8, *([cores] if batch >= 8 else [])) if count <= cores})
