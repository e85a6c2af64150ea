"""Weight updates of BERT's pretraining, for the loop that all workloads share.

Everything random of an update (its batch, its dropout) follows from the seed and the update's number, so that a
resumed run needs no state of a generator. The losses of parts and processes are weighted by what they hold, so that
cutting a batch changes the rounding and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

import assay
from assay_workloads import bert_step
from assay_workloads.bert import NO_LABEL, BertConfig, BertForPretraining
from assay_workloads.bert_pretrain_settings import Settings, warmup_steps
from assay_workloads.kernels.check8 import refuse_wrong_gradients
from assay_workloads.pretraining_data import Batch, Pairs, Random, random_numbers

if TYPE_CHECKING:
    from assay_workloads.parallel import World
    from assay_workloads.plan import Plan

BETAS, EPS = (0.9, 0.999), 1e-6
_HELD_BACK_ROWS = 256
#: sequences on which 8-bit layers are tried first
_TRIED_ROWS = 128
_EVALUATION = 2  # a stream of random numbers that training does not use


class Engine:
    """One model, its optimiser and the text it reads."""

    cached = None

    def __init__(
        self, settings: Settings, config: BertConfig, plan: Plan, data: Pairs | Random, held_back: Pairs | None,
        world: World,
    ) -> None:  # fmt: skip
        self.settings, self.config, self.plan, self.world = settings, config, plan, world
        self.data, self.held_back = data, held_back
        self.device = torch.device(settings.device, world.local_rank if settings.device == "cuda" else 0)
        tf32 = settings.precision == "tf32"
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = tf32
        torch.manual_seed(settings.seed)
        with self.device:  # a GPU draws the weights of `large` in no time
            self.model = BertForPretraining(config)
        if settings.precision == "fp8":
            bert_step.refuse_without_fp8(self.device)
        kernels = bert_step.choose(
            settings.kernels, device=settings.device, precision=settings.precision, length=settings.seq_len
        )
        compiled = settings.compile == "on" or (settings.compile == "auto" and settings.device == "cuda")
        self.name = kernels + ("-compiled" if compiled and kernels in ("torch", "hash") else "")
        self.step = bert_step.Step(self.model, kernels, precision=settings.precision, compiled=compiled)
        if self.step.eight is not None:
            rows = min(plan.batch // settings.accumulate, _TRIED_ROWS)
            refuse_wrong_gradients(config, self.step.eight.kernels, self.device, batch=rows, length=settings.seq_len)
        self.wrapped = world.wrap(self.step)
        self.optimiser = optimiser(self.model, lr=settings.lr, weight_decay=settings.weight_decay)
        self.history: dict[int, Tensor] = {}
        self._ahead: tuple[int, Batch] | None = None

    def warm_up(self, batch: int) -> None:
        """Losses and gradients of the first batch, then forgotten, scales of 8-bit numbers included."""
        self.model.train()
        scales = self.step.eight and self.step.eight.scales
        before = {name: tensor.clone() for name, tensor in scales.state().items()} if scales else {}
        part = self.data.batch(0, self.plan.global_batch).rows(0, max(1, batch // self.settings.accumulate))
        words, sentences = self.step(self._tensors(part), self._keys(0, 0))
        torch.autograd.grad(words + sentences, list(self.model.parameters()), allow_unused=True)
        if scales:
            scales.load(before)
        if self.settings.device == "cuda":
            torch.cuda.synchronize()

    def begin_epoch(self, epoch: int) -> None: ...

    def train(self, first: int, last: int) -> None:
        self.model.train()
        for number in range(first, last):
            self.history[number] = self._update(number)
            if self.device.type == "cuda" and number + 1 < self.plan.total:  # while the device is busy with this one
                self._ahead = (number + 1, self.data.batch(number + 1, self.plan.global_batch))

    def losses(self, first: int, last: int) -> Sequence[float]:
        """Those of the hidden words; that of the next sentence is reported separately."""
        own = torch.stack([self.history.pop(number) for number in range(first, last)])
        words, sentences = self.world.mean(own).t().tolist()
        if self.world.first:
            assay.log(step=last, next_sentence_loss=sum(sentences) / len(sentences))
        found: list[float] = words
        return found

    def evaluate(self) -> float:
        assert self.held_back is not None, "the plan says whether there is something to test on"
        return accuracy_of(self.model, self.held_back, self.settings.seed, self._tensors)

    def parameters(self) -> Sequence[Tensor]:
        return list(self.model.parameters())

    def state(self) -> Mapping[str, Tensor]:
        """Parameters, and both moments of AdamW under the parameter's name. Its steps are ours."""
        found: dict[str, Tensor] = {f"model.{name}": parameter for name, parameter in self.model.named_parameters()}
        for name, parameter in self.model.named_parameters():
            for moment in ("exp_avg", "exp_avg_sq", "step"):
                if parameter in self.optimiser.state:
                    found[f"{moment}.{name}"] = self.optimiser.state[parameter][moment]
        if self.step.eight is not None:
            found.update({f"scales.{name}": tensor for name, tensor in self.step.eight.scales.state().items()})
        return found

    def load(self, tensors: Mapping[str, Tensor]) -> None:
        with torch.no_grad():
            for name, parameter in self.model.named_parameters():
                parameter.copy_(tensors[f"model.{name}"])
                if f"step.{name}" not in tensors:
                    continue
                moments = {key: tensors[f"{key}.{name}"] for key in ("exp_avg", "exp_avg_sq", "step")}
                self.optimiser.state[parameter] = {key: value.to(parameter.device) for key, value in moments.items()}
        if self.step.eight is not None:
            scales = self.step.eight.scales
            scales.load({name: tensors[f"scales.{name}"] for name in scales.state()})

    def _update(self, number: int) -> Tensor:
        settings, whole = self.settings, self._batch(number)
        for group in self.optimiser.param_groups:
            group["lr"] = learning_rate(settings.lr, number, self.plan.total, settings.warmup)
        own = whole.rows(self.world.rank * self.plan.batch, (self.world.rank + 1) * self.plan.batch)
        rows = self.plan.batch // settings.accumulate
        hidden = max(1, int((whole.labels != NO_LABEL).sum()))
        total = torch.zeros(2, device=self.device)
        for part_number in range(settings.accumulate):
            part = own.rows(part_number * rows, (part_number + 1) * rows)
            with self._no_exchange() if part_number + 1 < settings.accumulate else nullcontext():
                losses = self._losses(part, number, part_number, hidden)
                losses.sum().backward()  # type: ignore[no-untyped-call]
            total += losses.detach()
        if settings.clip:
            nn.utils.clip_grad_norm_(self.model.parameters(), settings.clip, foreach=True)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        return total

    def _batch(self, number: int) -> Batch:
        """The whole batch of an update, made ahead where it could be."""
        (made, batch), self._ahead = self._ahead or (None, None), None
        return batch if made == number and batch is not None else self.data.batch(number, self.plan.global_batch)

    def _losses(self, part: Batch, number: int, part_number: int, hidden: int) -> Tensor:
        """This part's share of both losses of the whole batch, times the processes over which it will be averaged."""
        words, sentences = self.wrapped(self._tensors(part), self._keys(number, part_number))
        words_share = int((part.labels != NO_LABEL).sum()) / hidden * self.world.size
        rows_share = len(part.ids) / self.plan.global_batch * self.world.size
        return torch.stack((words * words_share, sentences * rows_share))

    def _keys(self, number: int, part_number: int) -> Tensor:
        """Dropout of this part: keys for the kernels, a seed for PyTorch's own."""
        stream = self.world.rank * self.settings.accumulate + part_number
        return self._there(seed_dropout(self.config, self.settings.seed, number, stream))

    def _tensors(self, part: Batch) -> bert_step.Tensors:
        found = [None if array is None else self._there(torch.from_numpy(array)) for array in part.arrays()]
        return tuple(found)  # type: ignore[return-value]

    def _there(self, tensor: Tensor) -> Tensor:
        if self.device.type != "cuda":
            return tensor
        return tensor.pin_memory().to(self.device, non_blocking=True)

    def _no_exchange(self) -> AbstractContextManager[Any]:
        """Gradients of a part stay here until those of the last are there too."""
        no_sync = getattr(self.wrapped, "no_sync", nullcontext)
        context: AbstractContextManager[Any] = no_sync()
        return context


