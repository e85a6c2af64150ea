"""The loop of a training: epochs of weight updates, figures now and then, tests, checkpoints, the result.

A workload brings an `Engine`, which knows how to make weight updates on some hardware, and a `Plan`, which says how
many. The loop decides only where to stop and look. Everything counts in weight updates ("steps").
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from assay_workloads import checkpoint
from assay_workloads.board import Board
from assay_workloads.failure import Failure, is_out_of_memory
from assay_workloads.parallel import World
from assay_workloads.plan import Plan
from assay_workloads.report import NotFinite, Reporter
from assay_workloads.settings import Common, announce, fixed

if TYPE_CHECKING:
    import torch


class Engine(Protocol):
    """Makes weight updates. Where it runs and how is its own affair; what they mean is not."""

    @property
    def name(self) -> str: ...

    @property
    def cached(self) -> bool | None:
        """Whether what it compiled was there already; None where nothing is compiled."""

    def warm_up(self, batch: int) -> None:
        """One pass that changes nothing: whatever is made on first use is made now, and must fit in memory."""

    def begin_epoch(self, epoch: int) -> None: ...

    def train(self, first: int, last: int) -> None:
        """Weight updates first … last - 1 of the run, all of the epoch that was begun; need not wait for the device."""

    def losses(self, first: int, last: int) -> Sequence[float]:
        """Those of updates first … last - 1, over all processes."""

    def evaluate(self) -> float:
        """Accuracy on what was not trained on."""

    def parameters(self) -> Sequence[torch.Tensor]: ...

    def state(self) -> Mapping[str, torch.Tensor]:
        """All that decides how it goes on."""

    def load(self, tensors: Mapping[str, torch.Tensor]) -> None: ...


class Data(Protocol):
    """What is trained on, as a result names it."""

    @property
    def name(self) -> str: ...

    @property
    def source(self) -> str: ...


class Training:
    """One training on its way: where it is, and who hears of it."""

    def __init__(self, engine: Engine, plan: Plan, settings: Common, world: World, about: Mapping[str, Any]) -> None:
        self.engine, self.plan, self.settings, self.world, self.about = engine, plan, settings, world, about
        # what must not change when a run goes on: what was asked for, and what was made of it
        self.kept = {**fixed(settings), **{key: about[key] for key in ("engine", "threads", "processes")}}
        self.kept["data"] = about["dataset"]
        self.reporter = Reporter(
            total_steps=plan.total,
            log_every=settings.log_every or max(1, min(plan.epoch, plan.total) // 10),
            device=settings.device,
            precision=settings.precision,
            flops_per_sample=plan.flops_per_sample and plan.flops_per_sample / world.size,
            board=Board(settings.folder) if world.first and settings.folder else None,
            speaks=world.first,
        )
        self.checkpoints = checkpoint.Checkpoints(
            settings.folder, keep=settings.keep_checkpoints, settings=self.kept, writes=world.first
        )
        self.step = self.logged = 0
        self.accuracy: float | None = None
        self.epochs_s: list[float] = []
        self.to_target_s: float | None = None

    def run(self) -> int:
        """Train to the end of the plan; the exit code."""
        finished = self._resume()
        if finished is not None:
            self.reporter.say(f"finished already at step {self.step}: {finished}; nothing to do")
            return 0
        if self.world.first:
            announce(self.settings, **self.about, resumed_at=self.step or None)
        try:
            with self.reporter.phase("warmup"):
                self.engine.warm_up(self.plan.batch)
            with self.reporter.phase("train"):
                while self.step < self.plan.total:
                    self._epoch()
                self.world.check(self.engine.parameters(), self.step)
        except NotFinite as failure:
            raise self._with_last_good(failure) from None
        except (RuntimeError, MemoryError) as problem:
            if not is_out_of_memory(problem):
                raise
            fits = False  # told below: until this block ends, the error holds on to the tensors of what did not fit
        else:
            fits = True
        finally:
            self.checkpoints.wait()
        if not fits:
            raise out_of_memory(self.engine.warm_up, self.settings.batch_size, self.plan)
        self._finish()
        return 0

    def _epoch(self) -> None:
        """To the end of the epoch that `step` is in."""
        plan, began, began_s = self.plan, self.step, self.reporter.seconds()
        self.engine.begin_epoch(self.step // plan.epoch)
        end = min((self.step // plan.epoch + 1) * plan.epoch, plan.total)
        while self.step < end:
            last = self._next_stop(end)
            self.engine.train(self.step, last)
            self.step = last
            self._look()
        if self.step - began == plan.epoch:
            self.epochs_s.append(self.reporter.seconds() - began_s)

    def _next_stop(self, end: int) -> int:
        marks = [self.reporter.log_every, self.plan.checkpoint_every, self.plan.eval_every]
        marks += [self.plan.check_replicas_every] if self.world.size > 1 else []
        return min(end, self.step + self.plan.at_once, *((self.step // mark + 1) * mark for mark in marks if mark))

    def _look(self) -> None:
        """Whatever is due after this update."""
        step, plan = self.step, self.plan
        ends_epoch = step % plan.epoch == 0 or step == plan.total
        save = self.plan.checkpoint_every and step % self.plan.checkpoint_every == 0 and step < plan.total
        if ends_epoch or save or self.reporter.due(step):
            losses = self.engine.losses(self.logged, step)
            self.reporter.log(
                step=step, samples=step * plan.global_batch, losses=losses, epoch=round(step / plan.epoch, 4)
            )
            self.logged = step
        if self.world.size > 1 and step % plan.check_replicas_every == 0:
            self.world.check(self.engine.parameters(), step)
        tests = step == plan.total or step % (plan.eval_every or plan.epoch) == 0
        if tests and plan.evaluates and self.world.first:  # the others wait at their next update
            self._evaluate()
        if save:
            self._save({})

    def _evaluate(self) -> None:
        with self.reporter.phase("eval"):
            self.accuracy = self.engine.evaluate()
        target = self.plan.target_accuracy
        if target is not None and self.to_target_s is None and self.accuracy >= target:
            self.to_target_s = self.reporter.seconds()
        self.reporter.tell(self.step, accuracy=self.accuracy)

    def _save(self, more: Mapping[str, Any]) -> None:
        with self.reporter.phase("checkpoint"):
            values = {
                "accuracy": self.accuracy,
                "to_target_s": self.to_target_s,
                "train_s": self.reporter.seconds(),
                **more,
            }
            self.checkpoints.save(self.step, self.engine.state(), values)

    def _resume(self) -> str | None:
        """Load a checkpoint if one is asked for; returns its closing message if that training has finished."""
        if not self.settings.resume:
            return None
        loaded = checkpoint.resume(self.settings.resume, self.settings.folder, self.kept)
        self.step = self.logged = loaded.step
        if loaded.values.get("finished"):
            return str(loaded.values["finished"])
        self.engine.load(loaded.tensors)
        self.accuracy, self.to_target_s = loaded.values["accuracy"], loaded.values["to_target_s"]
        self.checkpoints.last = loaded.path
        self.reporter.go_on_from(self.step * self.plan.global_batch, loaded.values["train_s"])
        return None

    def _finish(self) -> None:
        plan = self.plan
        result = self.reporter.result(
            samples=self.step * plan.global_batch,
            steps=self.step,
            epochs=round(self.step / plan.epoch, 4),
            accuracy=self.accuracy if plan.evaluates else None,
            target_accuracy=plan.target_accuracy,
            time_to_target_s=self.to_target_s,
            epoch_s=sorted(self.epochs_s)[len(self.epochs_s) // 2] if self.epochs_s else None,
            global_batch=plan.global_batch,
            compile_cached=self.engine.cached,
            data=self.about["dataset"],
            **{name: self.about[name] for name in ("model", "engine", *self.plan.named)},
        )
        if self.plan.checkpoint_every:
            told = ", ".join(f"{name} {result[name]:.6g}" for name in ("loss", "accuracy") if name in result)
            self._save({"finished": told or "done"})
            self.checkpoints.wait()

    def _with_last_good(self, failure: NotFinite) -> Failure:
        """The same, saying from where one could go on."""
        self.checkpoints.wait()
        kept = self.checkpoints.last
        hint = "a smaller lr may help" + (f"; the last good checkpoint is `{kept}`" if kept else "")
        return Failure(failure.code, failure.message, hint)


def about(
    model: str, data: Data, engine: Engine, plan: Plan, world: World, threads: int, **more: Any
) -> dict[str, Any]:
    """What was found out before the start and stands beside the settings; `more` is the workload's own."""
    return {
        "model": model,
        "dataset": data.name,
        "data_source": data.source,
        "engine": engine.name,
        "threads": threads,
        "global_batch": plan.global_batch,
        "processes": world.size,
        "nodes": world.nodes,
        **more,
    }


def out_of_memory(try_batch: Callable[[int], None], batch_size: int, plan: Plan) -> Failure:
    """What to tell a user whose batch does not fit: one that does, tried out; a multiple of its parts."""
    message = f"out of memory at batch_size={batch_size}"
    batch, parts = plan.batch, plan.parts
    tried = batch // 2 // parts * parts
    while tried:
        try:
            try_batch(tried)
            return Failure("out-of-memory", message, f"batch_size={tried * batch_size // batch} fits")
        except (RuntimeError, MemoryError) as problem:
            if not is_out_of_memory(problem):
                return Failure("out-of-memory", message, "choose a smaller batch_size")
        tried = tried // 2 // parts * parts
    return Failure("out-of-memory", message, "no smaller batch fits: use a machine with more memory")
