"""From the start of a command to its end: carry its output, watch it, wait for it, and report how it ended."""

from __future__ import annotations

import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from assay.errors import RunError
from assay.facts.host import boot_id, oom_kills
from assay.model.event import End, How, encode, now
from assay.probes import TreeProbe, tree_probe
from assay.probes.accelerators import State
from assay.probes.tree import BLIND, alive, birth, descendants, own_children
from assay.recording.beside import Reading, start_reading
from assay.recording.child import NotStarted, child_environment, start
from assay.recording.command import Command
from assay.recording.ending import Finish, how_it_ended
from assay.recording.guard import Guard, marked, start_guard
from assay.recording.handlers import Handlers
from assay.recording.keys import Keys
from assay.recording.launch import launcher
from assay.recording.loop import FOR_THE_PROGRAM, PASSED_ON, Loop
from assay.recording.neighbours import Flag
from assay.recording.orphans import Orphans
from assay.recording.pump import Pump, Record
from assay.recording.sent import Sent
from assay.recording.signals import Signals
from assay.recording.stopping import Stopper, send
from assay.recording.streams import Streams, connect, has_terminal
from assay.recording.watch import Beat, Watch
from assay.spec import RunSpec
from assay.store.job import note_done
from assay.store.layout import RunDir
from assay.store.writer import Appender, EventWriter

Warn = Callable[[str], None]


@dataclass(kw_only=True)
class Measured:
    """The measured run, where it is written, and two callbacks: `warn` for the first problem, `tell` for all. What came
    of it so far: whether the command has begun, and whether someone who waits has asked for its end."""

    spec: RunSpec
    run: RunDir
    events: EventWriter
    flag: Flag
    warn: Warn
    tell: Warn
    begun: bool = False
    asked_to_end: bool = False


@dataclass(kw_only=True)
class Family:
    """The command and all its processes; we are their reaper, so its orphans become our children."""

    shared_group: bool  # with ours: then the terminal's own signals and job control work as they would without us
    helpers: set[int] = field(default_factory=set)  # processes that belong to Assay
    command: int = 0  # once it has begun

    def ours(self) -> list[int]:
        if BLIND:
            return [self.command] if self.command else []
        return [pid for pid in own_children() if pid not in self.helpers]

    def wake_helpers(self) -> None:
        """One that someone stopped must not hold the run up."""
        send(self.helpers.intersection(own_children()), signal.SIGCONT)

    def dismiss(self, guard: Guard) -> None:
        """Also where someone has stopped it."""
        guard.dismiss()
        send({guard.pid}.intersection(own_children()), signal.SIGKILL)

    def living(self) -> list[int]:
        return [pid for pid in descendants(self.ours()) if alive(pid)]


@dataclass(frozen=True, kw_only=True)
class Carried:
    """What the command prints on its way to the terminal, into output.log and to those who read it."""

    streams: Streams
    pumps: list[Pump]
    log: Appender
    reading: Reading
    guard: Guard


@dataclass(frozen=True, kw_only=True)
class Watched:
    """The machine around the command, and how things stood before it began."""

    tree: TreeProbe
    watch: Watch
    arrivals: Sent
    begin_s: float
    ooms: int
    handlers: Handlers


def measure(it: Measured, closed: frozenset[int], *, gpus: State) -> End:
    """How it ended, and what it used."""
    if BLIND:
        it.tell(
            "there is no /proc here, so processes are not watched and signals reach the command's main process alone"
        )
    sent = _sent_file(it.run)
    environment = child_environment(it.spec, it.run, sent)
    _become_reaper()
    family = Family(shared_group=has_terminal())
    carried = _carry(it, family, closed, sent)
    watched = _watch(it, family, carried.guard, sent, environment, gpus=gpus)
    try:
        finish = _see_through(it, family, carried, watched, environment)
        family.dismiss(carried.guard)
    except (NotStarted, RunError):
        family.dismiss(carried.guard)
        raise
    finally:
        for pump in carried.pumps:
            if pump.terminal is not None:
                pump.terminal.restore()
    return _with_costs(finish, carried, watched)


def _carry(it: Measured, family: Family, closed: frozenset[int], sent: Path) -> Carried:
    """Helpers are forked in here, before there is a thread."""
    log, times = Appender(it.run.output_log, it.warn), Appender(it.run.output_times, it.warn)
    streams = connect(closed)
    reading = start_reading(it.run, node_of(it.spec), replaying=it.spec.replay is not None)
    pumps = [Pump(output, Record(log, times, reading.mark), it.warn) for output in streams.outputs]
    for pump, output in zip(pumps, streams.outputs, strict=True):
        pump.keys = Keys(output, family.living) if output.is_terminal else None
    mark = b"ASSAY_EVENTS=" + os.fsencode(sent) + b"\0" if it.spec.ranks else b""
    guard = start_guard(it.run, pumps, node_of(it.spec), mark)
    helper = launcher()
    family.helpers.update((guard.pid, reading.pid, *([helper.pid] if helper is not None else [])))
    return Carried(streams=streams, pumps=pumps, log=log, reading=reading, guard=guard)


