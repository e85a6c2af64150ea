"""`mask.kept` inside a Triton kernel: eight integer instructions an element."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def kept(index, key_ptr, threshold):
    """Whether each element stays; `threshold` is the last hash that is dropped, plus one."""
    first = tl.load(key_ptr).to(tl.uint32, bitcast=True)
    second = tl.load(key_ptr + 1).to(tl.uint32, bitcast=True)
    h = index.to(tl.uint32) ^ first
    h = h ^ (h >> 16)
    h = h * 0x7FEB352D
    h = h ^ (h >> 15) ^ second
    h = h * 0x846CA68B
    return h >= threshold
