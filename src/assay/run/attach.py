"""`assay run --pid N`: watch a process that runs already. It is not ours: nothing of it is changed or ended."""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from assay.errors import RunError
from assay.events import make
from assay.probes import tree_probe
from assay.probes.tree import HAVE_PROC, alive, birth
from assay.run.neighbours import Flag
from assay.run.record import Outcome, begin, identity, once, own_usage, sum_up
from assay.run.watch import Beat, Watch
from assay.spec import RunSpec
from assay.store.writer import EventWriter

_LOOK_S = 0.2


def attach(spec: RunSpec, pid: int, warn: Callable[[str], None]) -> Outcome:
    """Until the process ends, the timeout passes or Ctrl-C; the process itself goes on in the last two cases."""
    born = birth(pid)
    if born is None or not alive(pid):
        raise RunError(f"no process {pid} on this host", "find it with: ps -ef")
    spec = replace(spec, command=_command_line(pid) or (f"pid-{pid}",))
    spec.check()
    run, gpus = begin(spec)
    run.output_log.touch()
    warn = once(warn)
    events = EventWriter(run.events, warn)
    flag = Flag(run.path.name)
    begin_s = time.monotonic()
    tree = tree_probe(lambda: [pid], begin_s)
    tree.sample()  # what it used before we came is not ours to report
    used_before = tree.totals()
    events.write(make("how", "launcher", how="executed", pid=pid, attached=True, **identity()))
    beat = Beat(flag, events.path, events.removed, warn)
    ready = gpus.status == "ready"
    watch = Watch(tree, events, beat, spec.interval_s, begin_s=begin_s, environment=os.environ, gpu_ready=ready)
    watch.start()
    end = _wait(pid, born, spec.timeout_s)
    wall_s = time.monotonic() - begin_s
    watch.stop()
    totals = tree.totals()
    used = {name: round(totals[name] - used_before.get(name, 0), 6) for name in totals}
    events.write(make("end", "launcher", **end, **used, wall_s=round(wall_s, 6), **own_usage()))
    events.close()
    flag.close()
    return Outcome(exit_code=0, run=run, summary=sum_up(run, warn))


def _wait(pid: int, born: float, timeout_s: float | None) -> dict[str, Any]:
    """How watching ended. Only a parent is told an exit code; we see it if we look before the parent does."""
    stopped: list[int] = []
    before = {
        number: signal.signal(number, lambda number, _: stopped.append(number))
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    }
    ends_s = None if timeout_s is None else time.monotonic() + timeout_s
    try:
        with _Process(pid) as process:
            while not stopped and (ends_s is None or time.monotonic() < ends_s):
                if process.ended(born):
                    return _ended(pid, born)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    why = "asked to stop watching" if stopped else "the time to watch was over"
    return {"status": "unfinished", "watching_ended": f"{why}; process {pid} goes on"}


def _ended(pid: int, born: float) -> dict[str, Any]:
    status = _zombie_status(pid, born)
    if status is None:
        return {"status": "unfinished", "watching_ended": "the process ended; its exit code went to its parent alone"}
    code = os.waitstatus_to_exitcode(status)
    code = code if code >= 0 else 128 - code
    return {"status": "failed" if code else "completed", "exit_code": code}


class _Process:
    """Waits on another's process: by a descriptor where the kernel has them, else by looking."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._fd: int | None = None

    def __enter__(self) -> _Process:
        with suppress(OSError, AttributeError):
            self._fd = os.pidfd_open(self._pid)
        return self

    def __exit__(self, *failure: object) -> None:
        if self._fd is not None:
            os.close(self._fd)

    def ended(self, born: float) -> bool:
        """Waits a moment at most."""
        if self._fd is not None:
            return bool(select.select([self._fd], [], [], _LOOK_S)[0])
        time.sleep(_LOOK_S)
        return birth(self._pid) != born


def _zombie_status(pid: int, born: float) -> int | None:
    """The wait status of a process that has ended and was not yet asked for."""
    if not HAVE_PROC:
        return None
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            text = file.read(2048)
    except OSError:
        return None
    fields = text[text.rindex(b")") + 2 :].split()
    if fields[0] != b"Z" or float(fields[19]) != born or len(fields) < 50:
        return None
    return int(fields[49])


def _command_line(pid: int) -> tuple[str, ...]:
    if HAVE_PROC:
        with suppress(OSError), open(f"/proc/{pid}/cmdline", "rb") as file:
            return tuple(os.fsdecode(word) for word in file.read().split(b"\0")[:-1])
        return ()
    import psutil

    with suppress(psutil.Error):
        return tuple(psutil.Process(pid).cmdline())
    return ()
