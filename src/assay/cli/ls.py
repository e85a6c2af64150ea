"""`assay ls`"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from assay.cli.options import json_option, runs_dir_option
from assay.cli.output import json_text
from assay.cli.start import say_warning
from assay.errors import UsageError, did_you_mean
from assay.model.summary import Summary
from assay.spec import runs_dir
from assay.store.find import chosen, field_of, ordered
from assay.summary.index import load_all, summaries
from assay.views import terminal


@click.command()
@click.argument("conditions", nargs=-1, metavar="[CONDITION]…")
@click.option(
    "--sort", metavar="FIELD", help="Order by a field; -FIELD for the greatest first (default: oldest first)."
)
@click.option("--columns", metavar="A,B,…", help="Show these fields.")
@click.option("--last", "-n", "count", type=click.IntRange(min=1), metavar="N", help="Only the newest N.")
@json_option
@runs_dir_option
def command(**options: Any) -> None:
    """List runs.

    Conditions narrow the list: `status=failed`, `batch_size>=512`, `name~bert`. A word without an operator is looked
    for in the name.
    """
    folder = runs_dir(options.pop("runs_dir"))
    sys.stdout.write(listing(folder, **options, room=terminal.columns(), colour=terminal.colours(sys.stdout)))


def listing(
    folder: Path,
    *,
    conditions: Sequence[str],
    sort: str | None,
    columns: str | None,
    count: int | None,
    as_json: bool,
    room: int = terminal.UNLIMITED,
    colour: bool = False,
) -> str:
    """What the options of this command ask for, as it is printed."""
    listed = load_all(folder, say_warning)
    tests = [text if _has_operator(text) else f"name~{text}" for text in conditions]
    # what a list shows is quickly read; settings and everything else take whole summaries
    needed = None if as_json or sort or columns else [field_of(text) for text in tests]
    found = chosen(summaries(listed, needed), tests)
    found = found[-count:] if count else found
    if sort:
        found = sort_by(found, sort)
    if as_json:
        return json_text([summary.as_json() for summary in found])
    if not found:
        return f"no runs in {folder}\n" if not listed else "no run meets that\n"
    from assay.views.table import columns_for, table_text

    return table_text(found, columns_for(found, columns.split(",") if columns else ()), room, colour=colour)


def sort_by(summaries: list[Summary], field: str) -> list[Summary]:
    """Runs that do not know the field come last, whichever way it is sorted."""
    name, backwards = field.lstrip("-"), field.startswith("-")
    if summaries and all(one.value(name) is None for one in summaries):
        fields = {field for summary in summaries for field in summary.names}
        hint = did_you_mean(name, fields, "`assay ls --json` shows every field")
        raise UsageError(f"no run here has a `{name}` to sort by", hint)
    return ordered(summaries, lambda one: one.value(name), backwards=backwards)


def _has_operator(text: str) -> bool:
    return any(sign in text for sign in "=<>~")
