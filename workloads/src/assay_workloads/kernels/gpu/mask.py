"""`mask.kept` inside a Triton kernel: eight integer instructions an element."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def hashed(index, key_ptr):
    first = tl.load(key_ptr).to(tl.uint32, bitcast=True)
    second = tl.load(key_ptr + 1).to(tl.uint32, bitcast=True)
    h = index.to(tl.uint32) ^ first
    h = h ^ (h >> 16)
    h = h * 0x7FEB352D
    h = h ^ (h >> 15) ^ second
    return h * 0x846CA68B


@triton.jit
def kept(index, key_ptr, threshold):
    """Whether each element stays; `threshold` is the last hash that is dropped, plus one."""
    return hashed(index, key_ptr) >= threshold


@triton.jit
def below(index, key_ptr, threshold: tl.constexpr):
    """A number that is negative where an element is dropped: its sign is used because a comparison would cost another
    register. The threshold is even, so that halves compare alike.
    """
    return (hashed(index, key_ptr) >> 1).to(tl.int32, bitcast=True) - (threshold // 2)


@triton.jit
def without(x, sign):
    """x [float32] where `sign` is not negative, else zero."""
    return (x.to(tl.int32, bitcast=True) & ~(sign >> 31)).to(tl.float32, bitcast=True)


@triton.jit
def signed(x, sign):
    """x [float32, not negative], as −x where `sign` is negative."""
    return (x.to(tl.int32, bitcast=True) | (sign & -2147483648)).to(tl.float32, bitcast=True)
