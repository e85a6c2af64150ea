"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

runs_dir_option: Callable[[Any], Any] = click.option(
    "--runs-dir", metavar="DIR", help="Where runs are kept (else $ASSAY_RUNS, else ./assay-runs)."
)
json_option: Callable[[Any], Any] = click.option(
    "--json", "as_json", is_flag=True, help="A list of summaries, and nothing else."
)


def listed(text: str | None) -> list[str]:
    """`A,B,…`"""
    return [name.strip() for name in text.split(",") if name.strip()] if text else []
