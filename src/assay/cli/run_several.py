"""`assay run --repeat N` and `assay run --grid NAME=A,B`: a study without a file."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from pathlib import Path

from assay.cli.conclude import compare_study
from assay.cli.given import Given, with_set_values
from assay.cli.start import say
from assay.cli.watching import live, quietly, stopping
from assay.cli.workload import workload_line
from assay.errors import RunError, UsageError
from assay.facts.secrets import mask_arguments
from assay.launchers.places import load_places
from assay.parts import need
from assay.spec import RunSpec, runs_dir
from assay.study.board import Board
from assay.study.drive import Ended, see_through
from assay.study.file import Study, settings, study_of
from assay.study.line import Words, check_points, document_of, grid_of
from assay.study.lock import only_driver
from assay.study.plan import plan
from assay.study.records import read_records
from assay.study.save import check_free, save
from assay.study.setters import with_places
from assay.study.several import named_anew, named_before
from assay.systems.ways import recipe_of, target_called

_ALONE = ("pid", "again", "replay", "keep_daemons")


def run_several(given: Given) -> int:
    """0 when every run completed, 1 when one failed, 130 when it was stopped."""
    try:
        study, folder = _study(given), runs_dir(given.runs_dir)
    except RunError as problem:  # no run stands behind our exit code: 2 is ours
        raise UsageError(problem.message, problem.hint) from None
    units = plan(study, load_places())
    if study.until is not None:
        need("`--until`", "scipy")
    with only_driver(folder, study.name):
        board = Board(units, read_records(folder, study.name), study.success)
        board.ask(study.success)
        if not given.quiet:
            _say_plan(study, board)
        with quietly() if given.quiet else live(board, None) as tell, stopping():
            ended = see_through(study, board, folder, None, tell)
    if not given.quiet:
        _conclude(study, board, folder, ended, given)
    return 130 if not ended.finished else 1 if board.count("failed", "missing") else 0


def _study(given: Given) -> Study:
    """Checked, and named: nothing is written before all of it is known to be possible."""
    for name in _ALONE:
        if getattr(given, name) not in (None, False):
            raise UsageError(f"--{name.replace('_', '-')} cannot be combined with --repeat or --grid")
    if given.resume and given.save:
        raise UsageError("--save and --resume cannot be combined", "choose one")
    words, folder, places = _words(given), runs_dir(given.runs_dir), load_places()
    if given.save is not None:
        check_free(given.save)
        words = replace(words, spec=replace(words.spec, name=given.name or given.save.stem))
    draft = study_of(document_of(words))
    plan(draft, places)  # whether there is such a place
    if given.resume:
        return named_before(draft, folder, places)
    study = named_anew(draft, folder)
    if given.save is not None:
        save(study, given.save)
    return study


def _words(given: Given) -> Words:
    """What was asked for, as far as one combination of its settings is."""
    words = _of_workload(given) if given.target is not None or given.words else Words(spec=_of_command(given))
    grid = grid_of(given.grid)
    if words.workload is None:
        command, notes = with_places(words.spec.command, grid, words.spec.cwd or Path.cwd())
        words = replace(words, spec=replace(words.spec, command=tuple(command)))
        for note in notes if not given.quiet else ():
            say(f"assay: {note}")
    often = replace(
        words,
        grid=grid,
        repeat=given.repeat,
        until=given.until,
        budget=given.budget,
        warmup=given.warmup,
        place=given.place,
    )
    if often.workload is not None:
        draft = study_of(document_of(often))
        recipe = recipe_of(target_called(given.target or "cpu"), often.workload, given.mode)
        check_points(recipe, [settings(draft, point) for point in draft.points], given=given.target is not None)
    return often


def _of_command(given: Given) -> RunSpec:
    spec = given.spec(given.after or ())
    spec.check()
    return with_set_values(spec, given)


def _of_workload(given: Given) -> Words:
    if given.target is not None:
        from assay.cli.run_target import asked_of

        workload, recipe, chosen = asked_of(given)
        of_target = Words(spec=given.spec((workload,)), target=given.target, mode=given.mode, config=given.config)
        return replace(of_target, workload=workload, settings=chosen, takes_seed=recipe.settings is not None)
    for name in ("mode", "config"):
        if getattr(given, name) is not None:
            raise UsageError(f"--{name} needs --target", "list the targets: assay doctor")
    _, chosen = workload_line(given.words[0], [*given.words[1:], *(given.after or ())])
    return Words(spec=given.spec((given.words[0],)), workload=given.words[0], settings=chosen, takes_seed=True)


def _say_plan(study: Study, board: Board) -> None:
    from assay.views.several import plan_line

    say(plan_line(study, board))


def _conclude(study: Study, board: Board, folder: Path, ended: Ended, given: Given) -> None:
    from assay.views.several import closing_line, failed_lines, until_lines

    for line in failed_lines(board, ended.stopped_because):
        say(line)
    where = f" --runs-dir {shlex.quote(given.runs_dir)}" if given.runs_dir else ""
    if board.summaries():
        compare_study(study.name, folder)
        for line in until_lines(study, board):
            say(line)
    if not ended.finished:
        say(_how_to_go_on(board, ended, given))
    elif board.summaries():
        say(closing_line(study, where))


def _how_to_go_on(board: Board, ended: Ended, given: Given) -> str:
    """One line that can be pasted, unless it would show a secret."""
    done, left = board.count("done"), len(board.rows) - board.count("done")
    queued = f" {len(ended.left)} stay in the queue." if ended.left else ""
    words = [word for word in sys.argv[1:] if word != "--resume"]
    if given.save is not None:
        how = f"assay study {shlex.quote(str(given.save))}"
    elif mask_arguments(words) == words:
        how = shlex.join(["assay", words[0], "--resume", *words[1:]])
    else:
        how = "the same line with --resume"
    are = "is" if done == 1 else "are"
    return f"assay: stopped. {done} of {done + left} runs {are} done and kept.{queued}\nhint: to finish, use {how}"
