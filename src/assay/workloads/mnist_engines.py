"""Three ways to make weight updates of the MNIST CNN. They differ in speed and rounding, not in what they compute.

| engine | where | how |
|---|---|---|
| `eager` | anywhere | plain PyTorch, one operation after the other: what the others are measured against |
| `native` | CPU | `mnist_step.cpp`, compiled on first use; a host step is one call |
| `graph` | CUDA | a whole host step (gather, dropout, forward, backward, update, 50 times) is one CUDA graph |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import torch
from torch import nn
from torch.nn import functional as F

from assay.workloads.failure import Failure, say

if TYPE_CHECKING:
    from assay.workloads.data.mnist import Images
    from assay.workloads.loop import Engine, Plan
    from assay.workloads.mnist import Settings
    from assay.workloads.parallel import World

MEAN, STD = 0.1307, 0.3081


class Net(nn.Module):
    """Logits of the tutorial's CNN; the softmax it ends in is part of the loss here, where it can be left out."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 32, 3), nn.Conv2d(32, 64, 3)
        self.hidden, self.last = nn.Linear(1600, 128), nn.Linear(128, 10)

    def forward(self, x: torch.Tensor, keep: torch.Tensor | None = None) -> torch.Tensor:
        """`keep` is a dropout drawn beforehand: 0 or 2 for each hidden unit."""
        x = F.relu(F.max_pool2d(self.conv1(x), 2))
        x = F.relu(F.max_pool2d(self.conv2(x), 2))
        x = F.relu(self.hidden(x.flatten(1)))
        x = F.dropout(x, 0.5, self.training) if keep is None else x * keep
        out: torch.Tensor = self.last(x)
        return out


def loss_of(logits: torch.Tensor, labels: torch.Tensor, double_softmax: bool) -> torch.Tensor:
    logits = logits.float()
    return F.cross_entropy(F.softmax(logits, 1) if double_softmax else logits, labels)


def choose(settings: Settings, images: Images, plan: Plan, world: World, threads: int) -> Engine:
    """The fastest that these settings and this machine allow."""
    if settings.device == "cuda":
        if not torch.cuda.is_available():
            raise Failure("no-device", "no CUDA GPU is to be seen here", "choose device=cpu, or see `nvidia-smi`")
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = settings.precision == "tf32"
        if settings.compile != "off" and world.size == 1:
            from assay.workloads.mnist_graph import Graph

            return Graph(settings, images, plan)
        return Eager(settings, images, plan, world)
    torch.set_num_threads(threads)
    if settings.compile != "off" and settings.precision == "fp32":
        from assay.workloads.mnist_native import Native, build

        library = build(needed=settings.compile == "on")
        if library is not None:
            return Native(library, settings, images, plan, world, threads)
        say("no C++ compiler that works: plain PyTorch is used, several times slower")
    elif settings.compile == "on":
        raise Failure("impossible-request", "the compiled step computes in fp32 alone", "choose compile=off")
    return Eager(settings, images, plan, world)


def order_of(seed: int, epoch: int, count: int) -> torch.Tensor:
    """The order of an epoch: the same on every device and in every process, known from its number alone."""
    return torch.randperm(count, generator=torch.Generator().manual_seed(seed * 1_000_003 + epoch))


class Eager:
    """Plain PyTorch with the tensors in memory and no loader."""

    name, cached = "eager", None

    def __init__(self, settings: Settings, images: Images, plan: Plan, world: World) -> None:
        self.settings, self.plan, self.world = settings, plan, world
        self.device = torch.device(settings.device)
        torch.manual_seed(settings.seed)
        self.net = Net().to(self.device)
        self.model = world.wrap(self.net)
        torch.manual_seed(settings.seed * 7919 + world.rank + 1)  # each replica drops out units of its own
        self.optimiser = torch.optim.SGD(self.net.parameters(), lr=settings.lr)
        self.train_x, self.train_y = self._normalised(images.train_x), self._labels(images.train_y)
        self.test_x, self.test_y = self._normalised(images.test_x), self._labels(images.test_y)
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

    @torch.no_grad()
    def evaluate(self) -> float:
        self.net.eval()
        right = torch.zeros((), dtype=torch.int64, device=self.device)
        size = self.settings.test_batch_size
        for begin in range(0, len(self.test_x), size):
            logits = self.net(self.test_x[begin : begin + size])
            right += (logits.argmax(1) == self.test_y[begin : begin + size]).sum()
        self.net.train()
        return right.item() / len(self.test_y)

    def parameters(self) -> Sequence[torch.Tensor]:
        return list(self.net.parameters())

    def state(self) -> Mapping[str, torch.Tensor]:
        random = {"random": torch.get_rng_state()}
        if self.device.type == "cuda":
            random["random_cuda"] = torch.cuda.get_rng_state()
        return {**{f"model.{name}": tensor for name, tensor in self.net.state_dict().items()}, **random}

    def load(self, tensors: Mapping[str, torch.Tensor]) -> None:
        self.net.load_state_dict({name: tensors[f"model.{name}"] for name in self.net.state_dict()})
        if self.world.rank == 0:
            torch.set_rng_state(tensors["random"])
            if "random_cuda" in tensors:
                torch.cuda.set_rng_state(tensors["random_cuda"])

    def _loss(self, chosen: torch.Tensor, model: nn.Module) -> torch.Tensor:
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.settings.precision == "bf16"):
            logits = model(self.train_x[chosen])
        return loss_of(logits, self.train_y[chosen], self.settings.double_softmax)

    def _normalised(self, images: object) -> torch.Tensor:
        x = torch.as_tensor(images).to(self.device).unsqueeze(1)
        return ((x / 255) - MEAN) / STD

    def _labels(self, labels: object) -> torch.Tensor:
        return torch.as_tensor(labels).to(self.device, torch.int64)
