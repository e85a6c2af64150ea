"""The end of a study: what a comparison and an audit of its runs say."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from assay.cli.compare import compared, wish_of
from assay.cli.start import say_error, say_warning
from assay.errors import AssayError
from assay.parts import failed_import
from assay.views import terminal


def conclude(
    study: str, wish: Mapping[str, object], runs: Sequence[Path], folder: Path, *, anything_completed: bool = True
) -> None:
    """`wish` is what the study file wants of the comparison. A view that fails costs the study nothing."""
    wished = {name: _text(value) for name, value in wish.items()}
    if anything_completed:  # the current runs of the study: others have been repeated since
        _view("compare", lambda: _compare([str(run) for run in runs], _of_study(study), wished, folder))
    _view("audit", lambda: _audit(runs, folder))


def compare_runs(names: Sequence[str], folder: Path) -> None:
    """Two runs, or a few, side by side."""
    _view("compare", lambda: _compare(names, (), {}, folder))


def compare_study(study: str, folder: Path) -> None:
    """In a few lines."""
    _view("compare", lambda: _compare((), _of_study(study), {}, folder, short=True))


def _of_study(name: str) -> tuple[str, ...]:
    return f"study={name}", "status=completed", "warmup!=true"


def _view(name: str, show: Callable[[], None]) -> None:
    print()
    try:
        show()
    except AssayError as problem:
        say_error(problem.message, problem.hint)
    except ModuleNotFoundError as problem:
        lacking = failed_import(f"`assay {name}`", problem)
        say_error(lacking.message, lacking.hint)


def _compare(
    words: Sequence[str], conditions: Sequence[str], wish: Mapping[str, str], folder: Path, *, short: bool = False
) -> None:
    with ExitStack() as stack:
        found = compared(words, conditions, wish_of(**wish), folder, stack)
        from assay.views.comparison import print_comparison, print_short

        print_short(found) if short else print_comparison(found)


def _audit(runs: Sequence[Path], folder: Path) -> None:
    from assay.auditing.audit import judge, load
    from assay.views.findings import findings_text

    cases, problems = load(map(str, runs), folder)
    for problem in problems:
        say_warning(problem.message)
    if cases:
        colour, room = terminal.colours(sys.stdout), terminal.columns()
        print(findings_text(judge(cases), cases, colour=colour, room=room), end="")


def _text(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
