"""The masked-LM loss without wide logits: the gradient is made where the logits lay, in one pass over them.

The vocabulary is rounded up to a multiple of 64 for the product alone (30,522 rows of bf16 are not aligned to 16
bytes, and cuBLAS is much slower then); the added columns never count.
"""

from __future__ import annotations

import warnings
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from assay_workloads.bert import NO_LABEL
from assay_workloads.kernels.table import Kernels

# the backward has a thread of its own; cuBLAS makes the context current there by itself, and says so
warnings.filterwarnings("ignore", message="Attempting to run cuBLAS, but there was no current CUDA context")


def word_loss(x: Tensor, weight: Tensor, bias: Tensor, labels: Tensor, kernels: Kernels) -> Tensor:
    """The mean cross-entropy of `x @ weight.T + bias` [rows, vocab] over the rows that have a label."""
    loss: Tensor = _WordLoss.apply(x, weight, bias, labels, kernels)  # type: ignore[no-untyped-call]
    return loss


class _WordLoss(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, labels: Tensor, kernels: Kernels) -> Tensor:
        vocab = weight.shape[0]
        more = -vocab % 64
        w = F.pad(weight.to(x.dtype), (0, 0, 0, more))
        logits = torch.addmm(F.pad(bias.to(x.dtype), (0, more)), x, w.t())
        scale = (labels != NO_LABEL).sum().clamp_min(1).to(_wide(x)).reciprocal()
        losses = kernels.cross_entropy(logits, labels, vocab, scale)
        ctx.save_for_backward(x, w, logits)  # the gradient by now
        ctx.vocab = vocab
        return losses.sum() * scale

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        x, w, d_logits = ctx.saved_tensors
        scale = grad.to(x.dtype)
        dx = (d_logits @ w) * scale
        dw = d_logits.t() @ (x * scale)
        db = d_logits.sum(0, dtype=_wide(x)) * grad
        return dx, dw[: ctx.vocab], db[: ctx.vocab], None, None


def _wide(x: Tensor) -> torch.dtype:
    return torch.float64 if x.dtype == torch.float64 else torch.float32
