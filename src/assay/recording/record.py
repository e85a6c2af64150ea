"""The whole story of one run: describe it, start it, watch it, carry its output, sum it up."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path

from assay import systems
from assay.errors import AssayError, RunError
from assay.facts.settings import COMMAND, contradicted, written_by_hydra
from assay.model.event import End, Event, Param, now
from assay.model.failure import Failure
from assay.model.request import Request
from assay.model.summary import Summary
from assay.probes import devices
from assay.probes.accelerators import State
from assay.recording.child import NotStarted
from assay.recording.describe import describe
from assay.recording.gathering import Meeting, meet, run_of
from assay.recording.measure import Measured, Warn, measure, node_of
from assay.recording.neighbours import Flag
from assay.recording.tasks import task_of
from assay.spec import RunSpec, folder_name, new_id
from assay.store import scratch
from assay.store.code import write_asked
from assay.store.layout import RunDir, create, write_json
from assay.store.notices import heard_by
from assay.store.writer import EventWriter
from assay.summary.build import summarise

#: wherever it is done
_AS_ASKED = (
    "name", "command", "params", "tags", "set_environment", "interval_s", "timeout_s", "claims", "claim_sources",
    "extra",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What `assay run` gives back: the exit code to leave with, and the run."""

    exit_code: int
    run: RunDir
    summary: Summary | None  # None if it could not be made: the folder is gone, or other ranks are still running
    not_started: NotStarted | None = None
    meeting: Meeting | None = None  # of a parallel launch, for which one rank prints
    hurried: bool = False  # someone asked for its end, and waits for us to leave


def record(
    spec: RunSpec, warn: Warn, closed: frozenset[int] = frozenset(), *, with_other_ranks: bool = False
) -> Outcome:
    """Run the command of `spec` to its end. Whatever fails on our side, its exit code comes back.

    `with_other_ranks` records all processes of a parallel launch as one run.
    """
    spec.check()
    with heard_by(warn):
        systems.every()  # now, so that what reads the output finds them loaded
    spec, meeting = gathered(spec, warn) if with_other_ranks else (spec, None)
    warn = _told_once(meeting, warn)
    run, gpus = begin(spec, warn) if spec.into is None else join(spec)
    flag = Flag(run.path.name)
    flag.warn_of_others(warn)
    tell, warn = warn, once(warn)  # from here on: trouble with the record, which a person needs to hear of once
    not_started = it = None
    try:
        events = EventWriter(run.events, warn, node_of(spec))
        it = Measured(spec=spec, run=run, events=events, flag=flag, warn=warn, tell=tell)
        end = measure(it, closed, gpus=gpus)
    except NotStarted as problem:
        not_started = problem
        error = Failure(code=problem.code, message=problem.message, hint=problem.hint)
        end = End(source="launcher", status="failed", exit_code=problem.exit_code, wall_s=0.0, error=error)
    except (RunError, OSError) as problem:
        if it is not None and it.begun:
            raise
        flag.close()  # where descriptors are short, those that we have are needed now
        raise _without_a_run(spec, run, it, problem) from None
    _note_what_hydra_wrote(spec, events, end)
    code, last = end.exit_code or 0, now(end)
    written = events.write(last)
    events.close()
    flag.close()
    if meeting is not None:
        meeting.leave()
    if code == 0 and (spec.into is None or spec.ranks) and end.output_not_passed_on:
        code = RunError.exit_code  # it did its part; we lost what it printed
    if not written:
        warn("the end of this run could not be recorded, so `assay show` will call it interrupted")
    # of hundreds of ranks, the last to end reads what all of them wrote; the first does so for its closing words
    others = meeting is not None and not meeting.all_have_ended()
    summary = None if others else sum_up(run, warn, () if written else (last,), meeting)
    hurried = it is not None and it.asked_to_end
    return Outcome(exit_code=code, run=run, summary=summary, not_started=not_started, meeting=meeting, hurried=hurried)


def _without_a_run(spec: RunSpec, run: RunDir, it: Measured | None, problem: RunError | OSError) -> RunError:
    """What to say of a run that never began. Its folder would look like that of one that was interrupted."""
    if it is not None:
        it.events.close()
    if spec.into is None:
        _discard(run)
    if isinstance(problem, RunError):
        return problem
    hint = "check the limits: ulimit -a" if it is not None else None
    return RunError(f"cannot start a run in `{run.path}`: {problem.strerror}", hint)


def gathered(spec: RunSpec, warn: Warn) -> tuple[RunSpec, Meeting | None]:
    """Record as one rank of a parallel launch, if this is one: all ranks record into one run."""
    task = task_of(os.environ)
    meeting = meet(spec.runs_dir, task) if task is not None else None
    if task is None or meeting is None:
        return spec, None
    spec = replace(spec, node=task.node, node_rank=task.rank, ranks=task.count)
    return replace(spec, into=run_of(meeting, lambda: begin(spec, warn)[0]).path), meeting


def settled(outcome: Outcome) -> Outcome:
    """With what all ranks came to; without a summary where another rank has the last word."""
    meeting = outcome.meeting
    if meeting is None:
        return outcome
    mine, summary = meeting.may_close(), None
    if mine or meeting.task.rank == 0:
        summary = sum_up(outcome.run, lambda text: None, (), meeting)
        mine = mine or (summary is not None and summary.status != "running")  # ranks that were killed do not end
    return replace(outcome, summary=summary if mine and meeting.closes_first() else None)


