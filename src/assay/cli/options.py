"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click


def not_empty(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    """An empty `--runs-dir "$UNSET"` is an error: runs must not end up in an unexpected folder."""
    if value == "":
        raise click.BadParameter("it is empty; check whether a shell variable is unset")
    return value


runs_dir_option: Callable[[Any], Any] = click.option(
    "--runs-dir",
    metavar="DIR",
    callback=not_empty,
    help="Folder with the runs (default: $ASSAY_RUNS, else ./assay-runs).",
)
where_option: Callable[[Any], Any] = click.option(
    "--where",
    "conditions",
    multiple=True,
    metavar="CONDITION",
    help="Only runs that match, as in 'batch_size>=512'. Can be repeated.",
)
metric_option: Callable[[Any], Any] = click.option(
    "--metric",
    metavar="NAME",
    help="Put this figure first; NAME:min or NAME:max says which way is better.",
)
rename_option: Callable[[Any], Any] = click.option(
    "--rename",
    "renames",
    multiple=True,
    metavar="PRINTED=NAME",
    help="Show a printed figure under another name; [rename] in assay.toml does so for good.",
)
json_option: Callable[[Any], Any] = click.option(
    "--json", "as_json", is_flag=True, help="Print a list of summaries as JSON."
)


def listed(text: str | None) -> list[str]:
    """`A,B,…`"""
    return [name.strip() for name in text.split(",") if name.strip()] if text else []
