"""Launchers start a prepared run somewhere: one file each, and one line in this table."""

from __future__ import annotations

from assay.launchers.base import Launcher
from assay.launchers.local import Local
from assay.launchers.pbs import Pbs
from assay.launchers.slurm import Slurm

#: torchrun is this machine with several processes: see launchers/torchrun.py
LAUNCHERS: dict[str, type[Launcher]] = {
    "local": Local,
    "torchrun": Local,
    "slurm": Slurm,
    "pbs": Pbs,
}
