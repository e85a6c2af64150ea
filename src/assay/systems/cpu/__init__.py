"""The processor of this machine: always here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.systems.system import System

if TYPE_CHECKING:
    from assay.systems.target import Target


def _target() -> Target:
    from assay.systems.cpu.target import TARGET

    return TARGET


SYSTEM = System(name="cpu", target=_target, known_for=("out-of-memory", "missing-module"))