def _told_once(meeting: Meeting | None, warn: Warn) -> Warn:
    """What every rank would say is said by the first."""
    return warn if meeting is None else lambda text: warn(text) if meeting.says_first(text) else None


def _note_what_hydra_wrote(spec: RunSpec, events: EventWriter, end: End) -> None:
    """The configuration that the program itself wrote; a damaged file does not disturb the run."""
    cwd = Path(spec.cwd or Path.cwd())
    try:
        found = written_by_hydra(spec.command, cwd, time.time() - (end.wall_s or 0.0))
    except (OSError, ValueError):
        return
    if found is not None and found[1]:
        events.write(now(Param(source=f"file:{found[0]}", values=found[1])))


def begin(spec: RunSpec, warn: Warn) -> tuple[RunDir, State]:
    """The run directory with its run.json: from here on nothing can be lost."""
    gpus = devices.look()
    asked = describe(spec, new_id(), gpus)
    warn_of_contradictions(asked, warn)
    return appear(spec.runs_dir, asked), gpus


def warn_of_contradictions(asked: Request, warn: Warn) -> None:
    """What --param says and the command does not do."""
    found = [
        f"--param sets {name} to {given}, and the {'command' if source == COMMAND else source} to {said}"
        for name, (given, said, source) in contradicted(asked).items()
    ]
    if found:
        warn(f"{'; '.join(found)}. --param only labels the run; correct one of the two")


def appear(runs_dir: Path, asked: Request) -> RunDir:
    """Create the directory with its run.json in one step, so that a kill never leaves half a run."""
    scratch.clear(runs_dir)
    folder = folder_name(asked.name, asked.id)
    made, run = create(runs_dir, f"{scratch.prefix('begin')}{folder[-6:]}"), RunDir(runs_dir / folder)
    try:
        write_asked(made, asked)
        os.rename(made.path, run.path)
    except OSError as problem:
        _discard(made)
        raise RunError(f"cannot write `{run.run_json}`: {problem.strerror}", "choose another --runs-dir") from None
    return run


def _discard(run: RunDir) -> None:
    """With one descriptor at a time, which may be all there is."""
    with suppress(OSError):
        for folder, _, files in os.walk(run.path, topdown=False):
            for file in files:
                os.unlink(os.path.join(folder, file))
            os.rmdir(folder)


def join(spec: RunSpec) -> tuple[RunDir, State]:
    """A run directory that was made ready: the first node adds what is true where the run takes place."""
    assert spec.into is not None
    label = f"rank{spec.node_rank}" if spec.ranks else spec.node
    run, gpus = RunDir(spec.into, label if spec.node_rank else ""), devices.look()
    if spec.ranks:
        run.summary_json.unlink(missing_ok=True)  # ranks that ended before may have taken themselves for all
    elif spec.node_rank == 0:
        kept = run.asked()
        write_asked(run, _as_set_up(spec, _where_it_runs(kept, describe(spec, kept.id, gpus))))
    return run, gpus


def _as_set_up(spec: RunSpec, asked: Request) -> Request:
    """With what the set-up lines of its place gave, where there are any."""
    if asked.place is None or not {"setup", "modules", "login"} & asked.place.extra.keys():
        return asked
    from assay.facts.prepared import prepared_facts

    more = systems.all_of(lambda one: one.packages)
    return asked.replace(prepared=prepared_facts({**os.environ, **spec.env}, Path(spec.cwd or Path.cwd()), more))


def _where_it_runs(kept: Request, here: Request) -> Request:
    """What was asked stays as it was asked; what is true where it runs is added."""
    found = {one.name: getattr(here, one.name) for one in fields(Request) if one.name not in _AS_ASKED}
    return kept.replace(**{name: value for name, value in found.items() if value not in (None, (), {})})


def sum_up(run: RunDir, warn: Warn, unwritten: Sequence[Event] = (), meeting: Meeting | None = None) -> Summary | None:
    """The summary, kept beside the run if that can be done; None where the run itself is gone.

    `unwritten` are events that could not be written: the summary still includes them.
    """
    before = _here(meeting)
    try:
        summary = summarise(run, unwritten)
    except AssayError as problem:
        warn(f"the run could not be kept: {problem.message}")
        return None
    except Exception as problem:  # whatever is in the record, the exit code must still come back
        warn(f"the summary of this run could not be made: {problem!r}")
        return None
    if summary.status in ("running", "queued"):
        return summary  # another node is still running: the last one writes it
    try:
        write_json(run.summary_json, summary.as_json())
        if _here(meeting) != before:
            run.summary_json.unlink(missing_ok=True)  # another rank came meanwhile: it is not in there
    except OSError as problem:
        warn(f"cannot write `{run.summary_json}`: {problem.strerror}; it can be made again later")
    return summary


def _here(meeting: Meeting | None) -> set[int]:
    return set() if meeting is None else meeting.arrived()


def once(warn: Warn) -> Warn:
    """Only the first word gets through."""
    said: list[str] = []

    def say(text: str) -> None:
        said.append(text)
        if len(said) == 1:
            warn(text)

    return say
