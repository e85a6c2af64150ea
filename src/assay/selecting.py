"""Which runs a word means: a name, a folder of runs, a log or a page that holds some."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from assay.errors import AssayError, UsageError
from assay.store.find import chosen, find_run, find_runs, list_runs
from assay.store.folders import is_run
from assay.store.layout import RunDir
from assay.summary.build import load_summary
from assay.summary.index import Listed, load_all, summaries

Warn = Callable[[str], None]


def named_runs(
    words: Sequence[str], folder: Path, stack: ExitStack, warn: Warn, base: Path = Path()
) -> dict[str, Listed]:
    """What was asked for, each run once, by its id. Files lie as seen from `base`; what they tell of lives as long as
    `stack`."""
    return _by_id(listed_runs(words, folder, stack, warn, base))


def listed_runs(words: Sequence[str], folder: Path, stack: ExitStack, warn: Warn, base: Path = Path()) -> list[Listed]:
    """The same as they are found, none of them read yet."""
    if not words:
        return load_all(folder, warn)
    return [one for word in words for one in _one_word(word, folder, stack, warn, base)]


def chosen_runs(
    words: Sequence[str], conditions: Sequence[str], folder: Path, stack: ExitStack, warn: Warn, base: Path = Path()
) -> list[RunDir]:
    """Those of them that meet all conditions."""
    found = named_runs(words, folder, stack, warn, base)
    return [found[summary.id].run for summary in chosen(summaries(list(found.values())), conditions)]


def one_run(word: str, folder: Path, stack: ExitStack, warn: Warn) -> Listed:
    """The one run that a word means: by name, id or path, or the only one that a log or a page tells of."""
    path = Path(word)
    if not path.exists() or (path.is_dir() and is_run(path)):
        return _listed(find_run(folder, word))
    found = list(named_runs([word], folder, stack, warn).values())
    if len(found) > 1:
        names = ", ".join(one.summary.name for one in found[:5])
        raise UsageError(f"`{word}` holds {len(found)} runs", f"name one of them: {names}")
    return found[0]


def two_runs(words: Sequence[str], folder: Path, stack: ExitStack, warn: Warn) -> list[Listed]:
    """Two runs: one word alone stands for that run and the last one, and no word for the last two."""
    named = [one_run(word, folder, stack, warn) for word in words]
    if len(named) == 2:
        return named
    latest = list_runs(folder)
    others = [run for run in latest if run.path not in {one.run.path for one in named}][-(2 - len(named)) :]
    if len(named) + len(others) < 2:
        raise AssayError(f"there are not two runs in `{folder}`", "make one with: assay run -- COMMAND")
    return [*named, *map(_listed, others)]


def _by_id(listed: Sequence[Listed]) -> dict[str, Listed]:
    """The first of each."""
    found: dict[str, Listed] = {}
    for one, summary in zip(listed, summaries(listed), strict=True):
        found.setdefault(summary.id, one)
    return found


def _one_word(word: str, folder: Path, stack: ExitStack, warn: Warn, base: Path) -> list[Listed]:
    path = base / word
    a_run = path.is_dir() and is_run(path)
    if path.is_dir() and not a_run and (inside := load_all(path.absolute(), warn)):
        return inside
    if path.is_file() or (path.is_dir() and not a_run):
        return _read(word, stack, warn, base)
    return [_listed(run) for run in find_runs(folder, word)]


def _listed(run: RunDir) -> Listed:
    return Listed(runs_dir=run.path.parent, folder=run.path.name, read=load_summary(run))


def _read(word: str, stack: ExitStack, warn: Warn, base: Path) -> list[Listed]:
    """The runs of a log or a page, kept only as long as the command."""
    from assay.ingest.ingest import ingest

    aside = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="assay-read-")))
    report = ingest([word], aside, base=base)
    for problem in report.problems:
        warn(problem)
    found = load_all(aside, warn)
    if not found:
        raise AssayError(f"no run in `{word}` that any reader knows")
    return found
