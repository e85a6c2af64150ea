"""`assay ingest` from paths to runs: the story of an import."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.ingest import notebook, stateyaml, tensorboard
from assay.ingest.document import parse
from assay.ingest.files import Source, Tell, sources
from assay.ingest.keep import keep
from assay.ingest.large import ingest_board, ingest_large
from assay.ingest.pages import runs_of
from assay.lines import LineFeed

#: a larger file is read as a stream; so is one of more lines, which take more memory than their bytes
_WHOLE_BYTES = 8 << 20
_WHOLE_LINES = 50_000
#: of a file that can only be read as a whole
_MOST_BYTES = 64 << 20
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


def ingest(words: list[str], runs_dir: Path, *, only: str | None = None, tell: Tell | None = None) -> Report:
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
        source = replace(source, tell=tell)
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
    if tensorboard.is_event_file(source.name):
        yield from ingest_board(source, runs_dir)
        return
    blocks, is_whole = source.blocks(), source.name.endswith(".ipynb") or stateyaml.is_state(source.name)
    content, problem = _first(blocks, _MOST_BYTES if is_whole else _WHOLE_BYTES)
    if is_whole and len(content) > _MOST_BYTES:
        raise AssayError(f"`{source.name}` is larger than {_MOST_BYTES >> 20} MiB: too large for a file of its kind")
    if is_whole or not _too_large(content):
        yield from _small(content, source.name, runs_dir, only)
    else:
        _refuse_binary(content, source.name)
        yield from _large(source, content, blocks, runs_dir, only)
    if problem is not None:
        raise problem


def _small(content: bytes, name: str, runs_dir: Path, only: str | None) -> Kept:
    """A file that is held in memory: prose, tables and commands are read, too."""
    if stateyaml.is_state(name):
        yield from (keep(one, name, content, runs_dir) for one in stateyaml.runs_of(content))
        return
    _refuse_binary(content, name)
    physical = notebook.lines(content, name) if name.endswith(".ipynb") else _physical(content)
    for one in runs_of(parse(Path(name).name, physical), only):
        text = b"\n".join(raw for number, raw in physical if one.first_line <= number <= one.last_line)
        yield keep(one, name, text, runs_dir)


def _large(source: Source, content: bytes, blocks: Iterator[bytes], runs_dir: Path, only: str | None) -> Kept:
    """What can be read only once is kept on disk until its runs are."""
    if not source.once:
        yield from ingest_large(source, runs_dir, only)
        return
    with tempfile.NamedTemporaryFile(prefix=".ingest-", dir=runs_dir) as held:
        problem = None
        try:
            for block in chain((content,), blocks):
                held.write(block)
            held.flush()
        except AssayError as failure:
            problem = failure
        except OSError as failure:
            raise AssayError(f"cannot keep `{source.name}` in `{runs_dir}`: {failure.strerror}") from None
        yield from ingest_large(replace(source, path=Path(held.name)), runs_dir, only)
    if problem is not None:
        raise problem


def _first(blocks: Iterator[bytes], most: int) -> tuple[bytes, AssayError | None]:
    """Up to a little more than `most` bytes, and why there are no more where reading failed."""
    parts: list[bytes] = []
    size = 0
    try:
        for block in blocks:
            parts.append(block)
            size += len(block)
            if size > most:
                break
    except AssayError as problem:
        if not size:
            raise
        return b"".join(parts), problem
    return b"".join(parts), None


def _too_large(content: bytes) -> bool:
    return len(content) > _WHOLE_BYTES or content.count(b"\n") + content.count(b"\r") > _WHOLE_LINES


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
