"""`assay export`"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from assay.cli.options import runs_dir_option, where_option
from assay.cli.start import say_warning
from assay.errors import AssayError, UsageError
from assay.parts import need
from assay.spec import runs_dir
from assay.store.layout import RunDir

_KINDS = ("tensorboard", "mlflow", "csv", "json")


@click.command()
@click.argument("words", nargs=-1, metavar="[RUN | FOLDER | FILE]…")
@click.option("--to", "kind", type=click.Choice(_KINDS), required=True, help="The format.")
@click.option("-o", "--output", "target", metavar="WHERE", help="A folder; for mlflow also sqlite:///FILE or http://….")
@where_option
@click.option("--open", "and_open", is_flag=True, help="Start TensorBoard with the exported runs.")
@runs_dir_option
def command(words: tuple[str, ...], kind: str, conditions: tuple[str, ...], **options: Any) -> int | None:
    """Export runs for another tool; without RUN, all of them.

    They are written to ./assay-export/FORMAT, unless -o is given. Exporting a run again replaces it; in MLflow it adds
    nothing.
    """
    from assay.cli.progress import counted
    from assay.selecting import chosen_runs, none_chosen

    folder = runs_dir(options["runs_dir"])
    target = options["target"] or f"assay-export/{kind}"
    if options["and_open"] and kind != "tensorboard":
        raise UsageError("--open works only with TensorBoard", "add --to tensorboard")
    if options["and_open"]:
        need("`--open`", "tensorboard")
    if kind == "mlflow":
        need("`--to mlflow`", "mlflow", "sqlalchemy", "alembic")
    if "://" in target and kind != "mlflow":
        raise UsageError(f"`{target}` is not a folder", "only --to mlflow takes an address")
    with ExitStack() as stack:
        runs = chosen_runs(words, conditions, folder, stack, say_warning)
        if not runs:
            raise none_chosen(folder, some=bool(words or conditions))
        write, close = _writer(kind, target)
        with counted(len(runs), "exporting runs") as tell:
            for done, run in enumerate(runs, 1):
                write(run)
                tell(done)
        close()
    click.echo(target if "://" in target else Path(target).resolve())
    return _open(Path(target)) if options["and_open"] else None


def _writer(kind: str, target: str) -> tuple[Callable[[RunDir], object], Callable[[], object]]:
    """(what writes one run, what is done at the end)"""
    from assay.views.export import files, tensorboard
    from assay.views.export.points import Exported, load

    if kind == "mlflow":
        from assay.views.export import mlflow

        made = mlflow.client(_address(target))
        return lambda run: mlflow.write(load(run), made), lambda: None
    place = _folder(target)
    if kind == "tensorboard":
        return lambda run: tensorboard.write(load(run), place), lambda: None
    if kind == "json":
        return lambda run: files.write_json(load(run), place), lambda: None
    listed: list[Exported] = []

    def write(run: RunDir) -> None:
        listed.append(load(run))
        files.write_csv(listed[-1], place)

    return write, lambda: files.write_runs(listed, place)


def _address(target: str) -> str:
    """A folder gets a new database."""
    if "://" in target:
        return target
    return f"sqlite:///{_folder(target).resolve() / 'mlflow.db'}"


def _folder(target: str) -> Path:
    place = Path(target)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise AssayError(f"cannot write to `{place}`: {problem.strerror}", "choose another folder with -o") from None
    return place


def _open(place: Path) -> int:
    """Until someone ends it."""
    return subprocess.call([sys.executable, "-m", "tensorboard.main", "--logdir", str(place)])
