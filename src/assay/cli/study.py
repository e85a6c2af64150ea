"""`assay study FILE`"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from assay.cli.options import json_option, runs_dir_option
from assay.cli.output import print_json
from assay.cli.ranges import Whole
from assay.cli.start import say
from assay.cli.watching import live, stopping
from assay.errors import UsageError
from assay.launchers.places import load_places
from assay.parts import need
from assay.spec import runs_dir
from assay.study.board import Board
from assay.study.drive import see_through
from assay.study.file import Study, load_study
from assay.study.follow import GRACE_S
from assay.study.lock import only_driver
from assay.study.plan import plan
from assay.study.records import read_records
from assay.units import parse_seconds


@click.command()
@click.argument("file", type=Path, metavar="FILE")
@click.option("--on", metavar="PLACE", help="Where to run: local, torchrun, slurm, pbs, or a place in places.yaml.")
@click.option(
    "--places", metavar="FILE", help="File with your places (default: $ASSAY_PLACES, ./places.yaml, ~/.config/assay/)."
)
@click.option("--jobs", type=Whole(min=1), metavar="N", help="Make at most N runs at once.")
@click.option(
    "--until", metavar="[METRIC] N%", help="Repeat until the 95 % interval is ± N % (default: as in the file)."
)
@click.option("--dry-run", is_flag=True, help="Show the plan and every command; start nothing.")
@click.option("--status", is_flag=True, help="Show the progress of the study.")
@click.option("--cancel", is_flag=True, help="End its runs, here and in the queue.")
@click.option(
    "--grace",
    default=f"{GRACE_S:g}s",
    metavar="TIME",
    help="After Ctrl-C or --cancel, kill what has not ended by then.",
)
@click.option("--retry", is_flag=True, help="Make only the failed runs again.")
@click.option("--redo", is_flag=True, help="Also repeat runs whose code has changed since.")
@json_option
@runs_dir_option
def command(file: Path, on: str | None, jobs: int | None, grace: str, as_json: bool, **options: Any) -> int:
    """Make the runs of a study file and compare them.

    Start it again to make the runs that are missing or failed. You can stop or kill it at any time: everything is in
    the run directories and, on a cluster, in the scheduler's queue.
    """
    if sum(options[name] for name in ("status", "cancel", "retry", "redo", "dry_run")) > 1:
        raise UsageError("choose one of --status, --cancel, --retry, --redo and --dry-run")
    study, folder = load_study(file, until=options["until"]), runs_dir(options["runs_dir"])
    units = plan(study, load_places(options["places"]), on)
    width, grace_s = jobs or study.jobs, parse_seconds(grace)

    if study.until is not None:
        need("`until`", "scipy")

    def look(*, ask: bool = True) -> Board:
        board = Board(units, read_records(folder, study.name), study.success)
        if ask:
            board.ask(study.success)
        if study.until is not None:
            from assay.study.until import spare

            spare(study.until, board)
        return board

    if options["cancel"]:
        return _cancel(study, folder, grace_s)
    if options["status"] or options["dry_run"]:
        return _show(study, look(ask=options["status"]), width, folder, as_json=as_json, dry=options["dry_run"])
    with only_driver(folder, study.name):
        board = look()
        _say_old_code(study, board, folder, redo=options["redo"])
        _say_plan(study, board, width)
        finished = _drive(study, board, folder, width, retry=options["retry"], grace_s=grace_s)
    if as_json:
        print_json([row.summary.as_json() for row in board.rows if row.summary.id])
    else:
        _conclude(study, board, folder, finished=finished)
    return 0 if finished and not board.count("failed", "missing") else 130 if not finished else 1


def _say_plan(study: Study, board: Board, width: int | None) -> None:
    from assay.views.study import plan_lines

    for line in plan_lines(study, board, width):
        say(line)


def _say_old_code(study: Study, board: Board, folder: Path, *, redo: bool) -> None:
    """Runs of a program that was changed since: named, and taken for missing where they are to be done again."""
    from assay.study.codes import outdated
    from assay.views.study import old_code_lines

    old = outdated(study, board, folder)
    for line in old_code_lines(study, board, old, redo=redo):
        say(line)
    if redo:
        for row in old:
            row.forget()


def _show(study: Study, board: Board, width: int | None, folder: Path, *, as_json: bool, dry: bool) -> int:
    from assay.views.going import bar
    from assay.views.study import dry_lines, head_line, plan_lines
    from assay.views.waiting import failure_lines, note_lines

    if as_json:
        print_json([row.summary.as_json() for row in board.rows if row.summary.id])
        return 0
    if dry:
        print("\n".join([*plan_lines(study, board, width), *dry_lines(study, board)]))
        return 0
    _say_old_code(study, board, folder, redo=False)
    print(f"{study.name}: {bar(board.count('done') / max(1, len(board.rows)))} {head_line(board, width)}")
    for line in [*note_lines(board), *failure_lines(board)]:
        print(line)
    _print_table(board)
    return 0


def _print_table(board: Board) -> None:
    from assay.views import terminal
    from assay.views.study import table

    room = terminal.columns()
    for line in table(board).fitted(room).lines(room, colour=terminal.colours(sys.stdout)):
        print(line)


def _drive(study: Study, board: Board, folder: Path, width: int | None, *, retry: bool, grace_s: float) -> bool:
    """Whether it went to its end."""
    from assay.views.study import head_line

    with live(board, width) as tell, stopping():
        ended = see_through(study, board, folder, width, tell, retry=retry, grace_s=grace_s)
    say(head_line(board, width))
    if ended.stopped_because:
        say(ended.stopped_because)
    if not ended.finished:
        more = f"{len(ended.left)} runs stay in the queue; " if ended.left else ""
        say(f"stopped: {more}start the study again to continue, or add --cancel to end it")
    return ended.finished


def _cancel(study: Study, folder: Path, grace_s: float) -> int:
    from assay.study.cancel import cancel

    count, said = cancel(study, folder, grace_s)
    for line in said:
        say(line)
    say(f"{count} runs ended" if count else "no run of this study is running or queued")
    return 0


def _conclude(study: Study, board: Board, folder: Path, *, finished: bool) -> None:
    """How it stands; at the end of it the comparison and the audit, too."""
    from assay.cli.conclude import conclude
    from assay.views.several import until_lines

    _print_table(board)
    done = [row.run.path for row in board.of("done", "failed") if row.run is not None and not row.unit.warmup]
    for line in until_lines(study, board):
        say(line)
    if finished and done:
        completed = any(row.summary.status == "completed" for row in board.of("done", "failed"))
        conclude(study.name, study.compare, done, folder, anything_completed=completed)
