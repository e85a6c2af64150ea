"""Numbers of 8 bits, written by the kernels that have them in registers: multiplied with a scale, as rows and turned.

A product of 8-bit numbers wants both of its matrices along the direction that is summed, so what a weight's gradient
sums over rows is kept a second time with rows and columns exchanged. Four rows that follow one another become one
32-bit word of a column before the exchange, which then moves whole words. The largest magnitude of a tensor goes into
one of a few places, so that thousands of programs do not wait for one another.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from assay_workloads.kernels.gpu.tune import COMPILED, tried
from assay_workloads.kernels.scales import PLACES, Narrow, Slot


def quantise(x: Tensor, slot: Slot) -> Narrow:
    """x [rows, columns] in 8 bits, both ways."""
    rows, columns = x.shape
    out = empty(rows, columns, slot, x.device)

    def grid(meta: dict[str, int]) -> tuple[int, int]:
        return (triton.cdiv(columns, meta["COLS"]), triton.cdiv(rows, 4 * meta["QUADS"]))

    _quantise[grid](x, slot.scale, slot.largest, out.rows, words(out.turned), rows, columns, PLACES=PLACES)
    return out


def turn(y: Tensor) -> Tensor:
    """8-bit rows [rows, columns] with rows and columns exchanged."""
    rows, columns = y.shape
    out = torch.empty(columns, rows, dtype=y.dtype, device=y.device)

    def grid(meta: dict[str, int]) -> tuple[int, int]:
        return (triton.cdiv(columns, meta["COLS"]), triton.cdiv(rows, 4 * meta["QUADS"]))

    _turn[grid](y.view(torch.uint8), words(out), rows, columns)
    return out


def empty(rows: int, columns: int, slot: Slot, device: torch.device) -> Narrow:
    return Narrow(
        rows=torch.empty(rows, columns, dtype=slot.kind, device=device),
        turned=torch.empty(columns, rows, dtype=slot.kind, device=device),
        inverse=slot.inverse,
    )


def words(turned: Tensor) -> Tensor:
    """Four numbers that follow one another as one."""
    return turned.view(torch.int32)


@triton.jit
def narrow(x, scale, kind: tl.constexpr):
    """In this 8-bit type; what is too large becomes its largest.

    Four numbers then go through an instruction that does nothing. Without it ptxas (of CUDA 12.9) puts two pairs
    together while it makes the second, and loses each pair where it is used by itself: what was turned held whatever
    lay in the registers.
    """
    y = (x * scale).to(kind)
    if COMPILED:
        y = tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [y], dtype=y.dtype, is_pure=False, pack=4)
    return y


@triton.jit
def packed(word, y, LANE: tl.constexpr):
    """The word of four rows with this row's numbers in their place."""
    return word | (y.to(tl.uint8, bitcast=True).to(tl.int32) << (8 * LANE))


@triton.jit
def note_largest(magnitudes, largest_ptr, program, PLACES: tl.constexpr):
    """Keep the largest of these; as integers, since magnitudes have the order of their bits."""
    top = tl.max(tl.ravel(magnitudes), axis=0).to(tl.int32, bitcast=True)
    tl.atomic_max(largest_ptr + program % PLACES, top, sem="relaxed")


_tuned = tried(
    ({"QUADS": 16, "COLS": 128}, 4), ({"QUADS": 32, "COLS": 64}, 4), ({"QUADS": 32, "COLS": 128}, 4),
    ({"QUADS": 16, "COLS": 256}, 4),
)  # fmt: skip


@_tuned(["columns"])
@triton.jit
def _quantise(
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
        y = narrow(x, scale, y_ptr.dtype.element_ty)
        tl.store(y_ptr + at, y, mask=inside)
        word = packed(word, y, lane)
        top = tl.maximum(top, tl.abs(x))
    to = col.to(tl.int64)[:, None] * (rows // 4) + quad[None, :]
    tl.store(turned_ptr + to, tl.trans(word), mask=tl.trans(inside))
    note_largest(top, largest_ptr, tl.program_id(0) + tl.program_id(1), PLACES)


@_tuned(["columns"])
@triton.jit
def _turn(y_ptr, turned_ptr, rows, columns, QUADS: tl.constexpr, COLS: tl.constexpr):
    col = tl.program_id(0) * COLS + tl.arange(0, COLS)
    quad = tl.program_id(1) * QUADS + tl.arange(0, QUADS)
    inside = (quad < rows // 4)[:, None] & (col < columns)[None, :]
    word = tl.zeros((QUADS, COLS), dtype=tl.int32)
    for lane in tl.static_range(4):
        at = (4 * quad + lane).to(tl.int64)[:, None] * columns + col[None, :]
        word = packed(word, tl.load(y_ptr + at, mask=inside, other=0), lane)
    to = col.to(tl.int64)[:, None] * (rows // 4) + quad[None, :]
    tl.store(turned_ptr + to, tl.trans(word), mask=tl.trans(inside))
