"""Every kernel in PyTorch operations: what it means, and what runs where there is no GPU.

Arithmetic is in float32 (float64 for float64), results in the type of the input, as in the Triton kernels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F
from torch import Tensor

from assay_workloads.bert import NO_LABEL
from assay_workloads.kernels.mask import keep_scale

if TYPE_CHECKING:
    from assay_workloads.kernels.shape import Shape


def linear(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    return x @ weight.t() if bias is None else torch.addmm(bias, x, weight.t())


def grad_input(grad: Tensor, weight: Tensor, add: Tensor | None) -> Tensor:
    return grad @ weight if add is None else torch.addmm(add, grad, weight)


def grad_weight(grad: Tensor, x: Tensor) -> Tensor:
    return grad.t() @ x


def norm(
    x: Tensor, bias: Tensor, residual: Tensor, gamma: Tensor, beta: Tensor, key: Tensor, p: float, eps: float
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    total = _wide(residual) + drop(_wide(x) + _wide(bias), key, p)
    mean = total.mean(1)
    inverse = (total.var(1, correction=0) + eps).rsqrt()
    y = (total - mean[:, None]) * inverse[:, None] * _wide(gamma) + _wide(beta)
    return y.to(x.dtype), total.to(x.dtype), mean, inverse


def norm_backward(
    grad: Tensor,
    more: Tensor | None,
    total: Tensor,
    mean: Tensor,
    inverse: Tensor,
    gamma: Tensor,
    key: Tensor,
    p: float,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    dy = _wide(grad) if more is None else _wide(grad) + _wide(more)
    unit = (_wide(total) - mean[:, None]) * inverse[:, None]
    scaled = dy * _wide(gamma)
    projected = (scaled * unit).mean(1, keepdim=True)
    d_total = (scaled - scaled.mean(1, keepdim=True) - unit * projected) * inverse[:, None]
    dx = drop(d_total, key, p)
    return d_total.to(grad.dtype), dx.to(grad.dtype), (dy * unit).sum(0), dy.sum(0), dx.sum(0)


def up(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    product = x @ weight.t()
    return product, gelu(_wide(product) + _wide(bias)).to(x.dtype)


def up_backward(grad: Tensor, weight: Tensor, product: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    d_before = _wide(grad @ weight) * gelu_slope(_wide(product) + _wide(bias))
    return d_before.to(grad.dtype), d_before.sum(0)


def attention(qkv: Tensor, shape: Shape, lengths: Tensor | None, key: Tensor, p: float) -> tuple[Tensor, Tensor]:
    q, k, v = _heads(qkv, shape)
    scores = _scores(q, k, lengths)
    logarithm = scores.logsumexp(3)
    probabilities = drop((scores - logarithm[..., None]).exp(), key, p)
    return _rows(probabilities.to(qkv.dtype) @ v.to(qkv.dtype), shape), logarithm


def attention_backward(
    grad: Tensor, qkv: Tensor, logarithm: Tensor, shape: Shape, lengths: Tensor | None, key: Tensor, p: float
) -> tuple[Tensor, Tensor]:
    q, k, v = _heads(qkv, shape)
    dy = _wide(grad).view(shape.batch, shape.length, shape.heads, -1).transpose(1, 2)
    probabilities = (_scores(q, k, lengths) - logarithm[..., None]).exp()
    scale = keep_scale(probabilities.shape, key, p, probabilities.dtype) if p else 1.0
    dv = (probabilities * scale).transpose(2, 3) @ dy
    dp = (dy @ v.transpose(2, 3)) * scale
    ds = probabilities * (dp - (probabilities * dp).sum(3, keepdim=True)) * q.shape[3] ** -0.5
    grads = torch.cat([_rows(d, shape) for d in (ds @ k, ds.transpose(2, 3) @ q, dv)], dim=1)
    return grads.to(grad.dtype), grads.sum(0)


def cross_entropy(logits: Tensor, labels: Tensor, vocab: int, scale: Tensor) -> Tensor:
    wide = _wide(logits[:, :vocab])
    losses = F.cross_entropy(wide, labels, ignore_index=NO_LABEL, reduction="none")
    used = (labels != NO_LABEL)[:, None]
    grads = wide.softmax(1).scatter_add(1, labels.clamp_min(0)[:, None], -used.to(wide.dtype))
    logits[:, :vocab] = (grads * used * scale).to(logits.dtype)
    logits[:, vocab:] = 0
    return losses


def drop(x: Tensor, key: Tensor, p: float) -> Tensor:
    return x * keep_scale(x.shape, key, p, x.dtype) if p else x


def gelu(x: Tensor) -> Tensor:
    return F.gelu(x, approximate="tanh")


def gelu_slope(x: Tensor) -> Tensor:
    """The derivative, with GELU written as x · sigmoid(2 z)."""
    s: Tensor = torch.sigmoid(1.5957691216057308 * (x + 0.044715 * x**3))
    return s + x * s * (1 - s) * 1.5957691216057308 * (1 + 3 * 0.044715 * x * x)


def _scores(q: Tensor, k: Tensor, lengths: Tensor | None) -> Tensor:
    scores: Tensor = (q @ k.transpose(2, 3)) * q.shape[3] ** -0.5
    if lengths is None:
        return scores
    real = torch.arange(k.shape[2], device=k.device) < lengths[:, None]
    return scores.masked_fill(~real[:, None, None, :], float("-inf"))


def _heads(qkv: Tensor, shape: Shape) -> tuple[Tensor, Tensor, Tensor]:
    split = _wide(qkv).view(shape.batch, shape.length, 3, shape.heads, -1).permute(2, 0, 3, 1, 4)
    return split[0], split[1], split[2]


def _rows(x: Tensor, shape: Shape) -> Tensor:
    return x.transpose(1, 2).reshape(shape.batch * shape.length, -1)


def _wide(x: Tensor) -> Tensor:
    return x if x.dtype == torch.float64 else x.float()
