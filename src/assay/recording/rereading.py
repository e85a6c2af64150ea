"""Read the recorded output of a run again, as the readers of today would have read it while it ran."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from assay.errors import AssayError
from assay.model.event import Beat, Event, How, PartEnd, Sample, decode
from assay.model.summary import Summary
from assay.recording.reading import OutputReader
from assay.store.layout import RunDir, write_json
from assay.store.times import arrivals
from assay.store.writer import EventWriter
from assay.summary.build import load_summary, summarise

#: what only a recorder writes
_OF_RECORDER = (Sample, Beat, PartEnd)
_NO_LIMIT_S = 1e9


def reread(run: RunDir) -> Summary:
    """The new summary. What the readers wrote before is replaced; what the program reported itself and what was
    measured stay as they are."""
    asked, before = run.asked(), load_summary(run)
    if before.how == "parsed" or not run.output_log.is_file():
        raise AssayError(f"`{run.path.name}` has no recorded output", "import its log once more: assay ingest FILE")
    if before.status in ("running", "queued"):
        raise AssayError(f"`{run.path.name}` is still {before.status}", "wait for its end: assay show --live")
    if asked.ranks or before.nodes[1:]:
        raise AssayError(f"`{run.path.name}` was recorded by several recorders, and its output cannot be read again")
    written = [path for path in sorted(run.events.glob("*.jsonl")) if _is_of_readers(path)]
    writer = EventWriter(run.events, lambda text: None)
    reader = OutputReader(os.open(run.output_log, os.O_RDONLY | os.O_CLOEXEC), writer.write_all)
    ahead_s = _wall_clock_ahead_s(run)
    for offset, mono_s in arrivals(run) if ahead_s is not None else ():
        reader.mark(offset, round(mono_s + (ahead_s or 0.0), 6), mono_s)
    reader.finish(_NO_LIMIT_S, lambda: False)
    writer.close()
    for path in written:
        path.unlink()
    summary = summarise(run)
    write_json(run.summary_json, summary.as_json())
    return summary


def _is_of_readers(path: Path) -> bool:
    """Whether a file of events holds what was read in the output, and nothing that only a recorder knows."""
    read = False
    for event in _events(path):
        if isinstance(event, _OF_RECORDER) or (isinstance(event, How) and event.recorder_pid is not None):
            return False
        read = read or event.origin == "reader"
    return read


def _wall_clock_ahead_s(run: RunDir) -> float | None:
    """The date of a moment, less the recorder's monotonic clock then."""
    for path in sorted(run.events.glob("*.jsonl")):
        for event in _events(path):
            is_begin = isinstance(event, How) and event.recorder_pid is not None
            if is_begin and event.t is not None and event.mono_s is not None:
                return event.t - event.mono_s
    return None


def _events(path: Path) -> Iterator[Event]:
    with open(path, "rb") as file:
        yield from filter(None, map(decode, file))
