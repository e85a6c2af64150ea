"""BERT-tiny inference on a CPU, beside plain PyTorch eager and the engines that people export to.

    python bench/inference.py [--data DIR] [--weights RUN]

Each side at its best thread count, batch 1, from token ids to logits, 10 rounds in turn, each a pass over the same
sentences; the medians are compared. The engine of ours is the fastest that keeps eager's accuracy within 0.3 points
on the whole test set; so is the best of the exported ones (bench/exported.py). Weights are trained for a minute first,
unless some are given.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from table import interleaved, row

from assay_workloads.engines import ENGINES

ROUNDS, SENTENCES, LENGTH, SAME_ACCURACY = 10, 300, 128, 0.003


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="", help="folder with the data (else found)")
    parser.add_argument("--weights", default="", help="folder of a bert-classify run with a checkpoint (else trained)")
    chosen = parser.parse_args()
    with TemporaryDirectory() as folder:
        model, test, name = trained(chosen.data, chosen.weights, folder)
        eager = {padded: tuned("eager", model, test, padded) for padded in (True, False)}
        wanted = accuracy(eager[False][1], test, False)
        ways = {padded: fastest(model, test, padded, wanted) for padded in (True, False)}
        peers = {padded: best_exported(model, test, padded, wanted) for padded in (True, False)}
        compared(ways, eager, peers, test, name)
    return 0


def trained(data: str, weights: str, folder: str) -> tuple[Any, Any, str]:
    """The classifier, its test sentences as ids, and what they are called."""
    from assay_workloads import bert_classify, checkpoint
    from assay_workloads.bert import BertConfig
    from assay_workloads.data import sst, vocab
    from assay_workloads.engines.classifier import Classifier
    from assay_workloads.wordpiece import WordPiece

    if not weights:
        print("training for a minute …", flush=True)
        words = ["demo", "max_steps=400", "engines=none", "checkpoint_every=10000", f"out={folder}", f"data={data}"]
        bert_classify.main(words)
        weights = folder
    tensors = checkpoint.read(checkpoint.found(Path(weights, "checkpoints"))[-1]).tensors
    model = Classifier(BertConfig.tiny())
    model.load_state_dict({key[6:]: value for key, value in tensors.items() if key.startswith("model.")})
    pieces, found = WordPiece(vocab.load(data or None)), sst.load(data or None)
    return model.eval(), [(pieces.sentence(text, LENGTH), label) for text, label in found.test], found.name


def tuned(name: str, model: Any, test: Any, padded: bool) -> tuple[Any, Any]:
    """An engine's figures over some sentences, and the engine at its best thread count."""
    from assay_workloads import bert_classify
    from assay_workloads.engines.base import Shape, build
    from assay_workloads.engines.measure import measure

    shape = Shape(batch=1, length=LENGTH, padded=padded)
    ids, labels = zip(*bert_classify.some_of(test, SENTENCES), strict=True)
    figures = measure(name, model, ids, labels, shape, device="cpu", threads=0)
    print(f"{'padded' if padded else 'unpadded':<9} {name:<17} {figures.latency_p50_ms:.3f} ms at p50, "
          f"{figures.threads} threads", flush=True)  # fmt: skip
    return figures, build(name, model, shape, device="cpu", threads=figures.threads)


def fastest(model: Any, test: Any, padded: bool, wanted: float) -> tuple[Any, Any]:
    """The best of our engines that is as right as the reference on the whole test set."""
    from assay_workloads.engines.base import NotHere

    found = []
    for name, (_, _, devices, _) in ENGINES.items():
        if name != "eager" and "cpu" in devices:
            try:
                found.append(tuned(name, model, test, padded))
            except NotHere as reason:
                print(f"{name}: {reason}", flush=True)
    for figures, engine in sorted(found, key=lambda pair: pair[0].latency_p50_ms):
        if abs(accuracy(engine, test, padded) - wanted) <= SAME_ACCURACY:
            return figures, engine
        print(f"{figures.engine}: passed over, its accuracy is {100 * accuracy(engine, test, padded):.2f} %")
    sys.exit("error: no engine beside eager is here\nhint: pip install 'assay-ml[engines]'")


