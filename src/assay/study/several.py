"""A study without a file: the name it goes by, and what it did, for `assay run --repeat` and `assay.run(…, repeat=3)`.

Every call is a new study, so that the same line measured twice gives twice the runs; `--resume` goes on with the last.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from assay.errors import AssayError, UsageError
from assay.launchers.places import Place, load_places
from assay.spec import RunSpec, Value, program_name, safe_name
from assay.study import template
from assay.study.board import Board
from assay.study.drive import Tell, see_through
from assay.study.file import Study, study_of
from assay.study.line import Words, document_of
from assay.study.lock import lock_path, only_driver
from assay.study.plan import plan
from assay.study.records import read_records
from assay.study.setters import with_places
from assay.study.what import GIVEN

_MOST_NAMES = 10_000


def run_words(
    spec: RunSpec, grid: Mapping[str, Sequence[Value]], repeat: int, warmup: int, tell: Tell = lambda board: None
) -> list[Path]:
    """The runs of a command that a program asks for, without those that only warm up. What is done stays done where
    it is interrupted."""
    spec.check()
    if not grid:  # it may hold braces of its own
        spec = replace(spec, command=tuple(template.literal(spec.command, GIVEN)))
    spec = replace(spec, command=tuple(with_places(spec.command, grid, spec.cwd or Path.cwd())[0]))
    draft = study_of(document_of(Words(spec=spec, grid=grid, repeat=repeat, warmup=warmup)))
    study = named_anew(draft, spec.runs_dir)
    board = Board(plan(study, load_places()), (), study.success)
    with only_driver(spec.runs_dir, study.name):
        ended = see_through(study, board, spec.runs_dir, None, tell)
    if not ended.finished:
        raise KeyboardInterrupt
    return [row.run.path for row in board.rows if row.run is not None and not row.unit.warmup]


def _base_name(study: Study) -> str:
    """The name that was asked for; else `train-repeat` or `train-grid`, as hardly any study file will be called."""
    if "study" in study.document.value:
        return study.name
    program = str(study.document.value.get("workload") or program_name(study.command))
    return f"{safe_name(program) or 'run'}-{'grid' if study.varied else 'repeat'}"


def named_anew(study: Study, runs_dir: Path) -> Study:
    """A name under which nothing was run in this folder; another process that looks for one gets another."""
    base, wished = _base_name(study), "study" in study.document.value
    for number in range(1, _MOST_NAMES):
        name = f"{base}-{number}" if number > 1 or not wished else base
        if _reserved(runs_dir, name) and not read_records(runs_dir, name):
            return replace(study, name=name)
    raise UsageError(f"there are already {_MOST_NAMES:,} studies called `{base}` here", "choose another --runs-dir")


def _reserved(runs_dir: Path, name: str) -> bool:
    try:
        runs_dir.mkdir(parents=True, exist_ok=True)
        os.close(os.open(lock_path(runs_dir, name), os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o644))
    except FileExistsError:
        return False
    except OSError as problem:
        raise AssayError(f"cannot write in `{runs_dir}`: {problem.strerror}", "choose another --runs-dir") from None
    return True


def named_before(study: Study, runs_dir: Path, places: Mapping[str, Place]) -> Study:
    """Under the name of the last study here that wanted the same runs."""
    for name in _names(runs_dir, _base_name(study)):
        again = replace(study, name=name)
        cells = {unit.cell for unit in plan(again, places)}
        if any(record.key[0] in cells for record in read_records(runs_dir, name)):
            return again
    hint = "use the same command line as before, or leave out --resume to start again"
    raise UsageError(f"no runs of this command and these settings to resume in `{runs_dir}`", hint)


def _names(runs_dir: Path, base: str) -> list[str]:
    """Those that were reserved, the last first."""
    found = [base] if lock_path(runs_dir, base).exists() else []
    for number in range(1, _MOST_NAMES):
        name = f"{base}-{number}"
        if lock_path(runs_dir, name).exists():
            found.append(name)
        elif number > 1:
            break
    return found[::-1]
