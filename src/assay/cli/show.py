"""`assay show`"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import click

from assay.cli.options import json_option, metric_option, rename_option, runs_dir_option
from assay.cli.output import json_text
from assay.cli.start import say_warning
from assay.errors import UsageError
from assay.spec import runs_dir
from assay.store.files import try_open
from assay.store.find import find_run
from assay.store.layout import RunDir
from assay.summary.build import load_summary
from assay.summary.chosen import by_metric, renamed, renames_of
from assay.views.terminal import columns, folded_text


@click.command()
@click.argument("runs", nargs=-1, metavar="[RUN]…")
@click.option("--live", is_flag=True, help="Watch the run: curves, phases, the end of its output. Quit with q.")
@click.option("--output", "show_output", is_flag=True, help="Print the output of the command, byte for byte.")
@metric_option
@rename_option
@json_option
@runs_dir_option
def command(
    runs: tuple[str, ...],
    live: bool,
    show_output: bool,
    as_json: bool,
    metric: str | None,
    renames: tuple[str, ...],
    **options: str,
) -> None:
    """Show a run, given by name, id, the beginning of either, job number, path, or `last` (the default)."""
    folder = runs_dir(options["runs_dir"])
    with ExitStack() as stack:
        found = [_found(folder, word, stack) for word in runs or ("last",)]
        if live or show_output:
            _follow([one.run for one in found], live=live)
        elif as_json:
            sys.stdout.write(shown([one.run for one in found], as_json=True, metric=metric, renames=renames))
        else:
            pages = [_page(one, stack, metric, renames) for one in found]
            sys.stdout.write(folded_text("\n\n".join(pages), columns()))


@dataclass(frozen=True, kw_only=True)
class _Found:
    """What one word means. A job that only its scheduler knows is kept aside until the command ends; `inside` are the
    runs that were recorded in it."""

    run: RunDir
    job: str = ""
    aside: bool = False
    inside: Sequence[str] = ()


def _found(folder: Path, word: str, stack: ExitStack) -> _Found:
    """A run of the folder, else a job that only its scheduler knows."""
    from assay.launchers.accounts import is_job_id

    if not is_job_id(word):
        return _Found(run=find_run(folder, word))
    from assay.selecting import run_of_job, runs_with_job

    known = runs_with_job(folder, word, say_warning)
    if len(known) == 1:
        return _Found(run=known[0], job=word)
    job = run_of_job(word, stack, say_warning)
    if job is None:
        return _Found(run=find_run(folder, word))
    return _Found(run=job, job=word, aside=True, inside=[load_summary(run).name for run in known])


def _page(one: _Found, stack: ExitStack, metric: str | None, renames: Sequence[str]) -> str:
    """The run; below it, if it was selected by its job, what the scheduler reports about the whole job."""
    from assay.auditing.audit import findings_of
    from assay.views.jobs import inside_page, job_page
    from assay.views.page import page

    (summary,), job = by_metric(renamed([load_summary(one.run)], renames_of(renames)), metric), None
    if one.job and not one.aside and summary.how != "parsed":
        from assay.selecting import run_of_job

        job = run_of_job(one.job, stack)
    text = page(summary, one.run, findings_of(one.run), kept=not one.aside, next_job=job is None) + "\n"
    if one.inside:
        text += inside_page(one.inside, one.job)
    return text + job_page(load_summary(job), summary) if job is not None else text


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


def _whole(run: RunDir, metric: str | None, renames: Sequence[str]) -> dict[str, object]:
    """The summary, and what to ask the scheduler for next time."""
    from assay.views.asking import request_lines

    (summary,) = by_metric(renamed([load_summary(run)], renames_of(renames)), metric)
    lines = request_lines(summary)
    return {**summary.as_json(), **({"next_request": lines} if lines else {})}


def shown(runs: Sequence[RunDir], *, as_json: bool, metric: str | None = None, renames: Sequence[str] = ()) -> str:
    """Everything known about each run, as text."""
    from assay.auditing.audit import findings_of

    if as_json:
        found = [(run, [one.as_dict() for one in findings_of(run)]) for run in runs]
        return json_text([{**_whole(run, metric, renames), "findings": findings} for run, findings in found])
    from assay.views.page import page

    return "\n\n".join(page(load_summary(run), run, findings_of(run)) for run in runs) + "\n"
