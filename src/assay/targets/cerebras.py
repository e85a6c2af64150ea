"""Cerebras CS-2 and CS-3, through the Model Zoo's `run.py`.

The batch size lives in the yaml, so every run gets a copy with it written in. Checkpoints are loaded by themselves from
model_dir, so every run gets a fresh one: a second run in the same folder trains nothing and then fails. The cluster has
a queue of its own (`csctl get jobs`), which the reader knows as a phase. `mode: validate` lowers the model to the
wafer's own form with no cluster: such a result is `validated`, and has no speed.
"""

from __future__ import annotations

from assay.targets.base import Found, Recipe, Target, by_tools


def _detect() -> Found:
    missing = "no `csctl` and no /opt/cerebras: log in to a user node of the cluster; `mode: validate` needs neither"
    return by_tools(("csctl",), ("/opt/cerebras",), "a user node of a wafer-scale cluster", missing)


_RUN = ("python", "run.py", "CSX", "--job_labels", "name=assay", "--params", "{config}", "--mode", "train",
        "--model_dir", "{run}/model_dir", "--compile_dir", "{run}/compile_dir", ("--num_csx", "{num_csx}"))  # fmt: skip

TARGET = Target(
    name="cerebras",
    title="Cerebras wafer-scale engines",
    detect=_detect,
    reader="cerebras",
    recipes={
        "bert-pretrain": Recipe(
            command=_RUN,
            config={"train_input.batch_size": "{batch_size}", "runconfig.max_steps": "{max_steps}"},
            modes={"validate": ("--validate_only",)},
            needs="run.py of the Model Zoo's BERT, and its parameter file as `config: {file: …}`",
        ),
        "mnist": Recipe(
            command=_RUN,
            config={"train_input.batch_size": "{batch_size}", "runconfig.max_steps": "{max_steps}"},
            modes={"validate": ("--validate_only",)},
            needs="run.py of the Model Zoo's fc_mnist, and its parameter file as `config: {file: …}`",
        ),
    },
    failures=("stale-checkpoint", "missing-file", "appliance-fault", "missing-module"),
    notes="started on a user node: its place is `local`; compiles are cached by the cluster, and the log says so",
)
