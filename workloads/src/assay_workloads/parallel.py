"""Data parallel: the rank of this process, its part of a batch, and whether all replicas still agree.

A gradient that is never averaged looks like a speed-up. So the parameters of all replicas are compared bit by bit
every so often and at the end, and a difference is an error.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay_workloads.failure import BadSetting, Failure

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, kw_only=True)
class World:
    """This process among all of them."""

    rank: int = 0
    size: int = 1
    local_rank: int = 0
    nodes: int = 1

    @property
    def per_node(self) -> int:
        return -(-self.size // self.nodes)

    @property
    def first(self) -> bool:
        """The one that reports, and writes what is written once."""
        return self.rank == 0

    def batch(self, batch_size: int, scaling: str) -> tuple[int, int]:
        """Samples of one weight update: ours, and of all processes together."""
        if scaling == "weak":
            return batch_size, batch_size * self.size
        if batch_size % self.size:
            raise BadSetting(
                f"`batch_size={batch_size}` cannot be split over {self.size} processes",
                f"choose a multiple of {self.size}, or scaling=weak",
                "impossible-request",
            )
        return batch_size // self.size, batch_size

    def mean(self, values: torch.Tensor) -> torch.Tensor:
        """The mean over all processes, in place: what makes gradients of replicas those of the whole batch."""
        if self.size > 1:
            import torch.distributed as dist

            dist.all_reduce(values)
            values /= self.size
        return values

    def draw(self, seed: int, step: int) -> None:
        """Before an update of several: what chance decides in it follows from seed, step and rank alone, since a
        checkpoint holds the state of the first one's generator and not the others'."""
        if self.size > 1:
            import torch

            torch.manual_seed((seed * 1_000_003 + step) * self.size + self.rank & (1 << 63) - 1)

    def wrap(self, model: torch.nn.Module) -> torch.nn.Module:
        """The model whose backward averages gradients; the returned one is to be used."""
        if self.size == 1:
            return model
        from torch.nn.parallel import DistributedDataParallel

        on_gpu = next(model.parameters()).is_cuda
        return DistributedDataParallel(model, device_ids=[self.local_rank] if on_gpu else None)

    def check(self, tensors: Iterable[torch.Tensor], step: int) -> None:
        """Refuse to go on once replicas differ: every process hears of it."""
        if self.size == 1:
            return
        import torch
        import torch.distributed as dist

        own = checksum(tensors)
        sums = [torch.zeros_like(own) for _ in range(self.size)]
        dist.all_gather(sums, own)
        apart = [rank for rank, other in enumerate(sums) if not torch.equal(other, sums[0])]
        if apart:
            ranks = ", ".join(map(str, apart))
            raise Failure(
                "unsynced-replicas",
                f"at step {step} the parameters of rank {ranks} differ from those of rank 0",
                "gradients are not averaged: use the model that DistributedDataParallel returns",
            )

    def __enter__(self) -> World:
        return self

    def __exit__(self, *failure: object) -> None:
        self.leave()

    def leave(self) -> None:
        if self.size > 1:
            import torch.distributed as dist

            if dist.is_initialized():
                dist.destroy_process_group()


def join(device: str) -> World:
    """Meet the other processes, as torchrun or Slurm announce them; alone where none are announced."""
    world = announced(os.environ)
    if world.size == 1 and device == "cpu":
        return world
    import torch

    if device == "cuda" and not torch.cuda.is_available():
        raise Failure("no-device", "no CUDA GPU was found", "choose device=cpu, or check with: nvidia-smi")
    if world.size == 1:
        return world
    import torch.distributed as dist

    os.environ.setdefault("MASTER_ADDR", _first_host(os.environ.get("SLURM_JOB_NODELIST", "")) or "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", str(20000 + int(os.environ.get("SLURM_JOB_ID", "9500")) % 20000))
    if device == "cuda":
        if torch.cuda.device_count() <= world.local_rank:
            there = torch.cuda.device_count()
            raise Failure("no-device", f"process {world.local_rank} of this machine has no GPU: there are {there}")
        torch.cuda.set_device(world.local_rank)
    dist.init_process_group("nccl" if device == "cuda" else "gloo", rank=world.rank, world_size=world.size)
    return world


def is_announced() -> bool:
    """Whether someone started several of us."""
    return announced(os.environ).size > 1


def announced(environment: Any) -> World:
    """Torchrun's variables, else Slurm's. `srun -n 1` and a login shell inside an allocation are alone."""
    for rank, size, local, per_node in (
        ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"),
        ("SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "SLURM_NTASKS_PER_NODE"),
    ):
        if environment.get(rank, "").isdigit() and environment.get(size, "").isdigit():
            count = int(environment[size])
            if rank == "SLURM_PROCID" and "SLURM_STEP_ID" not in environment:
                continue  # a batch script, not a task of srun
            each, nodes = environment.get(per_node, ""), 0
            if rank == "SLURM_PROCID":  # torchrun inside an allocation may use fewer nodes than that has
                nodes = int(environment.get("SLURM_STEP_NUM_NODES") or environment.get("SLURM_NNODES") or 0)
            nodes = nodes or -(-count // int(each if each.isdigit() else count))
            return World(
                rank=int(environment[rank]),
                size=count,
                local_rank=int(environment.get(local, "0") or 0),
                nodes=nodes,
            )
    return World()


def spawn(module: str, words: Sequence[str], *, nodes: int, processes: int, node: int) -> int:
    """Start this node's share of the processes ourselves, each the same module again; the first bad exit code."""
    size = nodes * processes
    environment = dict(os.environ, WORLD_SIZE=str(size), LOCAL_WORLD_SIZE=str(processes))
    if nodes == 1:
        environment.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(_free_port()))
    elif "MASTER_ADDR" not in environment:
        raise BadSetting("several nodes need a common address", "set MASTER_ADDR and MASTER_PORT on every node")
    environment.setdefault("MASTER_PORT", "29500")
    started, with_us = [], _ends_with(os.getpid())
    for local in range(processes):
        rank = {"RANK": str(node * processes + local), "LOCAL_RANK": str(local)}
        words_of_one, own = [sys.executable, "-m", module, *words], {**environment, **rank}
        started.append(subprocess.Popen(words_of_one, env=own, preexec_fn=with_us))
    try:
        return _wait_for_all(started)
    finally:
        for process in started:
            if process.poll() is None:
                process.terminate()
        for process in started:
            process.wait()


