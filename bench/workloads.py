"""The training workloads on a CPU, beside plain PyTorch eager of the same model. Run by `make bench`.

Both sides have their data in memory and no loader, make the same weight updates (batch 8, SGD at 0.05, dropout), and
use the thread count that suits them best, tried out first. Ten rounds in turn; the medians are compared.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from functools import partial

import torch
from table import interleaved, row
from torch.nn import functional as F

from assay.workloads import mnist, mnist_native
from assay.workloads.data.mnist import Images, made_up
from assay.workloads.mnist_engines import Net, normalised
from assay.workloads.parallel import World
from assay.workloads.plan import cores
from assay.workloads.settings import parse

ROUNDS, UPDATES, BATCH = 10, 400, 8


def main() -> int:
    for bench in (mnist_training,):
        if not sys.argv[1:] or bench.__name__ in sys.argv[1:]:
            bench()
    return 0


def mnist_training() -> None:
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
