"""Write a found run as a run directory: the same files as a recorded one, so that every view serves both."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from assay.errors import AssayError
from assay.facts.secrets import mask_text, mask_values
from assay.ingest.found import Found
from assay.model.event import Event, encode
from assay.model.request import Request
from assay.model.summary import Summary
from assay.quantities import settings
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
