"""How people name a run by its setting, and a figure by what it is of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from . import spellings
from .spellings import Spelling

#: by the setting: nouns that name a run, after which "is", "was" or "took" may follow
_NOUNS = {
    "batch_size": ("batch size {v}", "a batch size of {v}", "batch {v}", "bs={v}", "the run with batch size {v}"),
    "lr": (
        "lr {v}",
        "a learning rate of {v}",
        "lr={v}",
        "the learning rate {v}",
        "the run with a learning rate of {v}",
    ),
    "epochs": ("{v} epochs", "the {v}-epoch run", "the run with {v} epochs", "training for {v} epochs"),
    "num_procs": ("{v} processes", "the run on {v} GPUs"),
    "num_tasks": ("{v} tasks", "the run with {v} tasks", "ntasks={v}"),
    "seq_len": ("sequence length {v}", "a sequence length of {v}", "seq_len={v}"),
    "concurrency": ("concurrency {v}", "a concurrency of {v}", "the run with {v} concurrent requests"),
    "steps": ("{v} steps",),
}
_WITH = {
    "batch_size": ("with a batch size of {v}", "with batch size {v}", "at batch size {v}", "using bs={v}",
                   "for batch_size={v}", "with a batch of {v}"),
    "lr": ("with a learning rate of {v}", "with lr={v}", "at lr {v}", "using a learning rate of {v}", "for lr = {v}"),
    "epochs": ("with {v} epochs", "after {v} epochs", "for epochs={v}", "when training for {v} epochs"),
    "num_procs": ("with {v} processes", "on {v} GPUs"),
    "num_tasks": ("with {v} tasks", "using {v} tasks", "with --ntasks {v}"),
    "seq_len": ("with a sequence length of {v}", "at sequence length {v}", "for seq_len={v}"),
    "concurrency": ("with {v} concurrent requests", "at a concurrency of {v}", "at concurrency {v}"),
    "steps": ("for {v} steps",),
}  # fmt: skip
#: the same behind "I ran it", "all runs were done"
_DONE = {
    "batch_size": (
        "with a batch size of {v}",
        "with batch size {v}",
        "at batch size {v}",
        "using bs={v}",
        "with bs {v}",
    ),
    "epochs": ("for {v} epochs", "with {v} epochs", "with epochs={v}", "using {v} epochs"),
    "lr": ("with a learning rate of {v}", "with lr={v}", "at lr {v}", "using a learning rate of {v}"),
    "seq_len": ("with a sequence length of {v}", "at sequence length {v}", "with seq_len={v}"),
}
#: headings of a run's section, and how a setting is called in a table
_HEADINGS = {
    "batch_size": ("Batch size {v}", "Batch size = {v}", "bs={v}", "Batch {v}", "batch_size: {v}"),
    "lr": ("Learning rate {v}", "lr = {v}", "LR={v}", "learning_rate: {v}"),
    "epochs": ("{v} epochs", "Epochs = {v}", "epochs: {v}", "Training for {v} epochs"),
    "num_procs": ("{v} processes",),
    "num_tasks": ("{v} tasks", "--ntasks {v}", "ntasks = {v}"),
    "seq_len": ("Sequence length {v}", "seq_len = {v}"),
    "concurrency": ("Concurrency {v}", "{v} concurrent requests", "max-concurrency {v}"),
}
COLUMN = {
    "batch_size": "batch size", "lr": "learning rate", "epochs": "epochs", "num_procs": "processes",
    "num_tasks": "tasks", "seq_len": "sequence length", "concurrency": "concurrency",
}  # fmt: skip
#: several runs at once
PLURAL = {
    "batch_size": ("batch sizes {v}", "batch sizes of {v}", "bs = {v}"),
    "lr": ("learning rates {v}", "lr = {v}", "learning rates of {v}"),
    "epochs": ("{v} epochs", "epochs = {v}"),
    "num_procs": ("{v} GPUs",),
    "num_tasks": ("{v} tasks", "ntasks = {v}"),
    "seq_len": ("sequence lengths {v}", "sequence lengths of {v}"),
    "concurrency": ("concurrencies of {v}", "{v} concurrent requests"),
}
#: what people call the varied thing in a sentence about its effect: larger, smaller, and the noun
SETTING = {
    "batch_size": ("larger batches", "smaller batches", "batch size"),
    "lr": ("higher learning rates", "lower learning rates", "learning rate"),
    "epochs": ("more epochs", "fewer epochs", "number of epochs"),
    "num_procs": ("more GPUs", "fewer GPUs", "number of GPUs"),
    "num_tasks": ("more tasks", "fewer tasks", "number of tasks"),
    "seq_len": ("longer sequences", "shorter sequences", "sequence length"),
    "concurrency": ("more concurrent requests", "fewer concurrent requests", "concurrency"),
}


def value_of(setting: str, value: float, rng: Random) -> str:
    return spellings.learning_rate(value, rng) if setting == "lr" else spellings.count(value, rng)


def noun(setting: str, value: float, rng: Random) -> str:
    return rng.choice(_NOUNS[setting]).format(v=value_of(setting, value, rng))


def with_(setting: str, value: float, rng: Random) -> str:
    return rng.choice(_WITH[setting]).format(v=value_of(setting, value, rng))


def done(setting: str, value: float, rng: Random) -> str:
    return rng.choice(_DONE.get(setting) or _WITH[setting]).format(v=value_of(setting, value, rng))


def heading(setting: str, value: float, rng: Random) -> str:
    return rng.choice(_HEADINGS[setting]).format(v=value_of(setting, value, rng))


@dataclass(frozen=True, kw_only=True)
class Figure:
    """How a figure is spoken of: `kind` chooses the sentences, `better` is 1 where more is better."""

    name: str
    kind: str
    nouns: tuple[str, ...]
    spell: Callable[[Random, float], Spelling]
    better: int
    best: tuple[str, ...] = ()  # "was the fastest"
    comparative: tuple[str, ...] = ()  # the better one is this
    noise: float = 0.03  # of its value: less than this between single runs says nothing


_FAST, _FASTER = ("the fastest",), ("faster",)
FIGURES = {
    one.name: one
    for one in (
        Figure(
            name="accuracy", kind="accuracy", nouns=("test accuracy", "accuracy on the test set", "final test accuracy"),
            spell=lambda rng, v: spellings.accuracy(rng), better=1,
            best=("the most accurate", "the best in terms of accuracy"), comparative=("more accurate",),
        ),
        Figure(
            name="loss", kind="loss", nouns=("final training loss", "training loss at the end", "final loss", "last loss"),
            spell=lambda rng, v: spellings.loss(rng), better=-1, best=("the lowest in loss",), comparative=("lower in loss",),
        ),
        Figure(
            name="test_loss", kind="loss", nouns=("average test loss", "test loss", "loss on the test set"),
            spell=lambda rng, v: spellings.loss(rng), better=-1, best=("the lowest in test loss",), comparative=("lower",),
        ),
        Figure(
            name="seconds", kind="time", nouns=("training time", "total training time", "time for training"),
            spell=spellings.seconds, better=-1, best=("the fastest", "the quickest"), comparative=("faster", "quicker"),
        ),
        Figure(
            name="serve_s", kind="time", nouns=("benchmark duration", "duration of the benchmark"),
            spell=spellings.seconds, better=-1, best=_FAST, comparative=_FASTER,
        ),
        Figure(
            name="samples_per_s", kind="rate", nouns=("throughput", "average throughput", "training throughput"),
            spell=lambda rng, v: spellings.rate(rng), better=1, best=_FAST, comparative=_FASTER,
        ),
        Figure(
            name="tokens_per_s", kind="rate", nouns=("token throughput", "throughput"),
            spell=lambda rng, v: spellings.rate(rng, "tokens/s"), better=1, best=_FAST, comparative=_FASTER,
        ),
        Figure(
            name="output_tokens_per_s", kind="rate", nouns=("output token throughput", "output throughput"),
            spell=lambda rng, v: spellings.rate(rng, "tokens/s"), better=1, best=_FAST, comparative=_FASTER,
        ),
        Figure(
            name="ttft_mean_ms", kind="latency", nouns=("mean TTFT", "mean time to first token"),
            spell=lambda rng, v: spellings.milliseconds(rng), better=-1,
            best=("the lowest in time to first token",), comparative=("more responsive",),
        ),
        Figure(
            name="latency_ms", kind="latency", nouns=("end-to-end latency on the CPU", "CPU latency"),
            spell=lambda rng, v: spellings.milliseconds(rng), better=-1, best=("the fastest on the CPU",),
            comparative=("faster on the CPU",),
        ),
        Figure(
            name="memory_mib", kind="memory", nouns=("peak memory", "maximum memory", "peak memory usage"),
            spell=lambda rng, v: spellings.memory(rng), better=-1, best=("the lightest on memory",),
            comparative=("lighter on memory",),
        ),
    )
}  # fmt: skip
