"""Launchers start a prepared run somewhere: one file each, and one line in this table."""

from __future__ import annotations

from assay.launchers.base import Launcher, Traits
from assay.launchers.local import Local, Torchrun
from assay.launchers.pbs import Pbs
from assay.launchers.places import Place
from assay.launchers.slurm import Slurm, tasks_words

LAUNCHERS: dict[str, type[Launcher]] = {
    "local": Local,
    "torchrun": Torchrun,
    "slurm": Slurm,
    "pbs": Pbs,
}


def traits_of(launcher: str | None) -> Traits:
    """Of an older record, of which no launcher is known: none."""
    return LAUNCHERS[launcher].traits if launcher in LAUNCHERS else Traits()


def task_starter(place: Place) -> list[str]:
    """What starts several tasks inside a job stands before the command."""
    return tasks_words(place) if traits_of(place.launcher).starts_tasks else []
