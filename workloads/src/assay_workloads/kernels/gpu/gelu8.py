"""GELU with an 8-bit result, and its gradient likewise, each as rows and turned, in one pass over the filter's rows."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from assay_workloads.kernels.gpu.gelu import sigmoid_2z
from assay_workloads.kernels.gpu.narrow import empty, narrow, note_largest, packed, words
from assay_workloads.kernels.gpu.tune import tried
from assay_workloads.kernels.scales import PLACES, Narrow, Slot


def gelu(x: Tensor, slot: Slot) -> Narrow:
    rows, columns = x.shape
    out = empty(rows, columns, slot, x.device)

    def grid(meta: dict[str, int]) -> tuple[int, int]:
        return (triton.cdiv(columns, meta["COLS"]), triton.cdiv(rows, 4 * meta["QUADS"]))

    _gelu[grid](x, slot.scale, slot.largest, out.rows, words(out.turned), rows, columns, PLACES=PLACES)
    return out


def gelu_backward(grad: Tensor, x: Tensor, slot: Slot) -> tuple[Narrow, Tensor]:
    """Gradient of x, and its sum over rows."""
    rows, columns = x.shape
    out = empty(rows, columns, slot, x.device)
    sums = torch.empty(triton.cdiv(rows, _FEWEST), columns, dtype=torch.float32, device=x.device)

    def grid(meta: dict[str, int]) -> tuple[int, int]:
        return (triton.cdiv(columns, meta["COLS"]), sums.shape[0])

    _gelu_backward[grid](
        grad, x, slot.scale, slot.largest, out.rows, words(out.turned), sums, rows, columns,
        PLACES=PLACES, ROWS=_FEWEST,
    )  # fmt: skip
    return out, sums.sum(0)


#: rows of one program of the backward, which makes one sum of them
_FEWEST = 128

_forward = tried(({"QUADS": 16, "COLS": 128}, 4), ({"QUADS": 32, "COLS": 64}, 4), ({"QUADS": 16, "COLS": 64}, 4))
_backward = tried(
    ({"QUADS": 32, "COLS": 64}, 4), ({"QUADS": 32, "COLS": 64}, 8), ({"QUADS": 16, "COLS": 128}, 8),
    ({"QUADS": 16, "COLS": 64}, 4),
)  # fmt: skip


@_forward(["rows", "columns"])
@triton.jit
def _gelu(
    x_ptr, scale_ptr, largest_ptr, y_ptr, turned_ptr, rows, columns,
    PLACES: tl.constexpr, QUADS: tl.constexpr, COLS: tl.constexpr,
):  # fmt: skip
    col = tl.program_id(0) * COLS + tl.arange(0, COLS)
    quad = tl.program_id(1) * QUADS + tl.arange(0, QUADS)
    inside = (quad < rows // 4)[:, None] & (col < columns)[None, :]
    scale = tl.load(scale_ptr)
    word = tl.zeros((QUADS, COLS), dtype=tl.int32)
    top = tl.zeros((QUADS, COLS), dtype=tl.float32)
    for lane in tl.static_range(4):
        at = (4 * quad + lane).to(tl.int64)[:, None] * columns + col[None, :]
        x = tl.load(x_ptr + at, mask=inside, other=0.0).to(tl.float32)
        y = x * sigmoid_2z(x, x_ptr.dtype.element_ty)
        y8 = narrow(y, scale, y_ptr.dtype.element_ty)
        tl.store(y_ptr + at, y8, mask=inside)
        word = packed(word, y8, lane)
        top = tl.maximum(top, tl.abs(y))
    to = col.to(tl.int64)[:, None] * (rows // 4) + quad[None, :]
    tl.store(turned_ptr + to, tl.trans(word), mask=tl.trans(inside))
    note_largest(top, largest_ptr, tl.program_id(0) + tl.program_id(1), PLACES)


@_backward(["rows", "columns"])
@triton.jit
def _gelu_backward(
    grad_ptr, x_ptr, scale_ptr, largest_ptr, dx_ptr, turned_ptr, sums_ptr, rows, columns,
    PLACES: tl.constexpr, ROWS: tl.constexpr, QUADS: tl.constexpr, COLS: tl.constexpr,
):  # fmt: skip
    col = tl.program_id(0) * COLS + tl.arange(0, COLS)
    scale = tl.load(scale_ptr)
    sums = tl.zeros((QUADS, COLS), dtype=tl.float32)
    top = tl.zeros((QUADS, COLS), dtype=tl.float32)
    for part in tl.static_range(ROWS // (4 * QUADS)):
        quad = tl.program_id(1) * (ROWS // 4) + part * QUADS + tl.arange(0, QUADS)
        inside = (quad < rows // 4)[:, None] & (col < columns)[None, :]
        word = tl.zeros((QUADS, COLS), dtype=tl.int32)
        for lane in tl.static_range(4):
            at = (4 * quad + lane).to(tl.int64)[:, None] * columns + col[None, :]
            dy = tl.load(grad_ptr + at, mask=inside, other=0.0).to(tl.float32)
            x = tl.load(x_ptr + at, mask=inside, other=0.0).to(tl.float32)
            s = sigmoid_2z(x, x_ptr.dtype.element_ty)
            dx = dy * (s + x * s * (1.0 - s) * (1.5957691216 + 0.2140644488 * x * x))
            y8 = narrow(dx, scale, dx_ptr.dtype.element_ty)
            tl.store(dx_ptr + at, y8, mask=inside)
            word = packed(word, y8, lane)
            top = tl.maximum(top, tl.abs(dx))
            sums += dx
        to = col.to(tl.int64)[:, None] * (rows // 4) + quad[None, :]
        tl.store(turned_ptr + to, tl.trans(word), mask=tl.trans(inside))
    tl.store(sums_ptr + tl.program_id(1) * columns + col, tl.sum(sums, axis=0), mask=col < columns)
    note_largest(top, largest_ptr, tl.program_id(0) + tl.program_id(1), PLACES)
