"""Bias, dropout, residual and layer norm in one pass, and their backward in another.

Forward reads two rows and writes two. Backward reads up to three and writes two; a program walks over many rows, so
that the gradients of gamma, beta and bias are sums in registers, of which a few hundred remain to be added.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from assay.workloads.kernels.gpu.mask import kept
from assay.workloads.kernels.gpu.tune import tried
from assay.workloads.kernels.mask import threshold


def norm(
    x: Tensor, bias: Tensor, residual: Tensor, gamma: Tensor, beta: Tensor, key: Tensor, p: float, eps: float
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    rows, hidden = x.shape
    y, total = torch.empty_like(x), torch.empty_like(x)
    mean = torch.empty(rows, dtype=torch.float32, device=x.device)
    inverse = torch.empty_like(mean)

    def grid(meta: dict[str, int]) -> tuple[int]:
        return (triton.cdiv(rows, meta["ROWS"]),)

    _norm[grid](
        x, bias, residual, gamma, beta, key, y, total, mean, inverse, rows, threshold(p), 1.0 / (1.0 - p), eps,
        HIDDEN=hidden, WIDTH=triton.next_power_of_2(hidden), DROP=p > 0,
    )  # fmt: skip
    return y, total, mean, inverse


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
    rows, hidden = grad.shape
    d_total = torch.empty_like(grad)
    dx = torch.empty_like(grad) if p > 0 else d_total
    programs = min(_PROGRAMS, rows)
    sums = torch.empty(programs, 3, hidden, dtype=torch.float32, device=grad.device)
    _norm_backward[(programs,)](
        grad, grad if more is None else more, total, mean, inverse, gamma, key, d_total, dx, sums, rows, programs,
        threshold(p), 1.0 / (1.0 - p),
        HIDDEN=hidden, WIDTH=triton.next_power_of_2(hidden), DROP=p > 0, TWO=more is not None,
    )  # fmt: skip
    d_gamma, d_beta, d_bias = sums.sum(0)
    return d_total, dx, d_gamma, d_beta, d_bias


#: of the backward: four for each multiprocessor of a Hopper GPU
_PROGRAMS = 528

_forward = tried(({"ROWS": 4}, 8), ({"ROWS": 1}, 4), ({"ROWS": 2}, 4), ({"ROWS": 4}, 4))
_backward = tried(({"ROWS": 2}, 8), ({"ROWS": 1}, 4), ({"ROWS": 2}, 4), ({"ROWS": 4}, 8))


@_forward(["HIDDEN", "DROP"])
@triton.jit(do_not_specialize=["threshold"], do_not_specialize_on_alignment=["key_ptr"])
def _norm(
    x_ptr, bias_ptr, residual_ptr, gamma_ptr, beta_ptr, key_ptr, y_ptr, total_ptr, mean_ptr, inverse_ptr, rows,
    threshold, scale, eps,
    HIDDEN: tl.constexpr, WIDTH: tl.constexpr, DROP: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    col = tl.arange(0, WIDTH)
    there = col < HIDDEN
    at = row[:, None] * HIDDEN + col[None, :]
    inside = (row < rows)[:, None] & there[None, :]
    x = tl.load(x_ptr + at, mask=inside, other=0.0).to(tl.float32)
    total = tl.load(residual_ptr + at, mask=inside, other=0.0).to(tl.float32)
    x += tl.load(bias_ptr + col, mask=there, other=0.0).to(tl.float32)[None, :]
    if DROP:
        x = tl.where(kept(at, key_ptr, threshold), x * scale, 0.0)
    total += x
    mean = tl.sum(total, axis=1) / HIDDEN
    off = tl.where(there[None, :], total - mean[:, None], 0.0)
    inverse = tl.rsqrt(tl.sum(off * off, axis=1) / HIDDEN + eps)
    gamma = tl.load(gamma_ptr + col, mask=there, other=0.0).to(tl.float32)
    beta = tl.load(beta_ptr + col, mask=there, other=0.0).to(tl.float32)
    y = off * inverse[:, None] * gamma[None, :] + beta[None, :]
    tl.store(y_ptr + at, y.to(y_ptr.dtype.element_ty), mask=inside)
    tl.store(total_ptr + at, total.to(total_ptr.dtype.element_ty), mask=inside)
    tl.store(mean_ptr + row, mean, mask=row < rows)
    tl.store(inverse_ptr + row, inverse, mask=row < rows)


@_backward(["HIDDEN", "DROP", "TWO"])
@triton.jit(do_not_specialize=["threshold"], do_not_specialize_on_alignment=["key_ptr"])
def _norm_backward(
    grad_ptr, more_ptr, total_ptr, mean_ptr, inverse_ptr, gamma_ptr, key_ptr, d_total_ptr, dx_ptr, sums_ptr, rows,
    programs, threshold, scale,
    HIDDEN: tl.constexpr, WIDTH: tl.constexpr, DROP: tl.constexpr, TWO: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    program = tl.program_id(0)
    col = tl.arange(0, WIDTH)
    there = col < HIDDEN
    gamma = tl.load(gamma_ptr + col, mask=there, other=0.0).to(tl.float32)
    d_gamma = tl.zeros((ROWS, WIDTH), dtype=tl.float32)
    d_beta = tl.zeros((ROWS, WIDTH), dtype=tl.float32)
    d_bias = tl.zeros((ROWS, WIDTH), dtype=tl.float32)
    for first in range(program * ROWS, rows, programs * ROWS):
        row = first + tl.arange(0, ROWS)
        at = row[:, None] * HIDDEN + col[None, :]
        inside = (row < rows)[:, None] & there[None, :]
        dy = tl.load(grad_ptr + at, mask=inside, other=0.0).to(tl.float32)
        if TWO:
            dy += tl.load(more_ptr + at, mask=inside, other=0.0).to(tl.float32)
        total = tl.load(total_ptr + at, mask=inside, other=0.0).to(tl.float32)
        mean = tl.load(mean_ptr + row, mask=row < rows, other=0.0)
        inverse = tl.load(inverse_ptr + row, mask=row < rows, other=0.0)
        unit = tl.where(inside, (total - mean[:, None]) * inverse[:, None], 0.0)
        scaled = dy * gamma[None, :]
        along = tl.sum(scaled * unit, axis=1) / HIDDEN
        level = tl.sum(scaled, axis=1) / HIDDEN
        d_total = (scaled - level[:, None] - unit * along[:, None]) * inverse[:, None]
        tl.store(d_total_ptr + at, d_total.to(d_total_ptr.dtype.element_ty), mask=inside)
        dx = tl.where(inside, d_total, 0.0)
        if DROP:
            dx = tl.where(kept(at, key_ptr, threshold), dx * scale, 0.0)
            tl.store(dx_ptr + at, dx.to(dx_ptr.dtype.element_ty), mask=inside)
        d_gamma += dy * unit
        d_beta += dy
        d_bias += dx
    to = sums_ptr + program * 3 * HIDDEN + col
    tl.store(to, tl.sum(d_gamma, axis=0), mask=there)
    tl.store(to + HIDDEN, tl.sum(d_beta, axis=0), mask=there)
    tl.store(to + 2 * HIDDEN, tl.sum(d_bias, axis=0), mask=there)
