"""Found runs as run directories: the same files as of a recorded one, so that every view serves both.

Files too large to hold are read as a stream here, events written as they come, memory flat. A log of this size is a
log: no prose is looked for in it, and only its name claims anything.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Protocol

from assay import systems
from assay.errors import AssayError
from assay.facts.secrets import mask_text, mask_values
from assay.model.event import End, Event, encode
from assay.model.request import Request
from assay.model.summary import Summary
from assay.quantities import settings
from assay.reading import tensorboard
from assay.reading.documents import systems_in
from assay.reading.found import Found, from_draft
from assay.reading.sources import Source
from assay.reading.splitter import Draft
from assay.reading.stated import settings_of_name
from assay.reading.stream import Stream
from assay.spec import folder_name
from assay.store import scratch
from assay.store.layout import RunDir, write_json
from assay.summary.build import sum_up
from assay.summary.tally import Tally

#: the year 2100: a date beyond it is none
_FAR_T = 4_102_444_800.0


class Dater:
    """Gives events their seconds since the first date of the log; those without a date stay undated."""

    def __init__(self) -> None:
        self.first_t: float | None = None

    def date(self, event: Event) -> Event:
        if event.t is not None:
            self.first_t = event.t if self.first_t is None else self.first_t
            return event.at(event.t - self.first_t)
        elapsed_s = event.figure("elapsed_s")
        return event if elapsed_s is None else event.at(elapsed_s)


@dataclass
class Spool:
    """Events of one run on their way to disk."""

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

    def keep(self, found: Found, source: str, digest: bytes, runs_dir: Path) -> tuple[Summary, bool]:
        """The summary, and whether the run is new: the same content adds nothing twice."""
        self.close()
        asked = describe(found, source, digest, self.tally.params, self.dater.first_t)
        run = RunDir(runs_dir / str(asked.folder))
        summary = sum_up(run, asked, self.tally)
        return summary, finish_writing(self.folder, run, asked, summary)

    def close(self) -> None:
        if self.file is not None:
            self.file.close()


def keep(found: Found, source: str, text: bytes, runs_dir: Path) -> tuple[Summary, bool]:
    """A run that was found in one piece: its events and its own lines."""
    try:
        spool = Spool(Path(tempfile.mkdtemp(prefix=scratch.prefix("ingest"), dir=runs_dir)))
        spool.write(found.events)
        (spool.folder / "output.log").write_bytes(text)
    except OSError as problem:
        raise AssayError(f"cannot keep a run in `{runs_dir}`: {problem.strerror}") from None
    return spool.keep(found, source, hashlib.sha256(text).digest(), runs_dir)


def summary_of(found: Found, source: str, text: bytes, runs_dir: Path) -> tuple[Request, Summary]:
    """(run.json, summary) as they would be kept; nothing is written."""
    tally, dater = Tally(), Dater()
    for event in found.events:
        tally.add(dater.date(event))
    asked = describe(found, source, hashlib.sha256(text).digest(), tally.params, dater.first_t)
    return asked, sum_up(RunDir(runs_dir / str(asked.folder)), asked, tally)


def finish_writing(beside: Path, run: RunDir, asked: Request, summary: Summary) -> bool:
    """The last files, then one rename: a run directory appears whole or not at all. False if it was there already."""
    if run.run_json.exists():
        shutil.rmtree(beside, ignore_errors=True)
        return False
    try:
        write_json(beside / "run.json", asked.as_json())
        write_json(beside / "summary.json", summary.as_json())
        beside.chmod(0o755 & ~_umask())
        beside.rename(run.path)
    except OSError as problem:
        shutil.rmtree(beside, ignore_errors=True)
        raise AssayError(f"cannot keep a run in `{run.path.parent}`: {problem.strerror}") from None
    return True


def describe(
    found: Found, source: str, digest: bytes, params: dict[str, object], dated_t: float | None = None
) -> Request:
    """run.json of a run that was read, not recorded. `params` is what it was read to have run with."""
    run_id, name = _id(found, digest), _name(found, source, params)
    return Request(
        id=run_id,
        name=name,
        folder=folder_name(name, run_id),
        how="parsed",
        dated_t=dated_t if dated_t is not None and 0 < dated_t < _FAR_T else None,
        source=source,
        lines=(found.first_line, found.last_line),
        system=found.system,
        device=found.device,
        prose=found.prose or None,
        said_command=mask_text(found.command) if found.command else None,
        claims=mask_values(found.claims),
        claim_lines=found.claim_lines,
    )


def _id(found: Found, digest: bytes) -> str:
    """A hash of the run's text and of the claims about it: one log saved under two settings stays two runs."""
    key = json.dumps([found.claims, found.device, found.system], sort_keys=True).encode()
    return hashlib.sha256(digest + key).hexdigest()[:12]


