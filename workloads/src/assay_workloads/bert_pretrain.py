"""BERT's pretraining: masked words and next sentences, AdamW with warm-up, real text through real WordPiece.

    assay run bert-pretrain tiny max_steps=150                          a laptop: minutes
    assay run bert-pretrain large device=cuda                           batch 512 in bf16 on one large GPU
    assay run bert-pretrain large device=cuda data=synthetic max_steps=60      speed alone, on full rows
    python -m assay_workloads.bert_pretrain base --batch-size 64        the same with no recorder

`tiny`, `base` and `large` are the published sizes; dropout 0.1; 20 predictions a sequence of 128 tokens (any length).
AdamW at weight decay 0.01 (not of biases and norms), linear warm-up over the first tenth of the steps, then linear
decay to zero, gradients clipped to the norm 1. The sum of both losses is trained; `loss` is that of the hidden words,
`next_sentence_loss` stands beside it. `accuracy` is that of hidden words in documents that were held back; a text
of fewer than four documents has none, and no accuracy.

On a GPU in bf16 the step runs on hand-written kernels (`kernels/`, 33 to 128 tokens); parameters and their updates
stay in float32. `precision=fp8` multiplies 8-bit numbers in the layers on Hopper GPUs and compares its
gradients with float32 before it trains. What that gives on which machine stands in docs/gpu.md, with the command.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import assay
from assay_workloads.bert_pretrain_settings import Settings, warmup_steps
from assay_workloads.failure import BadSetting
from assay_workloads.program import start
from assay_workloads.settings import parse

if TYPE_CHECKING:
    from assay_workloads.bert import BertConfig
    from assay_workloads.parallel import World
    from assay_workloads.plan import Plan
    from assay_workloads.pretraining_data import Pairs, Random

_HELD_BACK = 1 / 64
#: what the products of 8-bit matrices are aligned to
_FP8_ROWS = 16


def main(words: Sequence[str]) -> int:
    settings = parse(Settings, words)
    if settings.precision == "auto":
        settings = replace(settings, precision="bf16" if settings.device == "cuda" else "fp32")
    from assay_workloads import parallel

    with parallel.join(settings.device) as world:
        return train(settings, world)


def train(settings: Settings, world: World) -> int:
    """From the text to the result."""
    import torch

    from assay_workloads import bert_engine
    from assay_workloads.loop import Training, about
    from assay_workloads.plan import threads_of

    with assay.phase("load"):
        source = load(settings)
    plan = make_plan(settings, source.train, world, evaluates=source.held_back is not None)
    threads = threads_of(settings, world)
    torch.set_num_threads(threads)
    engine = bert_engine.Engine(settings, config(settings), plan, source.train, source.held_back, world)
    own = {
        "sequences": source.sequences,
        "parameters": sum(parameter.numel() for parameter in engine.parameters()),
        "warmup_steps": warmup_steps(settings.warmup, plan.total),
    }
    told = about(f"bert-{settings.size}", source, engine, plan, world, threads, **own)
    return Training(engine, plan, settings, world, told).run()


@dataclass(frozen=True, kw_only=True)
class Source:
    """What is trained on and what is held back, with what a result calls it."""

    train: Pairs | Random
    held_back: Pairs | None
    name: str
    source: str
    sequences: int | None


def load(settings: Settings) -> Source:
    from assay_workloads import pretraining_data as made
    from assay_workloads.data import text, vocab
    from assay_workloads.wordpiece import WordPiece

    shape = {"length": settings.seq_len, "predictions": settings.predictions, "seed": settings.seed}
    if settings.data == "synthetic":
        rows = made.Random(vocab=30522, **shape)
        return Source(train=rows, held_back=None, name="synthetic", source="synthetic", sequences=None)
    where = settings.data or None
    found = text.load(where)
    words = WordPiece(vocab.load(where))
    corpus = made.read(found.documents, words, settings.seq_len)
    kept = trained_on(corpus.chunk_document.tolist())
    if kept < settings.batch_size:
        raise BadSetting(
            f"`{found.name}` gives {kept} sequences, fewer than a batch",
            "choose a smaller batch_size",
            "impossible-request",
        )
    return Source(
        train=made.Pairs(corpus.part(0, kept), words, **shape),
        held_back=made.Pairs(corpus.part(kept, len(corpus)), words, **shape) if kept < len(corpus) else None,
        name=found.name,
        source=found.source,
        sequences=kept,
    )


def trained_on(documents: Sequence[int]) -> int:
    """How many chunks are trained on; each belongs to one of `documents`. The rest is held back: whole documents,
    two at least, since pairs need another; none of a text that has not two for either side."""
    different = sorted(set(documents))
    if len(different) < 4:
        return len(documents)
    first_held = min(documents[-max(1, int(len(documents) * _HELD_BACK))], different[-2])
    return sum(document < max(first_held, different[2]) for document in documents)


def make_plan(settings: Settings, data: Pairs | Random, world: World, *, evaluates: bool = False) -> Plan:
    from assay_workloads.bert import train_flops
    from assay_workloads.plan import Plan

    batch, global_batch = world.batch(settings.batch_size, settings.scaling)
    if batch % settings.accumulate:
        message = f"{batch} sequences of a process are not {settings.accumulate} equal parts"
        raise BadSetting(message, "choose another accumulate", "impossible-request")
    tokens = batch // settings.accumulate * settings.seq_len
    if settings.precision == "fp8" and tokens % _FP8_ROWS:
        message = f"`precision=fp8` needs a multiple of {_FP8_ROWS} tokens at once, and {tokens:,} is none"
        raise BadSetting(message, "choose another batch_size, or precision=bf16", "impossible-request")
    epoch = data.epoch(global_batch)
    if not epoch:
        raise BadSetting(f"a batch of {global_batch} is more than the text gives", None, "impossible-request")
    # max_steps alone says how long where it is given: short texts are gone over again
    total = settings.max_steps or settings.epochs * epoch
    return Plan(
        batch=batch,
        global_batch=global_batch,
        epoch=epoch,
        total=total,
        parts=settings.accumulate,
        checkpoint_every=settings.checkpoint_every,
        check_replicas_every=settings.check_replicas_every,
        evaluates=evaluates,
        flops_per_sample=train_flops(config(settings), settings.seq_len, settings.predictions),
        named=("warmup_steps",),
    )


def config(settings: Settings) -> BertConfig:
    from assay_workloads.bert import BertConfig

    make = {"tiny": BertConfig.tiny, "base": BertConfig.base, "large": BertConfig.large}[settings.size]
    return make(dropout=settings.dropout, positions=max(512, settings.seq_len))


if __name__ == "__main__":
    start(main)
