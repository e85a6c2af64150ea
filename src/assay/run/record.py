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

from assay.errors import AssayError, RunError
from assay.events import make
from assay.facts.host import boot_id, oom_kills
from assay.probes import gpu, tree_probe
from assay.probes.tree import alive, birth, children, descendants
from assay.run.child import NotStarted, child_environment, exit_code, killed_by, start
from assay.run.describe import describe
from assay.run.guard import marked, start_guard
from assay.run.keys import Keys
from assay.run.loop import FOR_THE_PROGRAM, PASSED_ON, Ended, Loop
from assay.run.neighbours import Flag
from assay.run.pump import Pump, Record
from assay.run.reading import OutputReader
from assay.run.sent import Sent
from assay.run.signals import Signals
from assay.run.stopping import Stopper
from assay.run.streams import connect, has_terminal
from assay.run.watch import Beat, Watch
from assay.spec import RunSpec, folder_name, new_id
from assay.store.code import write_asked
from assay.store.layout import RunDir, create, write_json
from assay.store.writer import Appender, EventWriter
from assay.summary.build import summarise

Warn = Callable[[str], None]
_TIMED_OUT = 124  # as timeout(1) has it
#: what kills a program that was asked to end and did not listen for it, whoever asked
_ASKING = ("SIGINT", "SIGTERM", "SIGHUP")
#: what was asked stays as it was asked, wherever it is done
_ASKED = ("name", "command", "params", "tags", "set_environment", "interval_s", "timeout_s")
#: a program that ends this soon after it was asked to has ended because of it
_SOON_S = 10.0


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What `assay run` gives back: the exit code to leave with, and the run."""

    exit_code: int
    run: RunDir
    summary: dict[str, Any] | None  # None where it could not be built: the folder is gone
    not_started: NotStarted | None = None


def record(spec: RunSpec, warn: Warn, closed: frozenset[int] = frozenset()) -> Outcome:
    """Run the command of `spec` to its end. Whatever fails on our side, its exit code comes back."""
    spec.check()
    run, gpus = begin(spec) if spec.into is None else join(spec)
    flag = Flag(run.path.name)
    flag.warn_of_others(warn)
    warn = once(warn)  # from here on: trouble with the record, which a person needs to hear of once
    try:
        events = EventWriter(run.events, warn, (spec.node, spec.node_rank) if spec.node else None)
    except OSError as problem:
        raise RunError(f"cannot write in `{run.path}`: {problem.strerror}") from None
    not_started = None
    try:
        end = _measure(spec, run, events, flag, gpus.status == "ready", warn, closed)
    except NotStarted as problem:
        not_started = problem
        error = {"code": problem.code, "message": problem.message, "hint": problem.hint}
        end = {"status": "failed", "exit_code": problem.exit_code, "wall_s": 0.0, "error": error}
    events.write(make("end", "launcher", **end))
    events.close()
    flag.close()
    code = end["exit_code"]
    if code == 0 and spec.into is None and end.get("output_not_passed_on"):
        code = RunError.exit_code  # it did its part; we lost what it printed
    return Outcome(exit_code=code, run=run, summary=sum_up(run, warn), not_started=not_started)


def begin(spec: RunSpec, about: dict[str, Any] | None = None) -> tuple[RunDir, gpu.GpuState]:
    """The run directory with its run.json: from here on nothing can be lost."""
    run_id, gpus = new_id(), gpu.look()
    facts = {**describe(spec, run_id, gpus), **(about or {})}
    facts = {name: value for name, value in facts.items() if value is not None}
    run = create(spec.runs_dir, folder_name(facts["name"], run_id))
    try:
        write_asked(run, facts)
    except OSError as problem:
        raise RunError(f"cannot write `{run.run_json}`: {problem.strerror}", "choose another --runs-dir") from None
    return run, gpus


def join(spec: RunSpec) -> tuple[RunDir, gpu.GpuState]:
    """A run directory that was made ready: the first node adds what is true where the run takes place."""
    assert spec.into is not None
    run, gpus = RunDir(spec.into, spec.node if spec.node_rank else ""), gpu.look()
    if spec.node_rank == 0:
        kept = run.asked()
        facts = describe(spec, kept["id"], gpus)
        write_asked(run, {**kept, **facts, **{name: kept[name] for name in _ASKED if name in kept}})
    return run, gpus


def _measure(
    spec: RunSpec, run: RunDir, events: EventWriter, flag: Flag, gpu_ready: bool, warn: Warn, closed: frozenset[int]
) -> dict[str, Any]:
    """From start to end: the facts of the `end` event."""
    sent = _sent_file(run)
    log, times = Appender(run.output_log, warn), Appender(run.output_times, warn)
    reader = OutputReader(run.output_log, events, replaying=spec.replay is not None)
    environment = child_environment(spec, run, sent)
    _become_reaper()
    shared_group = has_terminal()  # then the terminal's own signals and job control work as they would without us
    helpers: set[int] = set()

    def living() -> list[int]:
        return [pid for pid in descendants(_ours(helpers)) if alive(pid)]

    streams, stopper = connect(closed), Stopper(living, shared_group=shared_group)
    pumps = [Pump(output, Record(log, times, reader), warn) for output in streams.outputs]
    for pump, output in zip(pumps, streams.outputs, strict=True):
        pump.keys = Keys(output, living) if output.is_terminal else None
    guard = start_guard(run, pumps)
    helpers.add(guard.pid)
    ooms, begin_s = oom_kills(), time.monotonic()
    tree = tree_probe(lambda: [*_ours(helpers), *_started_by_a_step(spec, run)], begin_s)
    arrivals = Sent(sent, lambda facts: events.write(make("seen", "launcher", **facts)))
    beat = Beat(flag, arrivals, events.removed, warn)
    watch = Watch(tree, events, beat, spec.interval_s, begin_s=begin_s, environment=environment, gpu_ready=gpu_ready)
    loop = Loop(tree, living, pumps, reader, stopper, guard, arrivals, keep_daemons=spec.keep_daemons)
    own_bytes = _own_bytes()
    try:
        with Signals(_heard(shared_group)) as signals:
            events.write(make("how", "launcher", how="executed", **identity()))  # second 0 of the run
            child = start(spec, environment, streams, signals, guard, own_group=not shared_group)
            events.write(make("how", "launcher", pid=child))
            watch.start(warn)
            ended = loop.run(child, signals, spec.timeout_s)
        guard.dismiss()  # not when we fail in there: then it ends the command
    except (NotStarted, RunError):
        guard.dismiss()
        raise
    finally:
        for pump in pumps:
            if pump.terminal is not None:
                pump.terminal.restore()
    end = _end(ended, stopper, out_of_memory=(oom_kills() or 0) > (ooms or 0))
    _complete(end, ended, begin_s, own_bytes, (watch.stop, reader.finish), warn)
    end.update(tree.totals(), **watch.own_cost(), **own_usage())
    if log.lost_bytes:
        end["output_lost_bytes"] = log.lost_bytes
    if any(pump.failed for pump in pumps):
        end["output_not_passed_on"] = True
    return end


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


def _complete(
    end: dict[str, Any], ended: Ended, begin_s: float, own_bytes: int, last: tuple[Callable[[], None], ...], warn: Warn
) -> None:
    """What is known at the end besides the totals. Nothing that breaks in here may cost the exit code."""
    end["wall_s"] = round(ended.mono_s - begin_s, 6)
    if ended.left_behind:
        end.update(left_behind=ended.left_behind, watched_s=round(ended.watched_until_s - begin_s, 6))
    if ended.left_alive:
        warn(f"{ended.left_alive} processes that the command left behind could not be ended")
    if ended.max_rss_bytes > 1.1 * own_bytes:  # a new process starts with our size, whatever it becomes
        end["rss_bytes_peak"] = ended.max_rss_bytes
    for step in last:
        try:
            step()
        except Exception as problem:
            warn(f"the record of this run may lack its end: {problem!r}")


def _end(ended: Ended, stopper: Stopper, *, out_of_memory: bool) -> dict[str, Any]:
    """Status, exit code and error from how the main process ended and what it was asked."""
    code, name = exit_code(ended.status), killed_by(ended.status)
    end: dict[str, Any] = {"status": "completed" if code == 0 else "failed", "exit_code": code}
    if name:
        end["signal"] = name
    asked = stopper.asked_before(ended.mono_s, _SOON_S)
    if stopper.timed_out:
        end.update(status="failed", exit_code=_TIMED_OUT)
        end["error"] = {"code": "time-limit", "message": "stopped at its --timeout", "hint": "give it more time"}
    elif asked is not None or stopper.killing or name in _ASKING:
        end["status"] = "interrupted"
        by = signal.Signals(asked).name if asked else name
        end["error"] = {"code": "interrupted", "message": f"asked to end by {by}"}
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
    facts = {"recorder_pid": pid, "recorder_birth": birth(pid), "host": socket.gethostname(), "boot": boot_id()}
    return {name: value for name, value in facts.items() if value is not None}


def _own_bytes() -> int:
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def own_usage() -> dict[str, Any]:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return {"own_cpu_s": round(usage.ru_utime + usage.ru_stime, 6)}


def _sent_file(run: RunDir) -> Path:
    """Where programs in other languages append JSON lines: `echo '{"loss": 0.3}' >> "$ASSAY_EVENTS"`."""
    path = run.events / f"{socket.gethostname()}-{os.getpid()}-sent.jsonl"
    try:
        path.touch(mode=0o644)
    except OSError as problem:
        raise RunError(f"cannot write in `{run.path}`: {problem.strerror}") from None
    return path


def sum_up(run: RunDir, warn: Warn) -> dict[str, Any] | None:
    """The summary, kept beside the run if that can be done; None where the run itself is gone."""
    try:
        summary = summarise(run)
    except AssayError as problem:
        warn(f"nothing of this run was kept: {problem.message}")
        return None
    except Exception as problem:  # whatever is in the record, the exit code must still come back
        warn(f"this run could not be summed up: {problem!r}")
        return None
    if summary.get("status") in ("running", "queued"):
        return summary  # another node goes on: the last one writes it
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


def _become_reaper() -> None:
    """Orphans of the command come to us, not to init: they are still counted, and ended with it."""
    if signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # or the kernel would throw exit codes away
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
