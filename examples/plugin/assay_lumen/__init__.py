"""Lumen accelerators: everything that Assay needs to know of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.model.known import KnownFailure
from assay.systems.system import System, Traps

if TYPE_CHECKING:
    from assay.reading.reader import Reader
    from assay.systems.target import Target


def _reader() -> type[Reader]:
    from assay_lumen.reader import Lumen  # its patterns are compiled when there is a log to read

    return Lumen


def _target() -> Target:
    from assay_lumen.target import TARGET

    return TARGET


SYSTEM = System(
    name="lumen",
    words=r"\blumen\b|lumen-(?:rt|train|smi)",
    reader=_reader,
    target=_target,
    failures=(
        KnownFailure(
            pattern=r"lumen-rt: lens \d+ is out of focus",
            code="no-device",
            hint="align the lens after every reboot: lumen-smi --align",
            alone=r"^lumen-rt: lens \d+ is out of focus",
            anchors=("out of focus",),
        ),
    ),
    known_for=("out-of-memory",),
    traps=Traps(setting="lumen-train takes its settings from flags alone: pass --epochs"),
    environment=("LUMEN_",),
    packages=("lumen",),
)
