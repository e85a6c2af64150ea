"""`assay run --again RUN`"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from assay.cli.conclude import compare_runs
from assay.cli.run_on import finish
from assay.cli.start import say, say_warning
from assay.errors import AssayError, RunError
from assay.launchers.places import Place, place_of
from assay.model.request import Request
from assay.recording.again import code_of, spec_again
from assay.recording.record import Outcome, record
from assay.spec import RunSpec, runs_dir
from assay.store.code import with_code
from assay.store.find import find_run
from assay.store.layout import RunDir
from assay.store.owner import outsider
from assay.study.single import Single


def again(word: str, chosen: str | None, *, trusted: bool, quiet: bool, closed: frozenset[int]) -> int:
    """Do it again and compare; the exit code is the new run's."""
    folder = runs_dir(chosen)
    try:
        first = find_run(folder, word)
        asked = with_code(first, first.asked())
        _check_trusted(first, trusted=trusted)
    except AssayError as problem:
        raise RunError(problem.message, problem.hint) from None
    warn: Callable[[str], None] = (lambda text: None) if quiet else say_warning
    spec = spec_again(asked, folder)
    with code_of(asked, warn) as where:
        command = tuple(map(where, spec.command))
        spec = replace(spec, command=command, cwd=Path(where(str(spec.cwd))))
        if asked.place is not None:
            outcome = _elsewhere(spec, place_of(asked.place), asked, first, quiet=quiet)
        else:
            outcome = record(spec, warn, closed)
    if isinstance(outcome, int):
        return outcome
    if not quiet and outcome.summary is not None:
        say(f"assay: {spec.name} again: {outcome.summary.status}, kept in {outcome.run.path.name}")
        compare_runs([first.path.name, outcome.run.path.name], folder)
    return outcome.exit_code


def _check_trusted(run: RunDir, *, trusted: bool) -> None:
    """Repeating a run starts what its record says: a command, in a folder, with its variables."""
    who = None if trusted else outsider(run.run_json)
    if who is not None:
        name = run.path.name
        hint = f"read it with `assay show {name}`, then: assay run --again {name} --trust"
        raise AssayError(
            f"`{name}` may have been written by {who}, and --again would run its command with your rights", hint
        )


def _elsewhere(spec: RunSpec, place: Place, asked: Request, first: RunDir, *, quiet: bool) -> Outcome | int:
    about = Request(
        target=asked.target,
        mode=asked.mode,
        seed=asked.seed,
        workload=asked.workload,
        validates=asked.validates,
        system=asked.system,
        again_of=spec.again_of,
    )
    return finish(Single(spec, place, about, before=first.path), quiet=quiet)
