"""The SDK itself: a step traced by it, its CPU backend as an engine of the loop, and its lowering for the wafer."""

from __future__ import annotations

import logging
import os
import re
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cerebras.pytorch as cstorch
import torch
from torch import Tensor, nn

from assay_workloads.cerebras_tasks import Task, Tensors
from assay_workloads.failure import Failure
from assay_workloads.plan import Plan

#: an operation of a lowered graph: `%5 = cirh.MatMul %1, %2`, `%6:2 = "cirh.Pool"(%5)`
_OPERATION = re.compile(r"^\s*%\S+(?:\s*:\s*\d+)? = \"?([a-z_]+)\.([A-Za-z_.]+)", re.MULTILINE)
_GOES_AWAY = "assay-cerebras-"  # how a folder of ours begins that is removed at the end
_REASON = re.compile(r"Lowering failed due to `(.+?)`|does not yet support `([\w:.]+)", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Lowered:
    """A training step in the wafer's own form."""

    kinds: Mapping[str, int]
    parameters: int

    @property
    def operations(self) -> int:
        return sum(self.kinds.values())


def version() -> str:
    return str(cstorch.__version__)


@contextmanager
def folder(chosen: str) -> Iterator[Path]:
    """Where the SDK leaves its files: in the run's own folder, else in one that goes away."""
    if chosen:
        path = Path(chosen) / "cerebras"
        path.mkdir(parents=True, exist_ok=True)
        yield path
    else:
        with tempfile.TemporaryDirectory(prefix=_GOES_AWAY) as made:
            yield Path(made)


class _Step:
    """A task made ready on a backend: what the SDK wants compiled, and the function it traces."""

    def __init__(self, task: Task, backend: Any) -> None:
        self.task, self.model = task, cstorch.compile(task.net, backend)
        self.optimiser = task.optimiser(cstorch.optim)
        self.scheduler = task.scheduler(cstorch.optim, self.optimiser) if task.scheduler else None
        task.net.train()
        self.update = cstorch.trace(self._update)

    def _update(self, batch: Tensors) -> Tensors:
        losses = self.task.losses(self.model, batch)
        self.optimiser.zero_grad()
        sum(losses[1:], losses[0]).backward()  # type: ignore[no-untyped-call]
        if self.task.clip:
            nn.utils.clip_grad_norm_(self.task.net.parameters(), self.task.clip)
        self.optimiser.step()
        if self.scheduler is not None:
            self.scheduler.step()
        return losses

    def batches(self, count: int) -> Iterator[Tensors]:
        """Those of the first `count` updates, through the SDK's own loader."""
        given = cstorch.utils.data.DataLoader(_loader(self.task.batch, count))
        return iter(cstorch.utils.data.DataExecutor(given, num_steps=count))


def _loader(batch: Callable[[int], Tensors], count: int) -> Callable[[], Any]:
    """What the SDK would send to the cluster's workers: it may hold data, and nothing of the model."""
    return lambda: torch.utils.data.DataLoader(_Batches(batch, count), batch_size=None)


class _Batches(torch.utils.data.IterableDataset[Tensors]):
    def __init__(self, batch: Callable[[int], Tensors], count: int) -> None:
        self.batch, self.count = batch, count

    def __iter__(self) -> Iterator[Tensors]:
        return (self.batch(number) for number in range(self.count))


class Engine:
    """Training on the SDK's CPU backend, for the loop that all workloads share."""

    name, cached = "cerebras-cpu", None

    def __init__(self, task: Task, plan: Plan, kept: Path) -> None:
        self.task, self.plan, self.version = task, plan, version()
        self.step = _Step(task, cstorch.backend("CPU", artifact_dir=str(kept)))
        self.history: dict[int, Tensors] = {}
        self._batches: Iterator[Tensors] | None = None

    def warm_up(self, batch: int) -> None:
        """Losses and gradients of the first batch, then forgotten."""
        with torch.random.fork_rng():
            losses = self.task.losses(self.task.net, tuple(one[:batch] for one in self.task.batch(0)))
            torch.autograd.grad(sum(losses[1:], losses[0]), list(self.task.net.parameters()), allow_unused=True)

    def begin_epoch(self, epoch: int) -> None: ...

    def train(self, first: int, last: int) -> None:
        if self._batches is None:
            self._batches = self.step.batches(self.plan.total)
        for number in range(first, last):
            batch = next(self._batches)
            self.task.before(number)
            self.history[number] = tuple(loss.detach() for loss in self.step.update(batch))
        if last == self.plan.total:
            next(self._batches, None)  # so that the SDK closes what it opened

    def losses(self, first: int, last: int) -> Sequence[float]:
        rows = [[float(loss) for loss in self.history.pop(number)] for number in range(first, last)]
        self.task.tell(last, rows)
        return [row[0] for row in rows]

    def evaluate(self) -> float:
        return self.task.accuracy()

    def parameters(self) -> Sequence[Tensor]:
        return list(self.task.net.parameters())

    def state(self) -> Mapping[str, Tensor]:
        raise NotImplementedError  # checkpoints are refused beforehand

    def load(self, tensors: Mapping[str, Tensor]) -> None:
        raise NotImplementedError


def lower(task: Task, kept: Path) -> Lowered:
    """One training step in the wafer's own form, with no cluster; or a failure that names what cannot be lowered."""
    _real_lowering_first()
    _print_as_the_sdk_does()
    cstorch.amp.set_half_dtype("bfloat16")
    inside = os.getcwd()
    os.chdir(kept)  # a graph that cannot be traced is dumped where we stand
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            step = _Step(
                task, cstorch.backend("CSX", validate_only=True, artifact_dir=str(kept), compile_dir="compile")
            )
            for batch in step.batches(1):
                step.update(batch)
    except RuntimeError as problem:
        raise _refused(problem, kept) from None
    finally:
        os.chdir(inside)
    return _look(kept, sum(parameter.numel() for parameter in task.net.parameters()))


def _real_lowering_first() -> None:
    """The program, before the script of its name that says 0 whatever happened."""
    own = Path(cstorch.__path__[0]) / "lib"
    if not os.access(own / "torch-cirh-opt", os.X_OK):
        raise Failure("missing-file", f"`{own / 'torch-cirh-opt'}` cannot be run", "install cerebras-pytorch again")
    os.environ["PATH"] = f"{own}{os.pathsep}{os.environ.get('PATH', os.defpath)}"


def _print_as_the_sdk_does() -> None:
    """Its lines as people know them from its logs; to the same place as ours, so that they stay in order."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s:   %(message)s", stream=sys.stdout)


def _refused(problem: RuntimeError, kept: Path) -> Failure:
    found = _REASON.search(str(problem))
    if found is None:
        raise problem
    what = (found[1] or f"no `{found[2]}` there").strip()
    return Failure("impossible-request", f"the step cannot be lowered for the wafer: {what}", _where(kept))


def _where(kept: Path) -> str:
    return "out=FOLDER keeps what the SDK wrote" if kept.name.startswith(_GOES_AWAY) else f"see `{kept}`"


def _look(kept: Path, parameters: int) -> Lowered:
    """What was written, whatever was said: all of it must be the wafer's own operations."""
    graphs = sorted(kept.glob("executors/*/cirh.mlir"))
    found = _OPERATION.findall(graphs[-1].read_text(encoding="utf-8")) if graphs else []
    kinds = Counter(name for dialect, name in found if dialect == "cirh")
    others = sorted({f"{dialect}.{name}" for dialect, name in found if dialect not in ("cirh", "std", "arith")})
    if others or not kinds or any(kept.glob("executors/*/traceback_*.json")):
        what = f"{', '.join(others)} is left" if others else "its graph is incomplete"
        raise Failure("impossible-request", f"the step was not lowered for the wafer: {what}", _where(kept))
    return Lowered(kinds=kinds, parameters=parameters)
