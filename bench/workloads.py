"""The training workloads on a CPU, beside plain PyTorch eager of the same model. Run by `make bench`.

    python bench/workloads.py [--data FOLDER] [mnist_training] [svhn_to_accuracy]

`mnist_training`: both sides have their data in memory and no loader, make the same weight updates (batch 8, SGD at
0.05, dropout), and use the thread count that suits them best, tried out first. Ten rounds in turn; the medians are
compared.

`svhn_to_accuracy`: seconds of training until 90 % of the test images are named right, tested every 50 updates (tests
are not counted). The same network, images, batch size and SGD on both sides. The plain side is fp32 with PyTorch's
first weights and the assignment's rate; ours is `svhn-mlp precision=bf16 init=he lr=0.03`. Three seeds, in turn.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial

import torch
from table import interleaved, row
from torch.nn import functional as F

from assay_workloads import mnist, mnist_native, svhn_mlp
from assay_workloads.data import svhn
from assay_workloads.data.mnist import Images, made_up
from assay_workloads.mnist_net import Net, normalised
from assay_workloads.parallel import World
from assay_workloads.plan import cores
from assay_workloads.settings import parse

ROUNDS, UPDATES, BATCH = 10, 400, 8
SEEDS, TESTED_EVERY, MOST_UPDATES = 3, 50, 4000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benches", nargs="*")
    parser.add_argument("--data", help="folder with SVHN or MNIST")
    arguments = parser.parse_args()
    for bench in (mnist_training, svhn_to_accuracy):
        if not arguments.benches or bench.__name__ in arguments.benches:
            bench(arguments.data)
    return 0


def svhn_to_accuracy(data: str | None) -> None:
    images = svhn.load(data)
    if images.name == "synthetic":
        row("svhn-mlp to 90 % (3 x eager)", "needs images: --data FOLDER", None)
        return
    words = ["precision=bf16", "init=he", "lr=0.03"]
    tried = [(to_accuracy(images, [], seed), to_accuracy(images, words, seed)) for seed in range(SEEDS)]
    plain, fast = (statistics.median(side[at][0] for side in tried) for at in (0, 1))
    counts = ["/".join(str(side[at][1]) for side in tried) for at in (0, 1)]
    figures = (
        f"{fast:.2f} s ({counts[1]} updates), eager {plain:.2f} s ({counts[0]}), {plain / fast:.2f} x, on {images.name}"
    )
    row("svhn-mlp to 90 % (3 x eager)", figures, plain >= 3 * fast)


def to_accuracy(images: Images, words: list[str], seed: int) -> tuple[float, int]:
    """Seconds of training, and updates."""
    settings = parse(svhn_mlp.Settings, [f"seed={seed}", *words])
    plan = svhn_mlp.make_plan(settings, images, World())
    torch.set_num_threads(cores())
    engine = svhn_mlp.make_engine(settings, images, plan, World())
    engine.warm_up(plan.batch)
    took = 0.0
    for first in range(0, MOST_UPDATES, TESTED_EVERY):
        if first % plan.epoch < TESTED_EVERY:
            engine.begin_epoch(first // plan.epoch)
        began = time.perf_counter()
        engine.train(first, first + TESTED_EVERY)
        took += time.perf_counter() - began
        if engine.evaluate() >= settings.target_accuracy:
            return took, first + TESTED_EVERY
    raise SystemExit(f"no 90 % in {MOST_UPDATES} updates: {words}")


def mnist_training(data: str | None) -> None:
    images = made_up((28, 28), train=20000, test=10)  # speed does not depend on what is in the images
    counts = sorted({1, 2, cores()} & set(range(1, cores() + 1)))
    eager, eager_threads = best([(Eager(images, count), count) for count in counts])
    ours, our_threads = best([(Ours(images, count), count) for count in counts])
    plain, fast = (statistics.median(found) for found in interleaved(ROUNDS, eager, ours))
    figures = (
        f"{UPDATES * BATCH / fast:,.0f} samples/s ({our_threads} threads), eager {UPDATES * BATCH / plain:,.0f} "
        f"({eager_threads} threads), {plain / fast:.2f} x"
    )
    row("mnist, batch 8 (1.3 x eager)", figures, plain >= 1.3 * fast)


def best(ways: list[tuple[Callable[[], float], int]]) -> tuple[Callable[[], float], int]:
    """The fastest, of three tries each, with its thread count."""
    tried = [min(way() for _ in range(3)) for way, _ in ways]
    return ways[tried.index(min(tried))]


class Eager:
    """As anyone would write it, without a loader."""

    def __init__(self, images: Images, threads: int) -> None:
        self.threads = threads
        torch.manual_seed(0)
        self.net = Net()
        self.optimiser = torch.optim.SGD(self.net.parameters(), lr=0.05)
        self.x, self.y = normalised(torch.as_tensor(images.train_x)), torch.as_tensor(images.train_y).long()
        self.order = torch.randperm(len(self.x))

    def __call__(self) -> float:
        torch.set_num_threads(self.threads)
        self._train(20)
        begin = time.perf_counter()
        self._train(UPDATES)
        return time.perf_counter() - begin

    def _train(self, updates: int) -> None:
        for begin in range(0, updates * BATCH, BATCH):
            chosen = self.order[begin : begin + BATCH]
            loss = F.cross_entropy(F.softmax(self.net(self.x[chosen]), 1), self.y[chosen])
            self.optimiser.zero_grad()
            loss.backward()
            self.optimiser.step()


class Ours:
    """The engine that `assay run mnist` chooses."""

    def __init__(self, images: Images, threads: int) -> None:
        settings = parse(mnist.Settings, [f"batch_size={BATCH}", "data=synthetic"])
        plan = mnist.make_plan(settings, images, World())
        library = mnist_native.build(needed=True)
        assert library is not None
        self.engine = mnist_native.Native(library, settings, images, plan, World(), threads)
        self.engine.warm_up(BATCH)
        self.engine.begin_epoch(0)

    def __call__(self) -> float:
        train = partial(self.engine.train, 0)
        train(20)
        begin = time.perf_counter()
        for first in range(0, UPDATES, 50):
            self.engine.train(first, first + 50)
        return time.perf_counter() - begin


if __name__ == "__main__":
    sys.exit(main())
