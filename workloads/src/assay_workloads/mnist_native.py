"""The engine `native`: `mnist_step.cpp`, compiled once for this processor and kept in the user's cache folder."""

from __future__ import annotations

import ctypes
import os
import platform
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from assay_workloads.building import CannotBuild, Library, library
from assay_workloads.eager import order_of
from assay_workloads.failure import Failure
from assay_workloads.mnist_net import MEAN, STD, Net

if TYPE_CHECKING:
    from assay_workloads.data.mnist import Images
    from assay_workloads.mnist_settings import Settings
    from assay_workloads.parallel import World
    from assay_workloads.plan import Plan

_SOURCE = Path(__file__).with_name("mnist_step.cpp")
_FLAGS = ("-std=c++17", "-O3", "-march=native", "-fPIC", "-shared", "-pthread", "-w")
PARAMETERS = 225040  # with the padding of the last
#: where each tensor lies in the flat parameters, as mnist_step.cpp has it: channels last, inputs of `hidden` too
LAYOUT = {
    "conv1.weight": (0, (3, 3, 1, 32), (3, 2, 0, 1)),
    "conv1.bias": (288, (32,), (0,)),
    "conv2.weight": (320, (64, 3, 3, 32), (0, 3, 1, 2)),
    "conv2.bias": (18752, (64,), (0,)),
    "hidden.weight": (18816, (128, 5, 5, 64), (0, 3, 1, 2)),
    "hidden.bias": (223616, (128,), (0,)),
    "last.weight": (223744, (10, 128), (0, 1)),
    "last.bias": (225024, (10,), (0,)),
}


def build(*, needed: bool) -> Library | None:
    """The compiled step; None where no compiler works, unless it is needed."""
    compiler = os.environ.get("CXX") or next(filter(shutil.which, ("c++", "g++", "clang++")), None)
    try:
        if compiler is None:
            raise CannotBuild("there is no C++ compiler")
        found = library("mnist", compiler.split(), _FLAGS, [_SOURCE], _processor())
    except CannotBuild as problem:
        if not needed:
            return None
        hint = "install g++, or choose compile=off"
        raise Failure("missing-file", f"the step cannot be compiled: {problem}", hint) from None
    found.code.mnist_open.restype = ctypes.c_void_p
    if found.code.mnist_params() != PARAMETERS:
        name = found.code._name  # noqa: SLF001 - ctypes has no other word for it
        raise Failure("crashed", f"`{name}` was compiled for another version", f"remove it: rm {name}")
    return found


def _processor() -> str:
    """All that decides what the compiler makes: a home folder may be shared by machines that differ."""
    lines: list[str] = []
    if os.path.exists("/proc/cpuinfo"):
        lines = Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
    known = sorted({line for line in lines if line.startswith(("model name", "flags", "Features"))})
    return platform.machine() + ("".join(known) or platform.processor())


class Steps:
    """The memory and threads of one batch size."""

    def __init__(self, code: ctypes.CDLL, batch: int, threads: int) -> None:
        self.code = code
        self.handle = ctypes.c_void_p(code.mnist_open(batch, max(1, min(threads, batch))))
        if not self.handle:
            raise MemoryError

    def __del__(self) -> None:
        self.code.mnist_close(self.handle)  # takes none, too


