"""The MLP of the CPU assignment: seven layers on house numbers, alone or data parallel.

    assay run svhn-mlp batch_size=64                            one process
    assay run svhn-mlp num_procs=2                              two, started here
    python -m assay_workloads.svhn_mlp -n 1 -np 2 -nr 0 --do_chkpt --batch_size 64
    torchrun --nproc-per-node 2 -m assay_workloads.svhn_mlp     two, started by torchrun

3072→1024→512→256→128→64→32→10 with ReLU, 3,846,442 parameters; SGD. SVHN (train and extra) where it can be had, else
MNIST brought to 3×32×32; the result names which. Besides the usual figures it says how many seconds of training it took
to reach 90 % on the images that were not trained on, and draws the model for TensorBoard.

In the assignment's script the model that DistributedDataParallel returned was dropped, so its workers never averaged a
gradient. Here replicas are compared bit by bit, and a difference is an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import assay
from assay_workloads import parallel
from assay_workloads.board import Node
from assay_workloads.failure import BadSetting
from assay_workloads.program import start
from assay_workloads.settings import Common, parse, setting

if TYPE_CHECKING:
    import torch

    from assay_workloads.data.mnist import Images
    from assay_workloads.eager import Eager
    from assay_workloads.plan import Plan

WIDTHS = (3072, 1024, 512, 256, 128, 64, 32, 10)
_FORWARD = 2 * sum(a * b for a, b in pairwise(WIDTHS))
#: forward, then twice as much backward, without the gradient of the images, which is not needed
FLOPS_PER_SAMPLE = 3 * _FORWARD - 2 * WIDTHS[0] * WIDTHS[1]


@dataclass(frozen=True, kw_only=True)
class Settings(Common):
    """The assignment's, with its own flags as other spellings."""

    precision: str = setting("fp32", "number format", choices=("fp32", "tf32", "bf16"))
    batch_size: int = setting(64, "samples per weight update", least=1, flags=("-b",))
    lr: float = setting(0.05, "learning rate", least=0.0)
    init: str = setting("pytorch", "initial weights: PyTorch's default, or He's for ReLU", choices=("pytorch", "he"))
    epochs: int = setting(5, "passes over the training data", least=0)
    num_nodes: int = setting(
        1, "number of nodes, if this program starts its processes itself", least=1, flags=("-n", "--nodes")
    )
    num_procs: int = setting(1, "processes per node", least=1, flags=("-np", "--procs"))
    node_rank: int = setting(0, "index of this node", least=0, flags=("-nr",), free=True)
    do_chkpt: bool = setting(False, "write a checkpoint at the end of each epoch", free=True)
    eval_every: int = setting(0, "weight updates between tests (0: at the end of each epoch)", least=0)
    target_accuracy: float = setting(0.9, "measure the time to this accuracy", least=0.0, most=1.0)
    train_samples: int = setting(0, "use only the first N training images (0: all)", least=0)
    check_replicas_every: int = setting(500, "weight updates between comparisons of replicas", least=1, free=True)

    def check(self) -> None:
        super().check()
        if self.do_chkpt and not self.folder:
            raise BadSetting("checkpoints need a folder", "give one: --out FOLDER")
        if self.node_rank >= self.num_nodes:
            raise BadSetting(f"there is no node {self.node_rank} of {self.num_nodes}", "nodes count from 0")
        if self.precision == "tf32" and self.device != "cuda":
            raise BadSetting("`precision=tf32` exists on a GPU alone", "choose fp32, or device=cuda")


def main(words: Sequence[str]) -> int:
    settings = parse(Settings, words)
    processes = settings.num_nodes * settings.num_procs
    if not parallel.is_announced():
        parallel.World(size=processes).batch(settings.batch_size, settings.scaling)  # refused once, not by each
    if processes > 1 and not parallel.is_announced():
        return parallel.spawn(
            "assay_workloads.svhn_mlp", words,
            nodes=settings.num_nodes, processes=settings.num_procs, node=settings.node_rank,
        )  # fmt: skip
    with parallel.join(settings.device) as world:
        # the actual number: torchrun and Slurm do not use our flags
        found = replace(
            settings, num_nodes=world.nodes, num_procs=world.per_node, node_rank=world.rank // world.per_node
        )
        return train(found, world)


