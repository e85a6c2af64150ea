"""The kernels of `norm.py` with 8-bit results beside what the backward needs; these are then turned by `narrow.turn`.

The residual of a layer's second norm is the first one's result; it is computed again from the sum that the backward
needs anyway, so that result is never written in 16 bits.
"""

from __future__ import annotations

import torch
import triton
from torch import Tensor

from assay_workloads.kernels.gpu.narrow import turn
from assay_workloads.kernels.gpu.norm import PROGRAMS, norm_backward_kernel, norm_kernel
from assay_workloads.kernels.mask import threshold
from assay_workloads.kernels.scales import PLACES, Narrow, Slot
from assay_workloads.kernels.shape import Normed


def norm(
    x: Tensor, bias: Tensor, residual: Tensor | Normed, gamma: Tensor, beta: Tensor, key: Tensor, p: float, eps: float,
    slot: Slot, *, wide: bool,
) -> tuple[Tensor | None, Normed, Narrow]:  # fmt: skip
    rows, hidden = x.shape
    total = torch.empty_like(x)
    y = torch.empty_like(x) if wide else None
    y8 = torch.empty(rows, hidden, dtype=slot.kind, device=x.device)
    mean = torch.empty(rows, dtype=torch.float32, device=x.device)
    inverse = torch.empty_like(mean)
    before = residual if isinstance(residual, Normed) else None

    def grid(meta: dict[str, int]) -> tuple[int]:
        return (triton.cdiv(rows, meta["ROWS"]),)

    norm_kernel[grid](
        x, bias, residual if before is None else before.total, before and before.mean, before and before.inverse,
        before and before.gamma, before and before.beta, gamma, beta, key, y, total, mean, inverse,
        y8, slot.scale, slot.largest, rows, threshold(p), 1.0 / (1.0 - p), eps,
        HIDDEN=hidden, WIDTH=triton.next_power_of_2(hidden), DROP=p > 0, AGAIN=before is not None, WIDE=wide,
        NARROW=True, PLACES=PLACES,
    )  # fmt: skip
    normed = Normed(total=total, mean=mean, inverse=inverse, gamma=gamma, beta=beta)
    return y, normed, Narrow(rows=y8, turned=turn(y8), inverse=slot.inverse)


def norm_backward(
    grad: Tensor, more: Tensor | None, normed: Normed, key: Tensor, p: float, slot: Slot
) -> tuple[Tensor, Narrow, Tensor, Tensor, Tensor]:
    rows, hidden = grad.shape
    d_total = torch.empty_like(grad)
    dx8 = torch.empty(rows, hidden, dtype=slot.kind, device=grad.device)
    programs = min(PROGRAMS, rows)
    sums = torch.empty(programs, 3, hidden, dtype=torch.float32, device=grad.device)
    norm_backward_kernel[(programs,)](
        grad, more, normed.total, normed.mean, normed.inverse, normed.gamma, key, d_total, None, sums,
        dx8, slot.scale, slot.largest, rows, programs, threshold(p), 1.0 / (1.0 - p),
        HIDDEN=hidden, WIDTH=triton.next_power_of_2(hidden), DROP=p > 0, TWO=more is not None, NARROW=True,
        PLACES=PLACES,
    )  # fmt: skip
    d_gamma, d_beta, d_bias = sums.sum(0)
    return d_total, Narrow(rows=dx8, turned=turn(dx8), inverse=slot.inverse), d_gamma, d_beta, d_bias