def _name(found: Found, source: str, params: dict[str, object]) -> str:
    if found.name:
        return found.name
    known = {**found.claims, **params}
    parts = [f"{one.short}{known[one.name]}" for one in settings() if one.short and one.name in known]
    stem = re.sub(r"\.(?:log|txt|out|err|md|csv|ipynb|jsonl?)(?:\.gz)?$", "", Path(source).name).strip("<>") or "stdin"
    words = [found.system, *parts] if parts else [found.system, stem]
    return "-".join([*words, *([found.device] if found.device else [])])


def _umask() -> int:
    import os

    mask = os.umask(0o022)
    os.umask(mask)
    return mask


# --- streams ----------------------------------------------------------------------------------------------------

_BLOCK_BYTES = 1 << 20


class Digest(Protocol):
    """What hashlib makes."""

    def update(self, part: bytes, /) -> None: ...

    def digest(self) -> bytes: ...


@dataclass
class _Kept:
    """A run that is over: what was found, its events, and its own lines as they are copied."""

    found: Found
    spool: Spool
    digest: Digest = field(default_factory=hashlib.sha256)
    text: BinaryIO | None = None

    def copy(self, part: bytes) -> None:
        if self.text is None:
            self.text = open(self.spool.folder / "output.log", "wb")  # noqa: SIM115
        self.text.write(part)
        self.digest.update(part)

    def close(self) -> None:
        self.copy(b"")
        assert self.text is not None
        self.text.close()


def ingest_large(source: Source, runs_dir: Path, only: str | None) -> Iterator[tuple[Summary, bool]]:
    """(summary, whether it is new) of each run; a file that breaks off in the middle gives what came before that."""
    with _aside(runs_dir) as place:
        reading = _Reading(source, place, only)
        problem = reading.run()
        _copy_spans(source, reading.done)
        for kept in reading.done:
            yield kept.spool.keep(kept.found, source.name, kept.digest.digest(), runs_dir)
    if problem is not None:
        raise problem


def ingest_board(source: Source, runs_dir: Path) -> Iterator[tuple[Summary, bool]]:
    """A TensorBoard file is one run; it is kept as it is beside its events."""
    digest, count = hashlib.sha256(), 0
    problem: AssayError | None = None
    with _aside(runs_dir) as place:
        spool = Spool(place / "run")
        spool.write([])
        with open(spool.folder / Path(source.name).name.removesuffix(".gz"), "wb") as copy:
            try:
                for event in tensorboard.events_of(_copied(source.blocks(_BLOCK_BYTES), copy, digest)):
                    spool.write([event])
                    count = event.line or 0
            except AssayError as failure:
                problem = AssayError(f"`{source.name}`: {failure.message}")
        if count:
            spool.write([End(source="reader:tensorboard", status="unfinished")])
            found = Found(system="tensorboard", first_line=1, last_line=count, events=[])
            yield spool.keep(found, source.name, digest.digest(), runs_dir)
        elif problem is None:
            problem = AssayError(f"`{source.name}` contains no scalars")
    if problem is not None:
        raise problem


