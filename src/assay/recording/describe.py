"""run.json: what was asked, on which machine, with which code. Written before anything starts."""

from __future__ import annotations

import os
import time
from pathlib import Path

from assay import __version__
from assay.facts.asked import masked
from assay.facts.environment import allowed, scheduler
from assay.facts.git import git_facts
from assay.facts.host import host_facts
from assay.facts.program import package_facts, script_facts
from assay.model.request import Host, Request
from assay.probes.gpu import GpuState
from assay.spec import RunSpec, run_name


def describe(spec: RunSpec, run_id: str, gpus: GpuState) -> Request:
    """Everything worth knowing later; absent rather than invented. No secret passes here."""
    cwd = Path(spec.cwd or Path.cwd())
    environment = {**os.environ, **spec.env}
    shown = masked(spec)
    return Request(
        id=run_id,
        name=run_name(shown),
        workload=spec.workload,
        command=tuple(shown.command),
        cwd=str(cwd),
        params=dict(shown.params),
        tags=tuple(shown.tags),
        interval_s=spec.interval_s,
        timeout_s=spec.timeout_s,
        again_of=spec.again_of,
        replay=str(spec.replay) if spec.replay else None,
        asked_t=round(time.time(), 6),
        recorder_pid=os.getpid(),
        host=_with_gpus(host_facts(), gpus),
        scheduler=scheduler(os.environ),
        environment=allowed(os.environ),
        set_environment=dict(shown.env),
        versions={"assay": __version__, **package_facts(spec.command, environment, cwd)},
        git=git_facts(cwd),
        script=script_facts(spec.command, cwd, environment.get("PATH", os.defpath)),
    )


def _with_gpus(host: Host, gpus: GpuState) -> Host:
    if gpus.status == "none":
        return host
    if gpus.status == "broken":
        return host.replace(gpu_problem=gpus.problem)
    return host.replace(gpus=tuple(gpus.names), gpu_driver=gpus.driver)
