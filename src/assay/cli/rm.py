"""`assay rm`"""

from __future__ import annotations

import os
import shutil
import sys

import click

from assay.cli.options import runs_dir_option
from assay.errors import AssayError, UsageError
from assay.spec import runs_dir
from assay.store.find import find_run
from assay.store.layout import RunDir
from assay.summary.build import load_summary


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN…")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@runs_dir_option
def command(runs: tuple[str, ...], yes: bool, **options: str) -> None:
    """Remove runs for good: by name, id, the beginning of one, `last`, or path. A run that goes on is refused."""
    folder = runs_dir(options["runs_dir"])
    found = list(dict.fromkeys(find_run(folder, word) for word in runs))
    for run in found:
        if _status(run) == "running":
            raise AssayError(f"`{run.path.name}` is running", "end it first")
    if not yes:
        _ask(found)
    for run in found:
        _remove(run)
        print(f"removed {run.path.name}")


def _ask(found: list[RunDir]) -> None:
    if not sys.stdin.isatty():
        raise UsageError("not removed: there is no one to ask", "say --yes")
    names = ", ".join(run.path.name for run in found)
    if not click.confirm(f"remove {names}?"):
        raise click.Abort


def _status(run: RunDir) -> str | None:
    try:
        return load_summary(run).get("status")
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
