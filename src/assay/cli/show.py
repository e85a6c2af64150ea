"""`assay show`"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import click

from assay.cli.options import json_option, runs_dir_option
from assay.cli.output import json_text
from assay.cli.start import say_warning
from assay.errors import UsageError
from assay.spec import runs_dir
from assay.store.files import try_open
from assay.store.find import find_run
from assay.store.layout import RunDir
from assay.summary.build import load_summary
from assay.views.terminal import columns, folded_text


@click.command()
@click.argument("runs", nargs=-1, metavar="[RUN]…")
@click.option("--live", is_flag=True, help="Watch the run: curves, phases, the end of its output. Quit with q.")
@click.option("--output", "show_output", is_flag=True, help="Print the output of the command, byte for byte.")
@json_option
@runs_dir_option
def command(runs: tuple[str, ...], live: bool, show_output: bool, as_json: bool, **options: str) -> None:
    """Show a run, given by name, id, the beginning of either, job number, path, or `last` (the default)."""
    folder = runs_dir(options["runs_dir"])
    with ExitStack() as stack:
        aside: list[RunDir] = []
        found = [_found(folder, word, stack, aside) for word in runs or ("last",)]
        if live or show_output:
            _follow(found, live=live)
            return
        text = shown(found, as_json=as_json, aside=aside)
        if not as_json:
            text += "".join(_job(word, run, stack) for word, run in zip(runs, found, strict=False))
        sys.stdout.write(text if as_json else folded_text(text, columns()))


def _found(folder: Path, word: str, stack: ExitStack, aside: list[RunDir]) -> RunDir:
    """A run of the folder, else a job that only its scheduler knows, which is kept `aside`."""
    from assay.launchers.accounts import is_job_id

    if not is_job_id(word):
        return find_run(folder, word)
    from assay.selecting import run_of_job, run_with_job

    known = run_with_job(folder, word, say_warning)
    if known is not None:
        return known
    job = run_of_job(word, stack, say_warning)
    if job is None:
        return find_run(folder, word)
    aside.append(job)
    return job


def _job(word: str, run: RunDir, stack: ExitStack) -> str:
    """For a recorded run that was selected by its job: what the scheduler reports about the whole job."""
    from assay.launchers.accounts import is_job_id

    if not is_job_id(word) or load_summary(run).how == "parsed":
        return ""
    from assay.selecting import run_of_job
    from assay.views.page import job_page

    job = run_of_job(word, stack)
    return job_page(load_summary(job)) if job is not None else ""


def _follow(found: Sequence[RunDir], *, live: bool) -> None:
    """Watch the run live, or print its output."""
    going = [run for run in found if load_summary(run).status in ("running", "queued")]
    if going:
        from assay.study.ask import refresh

        refresh(going)
    if live:
        if len(found) > 1:
            raise UsageError("--live can watch only one run")
        from assay.views.live import watch

        watch(found[0])
        return
    for run in found:
        log = try_open(run.path, run.output_log.name)
        if log is not None:
            with log:
                shutil.copyfileobj(log, sys.stdout.buffer, 1 << 20)


def _whole(run: RunDir) -> dict[str, object]:
    """The summary, and what to ask the scheduler for next time."""
    from assay.views.asking import request_lines

    summary = load_summary(run)
    lines = request_lines(summary)
    return {**summary.as_json(), **({"next_request": lines} if lines else {})}


def shown(runs: Sequence[RunDir], *, as_json: bool, aside: Sequence[RunDir] = ()) -> str:
    """Everything known about each run, as text; runs `aside` are temporary and removed when the command ends."""
    from assay.auditing.audit import findings_of

    if as_json:
        found = [(run, [one.as_dict() for one in findings_of(run)]) for run in runs]
        return json_text([{**_whole(run), "findings": findings} for run, findings in found])
    from assay.views.page import page

    return "\n\n".join(page(load_summary(run), run, findings_of(run), kept=run not in aside) for run in runs) + "\n"
