"""Layers in 8 bits are tried before they are trained: two layers' gradients against float32, on the device itself.

A kernel that is right elsewhere may be wrong on a new chip or under a new compiler, and a training would not say so:
it would only learn worse. This takes about a second, once the kernels are compiled.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from assay_workloads.bert import BertConfig, BertForPretraining
from assay_workloads.failure import Failure
from assay_workloads.kernels.mask import draw_keys
from assay_workloads.kernels.step import Eight, fused_losses, in_eight, keys_of_a_step
from assay_workloads.kernels.table import PLAIN
from assay_workloads.kernels.table8 import Kernels8

#: ‖gradient − that of float32‖ over ‖that of float32‖: 0.10 is what rounding to 8 bits does
ALLOWED = 0.15
_PREDICTIONS, _VOCAB = 6, 512
#: gradients that are little but rounding: that of the keys' bias, and those of the sentence head, which is not in 8
#: bits and whose terms cancel on classes drawn by chance
_ROUNDING = ("qkv.bias", "pooler", "next_sentence")


def refuse_wrong_gradients(
    config: BertConfig, kernels: Kernels8, device: torch.device, *, batch: int, length: int
) -> None:
    """Nothing, or a failure that says by how much they differ."""
    name, apart = worst_gradient(config, kernels, device, batch=batch, length=length)
    if not apart <= ALLOWED:
        differs = f"by {apart:.2g}" if apart == apart else "and are no numbers"
        raise Failure(
            "fp8-check",
            f"fp8 is not used: its gradients differ from float32 {differs} where {ALLOWED} is allowed (`{name}`)",
            "choose precision=bf16",
        )


def worst_gradient(
    config: BertConfig, kernels: Kernels8, device: torch.device, *, batch: int, length: int
) -> tuple[str, float]:
    """The parameter whose gradient is furthest from float32's, and how far. Not a number is further than any."""
    state = torch.random.get_rng_state()
    torch.manual_seed(0)
    with device:
        model = BertForPretraining(replace(config, layers=2, vocab=_VOCAB))
    data, keys = _batch(batch, length, device), draw_keys(keys_of_a_step(2), seed=0, step=0).to(device)
    torch.random.set_rng_state(state)
    expected = _gradients(model, data, keys, torch.float32, None)
    eight = in_eight(model, kernels)
    for _ in range(2):  # the second has the scales that the first led to
        found = _gradients(model, data, keys, torch.bfloat16, eight)
    apart = {
        name: float((found[name] - gradient).norm() / gradient.norm())
        for name, gradient in expected.items()
        if not any(one in name for one in _ROUNDING)
    }
    return max(apart.items(), key=lambda item: item[1] if item[1] == item[1] else float("inf"))


def _batch(rows: int, length: int, device: torch.device) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    shortest = length // 2
    ids, types = torch.randint(0, _VOCAB, (rows, length)), torch.randint(0, 2, (rows, length))
    lengths = torch.randint(shortest, length + 1, (rows,))
    positions = torch.randint(1, shortest, (rows, _PREDICTIONS))
    labels, next_ones = torch.randint(0, _VOCAB, (rows, _PREDICTIONS)), torch.randint(0, 2, (rows,))
    return (
        ids.to(device), types.to(device), lengths.to(device), positions.to(device), labels.to(device),
        next_ones.to(device),
    )  # fmt: skip


def _gradients(
    model: BertForPretraining, batch: tuple[Tensor, ...], keys: Tensor, kind: torch.dtype, eight: Eight | None
) -> dict[str, Tensor]:
    words, sentences = fused_losses(model, batch, keys, PLAIN, kind, eight=eight)  # type: ignore[arg-type]
    names, parameters = zip(*model.named_parameters(), strict=True)
    found = torch.autograd.grad(words + sentences, parameters)
    return dict(zip(names, found, strict=True))