def train(settings: Settings, world: parallel.World) -> int:
    """From the data to the result."""
    from assay_workloads.loop import Training, about
    from assay_workloads.plan import first_of, threads_of

    with assay.phase("load"):
        import torch

        from assay_workloads.data import svhn as data

        images = first_of(data.load(settings.data or None), settings.train_samples)
    plan = make_plan(settings, images, world)
    threads = threads_of(settings, world)
    torch.set_num_threads(threads)
    torch.backends.cuda.matmul.allow_tf32 = settings.precision == "tf32"
    engine = make_engine(settings, images, plan, world)
    told = about("svhn-mlp", images, engine, plan, world, threads)
    training = Training(engine, plan, settings, world, told)
    if training.reporter.board is not None:
        training.reporter.board.graph(graph(plan.batch))
    return training.run()


def make_plan(settings: Settings, images: Images, world: parallel.World) -> Plan:
    from assay_workloads.plan import Plan, updates, whole_batches

    batch, global_batch = world.batch(settings.batch_size, settings.scaling)
    epoch = whole_batches(len(images.train_x), global_batch, settings.batch_size)
    return Plan(
        batch=batch,
        global_batch=global_batch,
        epoch=epoch,
        total=updates(settings, epoch),
        check_replicas_every=settings.check_replicas_every,
        eval_every=settings.eval_every,
        checkpoint_every=settings.checkpoint_every or (epoch if settings.do_chkpt else 0),
        evaluates=images.name != "synthetic",
        target_accuracy=settings.target_accuracy if images.name != "synthetic" else None,
        flops_per_sample=FLOPS_PER_SAMPLE,
    )


def make_engine(settings: Settings, images: Images, plan: Plan, world: parallel.World) -> Eager:
    import torch
    from torch.nn import functional as F

    from assay_workloads.eager import Eager

    torch.manual_seed(settings.seed)
    net = network(settings.init)
    if settings.compile == "on":
        net.compile()
    return Eager(
        settings=settings,
        plan=plan,
        world=world,
        net=net,
        loss=lambda logits, labels: F.cross_entropy(logits.float(), labels),
        train=(torch.as_tensor(images.train_x), torch.as_tensor(images.train_y)),
        test=(torch.as_tensor(images.test_x), torch.as_tensor(images.test_y)),
        test_batch=1024,
        name="compiled" if settings.compile == "on" else "eager",
        prepare=lambda x: x.flatten(1) / 127.5 - 1,  # bytes until they are needed: as floats they would fill 7 GB
    )


def network(init: str = "pytorch") -> torch.nn.Sequential:
    """PyTorch's first weights let the signal fade from layer to layer: training begins with hundreds of updates that
    change little. He's keep its size through ReLU."""
    from torch import nn

    layers: list[nn.Module] = []
    for wide, narrow in pairwise(WIDTHS):
        linear = nn.Linear(wide, narrow)
        if init == "he":
            nn.init.kaiming_normal_(linear.weight, nonlinearity="relu")
            nn.init.zeros_(linear.bias)
        layers += [linear, nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def graph(batch: int) -> list[Node]:
    """The model as TensorBoard draws it: one box a layer, and inside it its weights and what is done with them."""
    nodes, before = [Node(name="images", op="Placeholder", shape=(batch, WIDTHS[0]))], "images"
    for index, (wide, narrow) in enumerate(pairwise(WIDTHS), 1):
        layer, shape = f"layer{index}", (batch, narrow)
        nodes += [
            Node(name=f"{layer}/weight", op="Variable", shape=(narrow, wide)),
            Node(name=f"{layer}/bias", op="Variable", shape=(narrow,)),
            Node(name=f"{layer}/linear", op="Linear", inputs=(before, f"{layer}/weight", f"{layer}/bias"), shape=shape),
        ]
        before = f"{layer}/linear"
        if narrow != WIDTHS[-1]:
            nodes.append(Node(name=f"{layer}/relu", op="Relu", inputs=(before,), shape=shape))
            before = f"{layer}/relu"
    labels = Node(name="labels", op="Placeholder", shape=(batch,))
    return [*nodes, labels, Node(name="loss", op="CrossEntropy", inputs=(before, "labels"))]


if __name__ == "__main__":
    start(main)
