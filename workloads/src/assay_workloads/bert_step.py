"""The ways in which a step of BERT's pretraining is computed. They differ in speed and rounding, not in the model.

| kernels | where | how |
|---|---|---|
| `torch` | anywhere | the model of `bert.py`, autocast in bf16, compiled on a GPU |
| `hash` | anywhere | the same with dropout masks from a hash, which a compiler turns into few instructions |
| `triton` | GPU, bf16 | hand-written kernels between PyTorch's matrix products |
| `products` | GPU, bf16 | the same, the products by cuBLASLt's fastest algorithms |
| `fp8` | Hopper, `precision=fp8` | the layers' products in 8 bits, made narrow by the kernels between them |

`auto` is `FASTEST` where it can be, else `torch`; it is `fp8` where that precision is asked for.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor, nn

from assay_workloads.bert import BertConfig, BertForPretraining
from assay_workloads.failure import Failure
from assay_workloads.kernels import table, table8
from assay_workloads.kernels.mask import draw_keys, keep_scale
from assay_workloads.kernels.step import embed, fused_losses, in_eight, keys_of_a_step

FASTEST = "products"  # of `large` on an H200; docs/gpu.md has the figures
TABLES = {
    "triton": table.triton,
    "products": table.tuned_products,
    "fp8": table.tuned_products,
}
Tensors = tuple[Tensor, Tensor, Tensor | None, Tensor, Tensor, Tensor]


def choose(kernels: str, *, device: str, precision: str, length: int) -> str:
    """What `auto` means here."""
    if precision == "fp8":
        return "fp8"
    if kernels != "auto":
        return kernels
    fits = device == "cuda" and precision == "bf16" and 33 <= length <= 128 and _has_triton()
    return FASTEST if fits else "torch"


def refuse_without_fp8(device: torch.device) -> None:
    """Say why where this machine cannot multiply 8-bit numbers as the kernels do."""
    major, minor = torch.cuda.get_device_capability(device)
    if (major, minor) != (9, 0):
        name = torch.cuda.get_device_name(device)
        raise Failure("no-device", f"`precision=fp8` needs a Hopper GPU, and this is `{name}`", "choose precision=bf16")
    if not _has_triton():
        raise Failure("no-device", "`precision=fp8` needs Triton, which is not installed", "choose precision=bf16")


class Step(nn.Module):
    """Both losses of one part of a batch, by the chosen kernels; parameters are the model's own."""

    def __init__(self, model: BertForPretraining, kernels: str, *, precision: str, compiled: bool) -> None:
        super().__init__()
        self.model, self.kernels, self.precision = model, kernels, precision
        self._fused = TABLES[kernels]() if kernels in TABLES else None
        self.eight = in_eight(model, table8.hopper()) if kernels == "fp8" else None
        if kernels == "hash":
            hash_dropout(model)
        compiles: Any = torch.compile if compiled else lambda function, **_: function
        self._embed = compiles(embed, dynamic=False) if self._fused else embed
        self._losses = model if self._fused else compiles(model, dynamic=False)

    def forward(self, batch: Tensors, keys: Tensor) -> tuple[Tensor, Tensor]:
        if self._fused is not None:
            return fused_losses(self.model, batch, keys, self._fused, torch.bfloat16, self._embed, self.eight)
        for part in self.model.modules():
            if isinstance(part, HashDropout):
                part.key.copy_(keys[part.number])
        with self._autocast(batch[0].device.type):
            words, sentences = self._losses(*batch)
        return words, sentences

    def _autocast(self, device: str) -> AbstractContextManager[Any]:
        return torch.autocast(device, torch.bfloat16) if self.precision == "bf16" else nullcontext()


def keys_for(config: BertConfig, *, seed: int, step: int, stream: int) -> Tensor:
    """The keys of one part of one step; `stream` tells parts and processes apart."""
    return draw_keys(keys_of_a_step(config.layers), seed=seed, step=step, stream=stream)


class HashDropout(nn.Module):
    """Dropout whose mask is a hash of a key that every step sets anew."""

    key: Tensor

    def __init__(self, p: float, number: int) -> None:
        super().__init__()
        self.p, self.number = p, number
        self.register_buffer("key", torch.zeros(2, dtype=torch.int32), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        return x * keep_scale(x.shape, self.key, self.p, x.dtype) if self.training and self.p else x


def hash_dropout(model: BertForPretraining) -> None:
    """Put `HashDropout` in the place of every dropout but that of attention, which is PyTorch's own."""
    p = model.bert.config.dropout
    model.bert.embeddings.dropout = HashDropout(p, 0)  # type: ignore[assignment]
    for number, layer in enumerate(model.bert.layers):
        layer.out_dropout, layer.dropout = HashDropout(p, 3 * number + 2), HashDropout(p, 3 * number + 3)


def _has_triton() -> bool:
    try:
        import triton  # noqa: F401
    except ImportError:
        return False
    return True
