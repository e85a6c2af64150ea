"""Attention over short rows (up to 128 tokens): one program takes one head of one sample whole.

The keys of a row fit into one block, so nothing is streamed, rescaled or accumulated across programs: the backward
is one kernel too, with no atomic additions. Q, K and V are read from where the product of their one matrix left them,
and their gradients written the same way, with the sums that make the bias's gradient. The backward works on the
transposed scores, so that two of its five products take them from registers.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from assay_workloads.kernels.gpu import attention_cuda
from assay_workloads.kernels.gpu.mask import kept
from assay_workloads.kernels.gpu.tune import tried
from assay_workloads.kernels.mask import threshold
from assay_workloads.kernels.shape import Shape

LONGEST = 128


def attention(qkv: Tensor, shape: Shape, lengths: Tensor | None, key: Tensor, p: float) -> tuple[Tensor, Tensor]:
    rows, hidden = qkv.shape[0], qkv.shape[1] // 3
    y = torch.empty(rows, hidden, dtype=qkv.dtype, device=qkv.device)
    logarithm = torch.empty(shape.batch, shape.heads, shape.length, dtype=torch.float32, device=qkv.device)
    _attention[(shape.heads, shape.batch)](
        qkv, qkv if lengths is None else lengths, key, y, logarithm, threshold(p), 1.0 / (1.0 - p),
        log2_scale(qkv, shape),
        LENGTH=shape.length, HEADS=shape.heads, SIZE=hidden // shape.heads,
        BLOCK=block(shape), PADDED=lengths is not None, DROP=p > 0,
    )  # fmt: skip
    return y, logarithm


def attention_backward(
    grad: Tensor, qkv: Tensor, logarithm: Tensor, shape: Shape, lengths: Tensor | None, key: Tensor, p: float
) -> tuple[Tensor, Tensor]:
    if attention_cuda.fits(qkv, shape):
        return attention_cuda.backward(grad, qkv, logarithm, shape, lengths, key, p)
    d_qkv = torch.empty_like(qkv)
    sums = torch.empty(shape.batch, qkv.shape[1], dtype=torch.float32, device=qkv.device)
    _attention_backward[(shape.heads, shape.batch)](
        grad, qkv, qkv if lengths is None else lengths, key, logarithm, d_qkv, sums, threshold(p), 1.0 / (1.0 - p),
        log2_scale(qkv, shape),
        LENGTH=shape.length, HEADS=shape.heads, SIZE=qkv.shape[1] // (3 * shape.heads),
        BLOCK=block(shape), PADDED=lengths is not None, DROP=p > 0,
    )  # fmt: skip
    return d_qkv, sums.sum(0)


def log2_scale(qkv: Tensor, shape: Shape) -> float:
    """1 / √size, times log₂ e: exponentials are of two."""
    return float((qkv.shape[1] // (3 * shape.heads)) ** -0.5 * 1.4426950408889634)


def block(shape: Shape) -> int:
    return max(16, int(triton.next_power_of_2(shape.length)))


_tuned = tried(({}, 8), ({}, 4), ({}, 4, 160))
_tuned_backward = tried(
    ({"PARTS": 1}, 8), ({"PARTS": 2}, 8), ({"PARTS": 2}, 8, 128), ({"PARTS": 4}, 8, 128), ({"PARTS": 4}, 4)
)  # fmt: skip


@_tuned(["LENGTH", "SIZE", "DROP"])
@triton.jit(do_not_specialize=["threshold"], do_not_specialize_on_alignment=["key_ptr"])
def _attention(
    qkv_ptr, lengths_ptr, key_ptr, y_ptr, logarithm_ptr, threshold, scale, log2_scale,
    LENGTH: tl.constexpr, HEADS: tl.constexpr, SIZE: tl.constexpr, BLOCK: tl.constexpr,
    PADDED: tl.constexpr, DROP: tl.constexpr,
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
    to = rows[:, None] * (HEADS * SIZE) + head * SIZE + size[None, :]
    tl.store(y_ptr + to, y.to(y_ptr.dtype.element_ty), mask=inside)
    natural = (top + tl.log2(total)) * 0.6931471805599453
    tl.store(logarithm_ptr + (sample * HEADS + head) * LENGTH + here, natural, mask=here < LENGTH)


@_tuned_backward(["LENGTH", "SIZE", "DROP"])
@triton.jit(do_not_specialize=["threshold"], do_not_specialize_on_alignment=["key_ptr"])
def _attention_backward(
    grad_ptr, qkv_ptr, lengths_ptr, key_ptr, logarithm_ptr, d_qkv_ptr, sums_ptr, threshold, scale, log2_scale,
    LENGTH: tl.constexpr, HEADS: tl.constexpr, SIZE: tl.constexpr, BLOCK: tl.constexpr,
    PADDED: tl.constexpr, DROP: tl.constexpr, PARTS: tl.constexpr,
):  # fmt: skip
    head, sample = tl.program_id(0), tl.program_id(1)
    QUERIES: tl.constexpr = BLOCK // PARTS
    HIDDEN: tl.constexpr = HEADS * SIZE
    kind = d_qkv_ptr.dtype.element_ty
    here = tl.arange(0, BLOCK)
    size = tl.arange(0, SIZE)
    inside = (here < LENGTH)[:, None]
    first = sample.to(tl.int64) * LENGTH
    at = (first + here)[:, None] * (3 * HIDDEN) + head * SIZE + size[None, :]
    k = tl.load(qkv_ptr + at + HIDDEN, mask=inside, other=0.0)
    v = tl.load(qkv_ptr + at + 2 * HIDDEN, mask=inside, other=0.0)
    length = LENGTH
    if PADDED:
        length = tl.load(lengths_ptr + sample).to(tl.int32)
    dk = tl.zeros((BLOCK, SIZE), dtype=tl.float32)
    dv = tl.zeros((BLOCK, SIZE), dtype=tl.float32)
    dq_sum = tl.zeros((SIZE,), dtype=tl.float32)
    for part in range(PARTS):  # of the queries, so that the scores of two programs fit into one multiprocessor
        query = part * QUERIES + tl.arange(0, QUERIES)
        asked = (query < LENGTH)[:, None]
        q_at = (first + query)[:, None] * (3 * HIDDEN) + head * SIZE + size[None, :]
        q = tl.load(qkv_ptr + q_at, mask=asked, other=0.0)
        dy = tl.load(grad_ptr + (first + query)[:, None] * HIDDEN + head * SIZE + size[None, :], mask=asked, other=0.0)
        row = (sample * HEADS + head) * LENGTH + query
        natural = tl.load(logarithm_ptr + row, mask=query < LENGTH, other=0.0)
        # [keys, queries]
        p = tl.exp2(tl.dot(k, tl.trans(q)) * log2_scale - natural[None, :] * 1.4426950408889634)
        if PADDED or LENGTH < BLOCK:
            p = tl.where((here < length)[:, None], p, 0.0)
        dp = tl.dot(v, tl.trans(dy))
        pd = p
        if DROP:
            stays = kept(row[None, :].to(tl.uint32) * LENGTH + here[:, None], key_ptr, threshold)
            pd = tl.where(stays, p * scale, 0.0)
            dp = tl.where(stays, dp * scale, 0.0)
        dv = tl.dot(pd.to(dy.dtype), dy, acc=dv)
        level = tl.sum(p * dp, axis=0)
        ds = (p * (dp - level[None, :]) * (log2_scale * 0.6931471805599453)).to(q.dtype)
        dk = tl.dot(ds, q, acc=dk)
        dq = tl.dot(tl.trans(ds), k)
        tl.store(d_qkv_ptr + q_at, dq.to(kind), mask=asked)
        dq_sum += tl.sum(dq, axis=0)
    tl.store(d_qkv_ptr + at + HIDDEN, dk.to(kind), mask=inside)
    tl.store(d_qkv_ptr + at + 2 * HIDDEN, dv.to(kind), mask=inside)
    to = sums_ptr + sample * (3 * HIDDEN) + head * SIZE + size
    tl.store(to, dq_sum)
    tl.store(to + HIDDEN, tl.sum(dk, axis=0))
    tl.store(to + 2 * HIDDEN, tl.sum(dv, axis=0))
