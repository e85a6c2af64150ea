"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click


def not_empty(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    """`--runs-dir "$UNSET"` must not put runs where no one asked for them."""
    if value == "":
        raise click.BadParameter("it is empty; is a variable unset?")
    return value


runs_dir_option: Callable[[Any], Any] = click.option(
    "--runs-dir",
    metavar="DIR",
    callback=not_empty,
    help="Where runs are kept (else $ASSAY_RUNS, else ./assay-runs).",
)
json_option: Callable[[Any], Any] = click.option(
    "--json", "as_json", is_flag=True, help="A list of summaries, and nothing else."
)


def listed(text: str | None) -> list[str]:
    """`A,B,…`"""
    return [name.strip() for name in text.split(",") if name.strip()] if text else []
