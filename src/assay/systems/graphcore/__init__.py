"""Graphcore: IPUs, through PopTorch and its examples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.model.known import KnownFailure, KnownSpread
from assay.systems.graphcore.course import COURSE
from assay.systems.system import System, Traps

if TYPE_CHECKING:
    from assay.reading.reader import Reader
    from assay.systems.target import Target

_FAILURES = (
    KnownFailure(
        pattern=r"Failed to acquire \d+ IPU\(?s?\)?|No IPU detected|Could not find a device|no suitable IPU",
        code="no-device",
        hint="started outside the scheduler: srun --ipus=1 …",
        alone=r"Failed to acquire \d+ IPU",
        anchors=("failed to acquire",),
    ),
    KnownFailure(
        pattern=r"(?i:IPUoF (?:server|client).{0,200}(?:unreachable|timed? ?out)|fabric .{0,200}(?:unreachable|down))",
        code="fabric-fault",
        hint="a fault of the fabric between host and IPUs: run again",
        alone=r"(?i:IPUoF (?:server|client)\S{0,80} .{0,200}(?:unreachable|time))",
        anchors=("ipuof",),
    ),
)
#: read from public logs of runs with the same settings, by different people on different days
_SPREADS = (
    KnownSpread(
        figure="accuracy",
        sd=0.0053,
        runs=31,
        of="31 runs of the MNIST tutorial with its default settings",
        task="mnist",
        low=0.95,
        high=0.995,
        seen="98.05 % on average, 96.85 to 98.72 %",
    ),
)


def _reader() -> type[Reader]:
    from assay.systems.graphcore.reader import Graphcore

    return Graphcore


def _target() -> Target:
    from assay.systems.graphcore.target import TARGET

    return TARGET


SYSTEM = System(
    name="graphcore",
    words=r"graphcore|pop(?:torch|lar|art|run)|\bipus?\b|--ipus|gc-(?:login|poplar)|mnist_poptorch",
    reader=_reader,
    target=_target,
    failures=_FAILURES,
    known_for=("env-after-srun",),
    spreads=_SPREADS,
    traps=Traps(
        setting="the script's own constants are overwritten by its command line: pass --epochs, --lr, --batch-size",
        train_covers_compile=True,
    ),
    course=COURSE,
    launches=("poprun",),
    environment=("POPART_", "POPLAR_", "POPTORCH_"),
    packages=("poptorch", "poplar"),
)
