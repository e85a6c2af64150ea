"""BERT-tiny says whether a sentence about a film is good, then every engine at hand runs it: the GroqFlow proof point.

Trains from random weights on the phrases of SST-2 and tests on the 1,821 sentences of SST's binary test split, none of
which is trained on. Then, for each engine, padded to the sequence length as the proof point does and unpadded:
accuracy, latency (mean, p50, p90, p99) and inferences per second, from token ids in host memory to logits in host
memory.

Claim: at least 80 % after the two epochs that are the default. Measured: see docs/inference.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import assay
from assay_workloads.bert_classify_settings import Settings
from assay_workloads.failure import BadSetting, Failure
from assay_workloads.program import start
from assay_workloads.settings import announce, parse

if TYPE_CHECKING:
    from assay_workloads.classify_trainer import Labelled, Trainer
    from assay_workloads.engines.base import Shape
    from assay_workloads.engines.classifier import Classifier
    from assay_workloads.engines.measure import Row
    from assay_workloads.parallel import World
    from assay_workloads.plan import Plan


def main(words: Sequence[str]) -> int:
    settings = parse(Settings, words)
    from assay_workloads import parallel

    with parallel.join(settings.device) as world:
        return run(settings, world)


def run(settings: Settings, world: World) -> int:
    """Load, train, then measure what was trained."""
    import torch

    from assay_workloads.bert import BertConfig
    from assay_workloads.classify_trainer import Trainer
    from assay_workloads.data import sst, vocab
    from assay_workloads.engines.classifier import Classifier
    from assay_workloads.loop import Training, about
    from assay_workloads.plan import threads_of
    from assay_workloads.wordpiece import WordPiece

    with assay.phase("load"):
        found = sst.load(settings.data or None)
        pieces = WordPiece(vocab.load(settings.data or None))
        train, test = (
            [(pieces.sentence(text, settings.seq_len), label) for text, label in part]
            for part in (found.train, found.test)
        )
    plan = make_plan(settings, [len(ids) for ids, _ in train], world, real=found.name != "synthetic")
    threads = threads_of(settings, world)
    torch.set_num_threads(threads)
    torch.backends.cuda.matmul.allow_tf32 = settings.precision == "tf32"
    torch.manual_seed(settings.seed)
    model = Classifier(BertConfig.tiny(dropout=settings.dropout)).to(settings.device)
    trainer = Trainer(model, train, test, settings, world, plan.total)
    # left out are phrases that are test sentences too
    told = about("bert-tiny", found, trainer, plan, world, threads, left_out=found.left_out)
    if settings.weights:
        announce(settings, **told)
        load_weights(settings.weights, trainer, found.name)
        accuracy = trainer.evaluate() if plan.evaluates else None
        assay.result(model="bert-tiny", data=found.name, **({} if accuracy is None else {"accuracy": accuracy}))
    else:
        training = Training(trainer, plan, settings, world, told)
        training.run()
        accuracy = training.accuracy
    if trainer.warm and world.first:  # else it was finished before, and is not loaded
        measure_all(settings, model, some_of(test, settings.sentences), accuracy)
    return 0


def load_weights(place: str, trainer: Trainer, data: str) -> None:
    """From a checkpoint of this workload: the file, or the newest whole one of a folder. Refused where it was trained
    on another set than `data`: sets share sentences, so its accuracy would be of what it has learnt."""
    from assay_workloads import checkpoint

    loaded = checkpoint.newest(place)
    trained_on = loaded.settings.get("data")
    if trained_on != data and "synthetic" not in (trained_on, data):
        raise BadSetting(
            f"`{loaded.path}` was trained on {trained_on}, and {data} is at hand to test it",
            f"point `data` to {trained_on}: sentences of one set are in the other",
            "stale-checkpoint",
        )
    try:
        trainer.load(loaded.tensors)
    except (KeyError, RuntimeError):
        raise Failure("stale-checkpoint", f"`{loaded.path}` is not a checkpoint of bert-classify") from None
    trainer.warm = True


def make_plan(settings: Settings, lengths: Sequence[int], world: World, *, real: bool) -> Plan:
    """Whole batches of each epoch; the work of a sample is that of a sentence of average length, without padding."""
    from assay_workloads.bert import BertConfig, train_flops
    from assay_workloads.plan import Plan, updates

    sentences, flops = len(lengths), train_flops(BertConfig.tiny(), sum(lengths) // len(lengths), 0)

    batch, global_batch = world.batch(settings.batch_size, settings.scaling)
    epoch = sentences // global_batch
    if not epoch:
        hint = f"choose batch_size={sentences // world.size} at most"
        raise BadSetting(
            f"a batch of {global_batch} is more than the {sentences} sentences", hint, "impossible-request"
        )
    return Plan(
        batch=batch,
        global_batch=global_batch,
        epoch=epoch,
        total=updates(settings, epoch),
        checkpoint_every=settings.checkpoint_every,
        evaluates=real,
        flops_per_sample=flops,
    )


def some_of(test: Labelled, count: int) -> Labelled:
    """Evenly spread: a test set may have all its good sentences first."""
    if not count or count >= len(test):
        return test
    return [test[index * len(test) // count] for index in range(count)]


def measure_all(settings: Settings, model: Classifier, test: Labelled, accuracy: float | None) -> None:
    """A table of engines for each padding. `accuracy` is that of all sentences, None where they are made up."""
    from assay_workloads.engines.base import Shape
    from assay_workloads.engines.measure import COVERS
    from assay_workloads.engines.table import HEADER, heading

    paddings = [padded for padded in (True, False) if settings.padding in ("both", "padded" if padded else "unpadded")]
    tokens = sum(len(ids) for ids, _ in test) / len(test)
    leading = None
    if settings.chosen():
        print(f"\n{len(test):,} sentences, batch {settings.inference_batch}; latency covers {COVERS}")
    for padded in paddings if settings.chosen() else ():
        shape = Shape(batch=settings.inference_batch, length=settings.seq_len, padded=padded)
        print(f"\n{heading(shape, tokens)}\n{HEADER}", flush=True)
        best = measure_engines(settings, model, test, shape, real=accuracy is not None)
        leading = leading or best
    if leading is not None:  # said last, so that it stands for the run
        assay.result(**{**leading.values(), **({} if accuracy is None else {"accuracy": accuracy})})
        leading.tell_calls()


def measure_engines(settings: Settings, model: Classifier, test: Labelled, shape: Shape, *, real: bool) -> Row | None:
    """One table: each engine compared with eager, printed as soon as it is measured. Returns the fastest."""
    from assay_workloads.engines.base import NotHere
    from assay_workloads.engines.measure import measure
    from assay_workloads.engines.table import kept, line

    ids, labels = [ids for ids, _ in test], [label for _, label in test] if real else None
    eager = best = None
    for name in settings.chosen():
        try:
            row = measure(name, model, ids, labels, shape, device=settings.device, threads=settings.threads)
        except NotHere as reason:
            print(f"{name:<17}  not here: {reason}", flush=True)
            continue
        eager = eager or row
        print(line(row, eager), flush=True)
        if kept(row, eager):
            assay.result(**row.values())
            best = row if best is None or row.latency_ms < best.latency_ms else best
    return best


if __name__ == "__main__":
    start(main)
