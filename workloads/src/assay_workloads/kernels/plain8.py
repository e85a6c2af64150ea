"""The kernels of `table8.py` in PyTorch operations: `plain.py`'s, their results rounded to 8 bits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from assay_workloads.kernels import plain
from assay_workloads.kernels.scales import LARGEST, Narrow, Slot
from assay_workloads.kernels.shape import Normed

if TYPE_CHECKING:
    from assay_workloads.kernels.shape import Shape


def quantise(x: Tensor, slot: Slot) -> Narrow:
    top = x.abs().amax().float().view(1).view(torch.int32)
    slot.largest[:1].copy_(torch.maximum(slot.largest[:1], top))
    most = LARGEST[slot.kind]
    rows = (x.float() * slot.scale).clamp(-most, most).to(slot.kind)
    return Narrow(rows=rows, turned=rows.t().contiguous(), inverse=slot.inverse)


def product(
    a: Tensor, a_inverse: Tensor, b: Tensor, b_inverse: Tensor, *, bias: Tensor | None = None,
    add: Tensor | None = None, kind: torch.dtype = torch.bfloat16,
) -> Tensor:  # fmt: skip
    y = (a.float() * a_inverse) @ (b.float() * b_inverse).t()
    for more in (bias, add):
        y = y if more is None else y + more.float()
    return y.to(kind)


def norm(
    x: Tensor, bias: Tensor, residual: Tensor | Normed, gamma: Tensor, beta: Tensor, key: Tensor, p: float, eps: float,
    slot: Slot, *, wide: bool,
) -> tuple[Tensor | None, Normed, Narrow]:  # fmt: skip
    before = _result(residual) if isinstance(residual, Normed) else residual
    y, total, mean, inverse = plain.norm(x.float(), bias, before, gamma, beta, key, p, eps)
    normed = Normed(total=total.to(x.dtype), mean=mean, inverse=inverse, gamma=gamma, beta=beta)
    return y.to(x.dtype) if wide else None, normed, quantise(y, slot)


def norm_backward(
    grad: Tensor, more: Tensor | None, normed: Normed, key: Tensor, p: float, slot: Slot
) -> tuple[Tensor, Narrow, Tensor, Tensor, Tensor]:
    d_total, dx, *sums = plain.norm_backward(
        grad.float(), more, normed.total, normed.mean, normed.inverse, normed.gamma, key, p
    )
    d_gamma, d_beta, d_bias = sums
    return d_total.to(grad.dtype), quantise(dx, slot), d_gamma, d_beta, d_bias


def gelu(x: Tensor, slot: Slot) -> Narrow:
    return quantise(plain.gelu(x.float()), slot)


def gelu_backward(grad: Tensor, x: Tensor, slot: Slot) -> tuple[Narrow, Tensor]:
    dx = grad.float() * plain.gelu_slope(x.float())
    return quantise(dx, slot), dx.sum(0)


def attention(
    qkv: Tensor, shape: Shape, lengths: Tensor | None, key: Tensor, p: float, slot: Slot
) -> tuple[Narrow, Tensor]:
    y, logarithm = plain.attention(qkv, shape, lengths, key, p)
    return quantise(y, slot), logarithm


def attention_backward(
    grad: Tensor, qkv: Tensor, logarithm: Tensor, shape: Shape, lengths: Tensor | None, key: Tensor, p: float,
    slot: Slot,
) -> tuple[Narrow, Tensor]:  # fmt: skip
    d_qkv, d_bias = plain.attention_backward(grad.float(), qkv, logarithm, shape, lengths, key, p)
    return quantise(d_qkv, slot), d_bias


def _result(normed: Normed) -> Tensor:
    unit = (normed.total.float() - normed.mean[:, None]) * normed.inverse[:, None]
    return unit * normed.gamma.float() + normed.beta.float()
