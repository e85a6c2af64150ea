"""`assay ingest` from paths to runs: the story of an import."""

from __future__ import annotations

import tempfile
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path

from assay.errors import AssayError
from assay.lines import LineFeed
from assay.model.event import Event
from assay.model.summary import Summary
from assay.reading import notebook, ownfiles, tensorboard
from assay.reading.accounts import is_saved, job_of, known_accounts, with_account, without
from assay.reading.blocks import parse
from assay.reading.documents import read_document
from assay.reading.found import Found
from assay.reading.guard import guarded, steps
from assay.reading.keeping import ingest_board, ingest_large, keep
from assay.reading.results import runs_of as json_runs
from assay.reading.sources import Source, Tell, sources
from assay.reading.stores import is_store, runs_of_store
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
    lost: list[AssayError] = []
    files = [source for source in listed if isinstance(source, Source)]
    books = dict(steps("the scheduler's books", [lambda: known_accounts(files).items()], lost))
    report.problems += [problem.message for problem in lost]
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


# --- as much of a file as memory has room for ----------------------------------------------------------------------

#: a larger file is read as a stream; so is one of more lines, which take more memory than their bytes
WHOLE_BYTES = 8 << 20
_WHOLE_LINES = 50_000
#: size limit of files that can only be read as a whole, such as notebooks with pictures
_MOST_BYTES = 64 << 20


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A file that was read at once: its runs, and its lines where it is text."""

    content: bytes
    found: list[Found]
    physical: list[tuple[int, bytes]] = field(default_factory=list)

    def text_of(self, one: Found) -> bytes:
        if one.text is not None:
            return one.text
        if not self.physical:
            return self.content
        begin = bisect_left(self.physical, (one.first_line,))
        end = bisect_left(self.physical, (one.last_line + 1,))
        return b"\n".join(raw for _, raw in self.physical[begin:end])


@dataclass(frozen=True, kw_only=True)
class Held:
    """What was read from a source so far; `problem` is the reason if it ended too early."""

    source: Source
    content: bytes
    rest: Iterator[bytes]
    problem: AssayError | None = None

    def read(self, only: str | None = None) -> Reading | None:
        """Everything in it, prose and tables, too; None where it is too large for that."""
        name, content = self.source.name, self.content
        if ownfiles.is_own(name) or (not _too_large(content) and ownfiles.is_marked(content, name)):
            return Reading(content=content, found=ownfiles.runs_of(content, name))
        _refuse_binary(content, name)
        results = json_runs(content) if self.problem is None and only in (None, "serving", "accounting") else []
        if results:
            return Reading(content=content, found=results)
        is_book = name.endswith(".ipynb")
        if not is_book and _too_large(content):
            return None
        physical = list(islice(notebook.lines(content, name), _WHOLE_LINES + 1)) if is_book else _physical(content)
        if len(physical) > _WHOLE_LINES:
            return None
        found = read_document(parse(Path(name).name, physical), only)
        return Reading(content=content, found=found, physical=physical)

    def stream(self, runs_dir: Path, only: str | None = None) -> Iterator[tuple[Summary, bool]]:
        """(summary, whether it is new) of each run. What can be read only once is kept on disk until its runs are."""
        if not self.source.once and not self.source.name.endswith(".ipynb"):
            yield from ingest_large(self.source, runs_dir, only)
            return
        with tempfile.NamedTemporaryFile(prefix=scratch.prefix("ingest"), dir=runs_dir) as file:
            problem = None
            try:
                for block in self._text():
                    file.write(block)
                file.flush()
            except AssayError as failure:
                problem = failure
            except OSError as failure:
                raise AssayError(f"cannot keep `{self.source.name}` in `{runs_dir}`: {failure.strerror}") from None
            yield from ingest_large(replace(self.source, path=Path(file.name)), runs_dir, only)
        if problem is not None:
            raise problem

    def _text(self) -> Iterator[bytes]:
        """All of it; of a notebook, the lines that a person sees."""
        if self.source.name.endswith(".ipynb"):
            return (raw + b"\n" for _, raw in notebook.lines(self.content, self.source.name))
        return chain((self.content,), self.rest)


def hold(source: Source) -> Held:
    """Read a little more than may be held, so that it is known which it is."""
    is_whole = source.name.endswith(".ipynb") or ownfiles.is_own(source.name)
    most, size = _MOST_BYTES if is_whole else WHOLE_BYTES, 0
    blocks, parts, problem = source.blocks(), list[bytes](), None
    try:
        for block in blocks:
            parts.append(block)
            size += len(block)
            if size > most:
                break
    except AssayError as failure:
        if not size:
            raise
        problem = failure
    if is_whole and size > most:
        raise AssayError(f"`{source.name}` is larger than {most >> 20} MiB, too large for a file of its kind")
    return Held(source=source, content=b"".join(parts), rest=blocks, problem=problem)


def _too_large(content: bytes) -> bool:
    return len(content) > WHOLE_BYTES or content.count(b"\n") + content.count(b"\r") > _WHOLE_LINES


def _physical(content: bytes) -> list[tuple[int, bytes]]:
    feed = LineFeed()
    return [*feed.feed(content), *feed.finish()]


def _refuse_binary(content: bytes, name: str) -> None:
    """Text may hold stray NULs and bad bytes; a program or a picture is mostly that."""
    head = content[:65536]
    if not content:
        raise AssayError(f"`{name}` is empty")
    odd = sum(head.count(bytes([byte])) for byte in (*range(7), *range(14, 27), *range(28, 32)))
    if odd > 0.05 * len(head):
        raise AssayError(f"`{name}` is not text")
