"""What the scheduler knows of the job behind a log: `slurm-4711.out` is the output of job 4711.

The scheduler is asked once for all logs of an import; a saved answer among the files does as well. The account joins
the run that the log holds; where the log holds none, the job is listed by its account alone.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from assay.errors import AssayError
from assay.launchers.accounts import account_text, raw_ids
from assay.launchers.verdicts import told
from assay.model.event import End, Error, Event, encode
from assay.model.summary import Summary
from assay.reading.found import Found
from assay.reading.jobs import accounts
from assay.reading.keeping import keep
from assay.reading.sources import Source
from assay.spec import folder_name
from assay.store.layout import RunDir, write_json, write_whole
from assay.summary.build import summarise

_LOG = re.compile(r"slurm-(?P<slurm>\d{1,12}(?:_\d{1,9})?)\.(?:out|err|log)|.{1,200}\.o(?P<pbs>\d{1,12})")
#: the file of an imported run that holds its account
_FILE = "account-0-0.jsonl"
#: the head of a saved answer is in its first lines; a larger file is not one
_HEAD_BYTES, _MOST_BYTES = 4096, 64 << 20
_TAIL_BYTES = 1 << 16
_HEADS = (b"JobID", b"JobIDRaw", b"Job Id:")


def job_of(name: str) -> str | None:
    """The job whose output goes by this name unless someone asks for another."""
    found = _LOG.fullmatch(Path(name).name)
    return (found["slurm"] or found["pbs"]) if found else None


def known_accounts(sources: Sequence[Source]) -> dict[str, list[Event]]:
    """By job, of the logs among these: from saved answers, else from the scheduler itself."""
    jobs = {job for source in sources if (job := job_of(source.name))}
    if not jobs:
        return {}
    found: dict[str, list[Event]] = {}
    for source in sources:
        if is_saved(source):
            found.update(_short(accounts(_lines(source))))
    missing = sorted(jobs - found.keys())
    if missing:
        text = account_text(missing)
        answered = _short(accounts(text.splitlines()))
        found.update({raw: answered[job] for raw, job in raw_ids(text).items() if job in answered})
        found.update(answered)
    # their lines are those of the answer, and would be taken for lines of the log
    return {job: [one.replace(line=None) for one in events] for job, events in found.items() if job in jobs}


def _short(found: dict[str, list[Event]]) -> dict[str, list[Event]]:
    """PBS's `4711.server` is `4711` in the name of its output."""
    return {job.partition(".")[0]: events for job, events in found.items()}


def is_saved(source: Source) -> bool:
    """Whether a file begins as an answer of `sacct` or `qstat -f`."""
    if source.path is None or source.once or source.size > _MOST_BYTES or job_of(source.name):
        return False
    try:
        with open(source.path, "rb") as file:
            head = file.read(_HEAD_BYTES)
    except OSError:
        return False
    return any(line.lstrip().startswith(_HEADS) for line in head.splitlines()[:5])


def _lines(source: Source) -> Iterator[str]:
    try:
        content = b"".join(source.blocks())
    except AssayError:
        return iter(())
    return iter(content.decode("utf-8", "replace").splitlines())


def with_account(
    runs: Sequence[tuple[Summary, bool]], source: Source, events: list[Event], runs_dir: Path
) -> list[tuple[Summary, bool]]:
    """The runs of a log, the job's account in the only one; where there are several or none, it stands by itself."""
    if len(runs) == 1:
        summary, new = runs[0]
        return [(_joined(RunDir(_folder(runs_dir, summary)), events), new)]
    events = [*_told(source, events), *events]
    text = b"".join(map(encode, events))
    job = job_of(source.name)
    alone = Found(system="generic", first_line=1, last_line=1, events=events, name=f"job-{job}", text=text)
    return [*runs, keep(alone, source.name, text, runs_dir)]


def _told(source: Source, events: Sequence[Event]) -> list[Event]:
    """Why the scheduler ended the job, as its daemon wrote into the log: the books may only say that it failed."""
    failed = any(isinstance(event, End) and event.status != "completed" for event in events)
    if source.path is None or source.once or not failed:
        return []
    try:
        with open(source.path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _TAIL_BYTES))
            tail = file.read(_TAIL_BYTES).decode("utf-8", "replace")
    except OSError:
        return []
    verdict = told(tail)
    if verdict is None:
        return []
    return [
        Error(
            source="reader:slurm",
            code=verdict.code or "unknown",
            message=verdict.message or "",
            hint=verdict.hint or "",
        )
    ]


def without(
    jobs: Collection[str], runs: Iterator[tuple[Summary, bool]], runs_dir: Path
) -> Iterator[tuple[Summary, bool]]:
    """The runs of a saved answer but those of these jobs, which are listed with their logs."""
    for summary, new in runs:
        if (summary.job_id or "").partition(".")[0] not in jobs:
            yield summary, new
        elif new:
            shutil.rmtree(_folder(runs_dir, summary), ignore_errors=True)


def _folder(runs_dir: Path, summary: Summary) -> Path:
    return runs_dir / folder_name(summary.name, summary.id)


def _joined(run: RunDir, events: list[Event]) -> Summary:
    """Also where the log was read before, and the scheduler knows more now."""
    write_whole(run.events / _FILE, b"".join(map(encode, events)))
    summary = summarise(run)
    write_json(run.summary_json, summary.as_json())
    return summary
