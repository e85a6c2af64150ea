"""run.json: what was asked, on which machine, with which code. Written before anything starts."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path

from assay import __version__, systems
from assay.facts.asked import masked
from assay.facts.code import code_facts
from assay.facts.environment import allowed, scheduler
from assay.facts.git import git_facts
from assay.facts.host import host_facts
from assay.facts.packages import installed, that_matter
from assay.facts.program import script_facts
from assay.facts.settings import COMMAND, PARAM, Stated, stated
from assay.model.request import ConfigFile, Host, Request
from assay.probes.accelerators import State
from assay.recording.naming import name_of
from assay.spec import RunSpec, safe_name
from assay.store.code import stored_in


def describe(spec: RunSpec, run_id: str, gpus: State) -> Request:
    """Everything worth knowing later; absent rather than invented. No secret passes here."""
    cwd = Path(spec.cwd or Path.cwd())
    environment = {**os.environ, **spec.env}
    shown, git = masked(spec), git_facts(cwd)
    versions, packages = versions_of(spec, environment, cwd)
    said = stated_by(shown, cwd)
    stored = stored_in(spec.into.parent if spec.into else spec.runs_dir)
    return Request(
        id=run_id,
        name=name_of(shown, said.claims, said.sources),
        workload=spec.workload,
        command=tuple(shown.command),
        cwd=str(cwd),
        params=dict(shown.params),
        tags=tuple(shown.tags),
        interval_s=spec.interval_s,
        timeout_s=spec.timeout_s,
        again_of=spec.again_of,
        replay=str(spec.replay) if spec.replay else None,
        ranks=spec.ranks or None,
        asked_t=round(time.time(), 6),
        recorder_pid=os.getpid(),
        host=_with_gpus(host_facts(), gpus),
        scheduler=scheduler(os.environ),
        environment=allowed_variables(os.environ),
        set_environment=dict(shown.env),
        versions={"assay": __version__, **versions},
        packages=packages,
        git=git,
        script=script_facts(spec.command, cwd, environment.get("PATH", os.defpath)),
        code=code_facts(spec.command, cwd, environment, git, stored),
        configs=kept_configs(said),
        claims=said.claims,
        claim_sources=said.sources,
    )


def stated_by(shown: RunSpec, cwd: Path) -> Stated:
    """The settings of a spec without secrets; a replayed log has none."""
    if shown.replay is not None:
        return stated((), cwd, params=shown.params)
    by = PARAM if shown.workload is None else COMMAND  # a workload's settings are words of the command line
    return stated(shown.command, cwd, params=shown.params, env=shown.env, said_by=by)


def kept_configs(said: Stated) -> tuple[ConfigFile, ...]:
    """Each under a unique name in the run's folder."""
    found: list[ConfigFile] = []
    for number, one in enumerate(said.configs, 1):
        name = f"config-{safe_name(Path(one.path).name) or number}"
        twice = any(before.kept == name for before in found)
        kept = f"config-{number}-{name.removeprefix('config-')}" if twice else name
        found.append(
            ConfigFile(
                path=one.path,
                sha256=one.sha256,
                kept=kept if one.text is not None else None,
                masked=one.masked or None,
                text=one.text,
            )
        )
    return tuple(found)


def versions_of(spec: RunSpec, environment: Mapping[str, str], cwd: Path) -> tuple[dict[str, str], dict[str, str]]:
    """(versions of the packages that matter for training or for a system, versions of all others)"""
    packages, programs = systems.all_of(lambda one: one.packages), systems.all_of(lambda one: one.programs)
    every = installed(spec.command, environment, cwd, programs)
    first = that_matter(every, packages)
    return first, {name: one for name, one in every.items() if name not in first}


def allowed_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """What may be recorded of an environment, with what a system adds."""
    return allowed(environment, systems.all_of(lambda one: one.environment))


def _with_gpus(host: Host, gpus: State) -> Host:
    if gpus.status == "none":
        return host
    if gpus.status == "broken":
        return host.replace(gpu_problem=gpus.problem)
    return host.replace(gpus=tuple(gpus.names), gpu_driver=gpus.driver)
