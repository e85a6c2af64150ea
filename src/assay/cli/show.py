"""`assay show`"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence

import click

from assay.cli.options import json_option, runs_dir_option
from assay.cli.output import json_text
from assay.errors import UsageError
from assay.spec import runs_dir
from assay.store.files import try_open
from assay.store.find import find_run
from assay.store.layout import RunDir
from assay.summary.build import load_summary


@click.command()
@click.argument("runs", nargs=-1, metavar="[RUN]…")
@click.option("--live", is_flag=True, help="Watch it: curves, phases, the end of its output. q leaves.")
@click.option("--output", "show_output", is_flag=True, help="What the command printed, byte for byte.")
@json_option
@runs_dir_option
def command(runs: tuple[str, ...], live: bool, show_output: bool, as_json: bool, **options: str) -> None:
    """Show a run: by name, id, the beginning of one, `last` (the default), or path."""
    folder = runs_dir(options["runs_dir"])
    found = [find_run(folder, word) for word in runs or ("last",)]
    if live:
        if len(found) > 1:
            raise UsageError("--live watches one run at a time")
        from assay.views.live import watch

        watch(found[0])
    elif show_output:
        for run in found:
            log = try_open(run.path, run.output_log.name)
            if log is not None:
                with log:
                    shutil.copyfileobj(log, sys.stdout.buffer, 1 << 20)
    else:
        sys.stdout.write(shown(found, as_json=as_json))


def shown(runs: Sequence[RunDir], *, as_json: bool) -> str:
    """All that is known of each run, as it is printed."""
    from assay.auditing.audit import findings_of

    if as_json:
        found = [(run, [one.as_dict() for one in findings_of(run)]) for run in runs]
        return json_text([{**load_summary(run).as_json(), "findings": findings} for run, findings in found])
    from assay.views.page import page

    return "\n\n".join(page(load_summary(run), run, findings_of(run)) for run in runs) + "\n"
