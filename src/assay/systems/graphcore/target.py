"""Graphcore IPUs, through PopTorch's MNIST tutorial.

The tutorial sets its hyper-parameters at the top and argparse overwrites them: only the flags have an effect, so flags
are what a recipe sets. A graph that was compiled before is taken from the cache without a word, so every run has a
cache folder of its own.
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
    notes="outside of the scheduler there are no IPUs: run on a place with `launcher: slurm` and `ipus`",
)  # fmt: skip
