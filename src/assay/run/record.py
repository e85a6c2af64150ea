"""The whole story of one run: describe it, start it, watch it, carry its output, sum it up."""

from __future__ import annotations

import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.events import make
from assay.facts.host import boot_id, oom_kills
from assay.probes import gpu, tree_probe
from assay.probes.tree import alive, birth, children, descendants
from assay.run.child import NotStarted, child_environment, exit_code, killed_by, start
from assay.run.describe import describe
from assay.run.guard import start_guard
from assay.run.loop import Ended, Loop
from assay.run.neighbours import Flag
from assay.run.pump import Pump, Record
from assay.run.reading import OutputReader
from assay.run.stopping import Stopper
from assay.run.streams import Streams, connect
from assay.run.terminal import Terminal
from assay.run.watch import Beat, Watch
from assay.spec import RunSpec, folder_name, new_id, run_name
from assay.store.layout import RunDir, create, write_json
from assay.store.writer import Appender, EventWriter
from assay.summary.build import summarise

Warn = Callable[[str], None]
_TIMED_OUT = 124  # as timeout(1) has it


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What `assay run` gives back: the exit code to leave with, and the run."""

    exit_code: int
    run: RunDir
    summary: dict[str, Any] | None  # None where it could not be built: the folder is gone
    not_started: NotStarted | None = None


def record(spec: RunSpec, warn: Warn) -> Outcome:
    """Run the command of `spec` to its end. Whatever fails on our side, its exit code comes back."""
    spec.check()
    run, gpus = begin(spec)
    flag = Flag(run.path.name)
    _warn_of(flag.others(), warn)
    warn = once(warn)  # from here on: trouble with the record, which a person needs to hear of once
    events = EventWriter(run.events, warn)
    not_started = None
    try:
        end = _measure(spec, run, events, flag, gpus.status == "ready", warn)
    except NotStarted as problem:
        not_started = problem
        error = {"code": problem.code, "message": problem.message, "hint": problem.hint}
        end = {"status": "failed", "exit_code": problem.exit_code, "wall_s": 0.0, "error": error}
    events.write(make("end", "launcher", **end))
    events.close()
    flag.close()
    return Outcome(exit_code=end["exit_code"], run=run, summary=sum_up(run, warn), not_started=not_started)


def begin(spec: RunSpec) -> tuple[RunDir, gpu.GpuState]:
    """The run directory with its run.json: from here on nothing can be lost."""
    name, run_id, gpus = run_name(spec), new_id(), gpu.look()
    facts = describe(spec, run_id, name, gpus)
    run = create(spec.runs_dir, folder_name(facts["name"], run_id))
    write_json(run.run_json, facts)
    return run, gpus


def _measure(
    spec: RunSpec, run: RunDir, events: EventWriter, flag: Flag, gpu_ready: bool, warn: Warn
) -> dict[str, Any]:
    """From start to end: the facts of the `end` event."""
    sent = _sent_file(run)
    log, times = Appender(run.output_log, warn), Appender(run.output_times, warn)
    reader = OutputReader(run.output_log, events, replaying=spec.replay is not None)
    record = Record(log, times, reader)
    environment = child_environment(spec, run, sent)
    _become_reaper()
    streams = connect()
    terminal, stopper, living = _controls(streams, helpers := set())
    guard = start_guard(run, streams, terminal.saved_modes if terminal else None)
    helpers.add(guard.pid)
    ooms, begin_s = oom_kills(), time.monotonic()
    tree = tree_probe(lambda: _ours(helpers), begin_s)
    beat = Beat(flag, sent, events.removed, warn)
    watch = Watch(tree, events, beat, spec.interval_s, begin_s=begin_s, environment=environment, gpu_ready=gpu_ready)
    pumps = [Pump(output, record) for output in streams.outputs]
    loop = Loop(tree, living, pumps, reader, terminal, stopper, guard, keep_daemons=spec.keep_daemons)
    try:
        with loop.listening():
            events.write(make("how", "launcher", how="executed", **identity()))  # second 0 of the run
            child = start(spec, environment, streams, guard)
            stopper.begin()
            events.write(make("how", "launcher", pid=child))
            watch.start()
            ended = loop.run(child, spec.timeout_s)
        guard.dismiss()  # not when we fail in there: then it ends the command
    except NotStarted:
        guard.dismiss()
        raise
    finally:
        if terminal is not None:
            terminal.leave()
    end = _end(ended, stopper, out_of_memory=(oom_kills() or 0) > (ooms or 0))
    watch.stop()
    reader.finish()
    end.update(tree.totals(), wall_s=round(ended.mono_s - begin_s, 6), **watch.own_cost(), **own_usage())
    if log.lost_bytes:
        end["output_lost_bytes"] = log.lost_bytes
    return end


def _controls(streams: Streams, helpers: set[int]) -> tuple[Terminal | None, Stopper, Callable[[], list[int]]]:
    """The terminal and the signals, tied together: what is typed at one becomes the other."""

    def living() -> list[int]:
        return [pid for pid in descendants(_ours(helpers)) if alive(pid)]

    stopper = Stopper(living)
    if streams.terminal is None:
        return None, stopper, living
    terminal = Terminal(streams, stopper)
    terminal.enter()
    return terminal, stopper, living


def _ours(helpers: set[int]) -> list[int]:
    """Our children are the command and, since we are its reaper, all it has orphaned; but not our own helpers."""
    return [pid for pid in children(os.getpid()) if pid not in helpers]


def _end(ended: Ended, stopper: Stopper, *, out_of_memory: bool) -> dict[str, Any]:
    """Status, exit code and error from how the main process ended and what it was asked."""
    code, name = exit_code(ended.status), killed_by(ended.status)
    end: dict[str, Any] = {"status": "completed" if code == 0 else "failed", "exit_code": code}
    if name:
        end["signal"] = name
    if ended.left_behind:
        end["left_behind"] = ended.left_behind
    if stopper.timed_out:
        end.update(status="failed", exit_code=_TIMED_OUT)
        end["error"] = {"code": "time-limit", "message": "stopped at its --timeout", "hint": "give it more time"}
    elif stopper.asked_by is not None:
        asked = signal.Signals(stopper.asked_by).name
        end["status"] = "interrupted"
        end["error"] = {"code": "interrupted", "message": f"asked to end by {asked}"}
    elif name == "SIGKILL" and out_of_memory:
        end["error"] = {
            "code": "out-of-memory",
            "message": "the kernel killed it for lack of memory",
            "hint": "a smaller batch, or more memory for the job",
        }
    elif name:
        end["error"] = {"code": "crashed", "message": f"killed by {name}"}
    elif code:
        end["error"] = {"code": "unknown", "message": f"exit code {code}", "hint": "see the end of its output"}
    return end


def identity() -> dict[str, Any]:
    """Enough to tell later, on this host and boot, whether the recorder still lives."""
    pid = os.getpid()
    facts = {
        "recorder_pid": pid,
        "recorder_birth": birth(pid),
        "host": socket.gethostname(),
        "boot": boot_id(),
    }
    return {name: value for name, value in facts.items() if value is not None}


def own_usage() -> dict[str, Any]:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return {"own_cpu_s": round(usage.ru_utime + usage.ru_stime, 6)}


def _sent_file(run: RunDir) -> Path:
    """Where programs in other languages append JSON lines: `echo '{"loss": 0.3}' >> "$ASSAY_EVENTS"`."""
    path = run.events / f"{socket.gethostname()}-{os.getpid()}-sent.jsonl"
    path.touch()
    return path


def sum_up(run: RunDir, warn: Warn) -> dict[str, Any] | None:
    """The summary, kept beside the run if that can be done; None where the run itself is gone."""
    try:
        summary = summarise(run)
    except AssayError as problem:
        warn(f"nothing of this run was kept: {problem.message}")
        return None
    try:
        write_json(run.summary_json, summary)
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


def _warn_of(others: list[str], warn: Warn) -> None:
    for other in others:
        pid, _, name = other.partition(" ")
        warn(f"another measured run is going on here (`{name}`, process {pid}): they will disturb each other")


def _become_reaper() -> None:
    """Orphans of the command come to us, not to init: they are still counted, and ended with it."""
    if signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # or the kernel would throw exit codes away
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
