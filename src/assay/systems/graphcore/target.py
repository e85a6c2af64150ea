"""Graphcore IPUs, through PopTorch's MNIST tutorial. Follows the centre's guide of August 2026 (SDK 3.3.0).

The tutorial sets its hyper-parameters at the top and argparse overwrites them: only the flags have an effect, so flags
are what a recipe sets. A graph that was compiled before is taken from the cache without a word, so every run has a
separate cache folder; `env: {POPTORCH_CACHE_DIR: …}` in a study names one that is kept.

The wheels are for Python 3.8, in which Assay does not run: `python` of the place names the recorder's interpreter, and
the command finds the one that the place's set-up lines activate.
"""

from __future__ import annotations

from assay.systems.target import Found, Recipe, Target, by_tools


def _detect() -> Found:
    missing = "no `gc-monitor` and no Poplar SDK: log in to gc-poplar, and `source …/enable` of the SDK"
    return by_tools(("gc-monitor", "gc-info"), ("$POPLAR_SDK_ENABLED", "/opt/poplar"), "a Poplar SDK", missing)


TARGET = Target(
    name="graphcore",
    title="Graphcore IPUs",
    detect=_detect,
    reader="graphcore",
    recipes={
        "mnist": Recipe(
            command=("python", "mnist_poptorch.py", ("--lr", "{lr}"), ("--epochs", "{epochs}"),
                     ("--batch-size", "{batch_size}"), ("--test-batch-size", "{test_batch_size}")),
            env={"POPTORCH_CACHE_DIR": "{run}/poptorch_cache"},
            needs="mnist_poptorch.py of the tutorials (examples/tutorials/simple_applications/pytorch/mnist)",
        )
    },
    request={"slurm": {"ipus": 1}},
    same_as_gres=("ipus",),  # where the option of ALCF's Slurm is not known
    notes="there are no IPUs outside of the scheduler: run on a place with `launcher: slurm` and `ipus`; "
    "the wheels are for Python 3.8, so `python` of the place names another one for the recorder",
    follows="the centre's guide of August 2026 (Poplar SDK 3.3.0)",
)  # fmt: skip
