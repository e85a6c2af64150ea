"""Which kernels a step in 8 bits is made of; `table.py` says what each computes, here with results in 8 bits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

from assay_workloads.kernels.scales import Narrow, Slot
from assay_workloads.kernels.shape import Normed


@dataclass(frozen=True, kw_only=True)
class Kernels8:
    #: x, where its scale is → x in 8 bits
    quantise: Callable[[Tensor, Slot], Narrow]
    #: a [m, k] and b [n, k] with their inverse scales, bias, what to add, type of the result → a @ b.T + bias + add
    product: Callable[..., Tensor]
    #: x, bias, residual, gamma, beta, key, p, eps, slot, wide → y in 16 bits if `wide`, its sum and figures, y
    norm: Callable[..., tuple[Tensor | None, Normed, Narrow]]
    #: gradients of y (one or two), its sum and figures, key, p, slot → gradients of residual, x, gamma, beta, bias
    norm_backward: Callable[..., tuple[Tensor, Narrow, Tensor, Tensor, Tensor]]
    #: before GELU, slot → after it
    gelu: Callable[[Tensor, Slot], Narrow]
    #: gradient of after, before, slot → gradients of before, bias
    gelu_backward: Callable[[Tensor, Tensor, Slot], tuple[Narrow, Tensor]]
    #: qkv, shape, lengths, key, p, slot → y, logarithm of the sum under each softmax
    attention: Callable[..., tuple[Narrow, Tensor]]
    #: gradient of y, qkv, that logarithm, shape, lengths, key, p, slot → gradients of qkv and of its bias
    attention_backward: Callable[..., tuple[Narrow, Tensor]]


def plain() -> Kernels8:
    from assay_workloads.kernels import plain8

    return Kernels8(
        quantise=plain8.quantise,
        product=plain8.product,
        norm=plain8.norm,
        norm_backward=plain8.norm_backward,
        gelu=plain8.gelu,
        gelu_backward=plain8.gelu_backward,
        attention=plain8.attention,
        attention_backward=plain8.attention_backward,
    )


def hopper() -> Kernels8:
    from assay_workloads.kernels import products8
    from assay_workloads.kernels.gpu import attention8, gelu8, narrow, norm8

    return Kernels8(
        quantise=narrow.quantise,
        product=products8.product,
        norm=norm8.norm,
        norm_backward=norm8.norm_backward,
        gelu=gelu8.gelu,
        gelu_backward=gelu8.gelu_backward,
        attention=attention8.attention,
        attention_backward=attention8.attention_backward,
    )
