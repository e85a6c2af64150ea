"""Weight updates of the sentence classifier: AdamW, a tenth of the steps up to its rate, the rest down to 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F
from torch import Tensor

from assay_workloads.engines.classifier import Classifier
from assay_workloads.sentences import order, padded

if TYPE_CHECKING:
    from assay_workloads.bert_classify_settings import Settings
    from assay_workloads.parallel import World

Labelled = Sequence[tuple[Sequence[int], int]]
_WARM_UP_SHARE, _MAX_NORM, _TEST_BATCH = 0.1, 1.0, 64


class Trainer:
    """The engine of the training loop."""

    name = "torch"
    cached: bool | None = None

    def __init__(
        self, model: Classifier, train: Labelled, test: Labelled, settings: Settings, world: World, total: int
    ) -> None:
        self.model, self.train_set, self.settings, self.world, self.total = model, train, settings, world, total
        self.test_set = sorted(test, key=lambda row: len(row[0]))
        self.device = next(model.parameters()).device.type
        _, self.global_batch = world.batch(settings.batch_size, settings.scaling)
        self.replica = world.wrap(model)
        self.step = torch.compile(self.replica, dynamic=True) if settings.compile == "on" else self.replica
        self.optimiser = torch.optim.AdamW(
            model.parameters(), lr=settings.lr, weight_decay=settings.weight_decay, fused=True
        )
        self.lengths = [len(sentence) for sentence, _ in train]
        self.batches: list[list[int]] = []
        self.loss: dict[int, Tensor] = {}
        self.warm = False

    def warm_up(self, batch: int) -> None:
        """Forward and backward of the longest batch there can be; gradients and random numbers are as before."""
        longest = [list(range(max(self.lengths)))] * batch
        devices = [torch.cuda.current_device()] if self.device == "cuda" else []
        with torch.random.fork_rng(devices=devices):
            self._loss([(row, 0) for row in longest]).backward()  # type: ignore[no-untyped-call]
        self.optimiser.zero_grad()
        self.warm = True

    def begin_epoch(self, epoch: int) -> None:
        self.model.train()
        self.batches = order(self.lengths, batch_size=self.global_batch, seed=self.settings.seed, epoch=epoch)

    def train(self, first: int, last: int) -> None:
        for step in range(first, last):
            self.world.draw(self.settings.seed, step)
            batch = self.batches[step % len(self.batches)][self.world.rank :: self.world.size]
            loss = self._loss([self.train_set[index] for index in batch])
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), _MAX_NORM)
            for group in self.optimiser.param_groups:
                group["lr"] = self.settings.lr * rate(step + 1, self.total)
            self.optimiser.step()
            self.optimiser.zero_grad()
            self.loss[step] = loss.detach()

    def losses(self, first: int, last: int) -> Sequence[float]:
        found = self.world.mean(torch.stack([self.loss.pop(step) for step in range(first, last)]))
        return [float(loss) for loss in found.tolist()]

    def evaluate(self) -> float:
        """On the test sentences, several at a time, with the weights as they are."""
        self.model.eval()
        right = 0
        with torch.inference_mode():
            for begin in range(0, len(self.test_set), _TEST_BATCH):
                rows = self.test_set[begin : begin + _TEST_BATCH]
                guesses = self.model(*padded([ids for ids, _ in rows], self.device)).argmax(1).tolist()
                right += sum(guess == label for guess, (_, label) in zip(guesses, rows, strict=True))
        self.model.train()
        return right / len(self.test_set)

    def parameters(self) -> Sequence[Tensor]:
        return list(self.model.parameters())

    def state(self) -> Mapping[str, Tensor]:
        found = {f"model.{name}": value for name, value in self.model.state_dict().items()}
        for name, parameter in self.model.named_parameters():
            for key, value in self.optimiser.state[parameter].items():
                found[f"adam.{key}.{name}"] = value
        found["random.cpu"] = torch.get_rng_state()
        if self.device == "cuda":
            found["random.cuda"] = torch.cuda.get_rng_state()
        return found

    def load(self, tensors: Mapping[str, Tensor]) -> None:
        own = {name.removeprefix("model."): value for name, value in tensors.items() if name.startswith("model.")}
        self.model.load_state_dict(own)
        for name, parameter in self.model.named_parameters():
            kept: dict[str, Any] = {}
            for key in ("step", "exp_avg", "exp_avg_sq"):
                kept[key] = tensors[f"adam.{key}.{name}"].to(self.device)
            self.optimiser.state[parameter] = kept
        torch.set_rng_state(tensors["random.cpu"])
        if self.device == "cuda":
            torch.cuda.set_rng_state(tensors["random.cuda"])

    def _loss(self, rows: Labelled) -> Tensor:
        ids, lengths = padded([ids for ids, _ in rows], self.device)
        labels = torch.tensor([label for _, label in rows], device=self.device)
        half = torch.autocast(self.device, torch.bfloat16) if self.settings.precision == "bf16" else nullcontext()
        with half:
            logits = self.step(ids, lengths)
        return F.cross_entropy(logits.float(), labels)


def rate(step: int, total: int) -> float:
    """Share of the learning rate at update `step` of 1 … total."""
    up = max(1, round(_WARM_UP_SHARE * total))
    return step / up if step < up else max(0.0, (total - step + 1) / (total - up + 1))
