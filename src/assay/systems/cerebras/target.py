"""Cerebras CS-2 and CS-3, through the Model Zoo's `run.py`; and its SDK where there is no wafer.

The batch size lives in the yaml, so every run gets a copy with it written in. Checkpoints are loaded by themselves from
model_dir, so every run gets a fresh one: a second run in the same folder trains nothing and then fails. The cluster has
a queue of its own (`csctl get jobs`), which the reader knows as a phase.

`mode: validate` lowers our own network to the wafer's form with the SDK and no cluster: such a result is `validated`,
and has no speed. `mode: cpu` trains it on the SDK's CPU backend. `mode: zoo-validate` has the Model Zoo lower its own.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import UsageError
from assay.systems.target import Found, Recipe, Target, by_tools

if TYPE_CHECKING:
    from assay.workloads.settings import Plain

_FOLDER = ".venv-cerebras"  # where `make cerebras` puts the SDK
_CHOSEN = "ASSAY_CEREBRAS_PYTHON"
_PROGRAM = "assay.workloads.cerebras_sdk"  # loaded when it is asked for: it takes longer than all the rest


def sdk_python() -> str:
    """The interpreter that has the SDK: the one that is named, else that of `make cerebras`, else our own."""
    from assay.workloads import cerebras_sdk

    chosen = os.environ.get(_CHOSEN)
    if chosen:
        if os.access(chosen, os.X_OK) and not os.path.isdir(chosen):
            return chosen
        raise UsageError(f"`{chosen}` is no program, and {_CHOSEN} names it", cerebras_sdk.REMEDY)
    for folder in (Path.cwd(), Path(__file__).parents[4]):  # the second is our own checkout, where we run from one
        python = folder / _FOLDER / "bin" / "python"
        if (python.parent.parent / "ready").exists() and os.access(python, os.X_OK):
            return str(python)
    if cerebras_sdk.has_sdk():
        return sys.executable
    raise UsageError("no Python with Cerebras' SDK is known here", cerebras_sdk.REMEDY)


def _detect() -> Found:
    missing = f"no `csctl` and no /opt/cerebras: log in to a user node of the cluster; {_without_a_wafer()}"
    return by_tools(("csctl",), ("/opt/cerebras",), "a user node of a wafer-scale cluster", missing)


def _without_a_wafer() -> str:
    try:
        return f"modes validate and cpu need neither: {sdk_python()}"
    except UsageError:
        return "modes validate and cpu need neither, but `make cerebras`"


_RUN = ("python", "run.py", "CSX", "--job_labels", "name=assay", "--params", "{config}", "--mode", "train",
        "--model_dir", "{run}/model_dir", "--compile_dir", "{run}/compile_dir", ("--num_csx", "{num_csx}"))  # fmt: skip
_ABOUT = {
    "validate": "our own network, lowered to the wafer's form by the SDK; not run",
    "cpu": "our own network, trained on the SDK's CPU backend on this machine",
}


def _settings(mode: str, workload: str) -> type[Plain]:
    from assay.workloads import cerebras_sdk

    return cerebras_sdk.settings_of(mode, workload)


def _recipe(workload: str, needs: str) -> Recipe:
    zoo = Recipe(
        command=_RUN,
        config={"train_input.batch_size": "{batch_size}", "runconfig.max_steps": "{max_steps}"},
        needs=f"{needs}, and its parameter file as `config: {{file: …}}` or --config",
    )
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
    about = "the Model Zoo's network, lowered by its own `--validate_only`"
    own = replace(zoo, command=(*_RUN, "--validate_only"), about=about, validates=True)
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
    notes="started on a user node: its place is `local`; compiles are cached by the cluster, and the log says so",
)
