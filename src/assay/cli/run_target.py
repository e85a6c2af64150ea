"""`assay run --target NAME [--mode MODE] WORKLOAD name=value…`: one run, started as a study on that target would.

The words become a study of one run, so that there is one place that knows how a target starts a workload.
"""

from __future__ import annotations

import os
import socket
from dataclasses import replace
from pathlib import Path

from assay.cli.given import Given
from assay.cli.run_on import finish
from assay.errors import RunError, UsageError
from assay.launchers.places import load_places
from assay.recording.record import Outcome, record
from assay.spec import RunSpec, Value
from assay.store import job as jobs
from assay.study.file import study_of
from assay.study.line import Words, document_of, settings_of
from assay.study.plan import plan
from assay.study.prepare import ready, started_by
from assay.study.single import Single
from assay.systems.target import Recipe
from assay.systems.ways import in_form_of, recipe_of, recipes_of, target_called


def run_target(given: Given) -> Outcome | int:
    """The outcome once it has ended, or an exit code if the run continues without us."""
    workload, recipe, settings = asked_of(given)
    spec = given.spec((workload,), workload if recipe.settings else None, settings)
    words = Words(
        spec=replace(spec, params={}, tags=(), timeout_s=None),
        workload=workload,
        target=given.target,
        mode=given.mode,
        config=given.config,
        settings=settings,
        takes_seed=recipe.settings is not None,
    )
    study = study_of(document_of(words))
    (unit,) = plan(study, load_places(), given.place)
    about = started_by(study).replace(seed=unit.seed)
    timed = replace(study, timeout_s=spec.timeout_s)
    single = Single(spec, unit.place, about, ready=lambda run: ready(timed, unit, run))
    if given.place is not None:
        return finish(single, quiet=given.quiet)
    return _here(single, replace(spec, cwd=study.cwd), given)


def asked_of(given: Given) -> tuple[str, Recipe, dict[str, Value]]:
    """The workload, how the target starts it, and its settings."""
    target, words = target_called(str(given.target)), [*given.words, *(given.after or ())]
    if not words:
        raise UsageError(f"no workload was given for {target.name}", f"choose one of: {', '.join(recipes_of(target))}")
    recipe = in_form_of(recipe_of(target, words[0], given.mode), Path(given.config) if given.config else None)
    if given.config is None and recipe.config:
        raise UsageError(f"{words[0]} on {target.name} needs a parameter file: --config FILE", _needs(recipe))
    return words[0], recipe, settings_of(recipe, words[1:])


def _needs(recipe: Recipe) -> str:
    other = f"; or, without the hardware, --mode {' or --mode '.join(recipe.modes)}" if recipe.modes else ""
    return f"it starts {recipe.needs}{other}"


def _here(single: Single, spec: RunSpec, given: Given) -> Outcome:
    """Recorded by this process, into the directory that was made ready."""
    spec = replace(spec, command=tuple(single.job.command), env=single.job.env, into=single.run.path)
    if not jobs.claim(single.run, socket.gethostname(), str(os.getpid())):
        raise RunError(f"`{single.run.path}` has already been started")
    code = RunError.exit_code
    try:
        outcome = record(spec, given.warn, given.closed, with_other_ranks=True)
        code = outcome.exit_code
    finally:
        jobs.note_end(single.run, code)
    return outcome
