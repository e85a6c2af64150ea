"""`assay run -- COMMAND…` and `assay run WORKLOAD name=value…`"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.given import Given, with_set_values
from assay.cli.options import not_empty, runs_dir_option
from assay.cli.ranges import Real, Whole
from assay.cli.start import say, say_error, say_warning
from assay.cli.words import finish_words
from assay.cli.workload import with_dashes, workload_line
from assay.errors import RunError, UsageError
from assay.spec import RunSpec
from assay.workloads import known_workloads

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
            if words[:1] and words[0] in known_workloads():
                raise RunError(problem.format_message().rstrip("."), _settings_hint(words[0])) from None
            if ctx.meta["command"] is None and words:  # `assay run python train.py --lr 0.1`
                at = args.index(words[0])
                raise RunError(problem.format_message().rstrip("."), with_dashes(args[at:])) from None
            raise


def _settings_hint(workload: str) -> str:
    return f"write settings as name=value, or flags after `--`: assay run {workload} -- --help"


@click.command(cls=RunCommand)
@click.argument("words", nargs=-1, metavar="WORKLOAD name=value… | -- COMMAND…")
@click.option("--name", metavar="TEXT", help="Name of the run (default: the program and its settings).")
@click.option(
    "--param",
    "-p",
    "params",
    multiple=True,
    metavar="K=V",
    help="Record a setting with the run (it does not change the command).",
)
@click.option("--tag", "tags", multiple=True, metavar="TEXT", help="Tag to find the run by.")
@click.option("--interval", default="0.5", metavar="S", help="Seconds between samples (default 0.5).")
@click.option("--env", "env", multiple=True, metavar="K=V", help="Set an environment variable for the command.")
@click.option("--cwd", metavar="DIR", callback=not_empty, help="Start the command in this folder.")
@click.option(
    "--timeout", metavar="S", help="End the command after this time: 90, 10m, 1h30m. The exit code is then 124."
)
@click.option("--pid", type=int, metavar="N", help="Record a process that is already running, until it ends.")
@click.option("--replay", metavar="LOG", help="Play a saved log again, as if it were being written now.")
@click.option(
    "--speed",
    type=Real(min=0),
    default=1.0,
    metavar="N",
    help="Replay speed: 2 is twice as fast, 0 is as fast as possible.",
)
@click.option("--repeat", type=Whole(1, 10_000), metavar="N", help="Make N runs and compare them.")
@click.option(
    "--until",
    metavar="[METRIC] N%",
    help="Repeat until the 95 % interval is ± N % or narrower, at most --repeat times (default 30).",
)
@click.option(
    "--budget", metavar="TIME", help="With --repeat, --grid or --until: start no more runs after this time: 30m."
)
@click.option(
    "--warmup",
    type=Whole(0, 10_000),
    default=0,
    metavar="M",
    help="Number of warm-up runs: recorded, never compared.",
)
@click.option(
    "--grid",
    multiple=True,
    metavar="NAME=A,B,…",
    help="Try every value of a setting: {NAME} in the command, a flag, a constant at the top of the Python script, "
    "or a workload's setting. Can be repeated.",
)
@click.option(
    "--set",
    "values",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set a flag, or a constant at the top of the Python script, for this run; the file stays as it is.",
)
@click.option(
    "--save",
    type=click.Path(path_type=Path),
    metavar="FILE",
    callback=not_empty,
    help="With --repeat or --grid: also write it as a study file.",
)
@click.option("--resume", is_flag=True, help="With --repeat or --grid: finish the runs that were stopped.")
@click.option(
    "--on", "place", metavar="PLACE", help="Where to run: local, torchrun, slurm, pbs, or a place in places.yaml."
)
@click.option("--target", metavar="NAME", help="Start the workload on this kind of hardware: see `assay doctor`.")
@click.option("--mode", metavar="MODE", help="Mode of the target, such as validate: see `assay doctor NAME`.")
@click.option("--config", metavar="FILE", help="With --target: parameter file; the run gets a copy.")
@click.option(
    "--serve", metavar="COMMAND", help="With endpoint: start this server first and record it as a separate run."
)
@click.option("--again", metavar="RUN", help="Repeat a run with its command, settings and code, and compare the two.")
@click.option("--trust", is_flag=True, help="Allow --again to repeat a run that someone else may have written.")
@click.option("--keep-daemons", is_flag=True, help="Leave background processes running when the command ends.")
@click.option("--quiet", "-q", is_flag=True, help="Print only the command's own output.")
@runs_dir_option
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> int:
    """Run a command or a built-in workload and record it, with every process it starts.

    Its output passes through unchanged, and the exit code is the command's: 128 + n if a signal ended it, 127 if it was
    not found, 126 if it is not executable, 124 after --timeout. 125 means that Assay itself failed.

    With --repeat or --grid the command runs several times, one at a time in shuffled order, and the comparison is
    printed. The exit code is 0 if every run completed, 1 if one failed. `{amp:--use-amp}` in the command is a flag that
    `--grid amp=on,off` turns on and off.

    Workloads: mnist, svhn-mlp, bert-pretrain, bert-classify, and endpoint, which measures a language model server.
    `assay run mnist -- --help` lists the settings of a workload.

    With --target, the workloads are those of that hardware: `assay doctor` lists the targets.
    """
    given = Given(after=ctx.meta["command"], closed=ctx.obj["closed"], **options)
    if given.values and (given.after is None or given.words):
        raise UsageError("--set needs a command of yours", "assay run --set LR=0.1 -- python train.py")
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
        _refuse(
            command or watches or given.target is not None, "--again repeats a recorded run, so it takes no command"
        )
        return _again
    if given.replay is not None:
        _refuse(command or watches, "--replay plays a log, so it takes no command")
    if given.serve is not None:
        _refuse(watches or given.replay is not None, "--serve cannot be combined with --pid, --again or --replay")
        _refuse(
            given.target is not None or given.place is not None,
            "--serve starts the server on this machine, so it cannot be combined with --on or --target",
        )
        return _served
    if given.target is not None:
        _refuse(watches or given.replay is not None, "--target cannot be combined with --pid or --replay")
        return _on_target
    _refuse_alone(given)
    for name in ("mode", "config"):
        _refuse(getattr(given, name) is not None, f"--{name} needs --target", "list the targets: assay doctor")
    if watches:
        _refuse(command, "--pid records a running process, so it takes no command")
        return _attached
    return _replayed if given.replay is not None else _workload if given.words else _command


def _refuse_alone(given: Given) -> None:
    """Options that only change another one, which was not given."""
    _refuse(given.trust, "--trust needs --again", "name the run to repeat: assay run --again RUN --trust")
    _refuse(given.speed != 1 and given.replay is None, "--speed needs --replay", "assay run --replay LOG --speed 2")
    for name in ("warmup", "save", "resume", "budget"):
        _refuse(bool(getattr(given, name)), f"--{name} needs --repeat or --grid", "add --repeat 3")


def _refuse(bad: bool, message: str, hint: str | None = None) -> None:
    if bad:
        raise RunError(message, hint)


def _command(given: Given) -> Outcome | int:
    """`-- COMMAND…`"""
    return _start(given, with_set_values(given.spec(given.after or ()), given))


def _workload(given: Given) -> Outcome | int:
    """`WORKLOAD name=value…`"""
    command, claims = workload_line(given.words[0], [*given.words[1:], *(given.after or ())])
    return _start(given, given.spec(command, given.words[0], claims))


def _replayed(given: Given) -> Outcome | int:
    """`--replay LOG`: a command that prints it is run like any other."""
    log = str(given.replay)
    what = f"`{log}` is a folder, not a log" if Path(log).is_dir() else f"there is no log `{log}`"
    _refuse(not Path(log).is_file(), what, "name a saved log: assay run --replay train.log")
    return _start(given, given.spec([sys.executable, "-m", "assay.recording.replay", log, str(given.speed)]))


def _start(given: Given, spec: RunSpec) -> Outcome | int:
    """Here, or on a place."""
    if given.place is not None:
        from assay.cli.run_on import run_on

        return run_on(spec, given.place, quiet=given.quiet)
    from assay.recording.record import record

    return record(spec, given.warn, given.closed, with_other_ranks=True)


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
    meeting, problem = outcome.meeting, outcome.not_started
    if problem is not None:
        if meeting is None or meeting.says_first(problem.message):
            say_error(problem.message, problem.hint)
    elif not given.quiet:
        _close(outcome, given.runs_dir)
    finish_words(hurried=outcome.hurried)
    return outcome.exit_code


def _close(outcome: Outcome, chosen_runs_dir: str | None) -> None:
    """The closing words; whatever goes wrong with them, the exit code is the command's."""
    from assay.recording.record import settled
    from assay.views.closing import closing
    from assay.views.terminal import error_columns

    try:
        outcome = settled(outcome)
        if outcome.summary is not None:
            colour = sys.stderr is not None and sys.stderr.isatty()
            where = f" --runs-dir {chosen_runs_dir}" if chosen_runs_dir else ""
            lead = "" if _ends_with_newline(outcome.run.output_log) else "\n"
            say(lead + closing(outcome.summary, outcome.run, colour=colour, where=where, room=error_columns()))
    except Exception as problem:
        say_warning(f"the summary could not be printed: {problem!r}; see `assay show last`")


def _ends_with_newline(log: Path) -> bool:
    """So that our words do not stick to the command's last ones."""
    try:
        with open(log, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 1))
            return size == 0 or file.read(1) in b"\r\n"
    except OSError:
        return True
