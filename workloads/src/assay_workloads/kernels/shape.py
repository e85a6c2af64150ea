"""What kernels are told beside their tensors."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True, kw_only=True)
class Shape:
    """What the attention kernels must know beside their tensors."""

    batch: int
    length: int
    heads: int


@dataclass(frozen=True, kw_only=True)
class Normed:
    """What a norm's result and its backward follow from."""

    total: Tensor
    mean: Tensor
    inverse: Tensor
    gamma: Tensor
    beta: Tensor