@contextmanager
def _aside(runs_dir: Path) -> Iterator[Path]:
    """A folder on the same disk as the runs, so that what is ready can be moved there; gone afterwards."""
    place = Path(tempfile.mkdtemp(prefix=scratch.prefix("ingest"), dir=runs_dir))
    try:
        yield place
    except OSError as failure:
        raise AssayError(f"cannot keep a run in `{runs_dir}`: {failure.strerror}") from None
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _copied(blocks: Iterator[bytes], copy: BinaryIO, digest: Digest) -> Iterator[bytes]:
    for block in blocks:
        copy.write(block)
        digest.update(block)
        yield block


class _Reading:
    """Two spools a run: for what a reader of its system says, and for what the generic one says if there is none."""

    def __init__(self, source: Source, place: Path, only: str | None) -> None:
        self._source, self._place = source, place
        self._stream = Stream(self._finished, systems.kit(), only=only, likely=systems_in(Path(source.name).name))
        self._spools = 0
        self._known, self._generic = self._new_spool(), self._new_spool()
        self.done: list[_Kept] = []

    def run(self) -> AssayError | None:
        """Why it could not be read to its end, if so."""
        problem = None
        try:
            for block in self._source.blocks(_BLOCK_BYTES):
                self._stream.feed(block)
                self._flush(self._stream.splitter.draft)
        except AssayError as failure:
            problem = failure
        self._stream.finish()
        return problem

    def _new_spool(self) -> Spool:
        self._spools += 1
        return Spool(self._place / str(self._spools))

    def _flush(self, draft: Draft) -> None:
        if not draft.settled:
            self._generic.write(draft.generic_events)
        elif draft.reader is not None and not draft.reader.own_device:
            # a table of two devices is few events, and parted at its end
            self._known.write(draft.events)
            draft.events = []
        draft.generic_events = []

    def _finished(self, draft: Draft) -> None:
        name = Path(self._source.name).name
        system = draft.system or ("generic" if draft.generic.strong else next(iter(systems_in(name)), "generic"))
        claims = {one.name: one.value for one in settings_of_name(name)}
        strong = draft.reader is not None and draft.reader.strong
        for found in from_draft(draft, system):
            spool = self._known if strong else self._generic
            spool.write(found.events)
            found.events.clear()
            self.done.append(_Kept(found.with_claims(claims, dict.fromkeys(claims, 0)), spool))
            for one in (self._known, self._generic):
                one.close()
            self._known, self._generic = self._new_spool(), self._new_spool()


def _copy_spans(source: Source, done: list[_Kept]) -> None:
    """Each run's own lines beside its events, in one pass; their hash is its identity."""
    waiting = sorted(done, key=lambda kept: kept.found.first_line, reverse=True)
    copying: list[_Kept] = []
    number = 1
    try:
        for block in source.blocks(_BLOCK_BYTES) if waiting else ():
            after = number + block.count(b"\n")
            while waiting and waiting[-1].found.first_line <= after:
                copying.append(waiting.pop())
            for kept in copying:
                kept.copy(_within(block, number, after, kept.found))
            for kept in [kept for kept in copying if kept.found.last_line < after]:
                kept.close()
                copying.remove(kept)
            number = after
            if not waiting and not copying:
                break
    except AssayError:
        pass  # told already, when it was read for its events
    for kept in copying + waiting:
        kept.close()


def _within(block: bytes, number: int, after: int, found: Found) -> bytes:
    """The part of a block that lies in the run; `number` and `after` are the lines of its first byte and its last."""
    begin, end = 0, len(block)
    for _ in range(max(0, found.first_line - number)):
        begin = block.find(b"\n", begin) + 1
    if after > found.last_line:
        end = begin - 1
        for _ in range(found.last_line - max(number, found.first_line) + 1):
            end = block.find(b"\n", end + 1)
    return block[begin:end]
