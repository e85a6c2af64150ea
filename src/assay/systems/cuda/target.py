"""NVIDIA GPUs, seen through NVML; nothing of CUDA itself is loaded."""

from __future__ import annotations

from collections import Counter

from assay.probes import gpu
from assay.systems.target import Found, Target


def _detect() -> Found:
    state = gpu.look()
    if state.status == "ready":
        names = ", ".join(f"{count} x {name}" for name, count in Counter(state.names).items())
        return Found(ready=True, says=f"{names}, driver {state.driver}")
    if state.status == "broken":
        return Found(ready=False, says=f"a driver that does not answer: {state.problem}")
    return Found(ready=False, says="no NVIDIA driver was found; ask the scheduler for a node with a GPU")


TARGET = Target(
    name="cuda",
    title="NVIDIA GPUs",
    detect=_detect,
    reader="generic",
    request={"slurm": {"gpus": 1}, "pbs": {"gpus": 1}},
    notes="built-in workloads run with device=cuda",
)
