"""How a training is cut: its weight updates, what one takes of the data, and the threads that it gets."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from assay_workloads.failure import BadSetting
from assay_workloads.parallel import World
from assay_workloads.settings import Common

if TYPE_CHECKING:
    from assay_workloads.data.mnist import Images


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How the training is cut."""

    batch: int  # ours, of one update
    global_batch: int  # of all processes together
    epoch: int  # updates of one pass over the data
    total: int
    parts: int = 1  # that `batch` is cut into and must be a multiple of
    at_once: int = 1  # updates that the engine makes in one go at most
    check_replicas_every: int = 500
    checkpoint_every: int = 0
    eval_every: int = 0  # updates between tests (0: at the end of each epoch)
    evaluates: bool = True  # not on made-up data
    target_accuracy: float | None = None  # the time to which is a result
    flops_per_sample: float | None = None
    named: Sequence[str] = ()  # of what is known beforehand, what the result repeats


def first_of(images: Images, count: int) -> Images:
    """Fewer training images, and a name that says so."""
    if not count or count >= len(images.train_x):
        return images
    name = images.name if images.name == "synthetic" else f"{images.name}, first {count}"
    return replace(images, train_x=images.train_x[:count], train_y=images.train_y[:count], name=name)


def whole_batches(count: int, global_batch: int, batch_size: int) -> int:
    """Weight updates of one pass; what does not fill a batch is left out of it."""
    if global_batch > count:
        hint = f"choose at most {batch_size * count // global_batch}"
        raise BadSetting(f"`batch_size={batch_size}` is more than the {count} samples", hint, "impossible-request")
    return count // global_batch


def updates(settings: Common, epoch: int) -> int:
    """Of the whole training: its epochs, unless `max_steps` ends it before."""
    return min(settings.epochs * epoch, settings.max_steps or settings.epochs * epoch)


def threads_of(settings: Common, world: World) -> int:
    """As many as asked for, else our share of this node's cores."""
    return settings.threads or max(1, cores() // world.per_node)


def cores() -> int:
    """Those that we may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
