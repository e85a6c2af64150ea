"""`layer.py` in 8 bits: every product of a layer takes numbers of 8 bits and sums them in float32.

What is written in 8 bits is only what a product reads; sums before a norm, Q, K and V, what comes before GELU and the
gradient that runs along the residuals stay in 16. Weights are made narrow from float32 at each step. Kept for the
backward, in bytes of a row of `hidden` numbers: 4 × 1 turned input of each product (its filter's counts four times),
6 qkv, 2 × 2 sums, 8 before GELU.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from assay_workloads.bert import LAYER_NORM_EPS, Layer
from assay_workloads.kernels.layer import among_all, rows_of
from assay_workloads.kernels.scales import Narrow, Slot
from assay_workloads.kernels.shape import Normed, Shape
from assay_workloads.kernels.table8 import Kernels8


@dataclass(frozen=True, kw_only=True)
class Plan8:
    """What a layer must know beside its tensors: `after` is where the scale of its result is, the next one's input."""

    kernels: Kernels8
    shape: Shape
    lengths: Tensor | None
    p: float
    slots: Mapping[str, Slot]
    after: Slot


def narrow_layer(
    layer: Layer, x: Tensor, x8: Narrow, keys: Tensor, plan: Plan8, read: Tensor | None = None
) -> tuple[Tensor, Narrow]:
    """`layer(x)` for rows x [batch × length, hidden], in 16 bits and in 8; `read` as in `fused_layer`."""
    parts = (layer.qkv, layer.out, layer.attention_norm, layer.up, layer.down, layer.norm)
    parameters = [parameter for part in parts for parameter in (part.weight, part.bias)]
    y, rows, turned = _NarrowLayer.apply(x, x8.rows, x8.turned, keys, read, plan, *parameters)  # type: ignore[no-untyped-call]
    return y, Narrow(rows=rows, turned=turned, inverse=plan.after.inverse)


class _NarrowLayer(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, x: Tensor, x_rows: Tensor, x_turned: Tensor, keys: Tensor, read: Tensor | None, plan: Plan8,
        *parameters: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
        k, p, at = plan.kernels, plan.p, plan.slots
        w_qkv, b_qkv, w_out, b_out, gamma_1, beta_1, w_up, b_up, w_down, b_down, gamma_2, beta_2 = parameters
        qkv8, out8, up8, down8 = (
            k.quantise(w, at[name])
            for w, name in ((w_qkv, "w_qkv"), (w_out, "w_out"), (w_up, "w_up"), (w_down, "w_down"))
        )

        qkv = k.product(x_rows, at["x"].inverse, qkv8.rows, qkv8.inverse, bias=b_qkv.to(x.dtype), kind=x.dtype)
        attended, logarithm = k.attention(qkv, plan.shape, plan.lengths, keys[0], p, at["attended"])
        attended, residual = _narrow_rows_of(attended, read), rows_of(x, read)
        out = k.product(attended.rows, attended.inverse, out8.rows, out8.inverse, kind=x.dtype)
        _, first, middle = k.norm(
            out, b_out, residual, gamma_1, beta_1, keys[1], p, LAYER_NORM_EPS, at["middle"], wide=False
        )
        before = k.product(middle.rows, middle.inverse, up8.rows, up8.inverse, bias=b_up.to(x.dtype), kind=x.dtype)
        after = k.gelu(before, at["after"])
        down = k.product(after.rows, after.inverse, down8.rows, down8.inverse, kind=x.dtype)
        y, second, y8 = k.norm(down, b_down, first, gamma_2, beta_2, keys[2], p, LAYER_NORM_EPS, plan.after, wide=True)
        ctx.plan = plan
        ctx.save_for_backward(
            x_turned, keys, read, qkv, logarithm, attended.turned, first.total, first.mean, first.inverse, gamma_1,
            beta_1, middle.turned, before, after.turned, second.total, second.mean, second.inverse, gamma_2, beta_2,
            qkv8.turned, out8.turned, up8.turned, down8.turned,
        )  # fmt: skip
        ctx.mark_non_differentiable(y8.rows, y8.turned)
        ctx.set_materialize_grads(False)
        assert y is not None
        return y, y8.rows, y8.turned

    @staticmethod
    def backward(ctx: Any, dy: Tensor, *_: None) -> tuple[Tensor | None, ...]:
        (
            x_turned, keys, read, qkv, logarithm, attended_turned, total_1, mean_1, inverse_1, gamma_1, beta_1,
            middle_turned, before, after_turned, total_2, mean_2, inverse_2, gamma_2, beta_2,
            qkv_turned, out_turned, up_turned, down_turned,
        ) = ctx.saved_tensors  # fmt: skip
        plan: Plan8 = ctx.plan
        k, p, at = plan.kernels, plan.p, plan.slots
        kind = dy.dtype
        first = Normed(total=total_1, mean=mean_1, inverse=inverse_1, gamma=gamma_1, beta=beta_1)
        second = Normed(total=total_2, mean=mean_2, inverse=inverse_2, gamma=gamma_2, beta=beta_2)

        def of_input(grad: Narrow, turned: Tensor, weight: str, add: Tensor | None = None) -> Tensor:
            return k.product(grad.rows, grad.inverse, turned, at[weight].inverse, add=add, kind=kind)

        def of_weight(grad: Narrow, turned: Tensor, value: str) -> Tensor:
            return k.product(grad.turned, grad.inverse, turned, at[value].inverse, kind=torch.float32)

        d_residual, d_down, d_gamma_2, d_beta_2, d_b_down = k.norm_backward(
            dy.contiguous(), None, second, keys[2], p, at["d_down"]
        )
        d_before, d_b_up = k.gelu_backward(of_input(d_down, down_turned, "w_down"), before, at["d_before"])
        d_w_down = of_weight(d_down, after_turned, "after")
        d_middle = of_input(d_before, up_turned, "w_up")
        d_w_up = of_weight(d_before, middle_turned, "middle")
        d_x, d_out, d_gamma_1, d_beta_1, d_b_out = k.norm_backward(d_middle, d_residual, first, keys[1], p, at["d_out"])
        d_attended = of_input(d_out, out_turned, "w_out")
        d_w_out = of_weight(d_out, attended_turned, "attended")
        d_attended, d_x = among_all(d_attended, read, len(qkv)), among_all(d_x, read, len(qkv))
        d_qkv, d_b_qkv = k.attention_backward(
            d_attended, qkv, logarithm, plan.shape, plan.lengths, keys[0], p, at["d_qkv"]
        )
        d_w_qkv = of_weight(d_qkv, x_turned, "x")
        d_x = of_input(d_qkv, qkv_turned, "w_qkv", d_x)
        return (
            d_x, None, None, None, None, None, d_w_qkv, d_b_qkv, d_w_out, d_b_out, d_gamma_1, d_beta_1, d_w_up, d_b_up,
            d_w_down, d_b_down, d_gamma_2, d_beta_2,
        )  # fmt: skip


def _narrow_rows_of(x: Narrow, read: Tensor | None) -> Narrow:
    """Taken as bytes: PyTorch does not pick rows of 8-bit numbers."""
    if read is None:
        return x
    rows, turned = x.rows.view(torch.uint8), x.turned.view(torch.uint8)
    return Narrow(
        rows=rows.index_select(0, read).view(x.rows.dtype),
        turned=turned.index_select(1, read).view(x.turned.dtype),
        inverse=x.inverse,
    )
