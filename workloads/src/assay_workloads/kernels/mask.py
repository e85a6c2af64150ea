"""Dropout masks that cost a few integer operations an element and are never stored.

An element is kept when a hash of its index and two keys is above a threshold. The usual counter-based generator
(Philox, ten rounds) costs more than the memory traffic of the kernels it sits in; this mixes once, and forward and
backward compute the same mask from the same keys. The hash is Chris Wellons' `lowbias32` with a second key in its
middle, so that two pairs of keys give masks that are not shuffles of one another.
"""

from __future__ import annotations

import hashlib

import torch
from torch import Tensor

MIX_1, MIX_2 = 0x7FEB352D, 0x846CA68B
_WORD = 0xFFFFFFFF


def draw_keys(count: int, *, seed: int, step: int, stream: int = 0) -> Tensor:
    """`count` pairs of keys that depend on these numbers alone: a resumed run draws the same."""
    drawn = hashlib.shake_256(f"{seed} {step} {stream}".encode()).digest(8 * count)
    return torch.frombuffer(bytearray(drawn), dtype=torch.int32).view(count, 2)


def threshold(p: float) -> int:
    """Hashes under it are dropped. Even, which lets a kernel compare halves."""
    return 2 * min(_WORD // 2, round(p * 2**31))


def kept(index: Tensor, key: Tensor, p: float) -> Tensor:
    """Whether each element stays, in 64-bit integers since torch has no unsigned multiplication on every device."""
    first, second = key.to(torch.int64) & _WORD
    h: Tensor = (index & _WORD) ^ first
    h = h ^ (h >> 16)
    h = (h * MIX_1) & _WORD
    h = h ^ (h >> 15) ^ second
    h = (h * MIX_2) & _WORD
    return h >= threshold(p)


def keep_scale(shape: tuple[int, ...] | torch.Size, key: Tensor, p: float, dtype: torch.dtype) -> Tensor:
    """What to multiply with: 0 where an element is dropped, 1 / (1 - p) where it stays."""
    index = torch.arange(shape.numel() if isinstance(shape, torch.Size) else _product(shape), device=key.device)
    return kept(index.view(shape), key, p).to(dtype) * (1.0 / (1.0 - p))


def _product(shape: tuple[int, ...]) -> int:
    count = 1
    for side in shape:
        count *= side
    return count
