"""`assay run --pid N`: watch a process that runs already. It is not ours: nothing of it is changed or ended."""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from assay.errors import RunError
from assay.facts.asked import masked
from assay.facts.code import code_facts
from assay.facts.git import git_facts
from assay.facts.program import script_facts
from assay.model.event import End, now
from assay.model.request import Request
from assay.probes import devices, tree_probe
from assay.probes.tree import HAVE_PROC, alive, birth
from assay.recording.describe import allowed_variables, describe, kept_configs, stated_by, versions_of
from assay.recording.measure import identity, own_usage
from assay.recording.neighbours import Flag
from assay.recording.record import Outcome, appear, once, sum_up
from assay.recording.watch import Beat, Watch
from assay.spec import RunSpec, new_id
from assay.store.code import stored_in
from assay.store.writer import EventWriter

_LOOK_S = 0.2
#: where no file is
_NOWHERE = Path(os.devnull)


def attach(spec: RunSpec, pid: int, warn: Callable[[str], None]) -> Outcome:
    """Record until the process ends, the timeout passes or Ctrl-C; in the last two cases the process continues."""
    born = birth(pid)
    if born is None or not alive(pid):
        raise RunError(f"there is no process {pid} on this machine", "list the processes: ps -ef")
    spec = replace(spec, command=_command_line(pid) or (f"pid-{pid}",))
    spec.check()
    environment = _environment(pid)
    gpus = devices.look()
    run = appear(spec.runs_dir, _of_theirs(describe(spec, new_id(), gpus), pid, spec, environment))
    run.output_log.touch(mode=0o644)
    flag = Flag(run.path.name)
    flag.warn_of_others(warn)
    warn = once(warn)
    events = EventWriter(run.events, warn)
    begin_s = time.monotonic()
    tree = tree_probe(lambda: [pid], begin_s)
    tree.start_from_here()  # what it used before we came is not ours to report
    events.write(now(identity().replace(pid=pid, attached=True)))
    beat = Beat(flag, None, events.removed, warn)
    watch = Watch(tree, events, beat, spec.interval_s, begin_s=begin_s, environment=environment, gpus=gpus, warn=warn)
    watch.start_from_here()
    with _asked_to_stop() as stopped:  # from before the first sample until the end is written
        watch.start()
        end = _wait(pid, born, spec.timeout_s, stopped)
        wall_s = time.monotonic() - begin_s
        watch.stop()
        events.write(now(end.replace(**tree.totals(), **watch.peak(), wall_s=round(wall_s, 6), **own_usage())))
    events.close()
    flag.close()
    return Outcome(exit_code=0, run=run, summary=sum_up(run, warn))


def _of_theirs(asked: Request, pid: int, spec: RunSpec, environment: dict[str, str]) -> Request:
    """Facts about a process that we did not start; those that we may not read are absent."""
    bare = asked.replace(
        cwd=None,
        git=None,
        script=None,
        code=None,
        scheduler={},
        environment={},
        set_environment={},
        versions={},
        packages={},
    ).replace(**_stated(spec, _NOWHERE))
    try:
        cwd = Path(os.readlink(f"/proc/{pid}/cwd"))
    except OSError:
        return bare
    git, (versions, packages) = git_facts(cwd), versions_of(spec, environment, cwd)
    return bare.replace(
        cwd=str(cwd),
        **_stated(spec, cwd),
        environment=allowed_variables(environment),
        versions=versions,
        packages=packages,
        git=git,
        code=code_facts(spec.command, cwd, environment, git, stored_in(spec.runs_dir)),
        script=script_facts(spec.command, cwd, environment.get("PATH", os.defpath)),
    )


def _stated(spec: RunSpec, cwd: Path) -> dict[str, object]:
    """Its settings, and the files that it names as seen from its own folder."""
    said = stated_by(masked(spec), cwd)
    return {"claims": said.claims, "claim_sources": said.sources, "configs": kept_configs(said)}


def _environment(pid: int) -> dict[str, str]:
    with suppress(OSError), open(f"/proc/{pid}/environ", "rb") as file:
        pairs = (os.fsdecode(entry).partition("=") for entry in file.read().split(b"\0") if b"=" in entry)
        return {name: value for name, _, value in pairs}
    return {}


@contextmanager
def _asked_to_stop() -> Iterator[list[int]]:
    """The signals that ask us to leave, as they come."""
    stopped: list[int] = []
    before = {
        number: signal.signal(number, lambda number, _: stopped.append(number))
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    }
    try:
        yield stopped
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _wait(pid: int, born: float, timeout_s: float | None, stopped: Sequence[int]) -> End:
    """How watching ended. Only a parent gets an exit code; we see it if we look before the parent does."""
    may_know = os.access(f"/proc/{pid}/environ", os.R_OK)  # else the kernel shows us an exit code of 0, whatever it is
    ends_s = None if timeout_s is None else time.monotonic() + timeout_s
    with _Process(pid) as process:
        while not stopped and (ends_s is None or time.monotonic() < ends_s):
            if process.ended(born):
                return _ended(pid, born, may_know)
    why = "asked to stop watching" if stopped else "the time to watch was over"
    return End(source="launcher", status="unfinished", watching_ended=f"{why}; process {pid} continues")


def _ended(pid: int, born: float, may_know: bool) -> End:
    status = _zombie_status(pid, born) if may_know else None
    if status is None:
        why = "the process ended; its exit code went to its parent alone"
        return End(source="launcher", status="unfinished", watching_ended=why)
    code = os.waitstatus_to_exitcode(status)
    code = code if code >= 0 else 128 - code
    return End(source="launcher", status="failed" if code else "completed", exit_code=code)


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
