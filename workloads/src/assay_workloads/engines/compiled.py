"""torch.compile of the lean classifier: one set of kernels for a fixed shape, or for any length where it varies."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import torch

from assay_workloads.engines.base import NotHere
from assay_workloads.engines.classifier import Classifier
from assay_workloads.engines.eager import torch_engine
from assay_workloads.engines.lean import Lean

if TYPE_CHECKING:
    from assay_workloads.engines.base import Engine, Shape


def build(model: Classifier, shape: Shape, *, device: str, threads: int, precision: str) -> Engine:
    if device == "cpu" and not (shutil.which("g++") or shutil.which("clang++")):
        raise NotHere("needs a C++ compiler")
    torch.compiler.reset()  # shapes of engines before this one do not count against the limit of recompilations
    if threads:
        torch.set_num_threads(threads)  # it is compiled in
    step = torch.compile(Lean(model).to(device).eval(), dynamic=not shape.padded, fullgraph=True)
    return torch_engine(step, device, threads)  # type: ignore[arg-type]
