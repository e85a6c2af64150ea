"""`attention.py` with results in 8 bits, as rows and turned.

The backward takes the keys in two halves, so that the tiles of one are gone before those of the other come; a
probability that is dropped is negative from then on, which costs no register beside it.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from assay_workloads.kernels.gpu import attention_cuda
from assay_workloads.kernels.gpu.attention import block, log2_scale
from assay_workloads.kernels.gpu.mask import below, signed, without
from assay_workloads.kernels.gpu.narrow import empty, narrow, note_largest
from assay_workloads.kernels.gpu.tune import tried
from assay_workloads.kernels.mask import threshold
from assay_workloads.kernels.scales import PLACES, Narrow, Slot
from assay_workloads.kernels.shape import Shape


def attention(
    qkv: Tensor, shape: Shape, lengths: Tensor | None, key: Tensor, p: float, slot: Slot
) -> tuple[Narrow, Tensor]:
    out = empty(qkv.shape[0], qkv.shape[1] // 3, slot, qkv.device)
    logarithm = torch.empty(shape.batch, shape.heads, shape.length, dtype=torch.float32, device=qkv.device)
    _attention[(shape.heads, shape.batch)](
        qkv, lengths, key, out.rows, out.turned, slot.scale, slot.largest, logarithm, qkv.shape[0],
        **_constants(qkv, shape, lengths, p),
    )  # fmt: skip
    return out, logarithm


def attention_backward(
    grad: Tensor, qkv: Tensor, logarithm: Tensor, shape: Shape, lengths: Tensor | None, key: Tensor, p: float,
    slot: Slot,
) -> tuple[Narrow, Tensor]:  # fmt: skip
    if attention_cuda.fits(qkv, shape):
        return attention_cuda.backward8(grad, qkv, logarithm, shape, lengths, key, p, slot)
    out = empty(qkv.shape[0], qkv.shape[1], slot, qkv.device)
    sums = torch.empty(shape.batch, qkv.shape[1], dtype=torch.float32, device=qkv.device)
    _attention_backward[(shape.heads, shape.batch)](
        grad, qkv, lengths, key, logarithm, out.rows, out.turned, slot.scale, slot.largest, sums, qkv.shape[0],
        **_constants(qkv, shape, lengths, p),
    )  # fmt: skip
    return out, sums.sum(0)


def _constants(qkv: Tensor, shape: Shape, lengths: Tensor | None, p: float) -> dict[str, float]:
    """Known when a kernel is compiled: numbers that it then need not load again and again."""
    return {
        "THRESHOLD": threshold(p),
        "SCALE": 1.0 / (1.0 - p),
        "LOG2_SCALE": log2_scale(qkv, shape),
        "LENGTH": shape.length,
        "HEADS": shape.heads,
        "SIZE": qkv.shape[1] // (3 * shape.heads),
        "BLOCK": block(shape),
        "PADDED": lengths is not None,
        "DROP": p > 0,
        "PLACES": PLACES,
    }


_tuned = tried(({}, 8), ({}, 4), ({}, 4, 160))
_tuned_backward = tried(({}, 8), ({}, 8, 128), ({}, 8, 168))


@_tuned(["LENGTH", "SIZE", "DROP"])
@triton.jit(do_not_specialize_on_alignment=["key_ptr"])
def _attention(
    qkv_ptr, lengths_ptr, key_ptr, y_ptr, turned_ptr, scale8_ptr, largest_ptr, logarithm_ptr, tokens,
    THRESHOLD: tl.constexpr, SCALE: tl.constexpr, LOG2_SCALE: tl.constexpr,
    LENGTH: tl.constexpr, HEADS: tl.constexpr, SIZE: tl.constexpr, BLOCK: tl.constexpr,
    PADDED: tl.constexpr, DROP: tl.constexpr, PLACES: tl.constexpr,
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
    scores = tl.dot(q, tl.trans(k))
    if PADDED or LENGTH < BLOCK:
        scores = tl.where((here < length)[None, :], scores, float("-inf"))
    top = tl.max(scores, axis=1) * LOG2_SCALE
    e = tl.exp2(scores * LOG2_SCALE - top[:, None])
    total = tl.sum(e, axis=1)
    row = (sample * HEADS + head) * LENGTH + here
    if DROP:
        e = without(e, below(row[:, None].to(tl.uint32) * LENGTH + here[None, :], key_ptr, THRESHOLD))
    y = tl.dot(e.to(v.dtype), v) * (SCALE / total)[:, None]
    to = y_ptr + rows[:, None] * (HEADS * SIZE) + head * SIZE + size[None, :]
    _put(y, to, turned_ptr, head * SIZE + size, rows, tokens, inside, scale8_ptr)
    note_largest(tl.abs(y), largest_ptr, head + sample, PLACES)
    tl.store(logarithm_ptr + row, (top + tl.log2(total)) * 0.6931471805599453, mask=here < LENGTH)


@_tuned_backward(["LENGTH", "SIZE", "DROP"])
@triton.jit(do_not_specialize_on_alignment=["key_ptr"])
def _attention_backward(
    grad_ptr, qkv_ptr, lengths_ptr, key_ptr, logarithm_ptr, d_qkv_ptr, turned_ptr, scale8_ptr, largest_ptr, sums_ptr,
    tokens, THRESHOLD: tl.constexpr, SCALE: tl.constexpr, LOG2_SCALE: tl.constexpr,
    LENGTH: tl.constexpr, HEADS: tl.constexpr, SIZE: tl.constexpr, BLOCK: tl.constexpr,
    PADDED: tl.constexpr, DROP: tl.constexpr, PLACES: tl.constexpr,
):  # fmt: skip
    head, sample = tl.program_id(0), tl.program_id(1)
    HIDDEN: tl.constexpr = HEADS * SIZE
    HALF: tl.constexpr = BLOCK // 2
    MASKED: tl.constexpr = PADDED or LENGTH < BLOCK
    here = tl.arange(0, BLOCK)
    low = tl.arange(0, HALF)
    high = HALF + low
    size = tl.arange(0, SIZE)
    inside, inside_0, inside_1 = (here < LENGTH)[:, None], (low < LENGTH)[:, None], (high < LENGTH)[:, None]
    first = sample.to(tl.int64) * LENGTH
    own = first * (3 * HIDDEN) + head * SIZE
    at = own + here[:, None] * (3 * HIDDEN) + size[None, :]
    at_0 = own + low[:, None] * (3 * HIDDEN) + size[None, :]
    at_1 = own + high[:, None] * (3 * HIDDEN) + size[None, :]
    # the keys in two halves, so that the tiles of one are gone before those of the other come
    q = tl.load(qkv_ptr + at, mask=inside, other=0.0)
    k_0 = tl.load(qkv_ptr + at_0 + HIDDEN, mask=inside_0, other=0.0)
    k_1 = tl.load(qkv_ptr + at_1 + HIDDEN, mask=inside_1, other=0.0)
    dy_at = grad_ptr + (first + here)[:, None] * HIDDEN + head * SIZE + size[None, :]
    dy = tl.load(dy_at, mask=inside, other=0.0)
    v_0 = tl.load(qkv_ptr + at_0 + 2 * HIDDEN, mask=inside_0, other=0.0)
    v_1 = tl.load(qkv_ptr + at_1 + 2 * HIDDEN, mask=inside_1, other=0.0)
    row = (sample * HEADS + head) * LENGTH + here
    natural = tl.load(logarithm_ptr + row, mask=here < LENGTH, other=0.0) * 1.4426950408889634
    length = LENGTH
    if PADDED:
        length = tl.load(lengths_ptr + sample).to(tl.int32)
    to = sums_ptr + sample * (3 * HIDDEN) + head * SIZE + size
    column = head * SIZE + size

    p_0 = _signed(q, k_0, natural, row, low, key_ptr, length, THRESHOLD, LOG2_SCALE, LENGTH, MASKED, DROP)
    dv_0 = tl.dot(tl.trans(tl.maximum(p_0, 0.0).to(q.dtype)), dy) * SCALE
    _put(dv_0, d_qkv_ptr + at_0 + 2 * HIDDEN, turned_ptr, 2 * HIDDEN + column, first + low, tokens, inside_0,
         scale8_ptr)  # fmt: skip
    p_1 = _signed(q, k_1, natural, row, high, key_ptr, length, THRESHOLD, LOG2_SCALE, LENGTH, MASKED, DROP)
    dv_1 = tl.dot(tl.trans(tl.maximum(p_1, 0.0).to(q.dtype)), dy) * SCALE
    _put(dv_1, d_qkv_ptr + at_1 + 2 * HIDDEN, turned_ptr, 2 * HIDDEN + column, first + high, tokens, inside_1,
         scale8_ptr)  # fmt: skip
    tl.store(to + 2 * HIDDEN, tl.sum(dv_0 + dv_1, axis=0))
    top = tl.maximum(tl.abs(dv_0), tl.abs(dv_1))

    # what is dropped has no share in p · dp, and all of p in what the level takes away
    dp_0 = tl.dot(dy, tl.trans(v_0)) * tl.maximum(p_0, 0.0)
    dp_1 = tl.dot(dy, tl.trans(v_1)) * tl.maximum(p_1, 0.0)
    level = tl.sum(dp_0 + dp_1, axis=1)
    FACTOR: tl.constexpr = SCALE * LOG2_SCALE * 0.6931471805599453
    ds_0 = ((dp_0 - tl.abs(p_0) * level[:, None]) * FACTOR).to(q.dtype)
    ds_1 = ((dp_1 - tl.abs(p_1) * level[:, None]) * FACTOR).to(q.dtype)
    dk_0 = tl.dot(tl.trans(ds_0), q)
    _put(dk_0, d_qkv_ptr + at_0 + HIDDEN, turned_ptr, HIDDEN + column, first + low, tokens, inside_0,
         scale8_ptr)  # fmt: skip
    dk_1 = tl.dot(tl.trans(ds_1), q)
    _put(dk_1, d_qkv_ptr + at_1 + HIDDEN, turned_ptr, HIDDEN + column, first + high, tokens, inside_1,
         scale8_ptr)  # fmt: skip
    # softmax does not see a shift of the keys' bias: its gradient is nothing but rounding
    tl.store(to + HIDDEN, tl.zeros((SIZE,), dtype=tl.float32))
    dq = tl.dot(ds_0, k_0)
    dq = tl.dot(ds_1, k_1, acc=dq)
    _put(dq, d_qkv_ptr + at, turned_ptr, column, first + here, tokens, inside,
         scale8_ptr)  # fmt: skip
    tl.store(to, tl.sum(dq, axis=0))
    note_largest(tl.maximum(tl.maximum(top, tl.abs(dk_0)), tl.abs(dk_1)), largest_ptr, head + sample, PLACES)
    note_largest(tl.abs(dq), largest_ptr, head + sample, PLACES)


@triton.jit
def _signed(
    q, k, natural, row, here, key_ptr, length, THRESHOLD: tl.constexpr, LOG2_SCALE: tl.constexpr,
    LENGTH: tl.constexpr, MASKED: tl.constexpr, DROP: tl.constexpr,
):  # fmt: skip
    """Probabilities of these keys [queries, keys], negative where they are dropped."""
    p = tl.exp2(tl.dot(q, tl.trans(k)) * LOG2_SCALE - natural[:, None])
    if MASKED:
        p = tl.where((here < length)[None, :], p, 0.0)
    if DROP:
        p = signed(p, below(row[:, None].to(tl.uint32) * LENGTH + here[None, :], key_ptr, THRESHOLD))
    return p


@triton.jit
def _put(tile, to, turned_ptr, column, rows, tokens, inside, scale8_ptr):
    """One head's rows where they belong, in 8 bits and turned as well."""
    tile8 = narrow(tile, tl.load(scale8_ptr), to.dtype.element_ty)
    tl.store(to, tile8, mask=inside)
    turned = turned_ptr + column.to(tl.int64)[:, None] * tokens + rows[None, :]
    tl.store(turned, tl.trans(tile8), mask=tl.trans(inside))
