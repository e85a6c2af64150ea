"""How it is seen that a Lumen is here, and how a workload starts on it."""

from __future__ import annotations

from assay.systems.target import Found, Recipe, Target, by_tools


def _detect() -> Found:
    return by_tools(("lumen-smi",), ("/opt/lumen",), "a Lumen", "no `lumen-smi` and no /opt/lumen: load its module")


TARGET = Target(
    name="lumen",
    title="Lumen accelerators",
    detect=_detect,
    reader="lumen",
    recipes={
        "mnist": Recipe(
            command=("lumen-train", "mnist", ("--epochs", "{epochs}"), ("--batch-size", "{batch_size}")),
            env={"LUMEN_CACHE": "{run}/lumen_cache"},  # every run compiles for itself
            needs="lumen-train on PATH",
        )
    },
    request={"slurm": {"gres": "lumen:1"}},
)
