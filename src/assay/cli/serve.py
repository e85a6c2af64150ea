"""`assay serve`"""

from __future__ import annotations

import os
from typing import Any

import click

from assay.cli.options import runs_dir_option
from assay.cli.ranges import Whole
from assay.cli.start import say
from assay.errors import AssayError
from assay.parts import need
from assay.spec import runs_dir


@click.command()
@click.option("--port", type=Whole(0, 65535), metavar="N", help="Default: 7077, or the next free port; 0 for any.")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on.",
)
@runs_dir_option
def command(port: int | None, host: str, **options: Any) -> None:
    """Show runs live in the browser: all runs, one run while it trains, several compared.

    You can start it before, during or after the runs. Ctrl-C ends it. The printed link holds a token, without which
    no one is shown anything; $ASSAY_TOKEN sets one of your own, so that a bookmark stays valid.
    """
    from assay.web.address import listen

    need("`assay serve`", "starlette", "uvicorn", "scipy")
    folder = runs_dir(options["runs_dir"])
    if folder.exists() and not folder.is_dir():
        raise AssayError(f"`{folder}` is not a folder", "name the folder with the runs: --runs-dir DIR")
    if folder.exists() and not os.access(folder, os.R_OK | os.X_OK):
        raise AssayError(f"cannot read `{folder}`: permission denied", "choose another folder with --runs-dir")
    address = listen(host, port)
    from assay.web.loop import serve

    say(f"runs in {folder}")
    click.echo(address.url)
    serve(folder, address)
