"""One layer of the encoder with its backward written out, over a table of kernels.

The matrix products are PyTorch's (cuBLAS); all between them is one kernel a side: bias, dropout, residual and norm;
attention with its dropout; GELU. Gradients of biases and norms come out of the kernels that pass over those numbers
anyway. What is kept for the backward, in rows of `hidden`: 1 input, 3 qkv, 1 attention, 2 sums before a norm, 1 after,
and twice the filter; no mask is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from assay_workloads.bert import LAYER_NORM_EPS, Layer
from assay_workloads.kernels.shape import Shape
from assay_workloads.kernels.table import Kernels


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What stays the same over the layers of a step."""

    kernels: Kernels
    shape: Shape
    lengths: Tensor | None
    p: float


def fused_layer(layer: Layer, x: Tensor, keys: Tensor, plan: Plan, read: Tensor | None = None) -> Tensor:
    """`layer(x)` for rows x [batch × length, hidden], in the precision of x; `keys` [3, 2] make its dropout.

    With the numbers of the rows that are `read`, only those are computed behind the attention.
    """
    parts = (layer.qkv, layer.out, layer.attention_norm, layer.up, layer.down, layer.norm)
    parameters = [parameter for part in parts for parameter in (part.weight, part.bias)]
    y: Tensor = _FusedLayer.apply(x, keys, read, plan, *parameters)  # type: ignore[no-untyped-call]
    return y


class _FusedLayer(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, keys: Tensor, read: Tensor | None, plan: Plan, *parameters: Tensor) -> Tensor:
        k, p = plan.kernels, plan.p
        w_qkv, b_qkv, w_out, b_out, gamma_1, beta_1, w_up, b_up, w_down, b_down, gamma_2, beta_2 = parameters
        w_qkv, b_qkv, w_out, w_up, b_up, w_down = (w.to(x.dtype) for w in (w_qkv, b_qkv, w_out, w_up, b_up, w_down))

        qkv = k.linear(x, w_qkv, b_qkv)
        attended, logarithm = k.attention(qkv, plan.shape, plan.lengths, keys[0], p)
        attended, residual = rows_of(attended, read), rows_of(x, read)
        middle, sum_1, mean_1, inverse_1 = k.norm(
            k.linear(attended, w_out, None), b_out, residual, gamma_1, beta_1, keys[1], p, LAYER_NORM_EPS
        )
        before, after = k.up(middle, w_up, b_up)
        y, sum_2, mean_2, inverse_2 = k.norm(
            k.linear(after, w_down, None), b_down, middle, gamma_2, beta_2, keys[2], p, LAYER_NORM_EPS
        )
        ctx.plan = plan
        ctx.save_for_backward(
            x, keys, read, qkv, attended, logarithm, sum_1, mean_1, inverse_1, middle, before, after, sum_2, mean_2,
            inverse_2, w_qkv, w_out, gamma_1, w_up, b_up, w_down, gamma_2,
        )  # fmt: skip
        return y

    @staticmethod
    def backward(ctx: Any, dy: Tensor) -> tuple[Tensor | None, ...]:
        (
            x, keys, read, qkv, attended, logarithm, sum_1, mean_1, inverse_1, middle, before, after, sum_2, mean_2,
            inverse_2, w_qkv, w_out, gamma_1, w_up, b_up, w_down, gamma_2,
        ) = ctx.saved_tensors  # fmt: skip
        plan: Plan = ctx.plan
        k, p = plan.kernels, plan.p

        d_residual, d_down, d_gamma_2, d_beta_2, d_b_down = k.norm_backward(
            dy.contiguous(), None, sum_2, mean_2, inverse_2, gamma_2, keys[2], p
        )
        d_before, d_b_up = k.up_backward(d_down, w_down, before, b_up)
        d_w_down = k.grad_weight(d_down, after)
        d_middle = k.grad_input(d_before, w_up, None)
        d_w_up = k.grad_weight(d_before, middle)
        d_x, d_out, d_gamma_1, d_beta_1, d_b_out = k.norm_backward(
            d_middle, d_residual, sum_1, mean_1, inverse_1, gamma_1, keys[1], p
        )
        d_attended = k.grad_input(d_out, w_out, None)
        d_w_out = k.grad_weight(d_out, attended)
        d_attended, d_x = among_all(d_attended, read, len(x)), among_all(d_x, read, len(x))
        d_qkv, d_b_qkv = k.attention_backward(d_attended, qkv, logarithm, plan.shape, plan.lengths, keys[0], p)
        d_w_qkv = k.grad_weight(d_qkv, x)
        d_x = k.grad_input(d_qkv, w_qkv, d_x)
        return (
            d_x, None, None, None, d_w_qkv, d_b_qkv, d_w_out, d_b_out, d_gamma_1, d_beta_1, d_w_up, d_b_up, d_w_down,
            d_b_down, d_gamma_2, d_beta_2,
        )  # fmt: skip


def rows_of(x: Tensor, read: Tensor | None) -> Tensor:
    return x if read is None else x.index_select(0, read)


def among_all(grad: Tensor, read: Tensor | None, rows: int) -> Tensor:
    """The gradient of all rows, of which only some were read, and some more than once."""
    if read is None:
        return grad
    return grad.new_zeros(rows, grad.shape[1]).index_add_(0, read, grad)
