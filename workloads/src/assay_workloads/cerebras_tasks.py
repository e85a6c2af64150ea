"""What the SDK is given: a network with its losses, optimiser and batches, as the workloads themselves have them.

The networks are imported from the workloads and changed in nothing. Their optimisers are not: the SDK takes only its
own, which keep every number of their state in tensors. They are set to the same arithmetic, but for one thing: the
SDK's AdamW adds epsilon before the correction of its bias, PyTorch after it, so the first losses of BERT fall slower.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy
import torch
from torch import Tensor, nn

import assay
from assay_workloads import bert_engine, bert_pretrain, mnist
from assay_workloads.bert import BertForPretraining
from assay_workloads.bert_pretrain_settings import warmup_steps
from assay_workloads.eager import accuracy_of, order_of
from assay_workloads.mnist_net import Net, loss_of, normalised
from assay_workloads.parallel import World
from assay_workloads.plan import Plan, first_of

if TYPE_CHECKING:
    from assay_workloads.pretraining_data import Batch

Tensors = tuple[Tensor, ...]


@dataclass(frozen=True, kw_only=True)
class Task:
    """One training step, as the SDK wants it: everything it touches is handed to it."""

    net: nn.Module
    batch: Callable[[int], Tensors]  # that of a weight update, by its number
    losses: Callable[[Any, Tensors], Tensors]  # of the compiled model on a batch; their sum is trained
    optimiser: Callable[[Any], Any]  # from the SDK's `optim`
    scheduler: Callable[[Any, Any], Any] | None = None  # from the SDK's `optim` and the optimiser
    clip: float = 0.0
    before: Callable[[int], object] = lambda number: None  # what an update needs to be the same on every engine
    tell: Callable[[int, list[list[float]]], None] = lambda step, rows: None
    accuracy: Callable[[], float] = lambda: 0.0


@dataclass(frozen=True, kw_only=True)
class Job:
    """A task, how long it is trained, and what is said of it."""

    task: Task
    plan: Plan
    about: Mapping[str, Any]


def load(workload: str, settings: Any, world: World) -> Job:
    """With the data that the workload would train on."""
    return _mnist(settings, world) if workload == "mnist" else _bert(settings, world)


def shapes(workload: str, settings: Any) -> Job:
    """With a batch of the right form and nothing in it: all that lowering looks at."""
    if workload == "mnist":
        x, y = torch.zeros(settings.batch_size, 1, 28, 28), torch.zeros(settings.batch_size, dtype=torch.int64)
        return Job(task=_mnist_task(settings, lambda number: (x, y)), plan=_ONE, about={"model": "mnist-cnn"})
    rows, length, words = settings.batch_size, settings.seq_len, settings.predictions
    whole = [(rows, length), (rows, length), (rows,), (rows, words), (rows, words), (rows,)]
    batch = tuple(torch.zeros(shape, dtype=torch.int64) for shape in whole)
    total = settings.max_steps or _SCHEDULED
    return Job(
        task=_bert_task(settings, lambda number: batch, total, padded=True),
        plan=_ONE,
        about={"model": f"bert-{settings.size}", "max_steps": total},
    )


#: updates for which the learning rate is planned where none are given; it is part of the step
_SCHEDULED = 1000
_ONE = Plan(batch=1, global_batch=1, epoch=1, total=1)


def _mnist(settings: Any, world: World) -> Job:
    from assay_workloads.data import mnist as data

    images = first_of(data.load(settings.data or None), settings.train_samples)
    plan = mnist.make_plan(settings, images, world)
    train_x, train_y = normalised(torch.as_tensor(images.train_x)), torch.as_tensor(images.train_y).long()
    test_x, test_y = normalised(torch.as_tensor(images.test_x)), torch.as_tensor(images.test_y).long()

    def batch(number: int) -> Tensors:
        epoch, place = divmod(number, plan.epoch)
        chosen = order_of(settings.seed, epoch, len(train_x))[place * plan.batch : (place + 1) * plan.batch]
        return train_x[chosen], train_y[chosen]

    task = _mnist_task(settings, batch, lambda net: accuracy_of(net, test_x, test_y, settings.test_batch_size))
    about = {
        "model": "mnist-cnn",
        "dataset": images.name,
        "data_source": images.source,
        "double_softmax": settings.double_softmax,
        "host_steps": -(-plan.total // settings.device_iterations),
    }
    return Job(task=task, plan=plan, about=about)


def _mnist_task(
    settings: Any, batch: Callable[[int], Tensors], accuracy: Callable[[nn.Module], float] = lambda net: 0.0
) -> Task:
    torch.manual_seed(settings.seed)
    net = Net()

    def before(number: int) -> None:
        if number == 0:  # dropout as the engine `eager` draws it: loaders have drawn numbers of their own by now
            torch.manual_seed(settings.seed * 7919 + 1)

    return Task(
        net=net,
        batch=batch,
        losses=lambda model, given: (loss_of(model(given[0]), given[1], settings.double_softmax),),
        optimiser=lambda optim: optim.SGD(net.parameters(), lr=settings.lr, momentum=0.0),
        before=before,
        accuracy=lambda: accuracy(net),
    )


def _bert(settings: Any, world: World) -> Job:
    source = bert_pretrain.load(settings)
    plan = bert_pretrain.make_plan(settings, source.train, world, evaluates=source.held_back is not None)

    def batch(number: int) -> Tensors:
        return _tensors(source.train.batch(number, plan.global_batch))

    padded = settings.data != "synthetic"
    task = _bert_task(settings, batch, plan.total, padded=padded, held_back=source.held_back)
    about = {
        "model": f"bert-{settings.size}",
        "dataset": source.name,
        "data_source": source.source,
        "sequences": source.sequences,
        "parameters": sum(parameter.numel() for parameter in task.net.parameters()),
        "warmup_steps": warmup_steps(settings.warmup, plan.total),
    }
    return Job(task=task, plan=plan, about=about)


def _bert_task(
    settings: Any, batch: Callable[[int], Tensors], total: int, *, padded: bool, held_back: Any = None
) -> Task:
    torch.manual_seed(settings.seed)
    config = bert_pretrain.config(settings)
    net = BertForPretraining(config)

    def losses(model: Any, given: Tensors) -> Tensors:
        ids, types, *rest = given
        lengths = rest.pop(0) if padded else None
        words, sentences = model(ids, types, lengths, *rest)
        return words, sentences

    def tell(step: int, rows: list[list[float]]) -> None:
        assay.log(step=step, next_sentence_loss=sum(row[1] for row in rows) / len(rows))

    return Task(
        net=net,
        batch=batch,
        losses=losses,
        optimiser=lambda optim: optim.AdamW(
            bert_engine.groups(net, settings.weight_decay), lr=settings.lr, betas=bert_engine.BETAS, eps=bert_engine.EPS
        ),
        scheduler=lambda optim, optimiser: _up_and_down(optim, optimiser, settings, total),
        clip=settings.clip,
        before=lambda number: bert_engine.seed_dropout(config, settings.seed, number),
        tell=tell,
        accuracy=lambda: bert_engine.accuracy_of(net, held_back, settings.seed, _tensors),
    )


def _up_and_down(optim: Any, optimiser: Any, settings: Any, total: int) -> Any:
    """`bert_engine.learning_rate` by the SDK's own schedulers: a wafer has no Python that could set it."""
    rise, highest = warmup_steps(settings.warmup, total), settings.lr
    linear = optim.lr_scheduler.LinearLR
    fall = linear(optimiser, initial_learning_rate=highest, end_learning_rate=0.0, total_iters=max(1, total - rise))
    if not rise:
        return fall
    up = linear(
        optimiser, initial_learning_rate=highest / rise, end_learning_rate=highest * (rise + 1) / rise, total_iters=rise
    )
    return optim.lr_scheduler.SequentialLR(optimiser, schedulers=[up, fall], milestones=[rise])


def _tensors(batch: Batch) -> Tensors:
    return tuple(torch.from_numpy(numpy.ascontiguousarray(one)) for one in batch.arrays() if one is not None)
