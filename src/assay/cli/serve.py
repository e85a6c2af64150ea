"""`assay serve`"""

from __future__ import annotations

import os
from typing import Any

import click

from assay.cli.options import runs_dir_option
from assay.cli.start import say
from assay.errors import AssayError
from assay.parts import need
from assay.spec import runs_dir


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), help="Default: 7077, or the next free one; 0 for any.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Any other address needs the token of the link.")
@click.option("--token", "with_token", is_flag=True, help="Ask for a token on this machine too: others log in here.")
@runs_dir_option
def command(port: int | None, host: str, with_token: bool, **options: Any) -> None:
    """Show a runs folder as a live page: all runs, one while it goes on, several compared.

    It only reads, and may run beside the runs. Ctrl-C ends it.
    """
    from assay.web.address import listen

    need("`assay serve`", "starlette", "uvicorn", "vl_convert", "scipy")
    folder = runs_dir(options["runs_dir"])
    if folder.exists() and not folder.is_dir():
        raise AssayError(f"`{folder}` is not a folder", "--runs-dir names the folder that runs are kept in")
    if folder.exists() and not os.access(folder, os.R_OK | os.X_OK):
        raise AssayError(f"cannot read `{folder}`: permission denied", "choose another with --runs-dir")
    address = listen(host, port, with_token=with_token)
    from assay.web.loop import serve

    say(f"runs of {folder}")
    click.echo(address.url)
    serve(folder, address)
