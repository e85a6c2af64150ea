"""The MNIST and BERT workloads through Cerebras' own SDK, with no wafer: lowered for one, or trained on the CPU.

    python -m assay_workloads.cerebras_sdk validate mnist batch_size=64
    python -m assay_workloads.cerebras_sdk cpu bert-pretrain tiny data=synthetic max_steps=20

`validate` traces one whole training step (forward, loss, backward, update) and lowers it to the wafer's own form, CIRH,
as `validate_only` does. Nothing is computed, so there is no loss and no speed. `cpu` trains on the SDK's CPU backend:
its loader, its tracing, its optimisers, and this machine's processor. The networks are those of the workloads.

The trap: the SDK calls `torch-cirh-opt` from PATH, and the script of that name that pip installs drops its exit code.
In an activated environment `validate_only` says "Compile was successful!" of a model that was not lowered. So the
program itself goes first on PATH here, and what it wrote is looked at before we believe it.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import assay
from assay_workloads import bert_pretrain_settings, mnist_settings
from assay_workloads.failure import BadSetting, Failure
from assay_workloads.program import start
from assay_workloads.settings import Common, announce, parse

SDK = "cerebras-pytorch"
REMEDY = (
    "`make cerebras` in Assay's folder sets it up; or install cerebras-pytorch 2.10.0 for a Python 3.11, "
    "and name that: ASSAY_CEREBRAS_PYTHON=/path/to/bin/python"
)
MODES = ("validate", "cpu")
_SETTINGS: dict[str, type[Any]] = {"mnist": mnist_settings.Settings, "bert-pretrain": bert_pretrain_settings.Settings}
#: settings that the SDK leaves no room for: all but these values are refused
_ONLY: dict[str, tuple[Any, ...]] = {
    "device": ("cpu",), "compile": ("auto",), "checkpoint_every": (0,), "resume": ("",), "accumulate": (1,),
    "kernels": ("auto", "torch"), "scaling": ("strong",),
}  # fmt: skip
#: settings of a training that leave no trace in one step of it
_NOT_LOWERED = (
    "device", "seed", "compile", "epochs", "max_steps", "data", "checkpoint_every", "keep_checkpoints", "resume",
    "log_every", "out", "scaling", "threads", "device_iterations", "test_batch_size", "train_samples", "accumulate",
    "check_replicas_every", "kernels",
)  # fmt: skip
#: what the backend computes in: the wafer has no whole step in fp32, the CPU backend is used in nothing else
_PRECISION = {"validate": "bf16", "cpu": "fp32"}


def settings_of(mode: str, workload: str) -> type[Common]:
    """The workload's own settings, less what the SDK cannot do."""
    base = _SETTINGS[workload]

    @dataclass(frozen=True, kw_only=True)
    class Settings(base):  # type: ignore[misc,valid-type]
        def check(self) -> None:
            super().check()
            _refuse(self, mode)

    return Settings


def _refuse(settings: Common, mode: str) -> None:
    for name, possible in {**_ONLY, "precision": ("auto", _PRECISION[mode])}.items():
        value = getattr(settings, name, possible[0])
        if value not in possible:
            shown = " or ".join(f"{name}={one}" for one in possible if one != "")
            hint = f"choose {shown}" if shown else f"leave {name} out"
            raise BadSetting(f"`{name}={value}` is not possible in Cerebras' SDK (mode {mode})", hint)


def main(words: Sequence[str]) -> int:
    mode, workload = _what(words)
    settings = parse(settings_of(mode, workload), words[2:])
    settings = replace(settings, precision=_PRECISION[mode])
    assay.how("validated" if mode == "validate" else "executed")  # before anything can fail
    _need_sdk()
    return _validate(workload, settings) if mode == "validate" else _train(workload, settings)


def _what(words: Sequence[str]) -> tuple[str, str]:
    given = [*words[:2], "", ""]
    for word, known, what in ((given[0], MODES, "mode"), (given[1], tuple(_SETTINGS), "workload")):
        if word not in known:
            usage = "python -m assay_workloads.cerebras_sdk MODE WORKLOAD name=value…"
            message = f"no {what} called `{word}`" if word else f"no {what} given: {usage}"
            raise BadSetting(message, "choose one of: " + ", ".join(known))
    return given[0], given[1]


def has_sdk() -> bool:
    """Whether this interpreter has it; nothing of it is loaded."""
    try:
        return importlib.util.find_spec("cerebras.pytorch") is not None
    except ModuleNotFoundError:
        return False


def _need_sdk() -> None:
    if not has_sdk():
        raise Failure("missing-module", f"the Python at `{sys.executable}` has no Cerebras SDK ({SDK})", REMEDY)


def _train(workload: str, settings: Any) -> int:
    """The usual loop over an engine that is the SDK's."""
    from assay_workloads.loop import Training
    from assay_workloads.parallel import World
    from assay_workloads.plan import cores

    world = World()  # the SDK spreads a step over wafers by itself: processes of ours have no part in it
    with assay.phase("load"):
        import torch

        from assay_workloads import cerebras_engine, cerebras_tasks

        threads = settings.threads or cores()
        torch.set_num_threads(threads)
        job = cerebras_tasks.load(workload, settings, world)
    with cerebras_engine.folder(settings.folder) as kept:
        with assay.phase("compile"):
            engine = cerebras_engine.Engine(job.task, job.plan, kept)
        about = {
            **job.about,
            "engine": engine.name,
            "sdk": f"{SDK} {engine.version}",
            "threads": threads,
            "global_batch": job.plan.global_batch,
            "processes": 1,
            "nodes": 1,
        }
        return Training(engine, job.plan, settings, world, about).run()


def _validate(workload: str, settings: Any) -> int:
    """One step, lowered; its result is what was lowered, and no figure of speed."""
    with assay.phase("load"):
        from assay_workloads import cerebras_engine, cerebras_tasks

        job = cerebras_tasks.shapes(workload, settings)
    engine = "cerebras-validate"
    about = {**job.about, "engine": engine, "sdk": f"{SDK} {cerebras_engine.version()}"}
    announce(settings, **{**dict.fromkeys(_NOT_LOWERED), **about})
    with cerebras_engine.folder(settings.folder) as kept, assay.phase("compile"):
        lowered = cerebras_engine.lower(job.task, kept)
    result = {
        "model": job.about["model"],
        "engine": engine,
        "operations": lowered.operations,
        "kinds_of_operations": len(lowered.kinds),
        "parameters": lowered.parameters,
        "global_batch": settings.batch_size,
    }
    print("result: lowered for the wafer, not run")
    for name, value in result.items():
        print(f"  {name}={value}")
    assay.result(**result)
    return 0


if __name__ == "__main__":
    start(main)
