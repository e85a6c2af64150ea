"""`assay ingest` from paths to runs: the story of an import."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.ingest import notebook, stateyaml, tensorboard
from assay.ingest.document import parse
from assay.ingest.files import Source, sources
from assay.ingest.found import Found
from assay.ingest.keep import keep
from assay.ingest.large import ingest_large
from assay.ingest.pages import Page, survey
from assay.ingest.stores import is_store, runs_of_store
from assay.lines import LineFeed

#: a larger file is read as a stream
WHOLE_BYTES = 8 << 20
Kept = Iterator[tuple[dict[str, Any], bool]]


@dataclass
class FileReport:
    """What one file gave; `why` says why it gave nothing, or less than it could."""

    name: str
    summaries: list[dict[str, Any]] = field(default_factory=list)
    new: int = 0
    why: str = ""


@dataclass
class Report:
    files: list[FileReport] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def ingest(
    words: list[str], runs_dir: Path, *, only: str | None = None, tell: Callable[[Source], None] = lambda source: None
) -> Report:
    """Read everything that `words` name; a file that cannot be read costs only itself."""
    report = Report()
    try:
        runs_dir.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise AssayError(f"cannot create `{runs_dir}`: {problem.strerror}", "choose another --runs-dir") from None
    for source in sources(words):
        if isinstance(source, AssayError):
            report.problems.append(source.message)
            continue
        tell(source)
        one = FileReport(source.name)
        try:
            for summary, new in _runs(source, runs_dir, only):
                one.summaries.append(summary)
                one.new += new
            one.why = "" if one.summaries else "no run in it that any reader knows"
        except AssayError as problem:
            one.why = problem.message
            if not one.summaries:
                report.problems.append(problem.message)
                continue
        report.files.append(one)
    return report


def _runs(source: Source, runs_dir: Path, only: str | None) -> Kept:
    """By what kind of file it is."""
    if is_large(source):
        yield from ingest_large(source, runs_dir, only)
        return
    reading = read_whole(source, only)
    for one in reading.found:
        yield keep(one, source.name, reading.text_of(one), runs_dir)


def is_large(source: Source) -> bool:
    """Text that is read as a stream; the files of other tools are read whole."""
    return source.size > WHOLE_BYTES and not tensorboard.is_event_file(source.name) and not is_store(source)


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A file that was read at once: its runs, and the page with its lines where it is text."""

    content: bytes
    found: list[Found]
    page: Page | None = None
    physical: list[tuple[int, bytes]] = field(default_factory=list)

    def text_of(self, one: Found) -> bytes:
        if one.text is not None:
            return one.text
        if self.page is None:
            return self.content
        return b"\n".join(raw for number, raw in self.physical if one.first_line <= number <= one.last_line)


def read_whole(source: Source, only: str | None = None) -> Reading:
    """Everything in a file that fits into memory."""
    if is_store(source):
        return Reading(content=b"", found=runs_of_store(source))
    content = b"".join(source.blocks())
    if tensorboard.is_event_file(source.name):
        return Reading(content=content, found=list(tensorboard.runs_of(content, source.name)))
    if stateyaml.is_state(source.name):
        return Reading(content=content, found=list(stateyaml.runs_of(content)))
    _refuse_binary(content, source.name)
    physical = notebook.lines(content) if source.name.endswith(".ipynb") else _physical(content)
    found, page = survey(parse(Path(source.name).name, physical), only)
    return Reading(content=content, found=found, page=page, physical=physical)


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
