"""Bias, dropout, residual and layer norm in one pass, and their backward in another.

Forward reads two rows and writes two. Backward reads up to three and writes two; a program walks over many rows, so
that the gradients of gamma, beta and bias are sums in registers, of which a few hundred remain to be added.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from assay_workloads.kernels.gpu.mask import kept
from assay_workloads.kernels.gpu.narrow import narrow, note_largest
from assay_workloads.kernels.gpu.tune import tried
from assay_workloads.kernels.mask import threshold


def norm(
    x: Tensor, bias: Tensor, residual: Tensor, gamma: Tensor, beta: Tensor, key: Tensor, p: float, eps: float
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    rows, hidden = x.shape
    y, total = torch.empty_like(x), torch.empty_like(x)
    mean = torch.empty(rows, dtype=torch.float32, device=x.device)
    inverse = torch.empty_like(mean)

    def grid(meta: dict[str, int]) -> tuple[int]:
        return (triton.cdiv(rows, meta["ROWS"]),)

    norm_kernel[grid](
        x, bias, residual, None, None, None, None, gamma, beta, key, y, total, mean, inverse, None, None, None, rows,
        threshold(p), 1.0 / (1.0 - p), eps,
        HIDDEN=hidden, WIDTH=triton.next_power_of_2(hidden), DROP=p > 0, AGAIN=False, WIDE=True, NARROW=False,
        PLACES=1,
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
    programs = min(PROGRAMS, rows)
    sums = torch.empty(programs, 3, hidden, dtype=torch.float32, device=grad.device)
    norm_backward_kernel[(programs,)](
        grad, more, total, mean, inverse, gamma, key, d_total, dx, sums, None, None, None, rows, programs,
        threshold(p), 1.0 / (1.0 - p),
        HIDDEN=hidden, WIDTH=triton.next_power_of_2(hidden), DROP=p > 0, TWO=more is not None, NARROW=False, PLACES=1,
    )  # fmt: skip
    d_gamma, d_beta, d_bias = sums.sum(0)
    return d_total, dx, d_gamma, d_beta, d_bias


#: of the backward: eight for each multiprocessor of a Hopper GPU
PROGRAMS = 1056

#: a warp that has a row to itself waits for no other
_forward = tried(({"ROWS": 1}, 4), ({"ROWS": 1}, 1), ({"ROWS": 1}, 8), ({"ROWS": 4}, 8), ({"ROWS": 4}, 4))
_backward = tried(({"ROWS": 1}, 4), ({"ROWS": 1}, 1), ({"ROWS": 2}, 2), ({"ROWS": 2}, 8), ({"ROWS": 2}, 4))


@_forward(["rows", "HIDDEN", "DROP", "AGAIN", "WIDE", "NARROW"])
@triton.jit(do_not_specialize=["threshold"], do_not_specialize_on_alignment=["key_ptr"])
def norm_kernel(
    x_ptr, bias_ptr, residual_ptr, r_mean_ptr, r_inverse_ptr, r_gamma_ptr, r_beta_ptr, gamma_ptr, beta_ptr, key_ptr,
    y_ptr, total_ptr, mean_ptr, inverse_ptr, y8_ptr, scale8_ptr, largest_ptr, rows, threshold, scale, eps,
    HIDDEN: tl.constexpr, WIDTH: tl.constexpr, DROP: tl.constexpr, AGAIN: tl.constexpr, WIDE: tl.constexpr,
    NARROW: tl.constexpr, PLACES: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    col = tl.arange(0, WIDTH)
    there = col < HIDDEN
    at = row[:, None] * HIDDEN + col[None, :]
    inside = (row < rows)[:, None] & there[None, :]
    x = tl.load(x_ptr + at, mask=inside, other=0.0).to(tl.float32)
    total = tl.load(residual_ptr + at, mask=inside, other=0.0).to(tl.float32)
    if AGAIN:  # the residual is a norm's result, of which the sum is kept
        r_mean = tl.load(r_mean_ptr + row, mask=row < rows, other=0.0)[:, None]
        r_inverse = tl.load(r_inverse_ptr + row, mask=row < rows, other=0.0)[:, None]
        r_gamma = tl.load(r_gamma_ptr + col, mask=there, other=0.0).to(tl.float32)[None, :]
        r_beta = tl.load(r_beta_ptr + col, mask=there, other=0.0).to(tl.float32)[None, :]
        total = tl.where(inside, (total - r_mean) * r_inverse * r_gamma + r_beta, 0.0)
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
    if WIDE:
        tl.store(y_ptr + at, y.to(y_ptr.dtype.element_ty), mask=inside)
    if NARROW:
        y8 = narrow(y, tl.load(scale8_ptr), y8_ptr.dtype.element_ty)
        tl.store(y8_ptr + at, y8, mask=inside)
        note_largest(tl.where(inside, tl.abs(y), 0.0), largest_ptr, tl.program_id(0), PLACES)
    tl.store(total_ptr + at, total.to(total_ptr.dtype.element_ty), mask=inside)
    tl.store(mean_ptr + row, mean, mask=row < rows)
    tl.store(inverse_ptr + row, inverse, mask=row < rows)


@_backward(["rows", "HIDDEN", "DROP", "TWO", "NARROW"])
@triton.jit(do_not_specialize=["threshold"], do_not_specialize_on_alignment=["key_ptr"])
def norm_backward_kernel(
    grad_ptr, more_ptr, total_ptr, mean_ptr, inverse_ptr, gamma_ptr, key_ptr, d_total_ptr, dx_ptr, sums_ptr,
    dx8_ptr, scale8_ptr, largest_ptr, rows, programs, threshold, scale,
    HIDDEN: tl.constexpr, WIDTH: tl.constexpr, DROP: tl.constexpr, TWO: tl.constexpr, NARROW: tl.constexpr,
    PLACES: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    program = tl.program_id(0)
    col = tl.arange(0, WIDTH)
    there = col < HIDDEN
    gamma = tl.load(gamma_ptr + col, mask=there, other=0.0).to(tl.float32)
    d_gamma = tl.zeros((ROWS, WIDTH), dtype=tl.float32)
    d_beta = tl.zeros((ROWS, WIDTH), dtype=tl.float32)
    d_bias = tl.zeros((ROWS, WIDTH), dtype=tl.float32)
    top = tl.zeros((ROWS, WIDTH), dtype=tl.float32)
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
        if NARROW:
            dx8 = narrow(dx, tl.load(scale8_ptr), dx8_ptr.dtype.element_ty)
            tl.store(dx8_ptr + at, dx8, mask=inside)
            top = tl.maximum(top, tl.abs(dx))
        elif DROP:
            tl.store(dx_ptr + at, dx.to(dx_ptr.dtype.element_ty), mask=inside)
        d_gamma += dy * unit
        d_beta += dy
        d_bias += dx
    to = sums_ptr + program * 3 * HIDDEN + col
    tl.store(to, tl.sum(d_gamma, axis=0), mask=there)
    tl.store(to + HIDDEN, tl.sum(d_beta, axis=0), mask=there)
    tl.store(to + 2 * HIDDEN, tl.sum(d_bias, axis=0), mask=there)
    if NARROW:
        note_largest(top, largest_ptr, program, PLACES)
