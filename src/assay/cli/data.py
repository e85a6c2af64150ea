"""`assay data`: a command of the distribution of the workloads, found by its entry point."""

from __future__ import annotations

from collections.abc import Sequence

import click

from assay import plugins
from assay.parts import missing

_ITS_OWN = {"ignore_unknown_options": True, "help_option_names": []}


@click.command(context_settings=_ITS_OWN, short_help="list, fetch and check the data of the built-in workloads")
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[list|fetch|check] [NAME]…")
def command(words: Sequence[str]) -> int:
    """List, fetch and check the data of the built-in workloads (see docs/data.md)."""
    found = next((one for one in plugins.registered("assay.commands") if one.name == "data"), None)
    if found is None:
        raise missing("`assay data`", "assay_workloads")
    code: int = found.load()(words)
    return code
