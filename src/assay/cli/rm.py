"""`assay rm`"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from assay.cli.options import runs_dir_option
from assay.errors import AssayError, UsageError
from assay.spec import runs_dir
from assay.store.code import clear_unused
from assay.store.find import find_run, is_whole
from assay.store.layout import RunDir
from assay.store.removing import check_ours, remove
from assay.summary.build import load_summary


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN…")
@click.option("--yes", "-y", is_flag=True, help="Do not ask. Every RUN must then be a complete name, id or path.")
@runs_dir_option
def command(runs: tuple[str, ...], yes: bool, **options: str) -> None:
    """Remove runs for good, given by name, id, the beginning of either, `last`, or path.

    A run that is still running is not removed. `*` has no special meaning: `bs*` is a run with that name. Only
    directories that Assay made are removed.
    """
    folder = runs_dir(options["runs_dir"])
    found = list(dict.fromkeys(_find(folder, word, whole=yes) for word in runs))
    for run in found:
        check_ours(run, folder)
        if _status(run) == "running":
            raise AssayError(f"`{run.path.name}` is still running", "stop it first")
    if not yes:
        _ask(found, folder)
    for run in found:
        remove(run)
        print(f"removed {run.path.name}")
    clear_unused(folder)


def _find(folder: Path, word: str, *, whole: bool) -> RunDir:
    run = find_run(folder, word)
    if whole and not is_whole(run, word):
        raise AssayError(f"no run is called exactly `{word}`", f"write the complete name: {run.path.name}")
    return run


def _ask(found: list[RunDir], folder: Path) -> None:
    if not sys.stdin.isatty():
        raise UsageError("not removed, because there is no terminal to ask for confirmation", "add --yes")
    names = ", ".join(run.path.name if run.path.parent == folder else str(run.path) for run in found)
    if not click.confirm(f"remove {names}?"):
        raise click.Abort


def _status(run: RunDir) -> str | None:
    try:
        return load_summary(run).status
    except AssayError:
        return None
