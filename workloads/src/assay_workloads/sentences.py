"""Sentences as batches of ids: in an order that a seed gives, each batch of sentences of about the same length."""

from __future__ import annotations

from collections.abc import Sequence

import numpy
import torch
from torch import Tensor

#: so many batches are sorted by length together: enough that little is padded, few enough that order stays random
_POOL_BATCHES = 50


def order(lengths: Sequence[int], *, batch_size: int, seed: int, epoch: int) -> list[list[int]]:
    """The batches of one epoch, the same for the same seed; what does not fill a batch waits for another epoch."""
    dice = numpy.random.default_rng((seed, epoch))
    mixed = dice.permutation(len(lengths)).tolist()
    batches = []
    for begin in range(0, len(mixed), batch_size * _POOL_BATCHES):
        pool = sorted(mixed[begin : begin + batch_size * _POOL_BATCHES], key=lambda index: lengths[index])
        batches += [pool[at : at + batch_size] for at in range(0, len(pool) - batch_size + 1, batch_size)]
    return [batches[index] for index in dice.permutation(len(batches))]


def padded(sentences: Sequence[Sequence[int]], device: str = "cpu") -> tuple[Tensor, Tensor]:
    """Ids [batch, longest] and lengths [batch]."""
    lengths = [len(sentence) for sentence in sentences]
    ids = numpy.zeros((len(sentences), max(lengths)), numpy.int64)
    for row, sentence in zip(ids, sentences, strict=True):
        row[: len(sentence)] = sentence
    return torch.from_numpy(ids).to(device), torch.tensor(lengths, device=device)