def accuracy_of(model: BertForPretraining, held_back: Pairs, seed: int, there: Callable[[Batch], Any]) -> float:
    """The share of hidden words that are guessed right in text that is not trained on."""
    model.eval()
    rows = min(_HELD_BACK_ROWS, len(held_back.corpus))
    dice = random_numbers(seed, _EVALUATION, 0)
    batch = held_back.make(dice.permutation(len(held_back.corpus))[:rows], dice)
    right = hidden = 0
    for begin in range(0, rows, 32):
        ids, types, lengths, positions, labels, _ = there(batch.rows(begin, begin + 32))
        with torch.no_grad():
            x = model.bert.encode(ids, types, lengths)
            guess = model.word_logits(x, positions).argmax(1).view_as(labels)
        right += int((guess == labels).sum())
        hidden += int((labels != NO_LABEL).sum())
    model.train()
    return right / max(1, hidden)


def seed_dropout(config: BertConfig, seed: int, number: int, stream: int = 0) -> Tensor:
    """Keys for the kernels' dropout of an update, whose first is the seed of PyTorch's own."""
    keys = bert_step.keys_for(config, seed=seed, step=number, stream=stream)
    torch.manual_seed(int(keys[0, 0]) & 0x7FFFFFFF)
    return keys


def groups(model: nn.Module, weight_decay: float) -> list[dict[str, Any]]:
    """Parameters for an optimiser: biases and norms are not pulled to zero."""
    matrices = [parameter for parameter in model.parameters() if parameter.ndim > 1]
    others = [parameter for parameter in model.parameters() if parameter.ndim == 1]
    return [{"params": matrices, "weight_decay": weight_decay}, {"params": others, "weight_decay": 0.0}]


def optimiser(model: nn.Module, *, lr: float, weight_decay: float) -> torch.optim.AdamW:
    """AdamW in one kernel."""
    return torch.optim.AdamW(groups(model, weight_decay), lr=lr, betas=BETAS, eps=EPS, fused=True)


def learning_rate(highest: float, number: int, total: int, warmup: float) -> float:
    """Up in a line, then down in a line to zero after the last update."""
    rise = warmup_steps(warmup, total)
    if number < rise:
        return highest * (number + 1) / rise
    return highest * (total - number) / max(1, total - rise)
