"""Which runs the words on a command line mean: names, folders of runs, logs and pages that tell of some."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from assay.cli.start import say_warning
from assay.errors import AssayError
from assay.store.find import chosen, find_runs, list_runs
from assay.store.layout import RunDir
from assay.summary.build import load_summary


def chosen_runs(words: Sequence[str], conditions: Sequence[str], folder: Path, stack: ExitStack) -> list[RunDir]:
    """What was asked for and meets all conditions, each run once. What a file tells of lives as long as `stack`."""
    found: dict[str, tuple[dict[str, Any], RunDir]] = {}
    for run in named_runs(words, folder, stack):
        try:
            summary = load_summary(run)
        except AssayError as problem:
            say_warning(problem.message)
        else:
            found.setdefault(str(summary.get("id")), (summary, run))
    kept = chosen([summary for summary, _ in found.values()], conditions)
    return [found[str(summary.get("id"))][1] for summary in kept]


def named_runs(words: Sequence[str], folder: Path, stack: ExitStack) -> list[RunDir]:
    if not words:
        return list_runs(folder)
    found: list[RunDir] = []
    for word in words:
        path = Path(word)
        if path.is_dir() and not RunDir(path).run_json.is_file() and (inside := list_runs(path.absolute())):
            found += inside
        elif path.is_file() or (path.is_dir() and not RunDir(path).run_json.is_file()):
            found += _read(word, stack)
        else:
            found += find_runs(folder, word)
    return found


def _read(word: str, stack: ExitStack) -> list[RunDir]:
    """The runs of a log or a page, kept only as long as the command."""
    from assay.ingest.ingest import ingest

    aside = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="assay-read-")))
    report = ingest([word], aside)
    for problem in report.problems:
        say_warning(problem)
    found = list_runs(aside)
    if not found:
        raise AssayError(f"no run in `{word}` that any reader knows")
    return found
