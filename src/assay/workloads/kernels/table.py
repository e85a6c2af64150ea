"""Which kernels a step is made of. Rows are tokens: [batch × length, hidden]; a `key` is two 32-bit numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from torch import Tensor

from assay.workloads.kernels import plain


@dataclass(frozen=True, kw_only=True)
class Shape:
    """What the attention kernels must know beside their tensors."""

    batch: int
    length: int
    heads: int


@dataclass(frozen=True, kw_only=True)
class Kernels:
    #: x, bias, residual, gamma, beta, key, p, eps → y = norm(residual + drop(x + bias)), that sum, mean, 1 / deviation
    norm: Callable[..., tuple[Tensor, Tensor, Tensor, Tensor]]
    #: gradients of y (one or two to be added), sum, mean, 1 / deviation, gamma, key, p
    #: → gradients of residual, x, gamma, beta, bias
    norm_backward: Callable[..., tuple[Tensor, Tensor, Tensor, Tensor, Tensor]]
    #: x, weight, bias → before GELU, after it
    up: Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]
    #: gradient of y = after @ weight.T, weight, before GELU → gradients of before, bias
    up_backward: Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]
    #: qkv [rows, 3 hidden], shape, lengths, key, p → y [rows, hidden], logarithm of each row's sum [batch, heads, length]
    attention: Callable[..., tuple[Tensor, Tensor]]
    #: gradient of y, qkv, that logarithm, shape, lengths, key, p → gradients of qkv and of its bias
    attention_backward: Callable[..., tuple[Tensor, Tensor]]
    #: logits [rows, at least vocab], labels, vocab, scale → losses of rows; logits become their gradient times scale
    cross_entropy: Callable[[Tensor, Tensor, int, Tensor], Tensor]


PLAIN = Kernels(
    norm=plain.norm,
    norm_backward=plain.norm_backward,
    up=plain.up,
    up_backward=plain.up_backward,
    attention=plain.attention,
    attention_backward=plain.attention_backward,
    cross_entropy=plain.cross_entropy,
)


def triton() -> Kernels:
    from assay.workloads.kernels import attention_triton, cross_entropy_triton, gelu_triton, norm_triton

    return Kernels(
        norm=norm_triton.norm,
        norm_backward=norm_triton.norm_backward,
        up=gelu_triton.up,
        up_backward=gelu_triton.up_backward,
        attention=attention_triton.attention,
        attention_backward=attention_triton.attention_backward,
        cross_entropy=cross_entropy_triton.cross_entropy,
    )


def cublaslt() -> Kernels:
    """Triton, with GELU and its gradient inside cuBLASLt's matrix products."""
    from assay.workloads.kernels import cublaslt as library

    return replace(triton(), up=library.up, up_backward=library.up_backward)
