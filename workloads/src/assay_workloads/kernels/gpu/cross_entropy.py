"""Cross-entropy over a large vocabulary: one program a row reads the logits twice and leaves their gradient there."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from assay_workloads.bert import NO_LABEL


def cross_entropy(logits: Tensor, labels: Tensor, vocab: int, scale: Tensor) -> Tensor:
    rows, stride = logits.shape
    losses = torch.empty(rows, dtype=torch.float32, device=logits.device)
    _cross_entropy[(rows,)](logits, labels, scale, losses, vocab, stride, NO_LABEL=NO_LABEL, BLOCK=_BLOCK, num_warps=8)
    return losses


_BLOCK = 4096


@triton.jit
def _cross_entropy(
    logits_ptr, labels_ptr, scale_ptr, losses_ptr, vocab, stride, NO_LABEL: tl.constexpr, BLOCK: tl.constexpr
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    label = tl.load(labels_ptr + row).to(tl.int32)
    here = logits_ptr + row * stride
    block = tl.arange(0, BLOCK)
    top = tl.full((BLOCK,), float("-inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for first in range(0, stride, BLOCK):
        at = first + block
        # rows are read to their aligned end, 16 bytes at a time; what lies beyond the vocabulary then goes
        x = tl.load(here + at, mask=at < stride, other=0.0).to(tl.float32)
        x = tl.where(at < vocab, x, float("-inf"))
        higher = tl.maximum(top, x)
        # a lane that has seen nothing yet has no sum to bring along
        total = tl.where(top == float("-inf"), 0.0, total * tl.exp(top - higher))
        total += tl.where(x == float("-inf"), 0.0, tl.exp(x - higher))
        top = higher
    highest = tl.max(top, axis=0)
    total = tl.where(top == float("-inf"), 0.0, total * tl.exp(top - highest))
    logarithm = highest + tl.log(tl.sum(total, axis=0))
    used = label != NO_LABEL
    at_label = tl.load(here + tl.where(used, label, 0)).to(tl.float32)
    tl.store(losses_ptr + row, tl.where(used, logarithm - at_label, 0.0))
    scale = tl.where(used, tl.load(scale_ptr).to(tl.float32), 0.0)
    tl.debug_barrier()  # every thread has read its label's logit before any is overwritten
    for first in range(0, stride, BLOCK):
        at = first + block
        x = tl.load(here + at, mask=at < stride, other=0.0).to(tl.float32)
        x = tl.where(at < vocab, x, float("-inf"))
        grad = (tl.exp(x - logarithm) - tl.where(at == label, 1.0, 0.0)) * scale
        tl.store(here + at, grad.to(logits_ptr.dtype.element_ty), mask=at < stride)
