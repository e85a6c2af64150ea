"""The engine `eager`: plain PyTorch, one operation after the other, with the data in memory and no loader."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import torch
from torch import nn

if TYPE_CHECKING:
    from assay_workloads.parallel import World
    from assay_workloads.plan import Plan
    from assay_workloads.settings import Common

Pair = tuple[torch.Tensor, torch.Tensor]


def order_of(seed: int, epoch: int, count: int) -> torch.Tensor:
    """The order of an epoch: the same on every device and in every process, known from its number alone."""
    return torch.randperm(count, generator=torch.Generator().manual_seed(seed * 1_000_003 + epoch))


def _as_is(x: torch.Tensor) -> torch.Tensor:
    return x


@torch.no_grad()
def accuracy_of(
    net: nn.Module,
    x: torch.Tensor,
    y: torch.Tensor,
    batch: int,
    prepare: Callable[[torch.Tensor], torch.Tensor] = _as_is,
) -> float:
    """The share of images that are named right."""
    net.eval()
    right = torch.zeros((), dtype=torch.int64, device=x.device)
    for begin in range(0, len(x), batch):
        part = slice(begin, begin + batch)
        right += (net(prepare(x[part])).argmax(1) == y[part]).sum()
    net.train()
    return right.item() / len(y)


class Eager:
    """SGD on the mean loss of a batch, averaged over all processes."""

    cached = None

    def __init__(
        self,
        *,
        settings: Common,
        plan: Plan,
        world: World,
        net: nn.Module,
        loss: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
        train: Pair,
        test: Pair,
        test_batch: int,
        name: str = "eager",
        prepare: Callable[[torch.Tensor], torch.Tensor] = _as_is,
    ) -> None:
        self.name = name
        self.settings, self.plan, self.world, self.prepare, self.loss = settings, plan, world, prepare, loss
        self.device, self.test_batch = torch.device(settings.device), test_batch
        self.net = net.to(self.device)
        self.model = world.wrap(self.net)
        torch.manual_seed(settings.seed * 7919 + 1)
        self.optimiser = torch.optim.SGD(self.net.parameters(), lr=settings.lr)
        (self.train_x, self.train_y), (self.test_x, self.test_y) = self._here(train), self._here(test)
        self.history: dict[int, torch.Tensor] = {}

    def warm_up(self, batch: int) -> None:
        with torch.random.fork_rng():
            loss = self._loss(torch.zeros(batch, dtype=torch.int64, device=self.device), self.net)
            torch.autograd.grad(loss, list(self.net.parameters()))

    def begin_epoch(self, epoch: int) -> None:
        self.order = order_of(self.settings.seed, epoch, len(self.train_x)).to(self.device)

    def train(self, first: int, last: int) -> None:
        batch, whole = self.plan.batch, self.plan.global_batch
        for step in range(first, last):
            self.world.draw(self.settings.seed, step)
            begin = step % self.plan.epoch * whole + self.world.rank * batch
            loss = self._loss(self.order[begin : begin + batch], self.model)
            self.optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            self.optimiser.step()
            self.history[step] = loss.detach()

    def losses(self, first: int, last: int) -> Sequence[float]:
        own = torch.stack([self.history.pop(step) for step in range(first, last)])
        found: list[float] = self.world.mean(own).tolist()
        return found

    def evaluate(self) -> float:
        return accuracy_of(self.net, self.test_x, self.test_y, self.test_batch, self.prepare)

    def parameters(self) -> Sequence[torch.Tensor]:
        return list(self.net.parameters())

    def state(self) -> Mapping[str, torch.Tensor]:
        found = {f"model.{name}": tensor for name, tensor in self.net.state_dict().items()}
        found["random"] = torch.get_rng_state()
        if self.device.type == "cuda":
            found["random_cuda"] = torch.cuda.get_rng_state()
        return found

    def load(self, tensors: Mapping[str, torch.Tensor]) -> None:
        self.net.load_state_dict({name: tensors[f"model.{name}"] for name in self.net.state_dict()})
        torch.set_rng_state(tensors["random"])
        if "random_cuda" in tensors:
            torch.cuda.set_rng_state(tensors["random_cuda"])

    def _loss(self, chosen: torch.Tensor, model: nn.Module) -> torch.Tensor:
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.settings.precision == "bf16"):
            logits = model(self.prepare(self.train_x[chosen]))
        return self.loss(logits, self.train_y[chosen])

    def _here(self, pair: Pair) -> Pair:
        return pair[0].to(self.device), pair[1].to(self.device, torch.int64)
