"""The engine `cluster`: a host step of the MNIST CNN as one kernel, `cuda/mnist.cu`, on 16 blocks that share memory.

It computes what `native` computes on a CPU, in fp32, with the same dropout and the same order of images; the weights
that come out differ by rounding alone. Batch 8 and one GPU; for all else there is the graph.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import torch

from assay_workloads.building import CannotBuild, Library
from assay_workloads.cuda import build
from assay_workloads.eager import accuracy_of, order_of
from assay_workloads.mnist_native import LAYOUT, pack, unpack
from assay_workloads.mnist_net import MEAN, STD, Net, normalised

if TYPE_CHECKING:
    from assay_workloads.data.mnist import Images
    from assay_workloads.mnist_settings import Settings
    from assay_workloads.plan import Plan

BATCH = 8


def load(batch: int) -> Library:
    """The kernel, ready for this GPU and batch; CannotBuild says why not."""
    if batch != BATCH:
        raise CannotBuild(f"it is written for batch {BATCH}, and this is batch {batch}")
    found = build.kernels("mnist")
    build.fits(found, "mnist_prepare")
    return found


class Cluster:
    """Weights, images and the order of an epoch stay on the device; losses too, until someone asks."""

    name = "cluster"

    def __init__(self, library: Library, settings: Settings, images: Images, plan: Plan) -> None:
        self.settings, self.plan = settings, plan
        self.code, self.cached = library
        self.device = torch.device(settings.device)
        torch.manual_seed(settings.seed)
        self.net = Net().to(self.device).eval()
        self.flat = pack(self.net.state_dict()).to(self.device)
        self.table = ((torch.arange(256) / 255 - MEAN) / STD).to(self.device)
        self.train_x, self.train_y = self._here(images.train_x), self._here(images.train_y)
        self.test_x, self.test_y = self._here(images.test_x), self._here(images.test_y).long()
        self.order = torch.zeros(len(self.train_x), dtype=torch.int64, device=self.device)
        self.history = torch.zeros(plan.epoch, device=self.device)  # losses of this epoch

    def warm_up(self, batch: int) -> None:
        """One update, of weights that are thrown away."""
        self._call(self.flat.clone(), 0, 1, 0)

    def begin_epoch(self, epoch: int) -> None:
        self.order.copy_(order_of(self.settings.seed, epoch, len(self.order)))

    def train(self, first: int, last: int) -> None:
        self._call(self.flat, first % self.plan.epoch, last - first, first)

    def losses(self, first: int, last: int) -> Sequence[float]:
        begin = first % self.plan.epoch
        found: list[float] = self.history[begin : begin + last - first].tolist()
        return found

    def evaluate(self) -> float:
        self.net.load_state_dict(unpack(self.flat))
        return accuracy_of(self.net, self.test_x, self.test_y, self.settings.test_batch_size, normalised)

    def parameters(self) -> Sequence[torch.Tensor]:
        return [self.flat]

    def state(self) -> Mapping[str, torch.Tensor]:
        return {f"model.{name}": tensor for name, tensor in unpack(self.flat).items()}

    def load(self, tensors: Mapping[str, torch.Tensor]) -> None:
        self.flat.copy_(pack({name: tensors[f"model.{name}"] for name in LAYOUT}))

    def _call(self, flat: torch.Tensor, at: int, updates: int, step: int) -> None:
        """`updates` from place `at` of the epoch; `step` is what dropout counts by."""
        stream = torch.cuda.current_stream().cuda_stream if self.device.type == "cuda" else None
        problem = self.code.mnist_train(
            _at(flat),
            _at(self.table),
            _at(self.train_x),
            _at(self.train_y),
            _at(self.order, at * BATCH),
            _at(self.history, at),
            ctypes.c_int64(step),
            ctypes.c_uint64(self.settings.seed),
            ctypes.c_int(updates),
            ctypes.c_int(self.settings.double_softmax),
            ctypes.c_float(self.settings.lr),
            ctypes.c_void_p(stream),
        )
        if problem:
            raise RuntimeError(f"the kernel of the MNIST step did not start: {build.words(self.code, problem)}")

    def _here(self, array: object) -> torch.Tensor:
        return torch.as_tensor(array).to(self.device)


def _at(tensor: torch.Tensor, first: int = 0) -> ctypes.c_void_p:
    return ctypes.c_void_p(tensor.data_ptr() + first * tensor.element_size())
