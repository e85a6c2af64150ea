"""NVIDIA GPUs, seen through NVML; nothing of CUDA itself is loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.model.known import KnownFailure
from assay.systems.system import System

if TYPE_CHECKING:
    from assay.systems.target import Target


def _target() -> Target:
    from assay.systems.cuda.target import TARGET

    return TARGET


SYSTEM = System(
    name="cuda",
    target=_target,
    failures=(
        KnownFailure(
            pattern=r"No CUDA GPUs are available|CUDA driver version is insufficient|no CUDA-capable device",
            code="no-device",
            hint="check the driver with nvidia-smi, and the request of the job for a GPU",
        ),
    ),
    known_for=("out-of-memory",),
)
