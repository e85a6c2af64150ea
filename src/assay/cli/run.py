"""`assay run -- COMMAND…` and `assay run WORKLOAD name=value…`"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.given import Given
from assay.cli.options import not_empty, runs_dir_option
from assay.cli.start import say, say_error, say_warning
from assay.cli.workload import with_dashes, workload_line
from assay.errors import RunError, UsageError
from assay.spec import RunSpec
from assay.workloads import WORKLOADS

if TYPE_CHECKING:
    from assay.recording.record import Outcome


class RunCommand(click.Command):
    """Everything after `--` is the command, untouched: it needs no quoting, and its options are its own."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta["command"] = None
        if "--" in args:
            at = args.index("--")
            ctx.meta["command"] = args[at + 1 :]
            args = args[:at]
        try:
            return super().parse_args(ctx, list(args))
        except click.NoSuchOption as problem:
            words = [word for word in args if not word.startswith("-")]
            if words[:1] and words[0] in WORKLOADS:
                raise RunError(problem.format_message().rstrip("."), _settings_hint(words[0])) from None
            if ctx.meta["command"] is None and words:  # `assay run python train.py --lr 0.1`
                at = args.index(words[0])
                raise RunError(problem.format_message().rstrip("."), with_dashes(args[at:])) from None
            raise


def _settings_hint(workload: str) -> str:
    return f"write settings as name=value, or flags after `--`: assay run {workload} -- --help"


@click.command(cls=RunCommand)
@click.argument("words", nargs=-1, metavar="WORKLOAD name=value… | -- COMMAND…")
@click.option("--name", metavar="TEXT", help="What to call the run (else what varies, else the program).")
@click.option(
    "--param", "-p", "params", multiple=True, metavar="K=V", help="A setting of the command: what you say of it."
)
@click.option("--tag", "tags", multiple=True, metavar="TEXT", help="A word to find the run by.")
@click.option("--interval", default="0.5", metavar="S", help="Seconds between samples (default 0.5).")
@click.option("--env", "env", multiple=True, metavar="K=V", help="Set a variable for the command.")
@click.option("--cwd", metavar="DIR", callback=not_empty, help="Start the command in this folder.")
@click.option("--timeout", metavar="S", help="End the command after this long: 90, 10m, 1h30m. Exit code 124.")
@click.option("--pid", type=int, metavar="N", help="Watch a process that runs already, until it ends.")
@click.option("--replay", metavar="LOG", help="Print a saved log again, as if it were being written now.")
@click.option(
    "--speed",
    type=click.FloatRange(min=0),
    default=1.0,
    metavar="N",
    help="Of --replay: 2 is twice its pace, 0 at once.",
)
@click.option("--repeat", type=click.IntRange(1, 10_000), metavar="N", help="Run it N times and compare the runs.")
@click.option(
    "--until",
    metavar="[FIGURE] N%",
    help="Repeat until the 95 % interval is ± N % or narrower, --repeat times at most (default 30).",
)
@click.option("--budget", metavar="TIME", help="Of --repeat, --grid or --until: start no more runs after this: 30m.")
@click.option(
    "--warmup",
    type=click.IntRange(0, 10_000),
    default=0,
    metavar="M",
    help="Runs before the first that counts: recorded, never compared.",
)
@click.option(
    "--grid",
    multiple=True,
    metavar="NAME=A,B,…",
    help="Run every value: {NAME} in the command, or the workload's setting. May be repeated.",
)
@click.option(
    "--save",
    type=click.Path(path_type=Path),
    metavar="FILE",
    callback=not_empty,
    help="Of --repeat or --grid: write the study file that does the same.",
)
@click.option("--resume", is_flag=True, help="Of --repeat or --grid: finish the runs that were stopped.")
@click.option("--on", "place", metavar="PLACE", help="Where: local, torchrun, slurm, pbs, or one of your places.yaml.")
@click.option("--target", metavar="NAME", help="Start the workload as this hardware does: see `assay doctor NAME`.")
@click.option("--mode", metavar="MODE", help="Another way that --target has to start it: see `assay doctor NAME`.")
@click.option("--config", metavar="FILE", help="Of --target: the parameter file of which the run gets a copy.")
@click.option("--serve", metavar="COMMAND", help="Of endpoint: start this server first, as a run of its own.")
@click.option("--again", metavar="RUN", help="Repeat a run: its command, settings and code, then compare the two.")
@click.option("--trust", is_flag=True, help="Let --again repeat a run that someone else may have written.")
@click.option("--keep-daemons", is_flag=True, help="Leave what the command started and did not wait for.")
@click.option("--quiet", "-q", is_flag=True, help="Print nothing of our own.")
@runs_dir_option
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> int:
    """Run any command or a built-in workload, watch it and all it starts, and keep what happened.

    Its output passes through unchanged and its exit code comes back: 128 + n for a signal, 127 not found, 126 not
    executable, 124 at --timeout; 125 when assay itself could not do its part.

    With --repeat or --grid it is run several times, one at a time in shuffled order, and the comparison is printed; the
    exit code is 0 when every run completed, 1 when one failed. `{amp:--use-amp}` in the command is a flag that
    `--grid amp=on,off` turns on and off.

    Workloads: mnist, svhn-mlp, bert-pretrain, bert-classify, and endpoint, which measures a server of language models.
    `assay run mnist -- --help` lists a workload's settings.

    With --target, those that this hardware has a way to start: `assay doctor` lists the targets.
    """
    given = Given(after=ctx.meta["command"], closed=ctx.obj["closed"], **options)
    if given.place is not None and given.words[:1] == ("endpoint",):
        given = _at_endpoint(given)
    if given.several and given.serve is None:  # its exit code is ours alone
        from assay.cli.run_several import run_several

        return run_several(given)
    try:
        outcome = _verb(given)(given)
    except UsageError as problem:
        raise RunError(problem.message, problem.hint) from None
    return outcome if isinstance(outcome, int) else _leave(outcome, given)


