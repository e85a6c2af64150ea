"""Start the command: its environment, its process group or session, and how a failure to start is reported."""

from __future__ import annotations

import errno
import os
import resource
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import assay
from assay.errors import RunError
from assay.recording.guard import Guard
from assay.recording.launch import candidates, is_script, launcher
from assay.recording.signals import Signals
from assay.recording.streams import Streams
from assay.spec import RunSpec
from assay.store.layout import RunDir

#: holds nothing but a package that stands for ours, so that nothing else of our environment leaks into theirs; it is
#: part of the installation, where only the installing user can write
INSIDE = str(Path(assay.__file__).resolve().parent / "inside")


#: when we were started; what we need ourselves is another matter
_CHILDREN_IGNORED = signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN
#: a new process begins with the size of its parent, and a little more until it is the command; newer kernels
#: also count a little late
_UNTIL_IT_BEGINS_BYTES = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Started:
    """A running command. The kernel's peak is meaningless below `floor_bytes`."""

    pid: int
    floor_bytes: int


@dataclass(frozen=True, kw_only=True)
class NotStarted(Exception):
    """The command could not be started: exit code as a shell would give it, and why."""

    exit_code: int
    code: str
    message: str
    hint: str


def start(
    spec: RunSpec, environment: Mapping[str, str], streams: Streams, signals: Signals, guard: Guard, *, own_group: bool
) -> Started:
    """The running command."""
    helper, started = launcher(), None
    fds, cwd = (0, *streams.child), None if spec.cwd is None else str(spec.cwd)
    try:
        if helper is not None:
            started = helper.start(spec.command, environment, cwd, fds, guard.lifeline, own_group=own_group)
        if started is not None:
            return Started(pid=started[0], floor_bytes=started[1] + _UNTIL_IT_BEGINS_BYTES)
        try:
            return _forked(spec.command, spec, environment, streams, signals, guard, own_group=own_group)
        except OSError as problem:
            script = _script(spec, environment) if problem.errno == errno.ENOEXEC else None
            if script is None:
                raise
            words = ("/bin/sh", script, *spec.command[1:])
            return _forked(words, spec, environment, streams, signals, guard, own_group=own_group)
    except OSError as problem:
        if problem.errno in (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE):
            raise RunError(
                f"no process can be started here: {problem.strerror}", "check the limits: ulimit -a"
            ) from None
        raise _not_started(spec.command[0], problem) from None
    except subprocess.SubprocessError:
        raise RunError("no process can be started here", "check the limits: ulimit -a") from None
    finally:
        streams.close_child_ends()


def _script(spec: RunSpec, environment: Mapping[str, str]) -> str | None:
    """The program, if it is a script without `#!`."""
    path = {os.fsencode(name): os.fsencode(value) for name, value in environment.items() if name == "PATH"}
    for program in map(os.fsdecode, candidates(os.fsencode(spec.command[0]), path)):
        found = os.path.join(spec.cwd or "", program)
        if os.access(found, os.X_OK) and os.path.isfile(found):
            return program if is_script(os.fsencode(found)) else None
    return None


def _forked(
    words: Sequence[str],
    spec: RunSpec,
    environment: Mapping[str, str],
    streams: Streams,
    signals: Signals,
    guard: Guard,
    *,
    own_group: bool,
) -> Started:
    """Started by this process itself: its peak begins with our own size."""

    def before_exec() -> None:
        signals.for_child()
        if _CHILDREN_IGNORED:
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        if own_group:
            os.setpgid(0, 0)  # signals meant for us must not reach it twice
        guard.tell("child", os.getpid())

    child = subprocess.Popen(
        list(words),
        stdout=streams.child[0],
        stderr=streams.child[1],
        cwd=spec.cwd,
        env=dict(environment),
        pass_fds=streams.handed_on,
        preexec_fn=before_exec,
        restore_signals=True,
    )
    child.returncode = 0  # we wait for it ourselves, to learn what it used
    return Started(pid=child.pid, floor_bytes=own_bytes() + _UNTIL_IT_BEGINS_BYTES)


def own_bytes() -> int:
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def child_environment(spec: RunSpec, run: RunDir, events_file: Path) -> dict[str, str]:
    """Ours and what was asked for; a folder on PYTHONPATH lets the command `import assay` without installing it."""
    environment = {**os.environ, **spec.env}
    environment["ASSAY_RUN"] = str(run.path)
    environment["ASSAY_EVENTS"] = str(events_file)
    before = environment.get("PYTHONPATH")
    if os.pathsep not in INSIDE and (before or "").partition(os.pathsep)[0] != INSIDE:  # as in a run within a run
        environment["PYTHONPATH"] = f"{INSIDE}{os.pathsep}{before}" if before else INSIDE
    return environment


def _not_started(program: str, problem: OSError) -> NotStarted:
    """In a shell's words and with its exit codes: 127 not found, 126 found and of no use."""
    if problem.errno == errno.ENOENT:
        exists = os.path.exists(program)
        why = "its interpreter is missing" if exists else "command not found"
        hint = "check its first line" if exists else "check the spelling, or give the path"
        return NotStarted(exit_code=127, code="missing-file", message=f"cannot start `{program}`: {why}", hint=hint)
    hints = {
        errno.ENOEXEC: "it was built for another kind of machine",
        errno.EACCES: f"make it executable with `chmod +x {program}`, or name its interpreter",
        errno.E2BIG: "give it fewer or shorter arguments, or a file of them",
    }
    hint = (
        "name a program, not a folder"
        if os.path.isdir(program)
        else hints.get(problem.errno or 0, "try it without assay")
    )
    message = f"cannot start `{program}`: {problem.strerror}"
    return NotStarted(exit_code=126, code="permission", message=message, hint=hint)


def exit_code(status: int) -> int:
    """The exit code of a wait status, as a shell reports it: 128 + n for a signal."""
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def killed_by(status: int) -> str | None:
    """The name of the signal that ended it."""
    if not os.WIFSIGNALED(status):
        return None
    number = os.WTERMSIG(status)
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
