"""`assay ls`"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from assay.cli.options import json_option, listed, metric_option, rename_option, runs_dir_option, where_option
from assay.cli.output import json_text
from assay.cli.ranges import Whole
from assay.cli.start import say_warning
from assay.errors import UsageError, did_you_mean
from assay.model.summary import FIELDS, Summary
from assay.selecting import listed_runs
from assay.spec import runs_dir
from assay.store.find import chosen, field_of, ordered, running_first
from assay.store.job import is_job
from assay.store.layout import RunDir
from assay.summary.chosen import by_metric, renamed, renames_of
from assay.summary.index import LEAN, summaries
from assay.views import terminal


@click.command()
@click.argument("words", nargs=-1, metavar="[CONDITION | RUN | FOLDER | FILE]…")
@where_option
@click.option("--sort", metavar="FIELD", help="Sort by a field; -FIELD puts the largest first (default: by start).")
@click.option("--columns", metavar="A,B,…", help="Show these fields.")
@click.option("--last", "-n", "count", type=Whole(min=1), metavar="N", help="Show only the newest N.")
@metric_option
@rename_option
@json_option
@runs_dir_option
def command(words: tuple[str, ...], conditions: tuple[str, ...], **options: Any) -> None:
    """List runs by start time, running ones first, with the settings that differ.

    Narrow the list with conditions: `status=failed`, `'batch_size>=512'`, `name~bert`. Quote < and > for the shell. A
    word without an operator is a folder of runs, a log, a page, a part of the name, or a job number.
    """
    folder = runs_dir(options.pop("runs_dir"))
    room, colour = terminal.columns(), terminal.colours(sys.stdout)
    sys.stdout.write(listing(folder, conditions=(*words, *conditions), **options, room=room, colour=colour))


def listing(
    folder: Path,
    *,
    conditions: Sequence[str],
    sort: str | None,
    columns: str | None,
    count: int | None,
    as_json: bool,
    metric: str | None = None,
    renames: Sequence[str] = (),
    base: Path = Path(),
    room: int = terminal.UNLIMITED,
    colour: bool = False,
) -> str:
    """What the options of this command ask for, as it is printed. Files lie as seen from `base`."""
    places = [text for text in conditions if not _has_operator(text) and (text == "last" or (base / text).exists())]
    words = [text for text in conditions if text not in places and not _has_operator(text)]
    tests = [text for text in conditions if _has_operator(text)]
    with ExitStack() as stack:
        runs = listed_runs(places, folder, stack, say_warning, base)
        going = [one.run for one in runs if one.lean.status in ("running", "queued")]
        if going and _ended_unseen(going):
            runs = listed_runs(places, folder, stack, say_warning, base)
        # what a list shows is quickly read; everything else takes whole summaries
        wanted = (
            None if as_json or sort or columns or metric or renames_of(renames) else [field_of(text) for text in tests]
        )
        lean = wanted is not None and set(wanted) <= {*LEAN}
        found = [one for one in summaries(runs, [] if lean else None) if all(_is_called(one, word) for word in words)]
        found = chosen(found, tests)
        found = found[-count:] if count else found
        found = by_metric(renamed(found, renames_of(renames)), metric)
        found = (
            sort_by(found, sort)
            if sort
            else best_first(found)
            if metric
            else running_first(found, lambda one: one.status)
        )
        if as_json:
            return json_text([summary.as_json() for summary in found])
    if not found:
        return f"no runs in {folder}\n" if not runs else "No runs match\n"
    from assay.views.table import columns_for, table_text

    asked = listed(columns)
    _check_columns(asked, found)
    return table_text(found, columns_for(found, asked, settings=True), room, colour=colour)


def _is_called(summary: Summary, word: str) -> bool:
    """By a part of its name, or by the number of its job."""
    return word.lower() in summary.name.lower() or is_job(summary.job_id, word)


def _ended_unseen(going: Sequence[RunDir]) -> bool:
    """Whether a scheduler knows that some of these have ended."""
    from assay.study.ask import refresh

    return refresh(going)


def sort_by(summaries: list[Summary], field: str) -> list[Summary]:
    """Runs that do not know the field come last, whichever way it is sorted."""
    name, backwards = field.lstrip("-"), field.startswith("-")
    if summaries and all(one.value(name) is None for one in summaries):
        raise UsageError(f"no run here has a field `{name}` to sort by", _suggestion(name, summaries))
    return ordered(summaries, lambda one: one.value(name), backwards=backwards)


def best_first(summaries: list[Summary]) -> list[Summary]:
    """By the chosen metric; where nobody knows which way is better, the largest first."""
    lower = any(one.objective.get("better") == "lower" for one in summaries)
    return ordered(summaries, lambda one: one.objective.get("value"), backwards=not lower)


def _check_columns(names: Sequence[str], summaries: Sequence[Summary]) -> None:
    """A column that no run could have is a slip; one that none happens to have is empty."""
    for name in names:
        known = "." in name or name in FIELDS or any(one.value(name) is not None for one in summaries)
        if not known:
            raise UsageError(f"no run here has a field `{name}` to show", _suggestion(name, summaries))


def _suggestion(name: str, summaries: Sequence[Summary]) -> str | None:
    fields = {field for summary in summaries for field in summary.names} | FIELDS
    return did_you_mean(name, fields, "list every field: assay ls --json")


def _has_operator(text: str) -> bool:
    return any(sign in text for sign in "=<>~")
