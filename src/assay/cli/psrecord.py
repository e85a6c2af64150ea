"""`assay psrecord "COMMAND" --log F --plot F`: accepts psrecord's options and writes its files."""

from __future__ import annotations

from typing import Any

import click

from assay.cli.options import runs_dir_option
from assay.cli.ranges import Real
from assay.cli.start import say_warning
from assay.errors import RunError
from assay.parts import need
from assay.spec import RunSpec, runs_dir
from assay.store.layout import RunDir


@click.command()
@click.argument("process_id_or_command", metavar="PID|COMMAND")
@click.option("--log", metavar="F", help="Write the samples to this file (default: standard output).")
@click.option(
    "--log-format", type=click.Choice(["plain", "csv"]), default="plain", help="Format of the log (default: plain)."
)
@click.option("--plot", metavar="F", help="Plot CPU and memory over time: .png, .svg, .pdf or .html.")
@click.option(
    "--duration",
    type=Real(min=0, min_open=True),
    metavar="S",
    help="Stop recording after this many seconds.",
)
@click.option(
    "--interval",
    type=Real(min=0.01),
    default=0.1,
    metavar="S",
    help="Seconds between samples (default 0.1).",
)
@click.option(
    "--include-children", is_flag=True, help="Accepted for compatibility: child processes are always included."
)
@click.option("--include-io", is_flag=True, help="Also record bytes read and written.")
@runs_dir_option
def command(process_id_or_command: str, log: str | None, plot: str | None, **options: Any) -> int:
    """Record CPU and memory of a command or a process, as psrecord does.

    Some figures differ from psrecord's: all child processes are counted, even those that lived between two samples;
    shared memory counts once; the first sample is not zero; and the exit code is the command's. The run is kept like
    any other: see it with `assay show last`.
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
        raise RunError(f"the run could not be kept in `{spec.runs_dir}`")
    print(f"Process finished ({outcome.summary.wall_s or 0:.2f} seconds)")
    return outcome.run, outcome.exit_code
