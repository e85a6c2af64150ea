"""`assay rm`"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import click

from assay.cli.options import runs_dir_option
from assay.errors import AssayError, UsageError
from assay.model.request import Request
from assay.spec import runs_dir
from assay.store.code import clear_unused
from assay.store.files import read_file
from assay.store.find import find_run, is_whole
from assay.store.layout import RunDir
from assay.summary.build import load_summary


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN…")
@click.option("--yes", "-y", is_flag=True, help="Do not ask; every RUN must be a whole name, id or path.")
@runs_dir_option
def command(runs: tuple[str, ...], yes: bool, **options: str) -> None:
    """Remove runs for good: by name, id, the beginning of one, `last`, or path. A run that goes on is refused.

    No sign has a special meaning: `bs*` is a run that is called so. Only directories that Assay made are removed.
    """
    folder = runs_dir(options["runs_dir"])
    found = list(dict.fromkeys(_find(folder, word, whole=yes) for word in runs))
    for run in found:
        _check_ours(run, folder)
        if _status(run) == "running":
            raise AssayError(f"`{run.path.name}` is running", "end it first")
    if not yes:
        _ask(found, folder)
    for run in found:
        _remove(run)
        print(f"removed {run.path.name}")
    clear_unused(folder)


def _find(folder: Path, word: str, *, whole: bool) -> RunDir:
    run = find_run(folder, word)
    if whole and not is_whole(run, word):
        raise AssayError(f"no run is called `{word}`, one begins so", f"write all of it: {run.path.name}")
    return run


def _check_ours(run: RunDir, folder: Path) -> None:
    """A directory that a recorder or an import made: elsewhere than in the runs folder it must bear its id, too."""
    if run.path.is_symlink() or run.run_json.is_symlink():
        raise AssayError(f"`{run.path}` is a link", "remove what it leads to by its own path")
    place, run_id = run.path.resolve(), _id(run)
    here = place.parent == folder.resolve()
    made_by_us = run.events.is_dir() and (here or (run_id and place.name.endswith(f"-{run_id}")))
    if not made_by_us or Path.cwd().resolve().is_relative_to(place):
        raise AssayError(f"`{run.path}` is not removed: it is not a run directory as Assay makes them", "see assay ls")


def _id(run: RunDir) -> str:
    """As run.json itself has it. A record that cannot be read has none: then only the runs folder shows it is ours."""
    try:
        return Request.of(json.loads(read_file(run.path, run.run_json.name))).id
    except (OSError, ValueError, RecursionError):
        return ""


def _ask(found: list[RunDir], folder: Path) -> None:
    if not sys.stdin.isatty():
        raise UsageError("not removed: there is no one to ask", "say --yes")
    names = ", ".join(run.path.name if run.path.parent == folder else str(run.path) for run in found)
    if not click.confirm(f"remove {names}?"):
        raise click.Abort


def _status(run: RunDir) -> str | None:
    try:
        return load_summary(run).status
    except AssayError:
        return None


def _remove(run: RunDir) -> None:
    """Out of sight in one step, then deleted: a kill in between leaves no half run behind."""
    hidden = run.path.with_name(f".removed-{run.path.name}")
    try:
        os.replace(run.path, hidden)
        shutil.rmtree(hidden)
    except OSError as problem:
        raise AssayError(f"cannot remove `{run.path}`: {problem.strerror}") from None
