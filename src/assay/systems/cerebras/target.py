"""Cerebras CS-2 and CS-3, through the Model Zoo's `cszoo fit` or `run.py`; and its SDK where there is no wafer.

Follows the centre's guide of August 2026 (release 2.10, four CS-3) for `cszoo`, and that of 2024 for `run.py`, which
only warns now that it is deprecated. Which of the two is meant shows in the file: the new form begins with `trainer`.

The batch size lives in the yaml, so every run gets a copy with it written in. Checkpoints are loaded by themselves from
model_dir, so every run gets a fresh one: a second run in the same folder trains nothing and then fails. Compiles are
kept between runs, as a directory for each would compile anew every time: `compile_dir` asks for one. The cluster has
its own queue (`csctl get jobs`), which the reader knows as a phase.

`mode: validate` lowers our own network to the wafer's form with the SDK and no cluster: such a result is `validated`,
and has no speed. `mode: cpu` trains it on the SDK's CPU backend. `mode: zoo-validate` has the Model Zoo lower its own.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import UsageError
from assay.systems.target import Found, Recipe, Target, by_tools
from assay.workloads import module_of

if TYPE_CHECKING:
    from assay.workloads import Settings

_FOLDER = ".venv-cerebras"  # where `make cerebras` puts the SDK
_CHOSEN = "ASSAY_CEREBRAS_PYTHON"
#: what trains our networks with the SDK, by whichever interpreter has it
_PROGRAM = "assay_workloads.cerebras_sdk"
_REMEDY = (
    "`make cerebras` in Assay's folder sets it up; or install cerebras-pytorch 2.10.0 and assay-workloads for a Python "
    "3.11, and name that: ASSAY_CEREBRAS_PYTHON=/path/to/bin/python"
)


def sdk_python() -> str:
    """The interpreter that has the SDK: the one that is named, else that of `make cerebras`, else our own."""
    chosen = os.environ.get(_CHOSEN)
    if chosen:
        if os.access(chosen, os.X_OK) and not os.path.isdir(chosen):
            return chosen
        raise UsageError(f"`{chosen}`, named by {_CHOSEN}, is not a program", _REMEDY)
    for folder in (Path.cwd(), Path(__file__).parents[4]):  # the second is our own checkout, where we run from one
        python = folder / _FOLDER / "bin" / "python"
        if (python.parent.parent / "ready").exists() and os.access(python, os.X_OK):
            return str(python)
    if _has_sdk():
        return sys.executable
    raise UsageError("no Python with Cerebras' SDK was found", _REMEDY)


def _has_sdk() -> bool:
    """Whether this interpreter has it; nothing of it is loaded."""
    try:
        return importlib.util.find_spec("cerebras.pytorch") is not None
    except ModuleNotFoundError:
        return False


def _detect() -> Found:
    missing = f"no `csctl` and no /opt/cerebras: log in to a user node of the cluster; {_without_a_wafer()}"
    return by_tools(("csctl",), ("/opt/cerebras",), "a user node of a wafer-scale cluster", missing)


def _without_a_wafer() -> str:
    try:
        return f"the modes validate and cpu need neither: {sdk_python()}"
    except UsageError:
        return "the modes validate and cpu need neither; set them up with `make cerebras`"


_RUN = ("python", "run.py", "CSX", "--job_labels", "name=assay", "--params", "{config}", "--mode", "train",
        "--model_dir", "{run}/model_dir", ("--compile_dir", "{compile_dir}"), ("--num_csx", "{num_csx}"))  # fmt: skip
_RUN_KEYS = {"train_input.batch_size": "{batch_size}", "runconfig.max_steps": "{max_steps}"}
_FIT = ("cszoo", "fit", "{config}", "--job_labels", "name=assay", "--model_dir", "{run}/model_dir",
        ("--checkpoint_path", "{checkpoint_path}"))  # fmt: skip
_FIT_KEYS = {
    "trainer.fit.train_dataloader.batch_size": "{batch_size}",
    "trainer.init.loop.max_steps": "{max_steps}",
    "trainer.init.checkpoint.steps": "{checkpoint_steps}",
    "trainer.init.backend.cluster_config.num_csx": "{num_csx}",
    "trainer.init.backend.cluster_config.job_time_sec": "{job_time_sec}",
    "trainer.init.backend.compile_dir": "{compile_dir}",
}
_ABOUT = {
    "validate": "Assay's network, lowered to the wafer's form by the SDK, not run",
    "cpu": "Assay's network, trained on the SDK's CPU backend on this machine",
}


def _settings(mode: str, workload: str) -> type[Settings]:
    found: type[Settings] = module_of(workload, "cerebras").settings_of(mode, workload)
    return found


def _recipe(workload: str, needs: str) -> Recipe:
    file = "and its parameter file as `config: {file: …}` or --config"
    fit = Recipe(command=_FIT, config=_FIT_KEYS, needs=f"`cszoo` of release 2.10 on PATH, {file}")
    zoo = Recipe(command=_RUN, config=_RUN_KEYS, needs=f"{needs}, {file}", forms={"trainer": fit})
    ours = {
        mode: Recipe(
            command=("-m", _PROGRAM, mode, workload),
            about=about,
            validates=mode == "validate",
            settings=partial(_settings, mode, workload),
            python=sdk_python,
        )
        for mode, about in _ABOUT.items()
    }
    about = "the Model Zoo's network, lowered with its `--validate_only`"
    lowers = replace(fit, command=(*_FIT, "--validate_only"), about=about, validates=True)
    own = replace(zoo, command=(*_RUN, "--validate_only"), about=about, validates=True, forms={"trainer": lowers})
    return replace(zoo, modes={**ours, "zoo-validate": own})


TARGET = Target(
    name="cerebras",
    title="Cerebras wafer-scale engines",
    detect=_detect,
    reader="cerebras",
    recipes={
        "bert-pretrain": _recipe("bert-pretrain", "run.py of the Model Zoo's BERT"),
        "mnist": _recipe("mnist", "run.py of the Model Zoo's fc_mnist"),
    },
    notes="started on a user node: its place is `local`, with HTTPS_PROXY and https_proxy set for anything external; "
    "compiles are cached between runs, and the log shows it",
    follows="the centre's guide of August 2026 (release 2.10, CS-3)",
)
