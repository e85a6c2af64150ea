"""`assay run --target NAME [--mode MODE] WORKLOAD name=value…`: one run, started as a study on that target would.

The words become a study of one run, so that there is one place that knows how a target starts a workload.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from assay.cli.given import Given
from assay.cli.run_on import finish
from assay.errors import RunError, UsageError
from assay.launchers.places import load_places
from assay.recording.record import Outcome, record
from assay.spec import RunSpec, Value, parse_setting
from assay.store import job as jobs
from assay.strictyaml import Document, Where
from assay.study.file import study_of
from assay.study.plan import plan
from assay.study.prepare import ready, started_by
from assay.study.single import Single
from assay.systems.target import Recipe, Target
from assay.systems.ways import recipe_of, recipes_of, target_called
from assay.workloads.failure import Failure


class _CommandLine(Document):
    """A study that was given as words: what is wrong with it has no line."""

    def error(self, where: Where, message: str, hint: str | None = None) -> UsageError:
        return UsageError(message, hint)


def run_target(given: Given) -> Outcome | int:
    """The outcome once it has ended, or the exit code to leave with where the run goes on without us."""
    target, words = target_called(str(given.target)), [*given.words, *(given.after or ())]
    if not words:
        raise UsageError(f"no workload for {target.name}", f"there are: {', '.join(recipes_of(target))}")
    workload = words[0]
    recipe = recipe_of(target, workload, given.mode)
    if given.config is None and recipe.config:
        raise UsageError(f"{workload} on {target.name} needs a parameter file: --config FILE", _needs(recipe))
    settings = _settings(recipe, words[1:])
    spec = given.spec((workload,), workload if recipe.settings else None, settings)
    study = study_of(_document(given, workload, target, recipe, settings, spec))
    (unit,) = plan(study, load_places(), given.place)
    about = started_by(study).replace(seed=unit.seed)
    timed = replace(study, timeout_s=spec.timeout_s)
    single = Single(spec, unit.place, about, ready=lambda run: ready(timed, unit, run))
    if given.place is not None:
        return finish(single, quiet=given.quiet)
    return _here(single, replace(spec, cwd=study.cwd), given)


def _needs(recipe: Recipe) -> str:
    other = f"; or, without the hardware, --mode {' or --mode '.join(recipe.modes)}" if recipe.modes else ""
    return f"it starts {recipe.needs}{other}"


def _settings(recipe: Recipe, words: Sequence[str]) -> dict[str, Value]:
    """What the words set. A program of ours is asked whether it would take them, before a run is made."""
    if recipe.settings is None:
        return dict(parse_setting(word) for word in words)
    from assay.workloads.settings import parse, read_words

    kind = recipe.settings()
    try:
        given = read_words(kind, words)
        always = [f"{name}={value}" for name, value in recipe.given.items() if name not in given]
        parse(kind, ["out=.", *always, *words])  # the run's folder, which is made later, serves as well
    except Failure as failure:
        raise UsageError(failure.message, failure.hint) from None
    return given


def _document(
    given: Given, workload: str, target: Target, recipe: Recipe, settings: Mapping[str, Value], spec: RunSpec
) -> _CommandLine:
    value: dict[str, object] = {
        "target": target.name,
        "mode": given.mode,
        "workload": workload,
        "set": {name: value for name, value in settings.items() if name != "seed"},
        "seeds": [settings.get("seed", 0)] if recipe.settings is not None or "seed" in settings else None,
        "config": {"file": given.config} if given.config else None,
        "cwd": str(spec.cwd) if spec.cwd else None,
        "env": dict(spec.env) or None,
    }
    kept = {key: one for key, one in value.items() if one not in (None, {})}
    return _CommandLine(path=Path.cwd() / "command line", value=kept, lines={})


def _here(single: Single, spec: RunSpec, given: Given) -> Outcome:
    """Recorded by this process, into the directory that was made ready."""
    spec = replace(spec, command=tuple(single.job.command), env=single.job.env, into=single.run.path)
    if not jobs.claim(single.run, socket.gethostname(), str(os.getpid())):
        raise RunError(f"`{single.run.path}` was begun already")
    code = RunError.exit_code
    try:
        outcome = record(spec, given.warn, given.closed)
        code = outcome.exit_code
    finally:
        jobs.note_end(single.run, code)
    return outcome
