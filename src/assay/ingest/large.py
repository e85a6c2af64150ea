"""Files too large to hold: read as a stream, events written as they come, memory flat.

A log of this size is a log: no prose is looked for in it, and only its name claims anything.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from assay.events import Event, encode
from assay.ingest import systems
from assay.ingest.files import Source
from assay.ingest.found import Found, from_draft
from assay.ingest.keep import Dater, describe, finish_writing
from assay.ingest.statements import file_name_statements
from assay.readers.splitter import Draft
from assay.readers.stream import Stream
from assay.store.layout import RunDir
from assay.summary.build import Tally, sum_up

_BLOCK_BYTES = 1 << 20


@dataclass
class _Spool:
    """One run's events on their way to disk."""

    folder: Path
    dater: Dater = field(default_factory=Dater)
    tally: Tally = field(default_factory=Tally)
    file: BinaryIO | None = None

    def write(self, events: list[Event]) -> None:
        if self.file is None:
            (self.folder / "events").mkdir(parents=True, exist_ok=True)
            self.file = open(self.folder / "events" / "ingest-0-0.jsonl", "wb")  # noqa: SIM115
        self.file.write(b"".join(map(encode, events)))
        for event in events:
            self.tally.add(self.dater.date(event))

    def close(self) -> None:
        if self.file is not None:
            self.file.close()


def ingest_large(source: Source, runs_dir: Path, only: str | None) -> Iterator[tuple[dict[str, Any], bool]]:
    """(summary, whether it is new) of each run."""
    place = Path(tempfile.mkdtemp(prefix=".ingest-", dir=runs_dir))
    try:
        reading = _Reading(source, place, only)
        reading.run()
        for found, spool in reading.done:
            yield _keep(found, spool, source, runs_dir)
    finally:
        shutil.rmtree(place, ignore_errors=True)


class _Reading:
    def __init__(self, source: Source, place: Path, only: str | None) -> None:
        self._source, self._place = source, place
        self._stream = Stream(self._finished, only=only)
        self._spools = 0
        self._spool = self._new_spool()
        self.done: list[tuple[Found, _Spool]] = []

    def run(self) -> None:
        for block in self._source.blocks(_BLOCK_BYTES):
            self._stream.feed(block)
            self._flush(self._stream.splitter.draft)
        self._stream.finish()

    def _new_spool(self) -> _Spool:
        self._spools += 1
        return _Spool(self._place / str(self._spools))

    def _flush(self, draft: Draft) -> None:
        if draft.events and draft.reader is not None and draft.reader.strong:
            self._spool.write(draft.events)
            draft.events = []

    def _finished(self, draft: Draft) -> None:
        system = draft.system or next(iter(systems.named(self._source.name)), "generic")
        claims = {one.name: one.value for one in file_name_statements(Path(self._source.name).name)}
        for found in from_draft(draft, system):
            self._spool.write(found.events)
            self._spool.close()
            self.done.append((found.with_claims(claims, dict.fromkeys(claims, 0)), self._spool))
            self._spool = self._new_spool()


def _keep(found: Found, spool: _Spool, source: Source, runs_dir: Path) -> tuple[dict[str, Any], bool]:
    digest = _copy_span(source, found, spool.folder / "output.log")
    asked = describe(found, source.name, digest)
    run = RunDir(runs_dir / asked["folder"])
    summary = sum_up(run, asked, spool.tally)
    return summary, finish_writing(spool.folder, run, asked, summary)


def _copy_span(source: Source, found: Found, target: Path) -> bytes:
    """The run's own lines beside its events; their hash is its identity."""
    digest = hashlib.sha256()
    number = 1
    with open(target, "wb") as file, suppress(StopIteration):
        for block in source.blocks(_BLOCK_BYTES):
            lines = block.count(b"\n")
            if number + lines >= found.first_line:
                part = _within(block, number, found)
                digest.update(part)
                file.write(part)
            number += lines
            if number > found.last_line:
                break
    return digest.digest()


def _within(block: bytes, number: int, found: Found) -> bytes:
    """The part of a block that lies in the run; `number` is the line its first byte belongs to."""
    begin, end = 0, len(block)
    for _ in range(max(0, found.first_line - number)):
        begin = block.find(b"\n", begin) + 1
        if begin == 0:
            return b""
    if number + block.count(b"\n") > found.last_line:
        end = -1
        for _ in range(found.last_line - number + 1):
            end = block.find(b"\n", end + 1)
        end += 1
    return block[begin:end]
