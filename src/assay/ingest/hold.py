"""As much of a file as memory has room for: all of it, and it is read as a page; or the beginning of a long stream."""

from __future__ import annotations

import tempfile
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path

from assay.errors import AssayError
from assay.ingest.document import parse
from assay.ingest.page import Page
from assay.ingest.pages import survey
from assay.lines import LineFeed
from assay.model.summary import Summary
from assay.reading import notebook, ownfiles
from assay.reading.found import Found
from assay.reading.keeping import ingest_large
from assay.reading.results import runs_of
from assay.reading.sources import Source
from assay.store import scratch

#: a larger file is read as a stream; so is one of more lines, which take more memory than their bytes
WHOLE_BYTES = 8 << 20
_WHOLE_LINES = 50_000
#: size limit of files that can only be read as a whole, such as notebooks with pictures
_MOST_BYTES = 64 << 20


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
        results = runs_of(content) if self.problem is None and only in (None, "serving", "accounting") else []
        if results:
            return Reading(content=content, found=results)
        is_book = name.endswith(".ipynb")
        if not is_book and _too_large(content):
            return None
        physical = list(islice(notebook.lines(content, name), _WHOLE_LINES + 1)) if is_book else _physical(content)
        if len(physical) > _WHOLE_LINES:
            return None
        found, page = survey(parse(Path(name).name, physical), only)
        return Reading(content=content, found=found, page=page, physical=physical)

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
