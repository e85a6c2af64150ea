"""Whether a place or an endpoint can be used from here, in one line."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess

from assay.errors import UsageError
from assay.launchers import launcher_called
from assay.launchers.endpoints import Endpoint
from assay.launchers.places import Place
from assay.serving.address import address_of
from assay.serving.fault import Fault
from assay.serving.ready import get, model_names

_MOST_NAMED = 6


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
    return False, "torch is not installed: install it, or activate its environment in `setup`"


def _slurm(place: Place) -> tuple[bool, str]:
    if not shutil.which("sbatch"):
        return False, "`sbatch` was not found: use a login node, or load Slurm's module"
    partition = ["-p", place.partition] if place.partition else []
    answer = _ask(["sinfo", "-h", "-o", "%P %D %t %G", *partition])
    if answer is None:
        return False, "Slurm does not answer: check its controller and SLURM_CONF"
    if not answer.strip():
        return False, f"no partition called `{place.partition}`: see sinfo"
    return True, "; ".join(" ".join(line.split()) for line in answer.strip().splitlines()[:3])


def _pbs(place: Place) -> tuple[bool, str]:
    if not shutil.which("qsub"):
        return False, "`qsub` was not found: use a login node, or load PBS's module"
    if _ask(["qstat", "-B"]) is None:
        return False, "PBS does not answer: check its server"
    return True, "pbs answers"


def look_at(endpoint: Endpoint) -> tuple[bool, str]:
    """(ready, why or why not) of a server: its address, the key, its models. The key itself is never shown."""
    key = os.environ.get(endpoint.key_env, "").strip() if endpoint.key_env else ""
    status, body = get(address_of(endpoint.url).url("/models"), key)
    if isinstance(status, Fault):
        return False, f"{endpoint.url} does not answer ({status.kind}): {status.message}"
    if endpoint.key_env and not key:
        return False, f"the server answers, but {endpoint.key_env} is not set: export {endpoint.key_env}=…"
    if status in (401, 403):
        why = (
            f"refuses the key in {endpoint.key_env}; tokens expire, so log in again"
            if key
            else "asks for a key: key_env"
        )
        return False, f"the server {why} (HTTP {status})"
    if status >= 500:
        return False, f"the server answers with HTTP {status}: it may be starting"
    listed = [name.replace(key, "***") if key else name for name in model_names(body)]
    lacking = [name for name in endpoint.models.values() if listed and name not in listed]
    if lacking:
        return False, f"the server lists no model called `{lacking[0]}`; it has {_few(listed)}"
    return (
        True,
        f"the server answers; its models: {_few(listed)}" if listed else "the server answers, without a list of models",
    )


def _few(names: list[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


def _ask(words: list[str]) -> str | None:
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=15, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
