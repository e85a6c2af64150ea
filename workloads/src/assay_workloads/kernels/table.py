"""Which kernels a step is made of. Rows are tokens: [batch × length, hidden]; a `key` is two 32-bit numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from torch import Tensor

from assay_workloads.kernels import plain


@dataclass(frozen=True, kw_only=True)
class Kernels:
    #: x [rows, in], weight [out, in], bias → x @ weight.T + bias
    linear: Callable[[Tensor, Tensor, Tensor | None], Tensor]
    #: gradient of y = x @ weight.T, weight, what to add → gradient of x
    grad_input: Callable[[Tensor, Tensor, Tensor | None], Tensor]
    #: gradient of y = x @ weight.T, x → gradient of weight
    grad_weight: Callable[[Tensor, Tensor], Tensor]
    #: x, bias, residual, gamma, beta, key, p, eps → y = norm(residual + drop(x + bias)), that sum, mean, 1 / deviation
    norm: Callable[..., tuple[Tensor, Tensor, Tensor, Tensor]]
    #: gradients of y (one or two to be added), sum, mean, 1 / deviation, gamma, key, p
    #: → gradients of residual, x, gamma, beta, bias
    norm_backward: Callable[..., tuple[Tensor, Tensor, Tensor, Tensor, Tensor]]
    #: x, weight, bias → what its backward wants of before GELU, after it
    up: Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]
    #: gradient of y = after @ weight.T, weight, what was wanted, bias of before → gradients of before, bias
    up_backward: Callable[[Tensor, Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]
    #: qkv [rows, 3 hidden], shape, lengths, key, p
    #: → y [rows, hidden], logarithm of the sum under each softmax [batch, heads, length]
    attention: Callable[..., tuple[Tensor, Tensor]]
    #: gradient of y, qkv, that logarithm, shape, lengths, key, p → gradients of qkv and of its bias
    attention_backward: Callable[..., tuple[Tensor, Tensor]]
    #: logits [rows, at least vocab], labels, vocab, scale → losses of rows; logits become their gradient times scale
    cross_entropy: Callable[[Tensor, Tensor, int, Tensor], Tensor]


PLAIN = Kernels(
    linear=plain.linear,
    grad_input=plain.grad_input,
    grad_weight=plain.grad_weight,
    norm=plain.norm,
    norm_backward=plain.norm_backward,
    up=plain.up,
    up_backward=plain.up_backward,
    attention=plain.attention,
    attention_backward=plain.attention_backward,
    cross_entropy=plain.cross_entropy,
)


def triton() -> Kernels:
    from assay_workloads.kernels.gpu import attention, cross_entropy, gelu, norm

    return replace(
        PLAIN,
        norm=norm.norm,
        norm_backward=norm.norm_backward,
        up=gelu.up,
        up_backward=gelu.up_backward,
        attention=attention.attention,
        attention_backward=attention.attention_backward,
        cross_entropy=cross_entropy.cross_entropy,
    )


def tuned_products() -> Kernels:
    """Triton, with the products of the layers by cuBLASLt's fastest algorithms."""
    from assay_workloads.kernels import cublaslt as library
    from assay_workloads.kernels.gpu import gelu

    # a product that adds a bias takes a tenth longer, and GELU passes over its result anyway
    def up(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
        product = library.linear(x, weight, None)
        return product, gelu.gelu(product, bias)

    def up_backward(grad: Tensor, weight: Tensor, product: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
        return gelu.gelu_backward(library.grad_input(grad, weight, None), product, bias)

    return replace(
        triton(),
        linear=library.linear,
        grad_input=library.grad_input,
        grad_weight=library.grad_weight,
        up=up,
        up_backward=up_backward,
    )
