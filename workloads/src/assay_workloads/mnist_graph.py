"""The engine `graph`: a host step of the MNIST CNN as one CUDA graph, with nothing left for the host to do in it.

At batch 8 a GPU finishes each operation long before Python can ask for the next. So images, labels and the order of the
epoch lie on the device, a cursor there says how far it is, and one replay gathers the images of all its weight updates,
draws their dropout, and makes the updates one after the other. Losses stay on the device until someone asks.
Forward and backward are fused by torch.compile where it works; each update is the plain SGD of the others.

`body` is what a graph holds. On a machine without a GPU it runs as it stands, which is how it is tested. Kernels
written by hand would take the place of `_update`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch

from assay_workloads.eager import order_of
from assay_workloads.failure import is_out_of_memory, say
from assay_workloads.mnist_net import Net, loss_of, normalised

if TYPE_CHECKING:
    from assay_workloads.data.mnist import Images
    from assay_workloads.mnist_settings import Settings
    from assay_workloads.plan import Plan


class Graph:
    """One graph for each number of updates that is asked for: nearly always one."""

    name, cached = "graph", None

    def __init__(self, settings: Settings, images: Images, plan: Plan) -> None:
        self.settings, self.plan = settings, plan
        self.device = torch.device(settings.device)
        torch.manual_seed(settings.seed)
        self.net = Net().to(self.device)
        self.weights: list[torch.Tensor] = list(self.net.parameters())
        torch.manual_seed(settings.seed * 7919 + 1)
        if self.device.type == "cuda":
            torch.backends.cudnn.benchmark = True
        self.train_x, self.train_y = self._to_device(images.train_x), self._to_device(images.train_y).long()
        self.test_x, self.test_y = self._to_device(images.test_x), self._to_device(images.test_y).long()
        self.order = torch.zeros(len(self.train_x), dtype=torch.int64, device=self.device)
        self.cursor = torch.zeros((), dtype=torch.int64, device=self.device)  # updates of this epoch that are done
        self.history = torch.zeros(plan.epoch, device=self.device)  # losses of this epoch
        self.graphs: dict[int, Any] = {}
        self.done = -1  # the update that the cursor stands at
        self.loss: Callable[..., torch.Tensor] = self._loss

    def warm_up(self, batch: int) -> None:
        """Choose algorithms, compile, and capture; the weights come out as they went in."""
        if self.settings.compile != "off":
            self._compile(batch)
        before, random = [weight.detach().clone() for weight in self.weights], self._random()
        self._on_a_side_stream(lambda: self.body(3, batch))
        if batch == self.plan.batch:
            self._graph(min(self.plan.at_once, self.plan.total))
        with torch.no_grad():
            for weight, value in zip(self.weights, before, strict=True):
                weight.copy_(value)
        self.cursor.zero_()
        self._set_random(random)

    def begin_epoch(self, epoch: int) -> None:
        self.order.copy_(order_of(self.settings.seed, epoch, len(self.order)))

    def train(self, first: int, last: int) -> None:
        graph = self._graph(last - first)
        if first % self.plan.epoch == 0 or self.done != first:
            self.cursor.fill_(first % self.plan.epoch)
        graph.replay()
        self.done = last

    def losses(self, first: int, last: int) -> Sequence[float]:
        begin = first % self.plan.epoch
        found: list[float] = self.history[begin : begin + last - first].tolist()
        return found

    @torch.no_grad()
    def evaluate(self) -> float:
        size, right = self.settings.test_batch_size, torch.zeros((), dtype=torch.int64, device=self.device)
        for begin in range(0, len(self.test_x), size):
            logits = self.net(normalised(self.test_x[begin : begin + size]), torch.ones((), device=self.device))
            right += (logits.argmax(1) == self.test_y[begin : begin + size]).sum()
        return right.item() / len(self.test_y)

    def parameters(self) -> Sequence[torch.Tensor]:
        return self.weights

    def state(self) -> Mapping[str, torch.Tensor]:
        model = {f"model.{name}": tensor for name, tensor in self.net.state_dict().items()}
        return {**model, "random": self._random()}

    def load(self, tensors: Mapping[str, torch.Tensor]) -> None:
        self.net.load_state_dict({name: tensors[f"model.{name}"] for name in self.net.state_dict()})
        self._set_random(tensors["random"])

    def body(self, updates: int, batch: int) -> None:
        """What one graph holds: `updates` weight updates from where the cursor stands."""
        count = updates * batch
        at = self.cursor * batch + torch.arange(count, device=self.device)
        chosen = self.order[at % len(self.order)]
        x, y = normalised(self.train_x[chosen]), self.train_y[chosen]
        keep = (torch.rand(count, 128, device=self.device) < 0.5).float() * 2
        losses = []
        for begin in range(0, count, batch):
            part = slice(begin, begin + batch)
            losses.append(self._update(x[part], y[part], keep[part]))
        places = (self.cursor + torch.arange(updates, device=self.device)) % len(self.history)
        self.history.index_copy_(0, places, torch.stack(losses))
        self.cursor += updates

    def _update(self, x: torch.Tensor, y: torch.Tensor, keep: torch.Tensor) -> torch.Tensor:
        """One step of SGD; its loss."""
        loss = self.loss(x, y, keep)
        gradients = torch.autograd.grad(loss, self.weights)
        with torch.no_grad():
            torch._foreach_add_(self.weights, gradients, alpha=-self.settings.lr)
        return loss.detach()

    def _loss(self, x: torch.Tensor, y: torch.Tensor, keep: torch.Tensor) -> torch.Tensor:
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.settings.precision == "bf16"):
            logits = self.net(x, keep)
        return loss_of(logits, y, self.settings.double_softmax)

    def _compile(self, batch: int) -> None:
        """Fuse what lies between convolutions; where that fails the graph is made of plain operations."""
        try:
            compiled = torch.compile(self._loss, dynamic=False)
            inputs = (
                torch.zeros(batch, 1, 28, 28, device=self.device),
                torch.zeros(batch, dtype=torch.int64, device=self.device),
                torch.ones(batch, 128, device=self.device),
            )
            self._on_a_side_stream(lambda: torch.autograd.grad(compiled(*inputs), self.weights))
            self.loss = compiled
        except Exception as problem:  # whatever a compiler can fail of, the training needs it not
            if is_out_of_memory(problem) or self.settings.compile == "on":
                raise
            say(f"torch.compile does not work here ({type(problem).__name__}): plain operations are used")
            self.loss = self._loss

    def _graph(self, updates: int) -> Any:
        if updates not in self.graphs:
            self.graphs[updates] = self._capture(updates)
        return self.graphs[updates]

    def _capture(self, updates: int) -> Any:
        if self.device.type != "cuda":
            return _Replay(lambda: self.body(updates, self.plan.batch))
        graph = torch.cuda.CUDAGraph()
        before = self.cursor.clone()
        with torch.cuda.graph(graph):
            self.body(updates, self.plan.batch)
        self.cursor.copy_(before)
        return graph

    def _on_a_side_stream(self, work: Callable[[], object]) -> None:
        """As graphs want what comes before a capture."""
        if self.device.type != "cuda":
            work()
            return
        stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            work()
        torch.cuda.current_stream().wait_stream(stream)

    def _random(self) -> torch.Tensor:
        return torch.cuda.get_rng_state() if self.device.type == "cuda" else torch.get_rng_state()

    def _set_random(self, state: torch.Tensor) -> None:
        set_state = torch.cuda.set_rng_state if self.device.type == "cuda" else torch.set_rng_state
        set_state(state)

    def _to_device(self, array: object) -> torch.Tensor:
        return torch.as_tensor(array).to(self.device)


class _Replay:
    """A graph's stand-in where there are none."""

    def __init__(self, work: Callable[[], None]) -> None:
        self.replay = work
