"""The whole story of one run: describe it, start it, watch it, carry its output, sum it up."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from assay import systems
from assay.errors import AssayError, RunError
from assay.facts.host import boot_id, oom_kills
from assay.model.event import End, Event, How, encode, now
from assay.model.failure import Failure
from assay.model.request import Request
from assay.model.summary import Summary
from assay.probes import gpu, tree_probe
from assay.probes.tree import alive, birth, children, descendants
from assay.recording.beside import start_reading
from assay.recording.child import NotStarted, child_environment, start
from assay.recording.command import Command
from assay.recording.describe import describe
from assay.recording.ending import Finish, how_it_ended
from assay.recording.guard import marked, start_guard
from assay.recording.keys import Keys
from assay.recording.loop import FOR_THE_PROGRAM, PASSED_ON, Loop
from assay.recording.neighbours import Flag
from assay.recording.orphans import Orphans
from assay.recording.pump import Pump, Record
from assay.recording.sent import Sent
from assay.recording.signals import Signals
from assay.recording.stopping import Stopper
from assay.recording.streams import connect, has_terminal
from assay.recording.watch import Beat, Watch
from assay.spec import RunSpec, folder_name, new_id
from assay.store import scratch
from assay.store.code import write_asked
from assay.store.layout import RunDir, create, write_json
from assay.store.notices import heard_by
from assay.store.writer import Appender, EventWriter
from assay.summary.build import summarise

Warn = Callable[[str], None]
#: wherever it is done
_AS_ASKED = ("name", "command", "params", "tags", "set_environment", "interval_s", "timeout_s", "extra")


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What `assay run` gives back: the exit code to leave with, and the run."""

    exit_code: int
    run: RunDir
    summary: Summary | None  # None where it could not be built: the folder is gone
    not_started: NotStarted | None = None


def record(spec: RunSpec, warn: Warn, closed: frozenset[int] = frozenset()) -> Outcome:
    """Run the command of `spec` to its end. Whatever fails on our side, its exit code comes back."""
    spec.check()
    with heard_by(warn):
        systems.every()  # now, so that what reads the output finds them loaded
    run, gpus = begin(spec) if spec.into is None else join(spec)
    flag = Flag(run.path.name)
    flag.warn_of_others(warn)
    tell, warn = warn, once(warn)  # from here on: trouble with the record, which a person needs to hear of once
    try:
        events = EventWriter(run.events, warn, _node(spec))
    except OSError as problem:
        raise RunError(f"cannot write in `{run.path}`: {problem.strerror}") from None
    not_started = None
    try:
        end = _measure(spec, run, events, flag, gpus.status == "ready", (warn, tell), closed)
    except NotStarted as problem:
        not_started = problem
        error = Failure(code=problem.code, message=problem.message, hint=problem.hint)
        end = End(source="launcher", status="failed", exit_code=problem.exit_code, wall_s=0.0, error=error)
    code, last = end.exit_code or 0, now(end)
    written = events.write(last)
    events.close()
    flag.close()
    if code == 0 and spec.into is None and end.output_not_passed_on:
        code = RunError.exit_code  # it did its part; we lost what it printed
    if not written:
        warn("the end of this run could not be written: later, `assay show` will call it interrupted")
    summary = sum_up(run, warn, () if written else (last,))
    return Outcome(exit_code=code, run=run, summary=summary, not_started=not_started)


def begin(spec: RunSpec) -> tuple[RunDir, gpu.GpuState]:
    """The run directory with its run.json: from here on nothing can be lost."""
    gpus = gpu.look()
    return appear(spec.runs_dir, describe(spec, new_id(), gpus)), gpus


