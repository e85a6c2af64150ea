"""What 8-bit tensors are multiplied with so that their numbers fit: one scale a tensor, from the steps before.

A kernel that writes such a tensor also notes the largest magnitude it saw; before the next step `Scales.advance` makes
scales of the largest of the last steps, on the device, so that no step waits for a figure. What is larger than all of
those becomes the largest number of the type. Values and weights are e4m3 (three bits of mantissa, up to 448), gradients
e5m2 (two, up to 57,344).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

VALUES, WEIGHTS, GRADIENTS = (
    ("x", "attended", "middle", "after"),
    ("w_qkv", "w_out", "w_up", "w_down"),
    ("d_qkv", "d_out", "d_before", "d_down"),
)
LARGEST = {torch.float8_e4m3fn: 448.0, torch.float8_e5m2: 57344.0}
#: where the largest magnitude of a tensor is noted: many programs do so at once
PLACES = 64
_STEPS = 16
#: numbers between two scales: a product wants each at an address that 16 divides
_APART = 4
#: before anything is known: normed rows are a few units, gradients of a mean loss are small and e5m2 reaches far
_FIRST = {"x": 16.0, "attended": 16.0, "middle": 16.0, "after": 16.0}
_FIRST_GRADIENT = 2.0**16


@dataclass(frozen=True, kw_only=True)
class Slot:
    """One tensor's share: its type, what to multiply it with, that one's inverse, where its largest is noted."""

    kind: torch.dtype
    scale: Tensor
    inverse: Tensor
    largest: Tensor


@dataclass(frozen=True, kw_only=True)
class Narrow:
    """A matrix in 8 bits, and the same with rows and columns exchanged; times `inverse` it is what was meant."""

    rows: Tensor
    turned: Tensor
    inverse: Tensor


class Scales:
    """Those of all layers."""

    def __init__(self, layers: int, device: torch.device) -> None:
        names = VALUES + WEIGHTS + GRADIENTS
        kinds = [torch.float8_e5m2 if name in GRADIENTS else torch.float8_e4m3fn for name in names]
        count = layers * len(names) + 1
        first = [_FIRST.get(name, _FIRST_GRADIENT if name in GRADIENTS else 1.0) for name in names]
        self.scale = torch.tensor([*first * layers, _FIRST["x"]], device=device)
        self.inverse = torch.empty(count, _APART, device=device)
        self._invert()
        self.history = torch.zeros(_STEPS, count, device=device)
        self.largest = torch.zeros(count, PLACES, dtype=torch.int32, device=device)
        self._top = torch.tensor([LARGEST[kind] for kind in (*kinds * layers, kinds[0])], device=device)
        self.slots = [
            {name: self._slot(layer * len(names) + i, kinds[i]) for i, name in enumerate(names)}
            for layer in range(layers)
        ]
        #: of the last layer's result, which no product takes
        self.last = self._slot(count - 1, kinds[0])

    def note(self, slot: Slot, tensor: Tensor) -> None:
        """The largest of a tensor that no kernel has seen yet."""
        top = tensor.detach().abs().amax().float().view(1).view(torch.int32)
        slot.largest[:1].copy_(torch.maximum(slot.largest[:1], top))

    def advance(self) -> None:
        """Scales for the step that begins, from what the steps before have noted."""
        seen = self.largest.view(torch.float32).amax(1)
        seen = torch.where(seen.isfinite(), seen, 0.0)
        self.history.copy_(torch.cat((seen[None], self.history[:-1])))
        self.largest.zero_()
        top = self.history.amax(0)
        self.scale.copy_(torch.where(top > 0, self._top / top.clamp_min(1e-30), self.scale))
        self._invert()

    def state(self) -> Mapping[str, Tensor]:
        """All that the next step's scales follow from."""
        return {"scale": self.scale, "history": self.history, "largest": self.largest}

    def load(self, tensors: Mapping[str, Tensor]) -> None:
        for name, tensor in self.state().items():
            tensor.copy_(tensors[name])
        self._invert()

    def _invert(self) -> None:
        self.inverse.copy_(self.scale.reciprocal()[:, None].expand_as(self.inverse))

    def _slot(self, number: int, kind: torch.dtype) -> Slot:
        own = slice(number, number + 1)
        return Slot(kind=kind, scale=self.scale[own], inverse=self.inverse[number, :1], largest=self.largest[number])
