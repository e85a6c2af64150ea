"""`assay diff`"""

from __future__ import annotations

import shlex
from contextlib import ExitStack
from pathlib import Path

import click

from assay.cli.options import runs_dir_option
from assay.cli.output import print_json
from assay.cli.start import say_warning
from assay.errors import AssayError, UsageError
from assay.parts import need
from assay.selecting import two_runs
from assay.spec import runs_dir, short_id
from assay.store.layout import write_whole


@click.command()
@click.argument("runs", nargs=-1, metavar="[A [B]]")
@click.option("--all", "whole", is_flag=True, help="Show the whole code diff, and every package and variable.")
@click.option("--json", "as_json", is_flag=True, help="Print everything that differs as one JSON object.")
@click.option("-o", "target", metavar="FILE", help="Write a page that opens offline: diff.html.")
@runs_dir_option
def command(runs: tuple[str, ...], whole: bool, as_json: bool, target: str | None, **options: str) -> None:
    """Show what differs between two runs: settings, code, packages, machine, environment, data, results.

    A and B are names, ids, the beginning of either, `last`, paths, or logs. A run alone is compared with the nearest
    run of the same study or program; without arguments, that is the last run.
    """
    if len(runs) > 2:
        raise UsageError("diff compares two runs", "for more runs use: assay compare")
    if as_json and target:
        raise UsageError("choose one of --json and -o")
    if target:
        need("`assay diff -o`", "jinja2")
    folder = runs_dir(options["runs_dir"])
    with ExitStack() as stack:
        first, second = two_runs(runs, folder, stack, say_warning)
        from assay.differing.difference import diff

        found = diff((first.run, first.summary), (second.run, second.summary))
    if as_json:
        print_json(found.as_dict())
    elif target:
        from assay.views.difference_page import html

        _write(Path(target), html(found))
    else:
        from assay.views.difference import print_difference

        place = ["--runs-dir", options["runs_dir"]] if options["runs_dir"] else []
        words = ["assay", "diff", short_id(first.summary.id), short_id(second.summary.id), "--all", *place]
        print_difference(found, shlex.join(words), whole=whole)


def _write(target: Path, content: str) -> None:
    try:
        write_whole(target, content.encode("utf-8", "replace"))
    except OSError as problem:
        raise AssayError(f"cannot write `{target}`: {problem.strerror}") from None
    click.echo(f"{target.resolve()}")