def _watch(
    it: Measured, family: Family, guard: Guard, sent: Path, environment: Mapping[str, str], *, gpus: State
) -> Watched:
    ooms, begin_s = oom_kills() or 0, time.monotonic()
    tree = tree_probe(lambda: [*family.ours(), *_started_by_a_step(it.spec, it.run)], begin_s)
    arrivals, handlers = Sent(sent, lambda seen: it.events.write(now(seen))), Handlers()
    watch = Watch(
        tree,
        it.events,
        Beat(it.flag, arrivals, it.events.removed, it.warn),
        it.spec.interval_s,
        begin_s=begin_s,
        environment=environment,
        gpus=gpus,
        warn=it.warn,
        also=(Orphans(family.ours, guard, family.wake_helpers), handlers),
    )
    return Watched(tree=tree, watch=watch, arrivals=arrivals, begin_s=begin_s, ooms=ooms, handlers=handlers)


def _see_through(
    it: Measured, family: Family, carried: Carried, watched: Watched, environment: Mapping[str, str]
) -> Finish:
    """The command itself, from its first moment until its last words are read."""
    pumps, guard, events = carried.pumps, carried.guard, it.events
    handlers = watched.handlers
    stopper = Stopper(family.living, shared_group=family.shared_group, handles=handlers.handles)
    tree, daemons = watched.tree, it.spec.keep_daemons
    loop = Loop(tree, family.living, pumps, carried.reading, stopper, guard, watched.arrivals, keep_daemons=daemons)
    with Signals(_heard(family.shared_group)) as signals:
        events.write(now(identity()))  # second 0 of the run
        child = start(it.spec, environment, carried.streams, signals, guard, own_group=not family.shared_group)
        it.begun, family.command, handlers.pid = True, child.pid, child.pid
        begun = (lambda: events.write(now(How(source="launcher", pid=child.pid))), watched.watch.start)
        command = Command(child.pid, loop, pumps, carried.log, family.living, stopper, events, it.tell)
        ended = command.see_through(it.spec, signals, begun)
        it.asked_to_end = ended.asked_to_end
        out_of_memory = (oom_kills() or 0) > watched.ooms
        finish = Finish(how_it_ended(ended, stopper, out_of_memory=out_of_memory), watched.begin_s, it.tell)
        if it.spec.is_whole_job and finish.end.status == "completed":
            finish.do(lambda: note_done(it.run))
        finish.note(ended, child.floor_bytes)
        guard.tell("ended", encode(finish.end).decode().strip())  # from here on it would only say so
        finish.do(watched.watch.stop)
        read = carried.reading.finish
        finish.do(lambda: finish.told(read(carried.log.size, finish.reading_s, signals), it.run, events))
    return finish


def _with_costs(finish: Finish, carried: Carried, watched: Watched) -> End:
    """What was used, by the command and by us, and what of its output was lost."""
    tree, watch, read_s = watched.tree, watched.watch, carried.reading.cpu_s
    finish.do(lambda: finish.add(**tree.totals(), **watch.peak(), **watch.own_cost(), **own_usage(read_s)))
    if carried.log.lost_bytes:
        finish.add(output_lost_bytes=carried.log.lost_bytes)
    if any(pump.failed for pump in carried.pumps):
        finish.add(output_not_passed_on=True)
    return finish.end


def node_of(spec: RunSpec) -> tuple[str, int] | None:
    return (spec.node, spec.node_rank) if spec.node else None


def _heard(shared_group: bool) -> set[signal.Signals]:
    """In a separate process group we stop and continue the command; in ours, the terminal does."""
    heard = PASSED_ON | FOR_THE_PROGRAM | {signal.SIGCHLD, signal.SIGWINCH}
    return heard if shared_group else heard | {signal.SIGTSTP}


def _started_by_a_step(spec: RunSpec, run: RunDir) -> list[int]:
    """Tasks that `srun` starts are children of Slurm's daemon, not of `srun`; they know the run they belong to."""
    if not spec.tasks_of_scheduler:
        return []
    here = b"SLURMD_NODENAME=" + os.fsencode(spec.node) + b"\0"
    return [pid for pid in marked(run, here) if pid != os.getpid()]


def identity() -> How:
    """Note that the run is active, and what shows later, on this host and boot, whether the recorder is alive."""
    pid, host = os.getpid(), socket.gethostname()
    return How(
        source="launcher", how="executed", recorder_pid=pid, recorder_birth=birth(pid), host=host, boot=boot_id()
    )


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


def _become_reaper() -> None:
    """Adopt orphans of the command, in place of init: they are still counted, and ended with it."""
    if signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # or the kernel would throw exit codes away
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
