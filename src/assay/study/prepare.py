"""Prepare a run of a study: its directory, its description, and the job that will start it.

A prepared directory that was never started is used again as it is, so a study can be continued later.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from pathlib import Path

from assay import __version__
from assay.errors import UsageError
from assay.facts.secrets import mask_arguments, mask_text, mask_values
from assay.facts.settings import COMMAND, PARAM, STUDY, stated
from assay.launchers import task_starter
from assay.launchers.base import Job
from assay.launchers.endpoints import expanded
from assay.launchers.places import Place
from assay.model.request import PlaceFacts, Request
from assay.spec import RunSpec, Value, folder_name, new_id, run_name
from assay.store.layout import RunDir, create, write_json, write_whole
from assay.study.file import Study
from assay.study.line import CommandLine
from assay.study.plan import Unit
from assay.study.template import fill
from assay.study.what import Config


def prepare(study: Study, unit: Unit, runs_dir: Path) -> Job:
    """A new run directory for this unit, with its full description."""
    run_id = new_id()
    name = name_of(unit)
    run = create(runs_dir, folder_name(name, run_id))
    (run.path / "job").mkdir(mode=0o755)
    job = ready(study, unit, run)
    asked = started_by(study).replace(
        id=run_id,
        name=name,
        params={**study.params, **unit.settings},
        tags=tuple(study.tags),
        interval_s=study.interval_s,
        study=study.name,
        study_file=None if isinstance(study.document, CommandLine) else str(study.document.path.absolute()),
        study_about=study.about.strip() or None,
        cell=unit.cell,
        repeat=unit.repeat,
        seed=unit.seed,
        warmup=unit.warmup or None,
    )
    write_request(asked, job, study.cwd)
    return job


def started_by(study: Study) -> Request:
    """Whose way of starting it was taken."""
    return Request(
        target=study.target,
        mode=study.mode,
        workload=study.workload,
        validates=study.validates or None,
        system=study.target if study.validates else None,
    )


def ready(study: Study, unit: Unit, run: RunDir) -> Job:
    """The job of this unit, with the files it needs in its directory."""
    job = job_of(study, unit, run)
    if study.config is not None:
        content = _configured(study.config, _values(unit, run, study))
        write_whole(_config_path(study.config, run), content, mode=0o600)  # it may hold what only its owner may know
    return job


def write_request(asked: Request, job: Job, cwd: Path) -> None:
    """run.json of a run that has not begun; its recorder adds what is true where it runs. Secrets are masked here."""
    now_t = round(time.time(), 6)
    command, params, env = mask_arguments(job.command), mask_values(asked.params), mask_values(job.env)
    by = STUDY if asked.study else COMMAND if asked.workload else PARAM
    said = stated(command, cwd, params=params, env=env, said_by=by)
    whole = asked.replace(
        command=tuple(command),
        cwd=str(cwd),
        params=params,
        claims=said.claims,
        claim_sources=said.sources,
        tags=tuple(map(mask_text, asked.tags)),
        timeout_s=job.timeout_s,
        asked_t=now_t,
        submitted_t=now_t,
        set_environment=env,
        versions={"assay": __version__},
        place=PlaceFacts.of({**mask_values(job.place.facts()), "job_name": job.name}),
    )
    write_json(job.run.run_json, whole.as_json())


def job_of(study: Study, unit: Unit, run: RunDir) -> Job:
    """What starts this unit in this directory: made from the file again, so that no secret needs to be kept."""
    values = _values(unit, run, study)
    command = [*task_starter(unit.place), *fill(study.command, values)]  # before the command alone: a compile runs once
    command = expanded(command)
    if study.compile is not None:
        command = _in_steps(study, command, values)
    env = {name: fill([text], values)[0] for name, text in study.env.items()}
    return Job(run=run, place=unit.place, command=command, env=env, timeout_s=study.timeout_s, title=study.name)


def make_job(run: RunDir, place: Place, command: list[str], env: Mapping[str, str], timeout_s: float | None) -> Job:
    return Job(run=run, place=place, command=[*task_starter(place), *command], env=env, timeout_s=timeout_s)


def name_of(unit: Unit) -> str:
    """What varies, and which repeat it is: `bs512-lr0.1-r2`."""
    spec = RunSpec(command=("run",), runs_dir=Path(), params=mask_values(unit.varied))
    suffix = f"warmup{-unit.repeat}" if unit.warmup else f"r{unit.repeat + 1}"
    return f"{run_name(spec) if unit.varied else unit.called}-{suffix}"


def _values(unit: Unit, run: RunDir, study: Study) -> dict[str, Value]:
    given: dict[str, Value] = {
        "repeat": unit.repeat + 1,
        "run": str(run.path),
        "seed": unit.seed if unit.seed is not None else "",
    }
    if study.config is not None:
        given["config"] = str(_config_path(study.config, run))
    return {**given, **unit.settings}


def _config_path(config: Config, run: RunDir) -> Path:
    return run.path / config.path.name


def _configured(config: Config, values: Mapping[str, Value]) -> bytes:
    """A copy of the file with these keys set, kept with the run; the original is not changed."""
    import yaml

    try:
        content = yaml.safe_load(config.path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError, UnicodeDecodeError) as problem:
        raise UsageError(f"cannot read `{config.path}`: {str(problem).splitlines()[0]}") from None
    for key, text in config.values.items():
        inner, *path = content, *key.split(".")
        for part in path[:-1]:
            if key in config.added and isinstance(inner, dict) and inner.get(part) is None:
                inner[part] = {}
            if not isinstance(inner, dict) or not isinstance(inner.get(part), dict):
                raise UsageError(
                    f"`{key}` is not in `{config.path}`",
                    "write the path to the key with dots, as in train_input.batch_size",
                )
            inner = inner[part]
        if not isinstance(inner, dict):
            raise UsageError(
                f"`{key}` is not in `{config.path}`",
                "write the path to the key with dots, as in train_input.batch_size",
            )
        inner[path[-1]] = _same_kind(text, values)
    return yaml.safe_dump(content, sort_keys=False).encode()


def _same_kind(text: str, values: Mapping[str, Value]) -> Value:
    """A number stays a number: `{batch_size}` alone is the setting itself."""
    from assay.spec import typed

    name = text[1:-1] if text.startswith("{") and text.endswith("}") else ""
    return values[name] if name in values else typed(fill([text], values)[0])


def _in_steps(study: Study, command: list[str], values: Mapping[str, Value]) -> list[str]:
    """The compile step apart from the run: both are phases of one run, and a step that is not needed is said to be."""
    assert study.compile is not None
    words, makes = fill(study.compile.command, values), study.compile.makes
    made = [fill([str(makes)], values)[0]] if makes else [""]
    return [sys.executable, "-m", "assay.systems.steps", *made, str(len(words)), *words, *command]
