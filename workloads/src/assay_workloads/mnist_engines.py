"""Four ways to make weight updates of the MNIST CNN. They differ in speed and rounding, not in what they compute.

| engine | where | how |
|---|---|---|
| `eager` | anywhere | plain PyTorch, one operation after the other: what the others are measured against |
| `native` | CPU | `mnist_step.cpp`, compiled on first use; a host step is one call |
| `cluster` | CUDA, batch 8 | `cuda/mnist.cu`, compiled on first use; a host step is one kernel, in fp32 |
| `graph` | CUDA | a whole host step (gather, dropout, forward, backward, update, 50 times) is one CUDA graph |
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import torch

from assay_workloads.building import CannotBuild
from assay_workloads.eager import Eager
from assay_workloads.failure import Failure, say
from assay_workloads.mnist_net import Net, loss_of, normalised

if TYPE_CHECKING:
    from assay_workloads.data.mnist import Images
    from assay_workloads.loop import Engine
    from assay_workloads.mnist_settings import Settings
    from assay_workloads.parallel import World
    from assay_workloads.plan import Plan


def choose(settings: Settings, images: Images, plan: Plan, world: World, threads: int) -> tuple[Settings, Engine]:
    """The fastest engine that these settings and this machine allow, and the settings with their precision decided."""
    if settings.device == "cuda":
        return _on_a_gpu(settings, images, plan, world)
    settings = replace(settings, precision="fp32" if settings.precision == "auto" else settings.precision)
    torch.set_num_threads(threads)
    if settings.compile != "off" and settings.precision == "fp32":
        from assay_workloads.mnist_native import Native, build

        library = build(needed=settings.compile == "on")
        if library is not None:
            return settings, Native(library, settings, images, plan, world, threads)
        say("no C++ compiler that works: plain PyTorch is used, several times slower")
    elif settings.compile == "on":
        raise Failure("impossible-request", "the compiled step supports only fp32", "choose compile=off")
    return settings, plain(settings, images, plan, world)


def _on_a_gpu(settings: Settings, images: Images, plan: Plan, world: World) -> tuple[Settings, Engine]:
    """One kernel in fp32 where it can be had, else a graph, which is fast in tf32 alone."""
    fast = settings.compile != "off" and world.size == 1
    if fast and settings.precision in ("auto", "fp32"):
        from assay_workloads.mnist_cluster import Cluster, load

        try:
            library = load(plan.batch)
        except CannotBuild as reason:
            say(f"the kernel of a whole host step is not used: {reason}")
        else:
            settings = replace(settings, precision="fp32")
            return settings, Cluster(library, settings, images, plan)
    settings = replace(settings, precision="tf32" if settings.precision == "auto" else settings.precision)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = settings.precision == "tf32"
    if not fast:
        return settings, plain(settings, images, plan, world)
    from assay_workloads.mnist_graph import Graph

    return settings, Graph(settings, images, plan)


def plain(settings: Settings, images: Images, plan: Plan, world: World) -> Eager:
    """Plain PyTorch with normalised tensors in memory and no loader."""
    torch.manual_seed(settings.seed)
    return Eager(
        settings=settings,
        plan=plan,
        world=world,
        net=Net(),
        loss=lambda logits, labels: loss_of(logits, labels, settings.double_softmax),
        train=(normalised(torch.as_tensor(images.train_x)), torch.as_tensor(images.train_y)),
        test=(normalised(torch.as_tensor(images.test_x)), torch.as_tensor(images.test_y)),
        test_batch=settings.test_batch_size,
    )
