"""The losses of `BertForPretraining` by the kernels: same parameters, same formulas, dropout from keys."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from assay.workloads.bert import BertForPretraining, Embeddings, flat_positions
from assay.workloads.kernels.layer import Plan, fused_layer
from assay.workloads.kernels.mask import keep_scale
from assay.workloads.kernels.table import Kernels, Shape
from assay.workloads.kernels.words import word_loss

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
) -> tuple[Tensor, Tensor]:
    """Masked-LM and next-sentence loss of a batch, as `model(*batch)` gives them."""
    ids, types, lengths, positions, labels, is_random_next = batch
    bert, config = model.bert, model.bert.config
    p = config.dropout if model.training else 0.0
    shape = Shape(batch=ids.shape[0], length=ids.shape[1], heads=config.heads)
    plan = Plan(kernels=kernels, shape=shape, lengths=lengths, p=p)
    x = embed(bert.embeddings, ids, types, keys[0], p, dtype)
    for number, layer in enumerate(bert.layers):
        x = fused_layer(layer, x, keys[1 + 3 * number : 4 + 3 * number], plan)  # type: ignore[arg-type]
    picked = x.index_select(0, flat_positions(positions, shape.length))
    first = x.view(shape.batch, shape.length, -1)[:, 0]
    with torch.autocast(x.device.type, dtype, enabled=dtype == torch.bfloat16):
        picked = F.gelu(model.transform(picked), approximate="tanh")
        picked = model.transform_norm(picked).to(dtype)
        sentence = model.next_sentence(torch.tanh(bert.pooler(first)))
        sentence_loss = F.cross_entropy(sentence.float() if dtype == torch.bfloat16 else sentence, is_random_next)
    words = bert.embeddings.words.weight
    return word_loss(picked, words, model.decoder_bias, labels.flatten(), kernels), sentence_loss
