"""The losses of `BertForPretraining` by the kernels: same parameters, same formulas, dropout from keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from assay_workloads.bert import Bert, BertForPretraining, Embeddings, flat_positions
from assay_workloads.kernels.layer import Plan, fused_layer
from assay_workloads.kernels.layer8 import Plan8, narrow_layer
from assay_workloads.kernels.mask import keep_scale
from assay_workloads.kernels.scales import WEIGHTS, Scales
from assay_workloads.kernels.shape import Shape
from assay_workloads.kernels.table import Kernels
from assay_workloads.kernels.table8 import Kernels8
from assay_workloads.kernels.words import word_loss


@dataclass(frozen=True, kw_only=True)
class Eight:
    """How layers are computed in 8 bits."""

    kernels: Kernels8
    scales: Scales


def in_eight(model: BertForPretraining, kernels: Kernels8) -> Eight:
    """The layers of this model in 8 bits; what its weights are now is their scales' beginning."""
    scales = Scales(model.bert.config.layers, model.decoder_bias.device)
    for layer, slots in zip(model.bert.layers, scales.slots, strict=True):
        for name in WEIGHTS:
            scales.note(slots[name], getattr(layer, name.removeprefix("w_")).weight)
    return Eight(kernels=kernels, scales=scales)


#: rows that a product takes at once
_BLOCK = 128

Embed = Callable[[Embeddings, Tensor, Tensor, Tensor, float, torch.dtype], Tensor]


def keys_of_a_step(layers: int) -> int:
    """How many keys `fused_losses` wants: one for the embeddings, three a layer."""
    return 1 + 3 * layers


def embed(part: Embeddings, ids: Tensor, types: Tensor, key: Tensor, p: float, dtype: torch.dtype) -> Tensor:
    """The embeddings' rows. Left to PyTorch: one percent of a step, and well compiled."""
    words, places, kinds = part.words.weight, part.positions.weight, part.types.weight
    x = F.embedding(ids, words) + places[: ids.shape[1]] + torch.where(types[..., None] == 0, kinds[0], kinds[1])
    y = F.layer_norm(x, x.shape[-1:], part.norm.weight, part.norm.bias, part.norm.eps)
    if p:
        y = y * keep_scale(y.shape, key, p, y.dtype)
    return y.to(dtype).flatten(0, 1)


def fused_losses(
    model: BertForPretraining,
    batch: tuple[Tensor, Tensor, Tensor | None, Tensor, Tensor, Tensor],
    keys: Tensor,
    kernels: Kernels,
    dtype: torch.dtype,
    embed: Embed = embed,
    eight: Eight | None = None,
) -> tuple[Tensor, Tensor]:
    """Masked-LM and next-sentence loss of a batch, as `model(*batch)` gives them; the layers in 8 bits if given how."""
    ids, types, lengths, positions, labels, is_random_next = batch
    bert, config = model.bert, model.bert.config
    p = config.dropout if model.training else 0.0
    shape = Shape(batch=ids.shape[0], length=ids.shape[1], heads=config.heads)
    x = embed(bert.embeddings, ids, types, keys[0], p, dtype)
    read = rows_read(positions, shape)
    if eight is not None:
        x = narrow_layers(bert, x, keys, eight, shape, lengths, p, read)
    else:
        plan = Plan(kernels=kernels, shape=shape, lengths=lengths, p=p)
        for number, layer in enumerate(bert.layers):
            last = number + 1 == config.layers
            x = fused_layer(layer, x, _keys_of(keys, number), plan, read if last else None)  # type: ignore[arg-type]
    picked, first = x[: positions.numel()], x[positions.numel() :][: shape.batch]
    with torch.autocast(x.device.type, dtype, enabled=dtype == torch.bfloat16):
        picked = F.gelu(model.transform(picked), approximate="tanh")
        picked = model.transform_norm(picked).to(dtype)
        sentence = model.next_sentence(torch.tanh(bert.pooler(first)))
        sentence_loss = F.cross_entropy(sentence.float() if dtype == torch.bfloat16 else sentence, is_random_next)
    words = bert.embeddings.words.weight
    return word_loss(picked, words, model.decoder_bias, labels.flatten(), kernels), sentence_loss


def rows_read(positions: Tensor, shape: Shape) -> Tensor:
    """The rows of the last layer that the losses read: hidden words, then first tokens.

    Products want their rows in blocks: the first row is added until there are whole ones, and nobody reads it there.
    """
    picked = flat_positions(positions, shape.length)
    first = torch.arange(shape.batch, device=picked.device) * shape.length
    return F.pad(torch.cat((picked, first)), (0, -(len(picked) + shape.batch) % _BLOCK))


def narrow_layers(
    bert: Bert, x: Tensor, keys: Tensor, eight: Eight, shape: Shape, lengths: Tensor | None, p: float, read: Tensor
) -> Tensor:
    """All layers in 8 bits, the last for the rows that are read; scales are brought up to date first."""
    eight.scales.advance()
    slots = eight.scales.slots
    x8 = eight.kernels.quantise(x.detach(), slots[0]["x"])
    for number, layer in enumerate(bert.layers):
        plan = Plan8(
            kernels=eight.kernels,
            shape=shape,
            lengths=lengths,
            p=p,
            slots=slots[number],
            after=slots[number + 1]["x"] if number + 1 < len(slots) else eight.scales.last,
        )
        last = number + 1 == len(slots)
        x, x8 = narrow_layer(layer, x, x8, _keys_of(keys, number), plan, read if last else None)  # type: ignore[arg-type]
    return x


def _keys_of(keys: Tensor, layer: int) -> Tensor:
    return keys[1 + 3 * layer : 4 + 3 * layer]
