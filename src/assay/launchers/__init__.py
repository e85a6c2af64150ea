"""Launchers start a prepared run somewhere: one file each, and one line in this table.

Other packages add theirs by an entry point of the group `assay.launchers`.
"""

from __future__ import annotations

from typing import TypeGuard

from assay import plugins
from assay.errors import UsageError
from assay.launchers.base import Launcher, Traits
from assay.launchers.local import Local, Torchrun
from assay.launchers.pbs import Pbs
from assay.launchers.places import Place
from assay.launchers.slurm import Slurm
from assay.launchers.slurm_request import tasks_words

LAUNCHERS: dict[str, type[Launcher]] = {
    "local": Local,
    "torchrun": Torchrun,
    "slurm": Slurm,
    "pbs": Pbs,
}


def launcher_called(name: str) -> Launcher:
    """A launcher by its name, ours or another package's."""
    found = _kind(name)
    if found is None:
        raise UsageError(f"the launcher `{name}` cannot be loaded", "install the package that provides it again")
    return found()


def traits_of(launcher: str | None) -> Traits:
    """The traits of a launcher; of an older record without one, the default traits."""
    found = _kind(launcher) if launcher is not None else None
    return found.traits if found is not None else Traits()


def task_starter(place: Place) -> list[str]:
    """What starts several tasks inside a job stands before the command."""
    return tasks_words(place) if traits_of(place.launcher).starts_tasks else []


def _kind(name: str) -> type[Launcher] | None:
    return LAUNCHERS.get(name) or plugins.load("assay.launchers", _is_launcher, LAUNCHERS).get(name)


def _is_launcher(value: object) -> TypeGuard[type[Launcher]]:
    asked = ("name", "traits", "submit", "poll", "cancel", "remedy", "verdict")
    return isinstance(value, type) and all(hasattr(value, name) for name in asked)
