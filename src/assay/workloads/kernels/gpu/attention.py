"""Attention over short rows (up to 128 tokens): one program takes one head of one sample whole.

The keys of a row fit into one block, so nothing is streamed, rescaled or accumulated across programs: the backward
is one kernel too, with no atomic additions. Q, K and V are read from where the product of their one matrix left them,
and their gradients written the same way, with the sums that make the bias's gradient.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from assay.workloads.kernels.gpu.mask import kept
from assay.workloads.kernels.gpu.narrow import empty, narrow, note_largest
from assay.workloads.kernels.gpu.tune import tried
from assay.workloads.kernels.mask import threshold
from assay.workloads.kernels.scales import PLACES, Narrow, Slot
from assay.workloads.kernels.table import Shape

LONGEST = 128


def attention(qkv: Tensor, shape: Shape, lengths: Tensor | None, key: Tensor, p: float) -> tuple[Tensor, Tensor]:
    y = torch.empty(qkv.shape[0], qkv.shape[1] // 3, dtype=qkv.dtype, device=qkv.device)
    return y, _forward(qkv, shape, lengths, key, p, y, None, None)


def attention8(
    qkv: Tensor, shape: Shape, lengths: Tensor | None, key: Tensor, p: float, slot: Slot
) -> tuple[Narrow, Tensor]:
    """The same with its result in 8 bits."""
    out = empty(qkv.shape[0], qkv.shape[1] // 3, slot, qkv.device)
    return out, _forward(qkv, shape, lengths, key, p, out.rows, out.turned, slot)


def attention_backward(
    grad: Tensor, qkv: Tensor, logarithm: Tensor, shape: Shape, lengths: Tensor | None, key: Tensor, p: float
) -> tuple[Tensor, Tensor]:
    d_qkv = torch.empty_like(qkv)
    return d_qkv, _backward(grad, qkv, logarithm, shape, lengths, key, p, d_qkv, None, None)


def attention8_backward(
    grad: Tensor, qkv: Tensor, logarithm: Tensor, shape: Shape, lengths: Tensor | None, key: Tensor, p: float,
    slot: Slot,
) -> tuple[Narrow, Tensor]:  # fmt: skip
    out = empty(qkv.shape[0], qkv.shape[1], slot, qkv.device)
    return out, _backward(grad, qkv, logarithm, shape, lengths, key, p, out.rows, out.turned, slot)


def _forward(
    qkv: Tensor, shape: Shape, lengths: Tensor | None, key: Tensor, p: float, y: Tensor, turned: Tensor | None,
    slot: Slot | None,
) -> Tensor:  # fmt: skip
    logarithm = torch.empty(shape.batch, shape.heads, shape.length, dtype=torch.float32, device=qkv.device)
    _attention[(shape.heads, shape.batch)](
        qkv, lengths, key, y, turned, slot and slot.scale, slot and slot.largest, logarithm, qkv.shape[0],
        threshold(p), 1.0 / (1.0 - p), _log2_scale(qkv, shape),
        LENGTH=shape.length, HEADS=shape.heads, SIZE=qkv.shape[1] // (3 * shape.heads),
        BLOCK=_block(shape), PADDED=lengths is not None, DROP=p > 0, NARROW=slot is not None, PLACES=PLACES,
    )  # fmt: skip
    return logarithm


def _backward(
    grad: Tensor, qkv: Tensor, logarithm: Tensor, shape: Shape, lengths: Tensor | None, key: Tensor, p: float,
    d_qkv: Tensor, turned: Tensor | None, slot: Slot | None,
) -> Tensor:  # fmt: skip
    """Writes the gradient of qkv; returns its bias's."""
    sums = torch.empty(shape.batch, qkv.shape[1], dtype=torch.float32, device=qkv.device)
    _attention_backward[(shape.heads, shape.batch)](
        grad, qkv, lengths, key, logarithm, d_qkv, turned, slot and slot.scale, slot and slot.largest, sums,
        qkv.shape[0], threshold(p), 1.0 / (1.0 - p), _log2_scale(qkv, shape),
        LENGTH=shape.length, HEADS=shape.heads, SIZE=qkv.shape[1] // (3 * shape.heads),
        BLOCK=_block(shape), PADDED=lengths is not None, DROP=p > 0, NARROW=slot is not None, PLACES=PLACES,
    )  # fmt: skip
    return sums.sum(0)


