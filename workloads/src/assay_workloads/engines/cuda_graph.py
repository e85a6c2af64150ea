"""One CUDA graph from the ids in pinned memory to the logits in pinned memory: the host launches once and waits.

Everything is in half precision but the logits. The kernels are those of torch.compile where it works, else PyTorch's
own. A graph has one shape: where lengths vary there is one for every 16 tokens, each sentence in the next larger.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import torch

from assay_workloads.engines.classifier import Classifier
from assay_workloads.engines.lean import Lean
from assay_workloads.failure import warn

if TYPE_CHECKING:
    from assay_workloads.engines.base import Array, Engine, Shape

_STEP_TOKENS = 16


def build(model: Classifier, shape: Shape, *, device: str, threads: int, precision: str) -> Engine:
    lean = Lean(copy.deepcopy(model)).to(device, torch.float16).eval()
    first = shape.length if shape.padded else _STEP_TOKENS
    sizes = sorted({*range(first, shape.length, _STEP_TOKENS), shape.length})
    graphs = {size: Captured(lean, shape.batch, size, device) for size in sizes}

    def run(ids: Array, lengths: Array | None) -> Array:
        size = min(-(-ids.shape[1] // _STEP_TOKENS) * _STEP_TOKENS, shape.length) if not shape.padded else shape.length
        return graphs[size](ids, lengths)

    return run


class Captured:
    """The graph of one shape. Ids and lengths lie in one buffer, so that one copy brings them over."""

    def __init__(self, lean: Lean, batch: int, length: int, device: str) -> None:
        self.batch, self.length = batch, length
        self.host = torch.zeros(batch * (length + 1), dtype=torch.int32).pin_memory()
        self.host[batch * length :] = length
        self.ids, self.lengths = (
            self.host[: batch * length].view(batch, length).numpy(),
            self.host[batch * length :].numpy(),
        )
        self.given = self.host.to(device)
        self.logits = torch.zeros(batch, lean.out.out_features).pin_memory()
        self.kept = step = self._step(lean)  # the graph reads its weights, and does not keep them alive
        self.graph = torch.cuda.CUDAGraph()
        with torch.inference_mode(), torch.cuda.graph(self.graph):
            self._all(step)
        self.stream = torch.cuda.current_stream()

    def __call__(self, ids: Array, lengths: Array | None) -> Array:
        rows, width = ids.shape
        self.ids[:rows, :width] = ids
        self.lengths[:rows] = width if lengths is None else lengths
        self.graph.replay()
        self.stream.synchronize()
        found: Array = self.logits.numpy()[:rows]
        return found

    def _all(self, step: Any) -> None:
        count = self.batch * self.length
        self.given.copy_(self.host, non_blocking=True)
        logits = step(self.given[:count].view(self.batch, self.length), self.given[count:])
        self.logits.copy_(logits.float(), non_blocking=True)

    def _step(self, lean: Lean) -> Any:
        """Compiled and warm, as a capture needs it."""
        torch.compiler.reset()  # every graph is of one shape: none counts against the limit of recompilations
        for step in (torch.compile(lean, fullgraph=True, dynamic=False), lean):
            side: Any = torch.cuda.Stream()  # type: ignore[no-untyped-call]
            side.wait_stream(torch.cuda.current_stream())
            try:
                with torch.cuda.stream(side), torch.inference_mode():
                    for _ in range(3):
                        self._all(step)
                torch.cuda.synchronize()
                return step
            except Exception as problem:  # a machine without a compiler still has its own kernels
                if step is lean:
                    raise
                warn(f"cuda-graph continues without torch.compile: {type(problem).__name__}")
        raise AssertionError("unreachable: the last step is returned or raised")
