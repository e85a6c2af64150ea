"""The first matrix of the filter and GELU: one pass makes GELU, another its gradient and the bias's."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from assay_workloads.kernels.gpu.tune import COMPILED, tried


def up(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    product = x @ weight.t()
    return product, gelu(product, bias)


def up_backward(grad: Tensor, weight: Tensor, product: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    return gelu_backward(grad @ weight, product, bias)


def gelu(x: Tensor, bias: Tensor) -> Tensor:
    """GELU of x + bias."""
    y = torch.empty_like(x)

    def grid(meta: dict[str, int]) -> tuple[int]:
        return (triton.cdiv(x.numel(), meta["BLOCK"]),)

    _gelu[grid](x, bias, y, x.numel(), x.shape[1])
    return y


def gelu_backward(grad: Tensor, x: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    """Gradient of x + bias, in place of that of y, and its sum over rows."""
    rows, columns = x.shape
    chunks = min(_CHUNKS, rows)
    sums = torch.empty(chunks, columns, dtype=torch.float32, device=x.device)
    dx = torch.empty_like(grad)

    def grid(meta: dict[str, int]) -> tuple[int, int]:
        return (triton.cdiv(columns, meta["COLS"]), chunks)

    _gelu_backward[grid](grad, x, bias, dx, sums, rows, columns, chunks)
    return dx, sums.sum(0)


#: into how many parts the rows are cut for the bias's gradient
_CHUNKS = 128

_forward = tried(({"BLOCK": 4096}, 8), ({"BLOCK": 2048}, 4), ({"BLOCK": 8192}, 8))
_backward = tried(
    ({"ROWS": 8, "COLS": 256}, 4), ({"ROWS": 4, "COLS": 512}, 4), ({"ROWS": 4, "COLS": 1024}, 8),
    ({"ROWS": 8, "COLS": 512}, 8),
)  # fmt: skip


@triton.jit
def sigmoid_2z(x, kind: tl.constexpr):
    """GELU in its tanh form is x · sigmoid(2 z) = x · (1 + tanh z) / 2 with z = √(2/π) (x + 0.044715 x³).

    The GPU has one instruction for tanh, right to 11 bits: enough for numbers of 16.
    """
    z = 0.7978845608 * (x + 0.044715 * x * x * x)
    if COMPILED and kind != tl.float32:
        return 0.5 + 0.5 * tl.inline_asm_elementwise(
            "tanh.approx.f32 $0, $1;", "=f,f", [z], dtype=tl.float32, is_pure=True, pack=1
        )
    return 1.0 / (1.0 + tl.exp(-2.0 * z))


@_forward(["count"])
@triton.jit
def _gelu(x_ptr, bias_ptr, y_ptr, count, columns, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < count, other=0.0).to(tl.float32)
    x += tl.load(bias_ptr + at % columns).to(tl.float32)
    tl.store(y_ptr + at, (x * sigmoid_2z(x, y_ptr.dtype.element_ty)).to(y_ptr.dtype.element_ty), mask=at < count)


@_backward(["rows", "columns"])
@triton.jit
def _gelu_backward(
    grad_ptr, x_ptr, bias_ptr, dx_ptr, sums_ptr, rows, columns, chunks, ROWS: tl.constexpr, COLS: tl.constexpr
):  # fmt: skip
    col = tl.program_id(0) * COLS + tl.arange(0, COLS)
    bias = tl.load(bias_ptr + col, mask=col < columns, other=0.0).to(tl.float32)[None, :]
    chunk = tl.program_id(1)
    sums = tl.zeros((ROWS, COLS), dtype=tl.float32)
    for first in range(chunk * ROWS, rows, chunks * ROWS):
        row = first + tl.arange(0, ROWS)
        at = row.to(tl.int64)[:, None] * columns + col[None, :]
        inside = (row < rows)[:, None] & (col < columns)[None, :]
        dy = tl.load(grad_ptr + at, mask=inside, other=0.0).to(tl.float32)
        x = tl.load(x_ptr + at, mask=inside, other=0.0).to(tl.float32) + bias
        s = sigmoid_2z(x, x_ptr.dtype.element_ty)
        slope = s + x * s * (1.0 - s) * (1.5957691216 + 0.2140644488 * x * x)
        dx = dy * slope
        tl.store(dx_ptr + at, dx.to(dx_ptr.dtype.element_ty), mask=inside)
        sums += dx
    tl.store(sums_ptr + chunk * columns + col, tl.sum(sums, axis=0), mask=col < columns)
