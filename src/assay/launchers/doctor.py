"""Whether a place can be used from here, in one line."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess

from assay.errors import UsageError
from assay.launchers import launcher_called
from assay.launchers.places import Place


def look(place: Place) -> tuple[bool, str]:
    """(ready, why or why not)."""
    ours = {"local": _local, "torchrun": _torchrun, "slurm": _slurm, "pbs": _pbs}
    return ours.get(place.launcher, _added)(place)


def _added(place: Place) -> tuple[bool, str]:
    """Of another package: it may know how to look."""
    try:
        launcher = launcher_called(place.launcher)
    except UsageError as problem:
        return False, problem.message
    look_there = getattr(launcher, "look", None)
    return look_there(place) if look_there is not None else (True, f"started by `{type(launcher).__module__}`")


def _local(place: Place) -> tuple[bool, str]:
    return True, "this machine"


def _torchrun(place: Place) -> tuple[bool, str]:
    if shutil.which("torchrun") or importlib.util.find_spec("torch"):
        return True, "this machine, several processes"
    return False, "no torch here: install it, or name its environment in `setup`"


def _slurm(place: Place) -> tuple[bool, str]:
    if not shutil.which("sbatch"):
        return False, "no `sbatch` here: run on a login node, or load Slurm's module"
    partition = ["-p", place.partition] if place.partition else []
    answer = _ask(["sinfo", "-h", "-o", "%P %D %t %G", *partition])
    if answer is None:
        return False, "slurm does not answer: is its controller up, is SLURM_CONF set?"
    if not answer.strip():
        return False, f"no partition called `{place.partition}`: see sinfo"
    return True, "; ".join(" ".join(line.split()) for line in answer.strip().splitlines()[:3])


def _pbs(place: Place) -> tuple[bool, str]:
    if not shutil.which("qsub"):
        return False, "no `qsub` here: run on a login node, or load PBS's module"
    if _ask(["qstat", "-x", "-f", "-F", "json"]) is None:
        return False, "pbs does not answer: is its server up?"
    return True, "pbs answers"


def _ask(words: list[str]) -> str | None:
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=15, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