def _log2_scale(qkv: Tensor, shape: Shape) -> float:
    """1 / √size, times log₂ e: exponentials are of two."""
    return float((qkv.shape[1] // (3 * shape.heads)) ** -0.5 * 1.4426950408889634)


def _block(shape: Shape) -> int:
    return max(16, int(triton.next_power_of_2(shape.length)))


_tuned = tried(({}, 8), ({}, 4), ({}, 4, 160))
_tuned_backward = tried(({}, 8), ({}, 8, 128), ({}, 16), ({}, 8, 160))


@_tuned(["LENGTH", "SIZE", "DROP", "NARROW"])
@triton.jit(do_not_specialize=["threshold"], do_not_specialize_on_alignment=["key_ptr"])
def _attention(
    qkv_ptr, lengths_ptr, key_ptr, y_ptr, turned_ptr, scale8_ptr, largest_ptr, logarithm_ptr, tokens, threshold,
    scale, log2_scale,
    LENGTH: tl.constexpr, HEADS: tl.constexpr, SIZE: tl.constexpr, BLOCK: tl.constexpr,
    PADDED: tl.constexpr, DROP: tl.constexpr, NARROW: tl.constexpr, PLACES: tl.constexpr,
):  # fmt: skip
    head, sample = tl.program_id(0), tl.program_id(1)
    here = tl.arange(0, BLOCK)
    size = tl.arange(0, SIZE)
    inside = (here < LENGTH)[:, None]
    rows = (sample * LENGTH + here).to(tl.int64)
    at = rows[:, None] * (3 * HEADS * SIZE) + head * SIZE + size[None, :]
    q = tl.load(qkv_ptr + at, mask=inside, other=0.0)
    k = tl.load(qkv_ptr + at + HEADS * SIZE, mask=inside, other=0.0)
    v = tl.load(qkv_ptr + at + 2 * HEADS * SIZE, mask=inside, other=0.0)
    length = LENGTH
    if PADDED:
        length = tl.load(lengths_ptr + sample).to(tl.int32)
    scores = tl.dot(q, tl.trans(k)) * log2_scale
    if PADDED or LENGTH < BLOCK:
        scores = tl.where((here < length)[None, :], scores, float("-inf"))
    top = tl.max(scores, axis=1)
    e = tl.exp2(scores - top[:, None])
    total = tl.sum(e, axis=1)
    if DROP:
        index = ((sample * HEADS + head) * LENGTH + here)[:, None].to(tl.uint32) * LENGTH + here[None, :]
        e = tl.where(kept(index, key_ptr, threshold), e * scale, 0.0)
    y = tl.dot(e.to(v.dtype), v) / total[:, None]
    to = y_ptr + rows[:, None] * (HEADS * SIZE) + head * SIZE + size[None, :]
    _put(y, to, turned_ptr, head * SIZE + size, rows, tokens, inside, scale8_ptr, largest_ptr, NARROW, PLACES)
    natural = (top + tl.log2(total)) * 0.6931471805599453
    tl.store(logarithm_ptr + (sample * HEADS + head) * LENGTH + here, natural, mask=here < LENGTH)


@_tuned_backward(["LENGTH", "SIZE", "DROP", "NARROW"])
@triton.jit(do_not_specialize=["threshold"], do_not_specialize_on_alignment=["key_ptr"])
def _attention_backward(
    grad_ptr, qkv_ptr, lengths_ptr, key_ptr, logarithm_ptr, d_qkv_ptr, turned_ptr, scale8_ptr, largest_ptr, sums_ptr,
    tokens, threshold, scale, log2_scale,
    LENGTH: tl.constexpr, HEADS: tl.constexpr, SIZE: tl.constexpr, BLOCK: tl.constexpr,
    PADDED: tl.constexpr, DROP: tl.constexpr, NARROW: tl.constexpr, PLACES: tl.constexpr,
):  # fmt: skip
    head, sample = tl.program_id(0), tl.program_id(1)
    HIDDEN: tl.constexpr = HEADS * SIZE
    here = tl.arange(0, BLOCK)
    size = tl.arange(0, SIZE)
    inside = (here < LENGTH)[:, None]
    rows = sample.to(tl.int64) * LENGTH + here
    at = rows[:, None] * (3 * HIDDEN) + head * SIZE + size[None, :]
    dy_at = grad_ptr + rows[:, None] * HIDDEN + head * SIZE + size[None, :]
    q = tl.load(qkv_ptr + at, mask=inside, other=0.0)
    k = tl.load(qkv_ptr + at + HIDDEN, mask=inside, other=0.0)
    dy = tl.load(dy_at, mask=inside, other=0.0)
    v = tl.load(qkv_ptr + at + 2 * HIDDEN, mask=inside, other=0.0)
    row = (sample * HEADS + head) * LENGTH + here
    natural = tl.load(logarithm_ptr + row, mask=here < LENGTH, other=0.0)
    p = tl.exp2(tl.dot(q, tl.trans(k)) * log2_scale - natural[:, None] * 1.4426950408889634)
    if PADDED or LENGTH < BLOCK:
        length = LENGTH
        if PADDED:
            length = tl.load(lengths_ptr + sample).to(tl.int32)
        p = tl.where((here < length)[None, :], p, 0.0)
    if DROP:  # what is dropped is negative from here on: one tile of 16 bits holds both
        p = tl.where(kept(row[:, None].to(tl.uint32) * LENGTH + here[None, :], key_ptr, threshold), p, -p)
    p = p.to(q.dtype)
    pd = tl.where(p > 0.0, p, 0.0).to(q.dtype) if DROP else p
    dv = tl.dot(tl.trans(pd), dy) * scale
    _put(dv, d_qkv_ptr + at + 2 * HIDDEN, turned_ptr, 2 * HIDDEN + head * SIZE + size, rows, tokens, inside,
         scale8_ptr, largest_ptr, NARROW, PLACES)  # fmt: skip
    to = sums_ptr + sample * (3 * HIDDEN) + head * SIZE + size
    tl.store(to + 2 * HIDDEN, tl.sum(dv, axis=0))
    dp = tl.dot(dy, tl.trans(v))
    wide = p.to(tl.float32)
    if DROP:
        dp = tl.where(wide > 0.0, dp * scale, 0.0)
        wide = tl.abs(wide)
    level = tl.sum(wide * dp, axis=1)
    ds = (wide * (dp - level[:, None]) * (log2_scale * 0.6931471805599453)).to(q.dtype)
    dk = tl.dot(tl.trans(ds), q)
    _put(dk, d_qkv_ptr + at + HIDDEN, turned_ptr, HIDDEN + head * SIZE + size, rows, tokens, inside,
         scale8_ptr, largest_ptr, NARROW, PLACES)  # fmt: skip
    # softmax does not see a shift of the keys' bias: its gradient is nothing but rounding
    tl.store(to + HIDDEN, tl.zeros((SIZE,), dtype=tl.float32))
    dq = tl.dot(ds, k)
    _put(dq, d_qkv_ptr + at, turned_ptr, head * SIZE + size, rows, tokens, inside,
         scale8_ptr, largest_ptr, NARROW, PLACES)  # fmt: skip
    tl.store(to, tl.sum(dq, axis=0))


@triton.jit
def _put(
    tile, to, turned_ptr, column, rows, tokens, inside, scale8_ptr, largest_ptr,
    NARROW: tl.constexpr, PLACES: tl.constexpr,
):  # fmt: skip
    """One head's rows where they belong: in 16 bits, or in 8 and turned as well."""
    if NARROW:
        tile8 = narrow(tile, tl.load(scale8_ptr), to.dtype.element_ty)
        tl.store(to, tile8, mask=inside)
        turned = turned_ptr + column.to(tl.int64)[:, None] * tokens + rows[None, :]
        tl.store(turned, tl.trans(tile8), mask=tl.trans(inside))
        note_largest(tl.abs(tile), largest_ptr, tl.program_id(0) + tl.program_id(1), PLACES)
    else:
        tl.store(to, tile.to(to.dtype.element_ty), mask=inside)