def best_exported(model: Any, test: Any, padded: bool, wanted: float) -> tuple[str, Any]:
    """The fastest of the exported ones that is as right, over thread counts, and what it is called."""
    from exported import exported

    from assay_workloads import bert_classify
    from assay_workloads.engines.base import Shape, thread_counts
    from assay_workloads.engines.measure import calls, timed

    sentences = [ids for ids, _ in bert_classify.some_of(test, SENTENCES)]
    given = calls(sentences, Shape(batch=1, length=LENGTH, padded=padded))
    found = []
    for name, make in exported(model, padded=padded, length=LENGTH).items():
        for threads in thread_counts(1):
            engine = make(threads)
            found.append((statistics.median(timed(engine, given)[0]), f"{name}, {threads} threads", engine))
    for _, name, engine in sorted(found, key=lambda one: one[0]):
        if abs(accuracy(engine, test, padded) - wanted) <= SAME_ACCURACY:
            return name, engine
    sys.exit("error: no exported engine is as right as eager")


def accuracy(engine: Any, test: Any, padded: bool) -> float:
    from assay_workloads.engines.base import Shape
    from assay_workloads.engines.measure import calls

    given = calls([ids for ids, _ in test], Shape(batch=1, length=LENGTH, padded=padded))
    right = [int(engine(*call).argmax()) == label for call, (_, label) in zip(given, test, strict=True)]
    return sum(right) / len(right)


def compared(
    ways: dict[bool, Any], eager: dict[bool, Any], peers: dict[bool, tuple[str, Any]], test: Any, name: str
) -> None:
    from assay_workloads import bert_classify
    from assay_workloads.engines.base import Shape
    from assay_workloads.engines.measure import calls

    sentences = [ids for ids, _ in bert_classify.some_of(test, SENTENCES)]
    given = {padded: calls(sentences, Shape(batch=1, length=LENGTH, padded=padded)) for padded in (True, False)}
    order = [(eager, True), (ways, True), (peers, True), (eager, False), (ways, False), (peers, False)]
    passes = interleaved(ROUNDS, *(partial(one_pass, side[padded][1], given[padded]) for side, padded in order))
    plain, ours, peer, plain_short, ours_short, peer_short = (1e3 * statistics.median(found) for found in passes)
    figures = f"{ours:.3f} ms ({_who(ways[True])}), eager {plain:.3f} ms ({_who(eager[True])}), {plain / ours:.2f} x"
    row("padded to 128 (1.3 x eager padded)", figures, plain >= 1.3 * ours)
    short = (
        f"{ours_short:.3f} ms ({_who(ways[False])}), eager padded {plain:.3f} ms, {plain / ours_short:.2f} x; "
        f"eager unpadded {plain_short:.3f} ms ({_who(eager[False])}), {plain_short / ours_short:.2f} x"
    )
    row("real lengths (4 x eager padded: less work)", short, plain >= 4 * ours_short)
    for what, mine, theirs, padded in (("padded", ours, peer, True), ("real lengths", ours_short, peer_short, False)):
        beside = f"{mine:.3f} ms ({_who(ways[padded])}), {theirs:.3f} ms ({peers[padded][0]}), {theirs / mine:.2f} x"
        row(f"{what}, beside the best exported one", beside, mine <= theirs)
    right = ", ".join(f"{_who(way[padded])} {100 * accuracy(way[padded][1], test, padded):.2f} %"
                      for way, padded in ((eager, True), (ways, True), (ways, False)))  # fmt: skip
    print(f"  accuracy on {len(test):,} sentences of {name}: {right}")


def one_pass(engine: Any, given: Any) -> float:
    """Seconds of a call, on average over one pass."""
    for ids, lengths in given[:10]:  # back in the caches after another engine
        engine(ids, lengths)
    begin_s = time.perf_counter()
    for ids, lengths in given:
        engine(ids, lengths)
    return (time.perf_counter() - begin_s) / len(given)


def _who(found: tuple[Any, Any]) -> str:
    return f"{found[0].engine}, {found[0].threads} threads"


if __name__ == "__main__":
    sys.exit(main())