def _ends_with(parent: int) -> Callable[[], None] | None:
    """What a child does first, on Linux: ask to be ended with its parent, which a kill gives no time to do so."""
    if not sys.platform.startswith("linux"):
        return None
    import ctypes

    prctl, death_signal = ctypes.CDLL(None).prctl, 1  # PR_SET_PDEATHSIG; found before the fork

    def ask() -> None:
        prctl(death_signal, signal.SIGTERM)
        if os.getppid() != parent:  # it was too quick for us
            os._exit(143)

    return ask


def _wait_for_all(started: Sequence[subprocess.Popen[bytes]]) -> int:
    """Until all have ended well or one has not: those that wait for it would wait for ever."""
    import time

    while True:
        codes = [process.poll() for process in started]
        bad = [code for code in codes if code]
        if bad:
            return bad[0] if bad[0] > 0 else 128 - bad[0]
        if all(code == 0 for code in codes):
            return 0
        time.sleep(0.05)


def checksum(tensors: Iterable[torch.Tensor]) -> torch.Tensor:
    """Two sums over the bits of each tensor, one of them weighted by place; made where the tensors are."""
    import torch

    sums, words = [], {8: torch.int64, 4: torch.int32, 2: torch.int16, 1: torch.uint8}
    for tensor in tensors:
        bits = tensor.detach().contiguous().reshape(-1).view(words[tensor.element_size()]).to(torch.int64)
        place = torch.arange(1, bits.numel() + 1, device=bits.device) % 65521
        sums += [bits.sum(), (bits * place).sum()]
    return torch.stack(sums)


def _first_host(nodes: str) -> str:
    """`node[03-07,9]` starts with `node03`."""
    name, bracket, rest = nodes.partition("[")
    return name.partition(",")[0] if not bracket or "," in name else name + rest.split(",")[0].split("-")[0].rstrip("]")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