def appear(runs_dir: Path, asked: Request) -> RunDir:
    """With its run.json from the first moment: whoever is killed before leaves nothing that looks like a run."""
    scratch.clear(runs_dir)
    folder = folder_name(asked.name, asked.id)
    made, run = create(runs_dir, f"{scratch.prefix('begin')}{folder[-6:]}"), RunDir(runs_dir / folder)
    try:
        write_asked(made, asked)
        os.rename(made.path, run.path)
    except OSError as problem:
        shutil.rmtree(made.path, ignore_errors=True)
        raise RunError(f"cannot write `{run.run_json}`: {problem.strerror}", "choose another --runs-dir") from None
    return run


def join(spec: RunSpec) -> tuple[RunDir, gpu.GpuState]:
    """A run directory that was made ready: the first node adds what is true where the run takes place."""
    assert spec.into is not None
    run, gpus = RunDir(spec.into, spec.node if spec.node_rank else ""), gpu.look()
    if spec.node_rank == 0:
        kept = run.asked()
        write_asked(run, _where_it_runs(kept, describe(spec, kept.id, gpus)))
    return run, gpus


def _where_it_runs(kept: Request, here: Request) -> Request:
    """What was asked stays as it was asked; what is true where it runs is added."""
    found = {one.name: getattr(here, one.name) for one in fields(Request) if one.name not in _AS_ASKED}
    return kept.replace(**{name: value for name, value in found.items() if value not in (None, (), {})})


def _measure(
    spec: RunSpec,
    run: RunDir,
    events: EventWriter,
    flag: Flag,
    gpu_ready: bool,
    say: tuple[Warn, Warn],
    closed: frozenset[int],
) -> End:
    """From start to end: the facts of the `end` event. Of `say` the first says only one thing, the second all."""
    warn, tell = say
    sent = _sent_file(run)
    log, times = Appender(run.output_log, warn), Appender(run.output_times, warn)
    environment = child_environment(spec, run, sent)
    _become_reaper()
    shared_group = has_terminal()  # then the terminal's own signals and job control work as they would without us
    helpers: set[int] = set()

    def living() -> list[int]:
        return [pid for pid in descendants(_ours(helpers)) if alive(pid)]

    streams, stopper = connect(closed), Stopper(living, shared_group=shared_group)
    reading = start_reading(run, _node(spec), replaying=spec.replay is not None)
    pumps = [Pump(output, Record(log, times, reading.mark), warn) for output in streams.outputs]
    for pump, output in zip(pumps, streams.outputs, strict=True):
        pump.keys = Keys(output, living) if output.is_terminal else None
    guard = start_guard(run, pumps)
    helpers |= {guard.pid, reading.pid}
    ooms, begin_s, own_bytes = oom_kills(), time.monotonic(), _own_bytes()
    tree = tree_probe(lambda: [*_ours(helpers), *_started_by_a_step(spec, run)], begin_s)
    arrivals = Sent(sent, lambda seen: events.write(now(seen)))
    beat = Beat(flag, arrivals, events.removed, warn)
    watch = Watch(
        tree,
        events,
        beat,
        spec.interval_s,
        begin_s=begin_s,
        environment=environment,
        gpu_ready=gpu_ready,
        warn=warn,
        also=(Orphans(lambda: _ours(helpers), guard),),
    )
    loop = Loop(tree, living, pumps, reading, stopper, guard, arrivals, keep_daemons=spec.keep_daemons)
    try:
        with Signals(_heard(shared_group)) as signals:
            events.write(now(identity()))  # second 0 of the run
            child = start(spec, environment, streams, signals, guard, own_group=not shared_group)
            begun = (lambda: events.write(now(How(source="launcher", pid=child))), watch.start)
            ended = Command(child, loop, pumps, log, living, stopper, events, tell).see_through(spec, signals, begun)
            out_of_memory = (oom_kills() or 0) > (ooms or 0)
            finish = Finish(how_it_ended(ended, stopper, out_of_memory=out_of_memory), begin_s, tell)
            finish.note(ended, own_bytes)
            guard.tell("ended", encode(finish.end).decode().strip())  # from here on it would only say so
            finish.do(watch.stop)
            finish.do(lambda: finish.told(reading.finish(log.size, finish.reading_s, signals), run, events))
        guard.dismiss()
    except (NotStarted, RunError):
        guard.dismiss()
        raise
    finally:
        for pump in pumps:
            if pump.terminal is not None:
                pump.terminal.restore()
    finish.do(lambda: finish.add(**tree.totals(), **watch.own_cost(), **own_usage(reading.cpu_s)))
    if log.lost_bytes:
        finish.add(output_lost_bytes=log.lost_bytes)
    if any(pump.failed for pump in pumps):
        finish.add(output_not_passed_on=True)
    return finish.end


