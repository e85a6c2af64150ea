"""BERT as it was published, written for reading: encoder, pooler, masked-LM and next-sentence heads.

Post-layer-norm, learned positions, GELU in its tanh form (the one of the published training code), decoder tied to
the word embeddings. Q, K and V are one matrix, attention is PyTorch's fused one, and the masked-LM head is computed
at the predicted positions only. Nothing here knows of a device: `kernels/` holds the hand-written path of a GPU,
which reads the same parameters and is tested against this file.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from torch import Tensor, nn

LAYER_NORM_EPS = 1e-12
#: a predicted position that a short sequence leaves unused carries this label and adds nothing to the loss
NO_LABEL = -100


@dataclass(frozen=True, kw_only=True)
class BertConfig:
    layers: int
    hidden: int
    heads: int
    filter: int
    vocab: int = 30522
    positions: int = 512
    types: int = 2
    dropout: float = 0.1

    @classmethod
    def tiny(cls, **changes: float) -> BertConfig:
        return replace(cls(layers=2, hidden=128, heads=2, filter=512), **changes)  # type: ignore[arg-type]

    @classmethod
    def base(cls, **changes: float) -> BertConfig:
        return replace(cls(layers=12, hidden=768, heads=12, filter=3072), **changes)  # type: ignore[arg-type]

    @classmethod
    def large(cls, **changes: float) -> BertConfig:
        return replace(cls(layers=24, hidden=1024, heads=16, filter=4096), **changes)  # type: ignore[arg-type]


class Embeddings(nn.Module):
    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.words = nn.Embedding(config.vocab, config.hidden)
        self.positions = nn.Embedding(config.positions, config.hidden)
        self.types = nn.Embedding(config.types, config.hidden)
        self.norm = nn.LayerNorm(config.hidden, eps=LAYER_NORM_EPS)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, ids: Tensor, types: Tensor) -> Tensor:
        x = self.words(ids) + self.positions.weight[: ids.shape[1]] + self.types(types)
        y: Tensor = self.dropout(self.norm(x))
        return y


class Layer(nn.Module):
    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.heads = config.heads
        self.qkv = nn.Linear(config.hidden, 3 * config.hidden)
        self.out = nn.Linear(config.hidden, config.hidden)
        self.attention_norm = nn.LayerNorm(config.hidden, eps=LAYER_NORM_EPS)
        self.up = nn.Linear(config.hidden, config.filter)
        self.down = nn.Linear(config.filter, config.hidden)
        self.norm = nn.LayerNorm(config.hidden, eps=LAYER_NORM_EPS)
        self.attention_dropout = config.dropout
        self.out_dropout, self.dropout = nn.Dropout(config.dropout), nn.Dropout(config.dropout)

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        x = self.attention_norm(x + self.out_dropout(self.out(self.attend(x, mask))))
        y: Tensor = self.norm(x + self.dropout(self.down(F.gelu(self.up(x), approximate="tanh"))))
        return y

    def attend(self, x: Tensor, mask: Tensor | None) -> Tensor:
        batch, length, hidden = x.shape
        qkv = self.qkv(x).view(batch, length, 3, self.heads, hidden // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        p = self.attention_dropout if self.training else 0.0
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=p)
        return y.transpose(1, 2).reshape(batch, length, hidden)


class Bert(nn.Module):
    """The encoder with its pooler: ids, types [batch, length] → states [batch, length, hidden], pooled [batch, hidden].

    `lengths` [batch] says how many tokens of each row are real; None says that all are, which is faster.
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.config = config
        self.embeddings = Embeddings(config)
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.layers))
        self.pooler = nn.Linear(config.hidden, config.hidden)
        self.apply(_initialise)

    def forward(self, ids: Tensor, types: Tensor | None = None, lengths: Tensor | None = None) -> tuple[Tensor, Tensor]:
        x = self.encode(ids, types, lengths)
        return x, self.pool(x)

    def encode(self, ids: Tensor, types: Tensor | None = None, lengths: Tensor | None = None) -> Tensor:
        mask = None
        if lengths is not None:
            mask = (torch.arange(ids.shape[1], device=ids.device) < lengths[:, None])[:, None, None, :]
        x: Tensor = self.embeddings(ids, torch.zeros_like(ids) if types is None else types)
        for layer in self.layers:
            x = layer(x, mask)
        return x

    def pool(self, x: Tensor) -> Tensor:
        return torch.tanh(self.pooler(x[:, 0]))


class BertForPretraining(nn.Module):
    """Masked-LM and next-sentence losses of one batch, in that order; their sum is what is trained."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.bert = Bert(config)
        self.transform = nn.Linear(config.hidden, config.hidden)
        self.transform_norm = nn.LayerNorm(config.hidden, eps=LAYER_NORM_EPS)
        self.decoder_bias = nn.Parameter(torch.zeros(config.vocab))
        self.next_sentence = nn.Linear(config.hidden, 2)
        self.transform.apply(_initialise)
        self.next_sentence.apply(_initialise)

    def forward(
        self,
        ids: Tensor,
        types: Tensor,
        lengths: Tensor | None,
        positions: Tensor,
        labels: Tensor,
        is_random_next: Tensor,
    ) -> tuple[Tensor, Tensor]:
        x, pooled = self.bert(ids, types, lengths)
        return self.word_loss(x, positions, labels), self.sentence_loss(pooled, is_random_next)

    def word_loss(self, x: Tensor, positions: Tensor, labels: Tensor) -> Tensor:
        logits = self.word_logits(x, positions)
        return F.cross_entropy(_wide(logits), labels.flatten(), ignore_index=NO_LABEL)

    def word_logits(self, x: Tensor, positions: Tensor) -> Tensor:
        """[batch × predictions, vocab], at these positions alone."""
        picked = x.flatten(0, 1)[flat_positions(positions, x.shape[1])]
        picked = self.transform_norm(F.gelu(self.transform(picked), approximate="tanh"))
        return F.linear(picked, self.bert.embeddings.words.weight, self.decoder_bias)

    def sentence_loss(self, pooled: Tensor, is_random_next: Tensor) -> Tensor:
        return F.cross_entropy(_wide(self.next_sentence(pooled)), is_random_next)


def flat_positions(positions: Tensor, length: int) -> Tensor:
    """Positions [batch, predictions] as rows of the flattened [batch × length] states."""
    starts = torch.arange(positions.shape[0], device=positions.device) * length
    return (positions + starts[:, None]).flatten()


def train_flops(config: BertConfig, length: int, predictions: int) -> int:
    """Floating-point operations that one sample's training step needs: matrix products alone, backward twice forward.

    For `large`, 128 tokens and 20 predictions: 234.6 GFLOP. What is recomputed or padded does not count, nor what the
    last layer computes behind its attention for rows that no loss reads.
    """
    h = config.hidden
    behind = 2 * (h * h + 2 * h * config.filter)
    per_token = 2 * 3 * h * h + behind
    attention = 2 * 2 * length * length * h
    unread = (length - predictions - 1) * behind
    heads = predictions * 2 * (h * h + h * config.vocab) + 2 * (h * h + 2 * h)
    return 3 * (config.layers * (length * per_token + attention) - unread + heads)


def _wide(logits: Tensor) -> Tensor:
    return logits.float() if logits.dtype in (torch.bfloat16, torch.float16) else logits


def _initialise(module: nn.Module) -> None:
    if isinstance(module, nn.Linear | nn.Embedding):
        nn.init.trunc_normal_(module.weight, std=0.02, a=-0.04, b=0.04)
    if isinstance(module, nn.Linear):
        nn.init.zeros_(module.bias)
