"""run.json: what was asked, on which machine, with which code. Written before anything starts."""

from __future__ import annotations

import os
import platform
import time
from pathlib import Path
from typing import Any

from assay import __version__
from assay.facts.environment import allowed, scheduler
from assay.facts.git import git_facts
from assay.facts.host import host_facts
from assay.facts.program import package_facts, script_facts
from assay.facts.secrets import MASK, mask_arguments, mask_text, mask_values, secret
from assay.probes.gpu import GpuState
from assay.spec import RunSpec, Value
from assay.store.layout import FORMAT


def describe(spec: RunSpec, run_id: str, name: str, gpus: GpuState) -> dict[str, Any]:
    """Everything worth knowing later; absent rather than invented."""
    cwd = Path(spec.cwd or Path.cwd())
    environment = {**os.environ, **spec.env}
    path = environment.get("PATH", os.defpath)
    facts = {
        "v": FORMAT,
        "id": run_id,
        "name": mask_text(name),
        "command": mask_arguments(spec.command),
        "cwd": str(cwd),
        "params": _masked(spec.params),
        "tags": list(spec.tags),
        "interval_s": spec.interval_s,
        "timeout_s": spec.timeout_s,
        "replay": str(spec.replay) if spec.replay else None,
        "asked_t": round(time.time(), 6),
        "recorder_pid": os.getpid(),
        "host": {**host_facts(), **_gpu_facts(gpus)},
        "scheduler": scheduler(os.environ),
        "environment": allowed(os.environ),
        "set_environment": mask_values(spec.env),
        "versions": {
            "assay": __version__,
            "python": platform.python_version(),
            **package_facts(spec.command, environment),
        },
        "git": git_facts(cwd),
        "script": script_facts(spec.command, cwd, path),
    }
    return {key: value for key, value in facts.items() if value not in (None, {}, [])}


def _masked(params: Any) -> dict[str, Value]:
    return {
        name: MASK if isinstance(value, str) and secret(name, value) else value for name, value in dict(params).items()
    }


def _gpu_facts(gpus: GpuState) -> dict[str, Any]:
    if gpus.status == "none":
        return {}
    if gpus.status == "broken":
        return {"gpu_problem": gpus.problem}
    return {"gpus": list(gpus.names), "gpu_driver": gpus.driver}