def _node(spec: RunSpec) -> tuple[str, int] | None:
    return (spec.node, spec.node_rank) if spec.node else None


def _heard(shared_group: bool) -> set[signal.Signals]:
    """In a group of its own the command is stopped and continued by us; in ours, by the terminal itself."""
    heard = PASSED_ON | FOR_THE_PROGRAM | {signal.SIGCHLD, signal.SIGWINCH}
    return heard if shared_group else heard | {signal.SIGTSTP}


def _ours(helpers: set[int]) -> list[int]:
    """Our children are the command and, since we are its reaper, all it has orphaned; but not our own helpers."""
    return [pid for pid in children(os.getpid()) if pid not in helpers]


def _started_by_a_step(spec: RunSpec, run: RunDir) -> list[int]:
    """Tasks that `srun` starts are children of Slurm's daemon, not of its own; they know the run they belong to."""
    if not spec.tasks_of_scheduler:
        return []
    here = b"SLURMD_NODENAME=" + os.fsencode(spec.node) + b"\0"
    return [pid for pid in marked(run, here) if pid != os.getpid()]


def identity() -> How:
    """That it runs, and enough to tell later, on this host and boot, whether the recorder still lives."""
    pid, host = os.getpid(), socket.gethostname()
    return How(
        source="launcher", how="executed", recorder_pid=pid, recorder_birth=birth(pid), host=host, boot=boot_id()
    )


def _own_bytes() -> int:
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def own_usage(helpers_s: float = 0.0) -> dict[str, float]:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return {"own_cpu_s": round(usage.ru_utime + usage.ru_stime + helpers_s, 6)}


def _sent_file(run: RunDir) -> Path:
    """Where programs in other languages append JSON lines: `echo '{"loss": 0.3}' >> "$ASSAY_EVENTS"`."""
    path = run.events / f"{socket.gethostname()}-{os.getpid()}-sent.jsonl"
    try:
        path.touch(mode=0o644)
    except OSError as problem:
        raise RunError(f"cannot write in `{run.path}`: {problem.strerror}") from None
    return path


def sum_up(run: RunDir, warn: Warn, unwritten: Sequence[Event] = ()) -> Summary | None:
    """The summary, kept beside the run if that can be done; None where the run itself is gone.

    `unwritten` is the end of the run where the record could not take it: what we say now is still what happened.
    """
    try:
        summary = summarise(run, unwritten)
    except AssayError as problem:
        warn(f"nothing of this run was kept: {problem.message}")
        return None
    except Exception as problem:  # whatever is in the record, the exit code must still come back
        warn(f"this run could not be summed up: {problem!r}")
        return None
    if summary.status in ("running", "queued"):
        return summary  # another node goes on: the last one writes it
    try:
        write_json(run.summary_json, summary.as_json())
    except OSError as problem:
        warn(f"cannot write `{run.summary_json}`: {problem.strerror}; it can be made again later")
    return summary


def once(warn: Warn) -> Warn:
    """Only the first word gets through."""
    said: list[str] = []

    def say(text: str) -> None:
        said.append(text)
        if len(said) == 1:
            warn(text)

    return say


def _become_reaper() -> None:
    """Orphans of the command come to us, not to init: they are still counted, and ended with it."""
    if signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # or the kernel would throw exit codes away
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
