"""The runs that a word selects: by name, or those in a folder, a log or a page."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from assay.differing.nearest import nearest
from assay.errors import AssayError, UsageError
from assay.spec import short_id
from assay.store.find import chosen, find_run, find_runs, is_whole, last_of, list_runs
from assay.store.folders import is_run
from assay.store.job import is_job
from assay.store.layout import RunDir
from assay.summary.build import load_summary
from assay.summary.index import Listed, load_all, summaries

Warn = Callable[[str], None]


def none_chosen(folder: Path, *, some: bool) -> AssayError:
    """Where there is nothing to work on: `some` runs are there, or were asked for, and none of them matches."""
    if some:
        return AssayError("no runs match", "list the runs: assay ls")
    return AssayError(f"no runs in `{folder}`", "make one: assay run -- COMMAND")


def named_runs(
    words: Sequence[str], folder: Path, stack: ExitStack, warn: Warn, base: Path = Path()
) -> dict[str, Listed]:
    """What was asked for, each run once, by its id. Files are relative to `base`; the runs read from them live as long
    as `stack`.
    """
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
    """The one run that a word means: by name, id or path, or the only one in a log or a page."""
    path = Path(word)
    if not path.exists() or (path.is_dir() and is_run(path)):
        return _listed(find_run(folder, word))
    found = list(named_runs([word], folder, stack, warn).values())
    if len(found) > 1:
        names = ", ".join(one.summary.name for one in found[:5])
        raise UsageError(f"`{word}` contains {len(found)} runs", f"name one of them: {names}")
    return found[0]


def two_runs(words: Sequence[str], folder: Path, stack: ExitStack, warn: Warn) -> list[Listed]:
    """Two runs, the older one first: one word alone stands for that run and the nearest of its study or program, and no
    word for the last run and that.
    """
    named = [one_run(word, folder, stack, warn) for word in words]
    if len(named) == 2:
        return named
    latest = list_runs(folder)
    if len({run.path for run in latest} | {one.run.path for one in named}) < 2:
        raise AssayError(f"there are fewer than two runs in `{folder}`", "make one: assay run -- COMMAND")
    one = named[0] if named else _listed(last_of(latest))
    other = nearest(one.run, latest)
    if other is None:
        hint = f"name the other run: assay diff {short_id(one.summary.id)} RUN"
        raise AssayError(f"no other run in `{folder}` is of the same study or program as `{one.summary.name}`", hint)
    pair = [_listed(other), one]
    return pair if other in latest[: latest.index(one.run) if one.run in latest else None] else pair[::-1]


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
    from assay.reading.importing import ingest

    aside = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="assay-read-")))
    report = ingest([word], aside, base=base)
    for problem in report.problems:
        warn(problem)
    found = load_all(aside, warn)
    if not found:
        raise AssayError(f"no runs found in `{word}`: no reader knows its format")
    return found


def runs_with_job(folder: Path, word: str, warn: Warn) -> list[RunDir]:
    """The run of a folder with this name or id, else all runs of this job; recorded or imported."""
    with suppress(AssayError):
        run = find_run(folder, word)
        if is_whole(run, word) or is_job(load_summary(run).job_id, word):
            return [run]
    return [one.run for one in load_all(folder, warn) if is_job(one.lean.job_id, word)]


def run_of_job(word: str, stack: ExitStack, warn: Warn | None = None) -> RunDir | None:
    """A job that was not recorded, by its number: what its scheduler reports, kept only as long as the command."""
    from assay.launchers.accounts import account_text, is_job_id

    text = account_text([word]) if is_job_id(word) else ""
    if not text:
        return None
    from assay.reading.importing import ingest

    aside = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="assay-job-")))
    name = f"{'qstat -xf' if text.lstrip().startswith('Job Id') else 'sacct -j'} {word}"
    (aside / name).write_text(text)
    found = [one for file in ingest([name], aside / "runs", base=aside).files for one in file.summaries]
    if len(found) > 1 and warn is not None:
        warn(f"{word} is an array of {len(found)} jobs, and this is {found[0].job_id}; name another by its own number")
    return find_run(aside / "runs", found[0].id) if found else None