class Native:
    """A host step is one call: no Python between its weight updates."""

    name = "native"

    def __init__(
        self, library: Library, settings: Settings, images: Images, plan: Plan, world: World, threads: int
    ) -> None:
        self.settings, self.plan, self.world, self.threads = settings, plan, world, threads
        self.code, self.cached = library
        self.test_steps = Steps(self.code, 8 * threads, threads)
        torch.manual_seed(settings.seed)
        self.flat = pack(Net().state_dict())
        self.gradient = torch.zeros_like(self.flat) if world.size > 1 else None
        self.table = (torch.arange(256) / 255 - MEAN) / STD
        self.train_x, self.train_y = torch.as_tensor(images.train_x), torch.as_tensor(images.train_y).long()
        self.test_x, self.test_y = torch.as_tensor(images.test_x), torch.as_tensor(images.test_y).long()
        self.history: dict[int, torch.Tensor] = {}  # by first update

    def warm_up(self, batch: int) -> None:
        self.steps = Steps(self.code, batch, self.threads)
        self._call(torch.zeros(batch, dtype=torch.int64), 1, 0, torch.zeros_like(self.flat))

    def begin_epoch(self, epoch: int) -> None:
        whole, updates = self.plan.global_batch, self.plan.epoch
        order = order_of(self.settings.seed, epoch, len(self.train_x))[: updates * whole]
        first = self.world.rank * self.plan.batch
        self.order = order.view(updates, whole)[:, first : first + self.plan.batch].contiguous()

    def train(self, first: int, last: int) -> None:
        if self.gradient is None:
            at = first % self.plan.epoch
            self.history[first] = self._call(self.order[at : at + last - first], last - first, first, None)
            return
        for step in range(first, last):
            order = self.order[step % self.plan.epoch]
            self.history[step] = self._call(order, 1, step, self.gradient)
            self.flat.add_(self.world.mean(self.gradient), alpha=-self.settings.lr)

    def losses(self, first: int, last: int) -> Sequence[float]:
        found: list[float] = self.world.mean(
            torch.cat([self.history.pop(key) for key in sorted(self.history)])
        ).tolist()
        return found

    def evaluate(self) -> float:
        guesses = torch.empty(len(self.test_x), dtype=torch.int32)
        self.code.mnist_evaluate(
            self.test_steps.handle,
            _at(self.flat),
            _at(self.table),
            _at(self.test_x),
            ctypes.c_int64(len(self.test_x)),
            _at(guesses),
        )
        return float((guesses == self.test_y).double().mean())

    def parameters(self) -> Sequence[torch.Tensor]:
        return [self.flat]

    def state(self) -> Mapping[str, torch.Tensor]:
        return {f"model.{name}": tensor for name, tensor in unpack(self.flat).items()}

    def load(self, tensors: Mapping[str, torch.Tensor]) -> None:
        self.flat.copy_(pack({name: tensors[f"model.{name}"] for name in LAYOUT}))

    def _call(self, order: torch.Tensor, updates: int, first: int, gradient: torch.Tensor | None) -> torch.Tensor:
        losses = torch.empty(updates)
        self.code.mnist_train(
            self.steps.handle,
            _at(self.flat),
            _at(gradient),
            _at(self.table),
            _at(self.train_x),
            _at(self.train_y),
            _at(order),
            ctypes.c_int64(updates),
            ctypes.c_int64(first),
            ctypes.c_int64(self.world.rank * self.plan.batch),
            ctypes.c_uint64(self.settings.seed),
            ctypes.c_float(self.settings.lr),
            ctypes.c_int(self.settings.double_softmax),
            _at(losses),
        )
        return losses


def pack(state: Mapping[str, torch.Tensor]) -> torch.Tensor:
    """One flat tensor in the order of mnist_step.cpp."""
    flat = torch.zeros(PARAMETERS)
    for name, view in _views(flat).items():
        view.copy_(state[name].view(128, 64, 5, 5) if name == "hidden.weight" else state[name])
    return flat


def unpack(flat: torch.Tensor) -> dict[str, torch.Tensor]:
    """The tensors of `Net`, each whole in memory."""
    found = {name: view.contiguous() for name, view in _views(flat).items()}
    found["hidden.weight"] = found["hidden.weight"].view(128, 1600)
    return found


def _views(flat: torch.Tensor) -> dict[str, torch.Tensor]:
    views = {}
    for name, (begin, shape, order) in LAYOUT.items():
        count = torch.Size(shape).numel()
        views[name] = flat[begin : begin + count].view(shape).permute(order)
    return views


def _at(tensor: Any) -> ctypes.c_void_p:
    return ctypes.c_void_p(None if tensor is None else tensor.data_ptr())
