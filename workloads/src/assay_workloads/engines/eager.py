"""Plain PyTorch, as anyone would write it: the reference that the others are held against."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from assay_workloads.engines.classifier import Classifier

if TYPE_CHECKING:
    from assay_workloads.engines.base import Array, Engine, Shape


def build(model: Classifier, shape: Shape, *, device: str, threads: int, precision: str) -> Engine:
    return torch_engine(model.to(device).eval(), device, threads)


def torch_engine(step: torch.nn.Module, device: str, threads: int) -> Engine:
    """Copies in, the step, and copies out; on a CPU the first and last are no copies."""

    def run(ids: Array, lengths: Array | None) -> Array:
        if (
            threads and torch.get_num_threads() != threads
        ):  # one number for the whole process: another engine may have set it
            torch.set_num_threads(threads)
        with torch.inference_mode():
            real = None if lengths is None else torch.from_numpy(lengths).to(device)
            logits: Array = step(torch.from_numpy(ids).to(device), real).cpu().numpy()
        return logits

    return run
