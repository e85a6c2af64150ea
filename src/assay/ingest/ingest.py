"""`assay ingest` from paths to runs: the story of an import."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from assay.errors import AssayError
from assay.ingest import tensorboard
from assay.ingest.files import Source, Tell, sources
from assay.ingest.guarded import guarded
from assay.ingest.hold import hold
from assay.ingest.keep import keep
from assay.ingest.large import ingest_board
from assay.ingest.stores import is_store, runs_of_store
from assay.model.summary import Summary
from assay.store import scratch

Kept = Iterator[tuple[Summary, bool]]


@dataclass
class FileReport:
    """What one file gave; `why` says why it gave nothing, or less than it could."""

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
    for source in sources(words, base):
        if isinstance(source, AssayError):
            report.problems.append(source.message)
            continue
        source = replace(source, tell=tell)
        one = FileReport(source.name)
        try:
            with guarded(source.name):
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