def _at_endpoint(given: Given) -> Given:
    """`--on NAME endpoint …` where places.yaml has a server of that name: asked from here."""
    from assay.launchers.endpoints import load_endpoints

    if given.place not in load_endpoints():
        return given
    return replace(given, place=None, words=(*given.words, f"url={given.place}"))


def _verb(given: Given) -> Callable[[Given], Outcome | int]:
    """Which of the ways to run something was asked for; two at once are refused."""
    watches, command = given.pid is not None, bool(given.words) or given.after is not None
    if given.again is not None:
        _refuse(command or watches or given.target is not None, "--again repeats a run: no command goes with it")
        return _again
    if given.replay is not None:
        _refuse(command or watches, "--replay prints a log again: no command goes with it")
    if given.serve is not None:
        _refuse(watches or given.replay is not None, "--serve starts a server for a client: neither is there yet")
        _refuse(given.target is not None or given.place is not None, "--serve starts the server on this machine")
        return _served
    if given.target is not None:
        _refuse(watches or given.replay is not None, "--target starts a workload: --pid and --replay have none")
        return _on_target
    _refuse_several(given)
    for name in ("mode", "config"):
        _refuse(getattr(given, name) is not None, f"--{name} goes with --target", "assay doctor lists the targets")
    if watches:
        _refuse(command, "--pid watches a process that runs already: no command goes with it")
        return _attached
    return _replayed if given.replay is not None else _workload if given.words else _command


def _refuse_several(given: Given) -> None:
    for name in ("warmup", "save", "resume", "budget"):
        _refuse(bool(getattr(given, name)), f"--{name} goes with --repeat or --grid", "add --repeat 3")


def _refuse(bad: bool, message: str, hint: str | None = None) -> None:
    if bad:
        raise RunError(message, hint)


def _command(given: Given) -> Outcome | int:
    """`-- COMMAND…`"""
    return _start(given, given.spec(given.after or ()))


def _workload(given: Given) -> Outcome | int:
    """`WORKLOAD name=value…`"""
    command, claims = workload_line(given.words[0], [*given.words[1:], *(given.after or ())])
    return _start(given, given.spec(command, given.words[0], claims))


def _replayed(given: Given) -> Outcome | int:
    """`--replay LOG`: a command that prints it is run like any other."""
    log = str(given.replay)
    _refuse(not Path(log).is_file(), f"no log called `{log}`")
    return _start(given, given.spec([sys.executable, "-m", "assay.recording.replay", log, str(given.speed)]))


def _start(given: Given, spec: RunSpec) -> Outcome | int:
    """Here, or on a place."""
    if given.place is not None:
        from assay.cli.run_on import run_on

        return run_on(spec, given.place, quiet=given.quiet)
    from assay.recording.record import record

    return record(spec, given.warn, given.closed)


def _on_target(given: Given) -> Outcome | int:
    """`--target NAME WORKLOAD name=value…`"""
    from assay.cli.run_target import run_target

    return run_target(given)


def _served(given: Given) -> Outcome | int:
    """`--serve COMMAND endpoint name=value…`"""
    from assay.cli.run_served import run_served

    return run_served(given)


def _attached(given: Given) -> Outcome:
    """`--pid N`"""
    from assay.recording.attach import attach

    assert given.pid is not None
    return attach(given.spec(()), given.pid, given.warn)


def _again(given: Given) -> int:
    """`--again RUN`"""
    from assay.cli.again import again

    return again(str(given.again), given.runs_dir, trusted=given.trust, quiet=given.quiet, closed=given.closed)


def _leave(outcome: Outcome, given: Given) -> int:
    if outcome.not_started is not None:
        say_error(outcome.not_started.message, outcome.not_started.hint)
    elif not given.quiet:
        _close(outcome, given.runs_dir)
    return outcome.exit_code


def _close(outcome: Outcome, chosen_runs_dir: str | None) -> None:
    """The closing words; whatever goes wrong with them, the exit code is the command's."""
    from assay.views.closing import closing

    try:
        if outcome.summary is not None:
            colour = sys.stderr is not None and sys.stderr.isatty()
            where = f" --runs-dir {chosen_runs_dir}" if chosen_runs_dir else ""
            lead = "" if _ends_with_newline(outcome.run.output_log) else "\n"
            say(lead + closing(outcome.summary, outcome.run, colour=colour, where=where))
    except Exception as problem:
        say_warning(f"the closing words failed: {problem!r}; see `assay show last`")


def _ends_with_newline(log: Path) -> bool:
    """So that our words do not stick to the command's last ones."""
    try:
        with open(log, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 1))
            return size == 0 or file.read(1) in b"\r\n"
    except OSError:
        return True
