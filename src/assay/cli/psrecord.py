"""`assay psrecord "COMMAND" --log F --plot F`: psrecord's line and files, for fingers that know it."""

from __future__ import annotations

from typing import Any

import click

from assay.cli.options import runs_dir_option
from assay.cli.start import say_warning
from assay.errors import RunError
from assay.parts import need
from assay.spec import RunSpec, runs_dir
from assay.store.layout import RunDir


@click.command()
@click.argument("process_id_or_command", metavar="PID|COMMAND")
@click.option("--log", metavar="F", help="Write the samples to this file (else to standard output).")
@click.option("--log-format", type=click.Choice(["plain", "csv"]), default="plain", help="Of the log (default plain).")
@click.option("--plot", metavar="F", help="Draw CPU and memory against time: .png, .svg, .pdf or .html.")
@click.option("--duration", type=click.FloatRange(min=0, min_open=True), metavar="S", help="How long to record.")
@click.option(
    "--interval", type=click.FloatRange(min=0.01), default=0.1, metavar="S", help="Between samples (default 0.1)."
)
@click.option("--include-children", is_flag=True, help="Accepted: children are always included.")
@click.option("--include-io", is_flag=True, help="Add what was read and written.")
@runs_dir_option
def command(process_id_or_command: str, log: str | None, plot: str | None, **options: Any) -> int:
    """Record CPU and memory of a command or a process, as psrecord does.

    Where the figures differ from psrecord's they are right: the whole process tree is counted, children that lived
    between two samples too; shared memory is counted once; the first sample is not zero; the exit code is the
    command's own. The run is also kept as any other: see it with `assay show last`.
    """
    from assay.views.psrecord import check_targets, write_log, write_plot

    check_targets(log, plot)
    if plot:
        need("`--plot`", "vl_convert")
    spec = RunSpec(
        command=("/bin/sh", "-c", process_id_or_command),
        name=process_id_or_command[:60],
        runs_dir=runs_dir(options["runs_dir"]),
        interval_s=options["interval"],
        timeout_s=options["duration"],
    )
    run, exit_code = _record(process_id_or_command, spec)
    try:
        if log or not plot:
            write_log(run, log, options["log_format"], options["include_io"])
        if plot:
            write_plot(run, plot)
    except OSError as problem:  # the run is kept, and its exit code is the command's
        say_warning(f"cannot write `{problem.filename or log or plot}`: {problem.strerror}")
    return 0 if exit_code == 124 and options["duration"] else exit_code


def _record(wanted: str, spec: RunSpec) -> tuple[RunDir, int]:
    """A number is a process that runs already; anything else a command line for the shell."""
    if wanted.isdigit():
        from assay.recording.attach import attach

        outcome = attach(spec, int(wanted), say_warning)
    else:
        from assay.recording.record import record

        outcome = record(spec, say_warning)
    if outcome.summary is None:
        raise RunError(f"nothing of this run was kept in `{spec.runs_dir}`")
    print(f"Process finished ({outcome.summary.wall_s or 0:.2f} seconds)")
    return outcome.run, outcome.exit_code
