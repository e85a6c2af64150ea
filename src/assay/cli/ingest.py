"""`assay ingest`"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from assay.cli.options import json_option, runs_dir_option
from assay.cli.output import print_json
from assay.cli.progress import progress
from assay.cli.start import say_error, say_warning
from assay.errors import UsageError, did_you_mean
from assay.spec import runs_dir


@click.command()
@click.argument("paths", nargs=-1, metavar="PATH…")
@click.option("--again", is_flag=True, help="PATH is a recorded run: read its output again, with the readers of today.")
@click.option("--reader", metavar="NAME", help="Use only this reader.")
@json_option
@runs_dir_option
def command(paths: tuple[str, ...], again: bool, reader: str | None, as_json: bool, **options: Any) -> int:
    """Import logs that you already have as runs.

    PATH is a file, a folder, a pattern, or `-` for standard input: logs, shell sessions, Markdown, notebooks, Slurm
    files and psrecord logs, also as .gz; TensorBoard files, MLflow databases and mlruns folders, and offline runs of
    W&B. One file can hold several runs.
    """
    if not paths:
        raise UsageError("no PATH given", "name a log, a page or a folder: assay ingest train.log")
    if again:
        return _again(paths, as_json=as_json, folder=runs_dir(options["runs_dir"]))
    from assay import systems
    from assay.reading.importing import ingest

    if reader is not None and reader not in systems.readers():
        raise UsageError(f"no reader called `{reader}`", did_you_mean(reader, systems.readers()))
    with progress(not as_json) as tell:
        report = ingest(list(paths), runs_dir(options["runs_dir"]), only=reader, tell=tell)
    for problem in report.problems:
        say_error(problem)
    if as_json:
        for one in report.files:
            if one.why and one.summaries:
                say_warning(one.why)
        print_json([summary.as_json() for one in report.files for summary in one.summaries])
    else:
        from assay.views.ingested import print_report

        print_report(report)
    return 1 if report.problems and not report.files else 0


def _again(words: Sequence[str], *, as_json: bool, folder: Path) -> int:
    """`--again RUN…`"""
    from assay.recording.rereading import reread
    from assay.store.find import find_run
    from assay.views.words import result_words

    found = [reread(find_run(folder, word)) for word in words]
    if as_json:
        print_json([summary.as_json() for summary in found])
    else:
        for summary in found:
            print(f"{summary.name}: {result_words(summary) or 'no figures were read'}")
    return 0
