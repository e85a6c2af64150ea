"""`assay ingest` from paths to runs: the story of an import."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from assay.errors import AssayError
from assay.ingest import tensorboard
from assay.ingest.accounts import is_saved, job_of, known_accounts, with_account, without
from assay.ingest.files import Source, Tell, sources
from assay.ingest.hold import hold
from assay.ingest.keep import keep
from assay.ingest.large import ingest_board
from assay.ingest.stores import is_store, runs_of_store
from assay.model.event import Event
from assay.model.summary import Summary
from assay.reading.guard import guarded
from assay.store import scratch

Kept = Iterator[tuple[Summary, bool]]


@dataclass
class FileReport:
    """What was found in one file; `why` is the reason if it gave nothing, or less than expected."""

    name: str
    summaries: list[Summary] = field(default_factory=list)
    new: int = 0
    why: str = ""


@dataclass
class Report:
    files: list[FileReport] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def ingest(
    words: Sequence[str], runs_dir: Path, *, only: str | None = None, tell: Tell | None = None, base: Path = Path()
) -> Report:
    """Read everything that `words` name; a file that cannot be read costs only itself."""
    report = Report()
    try:
        runs_dir.mkdir(parents=True, exist_ok=True)
        scratch.clear(runs_dir)
    except OSError as problem:
        raise AssayError(f"cannot create `{runs_dir}`: {problem.strerror}", "choose another --runs-dir") from None
    listed = list(sources(words, base))
    books = known_accounts([source for source in listed if isinstance(source, Source)])
    for source in listed:
        if isinstance(source, AssayError):
            report.problems.append(source.message)
            continue
        source = replace(source, tell=tell)
        one = FileReport(source.name)
        try:
            with guarded(source.name):
                for summary, new in _with_books(source, runs_dir, only, books):
                    one.summaries.append(summary)
                    one.new += new
            one.why = "" if one.summaries else _nothing(source, books)
        except AssayError as problem:
            one.why = problem.message
            if not one.summaries:
                report.problems.append(problem.message)
                continue
        report.files.append(one)
    return report


def _nothing(source: Source, books: Mapping[str, list[Event]]) -> str:
    if books and is_saved(source):
        return "its jobs are listed with their logs"
    return "no run found in it: no reader knows its format"


def _with_books(source: Source, runs_dir: Path, only: str | None, books: Mapping[str, list[Event]]) -> Kept:
    """With what the scheduler has on its books about the job behind the log."""
    job = job_of(source.name)
    if job is not None and job in books:
        runs, problem = _as_far_as_it_goes(_runs(source, runs_dir, only))
        yield from with_account(runs, source, books[job], runs_dir)
        if runs and problem is not None:  # a job that printed nothing is still a job
            raise problem
    elif books and is_saved(source):  # jobs whose logs are here, too, are listed with them
        yield from without(books, _runs(source, runs_dir, only), runs_dir)
    else:
        yield from _runs(source, runs_dir, only)


def _as_far_as_it_goes(kept: Kept) -> tuple[list[tuple[Summary, bool]], AssayError | None]:
    found: list[tuple[Summary, bool]] = []
    try:
        found.extend(kept)
    except AssayError as problem:
        return found, problem
    return found, None


def _runs(source: Source, runs_dir: Path, only: str | None) -> Kept:
    """What fits into memory is read whole, with its prose; the rest as it comes."""
    if tensorboard.is_event_file(source.name):
        yield from ingest_board(source, runs_dir)
        return
    if is_store(source):
        yield from (keep(one, source.name, one.text or b"", runs_dir) for one in runs_of_store(source))
        return
    held = hold(source)
    reading = held.read(only)
    if reading is None:
        yield from held.stream(runs_dir, only)
    else:
        yield from (keep(one, source.name, reading.text_of(one), runs_dir) for one in reading.found)
    if held.problem is not None:
        raise held.problem
