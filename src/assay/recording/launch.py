"""A small process, forked before anything is imported, that starts commands for the recorder.

The kernel's peak of a process (`ru_maxrss`) begins with the size of its parent, and no program can reset that.
Forked from the recorder with all its modules, every command would seem to hold 18 MB at least; forked from here it is
6 MB, less than a bare Python. The process that starts a command ends at once, so that the recorder, as the reaper of
its tree, becomes the parent of the command.

Nothing heavy may be imported here.
"""

from __future__ import annotations

import errno
import os
import resource
import select
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress

from assay.bundle import BUNDLE

#: what is sent to the recorder's group, and is none of our business
_NOT_OURS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGTSTP)
#: what Python ignores by itself, whatever it was started with
_DEFAULT = (signal.SIGPIPE, signal.SIGXFSZ)
_NEXT = b"\0"
#: standard input, output and error; where to report; the guard
_FDS = 5
_LOOK_AGAIN_S = 0.5
_NOT_FOUND = (errno.ENOENT, errno.ENOTDIR)
_SHELL = b"/bin/sh"


class Launcher:
    """The recorder's side."""

    def __init__(self, pid: int, line: socket.socket) -> None:
        self.pid, self._line = pid, line

    def start(
        self,
        words: Sequence[str],
        environment: Mapping[str, str],
        cwd: str | None,
        fds: tuple[int, int, int],
        guard: int,
        *,
        own_group: bool,
    ) -> tuple[int, int] | None:
        """(its process, what its peak begins with in bytes). None where nothing can be started from here.

        An OSError is what the command met where it would have begun.
        """
        told, report = os.pipe()
        try:
            os.kill(self.pid, signal.SIGCONT)
            order = _packed(words, environment, cwd, own_group=own_group)
            socket.send_fds(self._line, [b"%d\n" % len(order)], [*fds, report, guard])
            self._line.sendall(order)
        except OSError:
            os.close(told)
            return None
        finally:
            os.close(report)
        said = self._report(told)
        if len(said) == 3:
            os.waitpid(int(said[0]), 0)
            raise OSError(int(said[2]), os.strerror(int(said[2])))
        return (int(said[0]), int(said[1])) if len(said) == 2 else None

    def _report(self, told: int) -> list[bytes]:
        """What is said until the command begins."""
        said = b""
        while True:
            if not select.select([told], [], [], _LOOK_AGAIN_S)[0]:
                os.kill(self.pid, signal.SIGCONT)  # it may have been stopped
            elif content := os.read(told, 4096):
                said += content
            else:
                os.close(told)
                return said.split()


_ready: list[Launcher] = []


def prepare() -> None:
    """Fork it. Where that cannot be done, commands are started by the recorder itself."""
    if sys.platform != "linux" or _ready or not all(map(_is_open, (0, 1, 2))):
        return
    recorder = os.getpid()
    ours, theirs = socket.socketpair()
    try:
        pid = os.fork()
    except OSError:
        return
    if pid == 0:
        try:
            ours.close()
            BUNDLE.let_go()
            _serve(theirs, recorder)
        finally:
            os._exit(1)
    theirs.close()
    _ready.append(Launcher(pid, ours))


def dismiss() -> None:
    """At the end of a recorder, also where someone has stopped it."""
    for one in _ready:
        with suppress(OSError):
            if os.waitpid(one.pid, os.WNOHANG) == (0, 0):
                os.kill(one.pid, signal.SIGKILL)


def _is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


def launcher() -> Launcher | None:
    """The one that was prepared in this process."""
    return _ready[0] if _ready else None


def _serve(line: socket.socket, recorder: int) -> None:
    """Until the recorder is gone."""
    before = {number: signal.signal(number, signal.SIG_IGN) for number in _NOT_OURS}
    before[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # we have to wait for children
    while True:
        head, fds, _, _ = socket.recv_fds(line, 32, _FDS)
        if not head or len(fds) != _FDS:
            os._exit(0)
        size, _, order = head.partition(b"\n")
        while len(order) < int(size):
            order += line.recv(int(size) - len(order)) or os._exit(0)
        middle = os.fork()
        if middle == 0:
            try:
                between = os.getpid()
                if os.fork() == 0:
                    _become(order, fds, (between, recorder), before)
            finally:
                os._exit(0)
        for fd in fds:
            os.close(fd)
        os.waitpid(middle, 0)


def _become(order: bytes, fds: list[int], parents: tuple[int, int], before: Mapping[signal.Signals, object]) -> None:
    """The command, or a word on why not. `parents` are the one that it has and the one that it is to have."""
    *streams, report, guard = fds
    for fd in fds:
        os.set_inheritable(fd, False)
    while os.getppid() == parents[0]:
        os.sched_yield()
    if os.getppid() != parents[1]:
        return  # another process would be its parent, so we could not wait for it
    words, environment, cwd, own_group = _unpacked(order)
    if own_group:
        os.setpgid(0, 0)  # signals meant for the recorder must not reach it twice
    try:
        os.write(guard, b"child %d\n" % os.getpid())
    except OSError:
        pass
    for to, fd in enumerate(streams):
        os.dup2(fd, to)
    for number in _DEFAULT:
        signal.signal(number, signal.SIG_DFL)
    for other, was in before.items():
        signal.signal(other, signal.SIG_IGN if was == signal.SIG_IGN else signal.SIG_DFL)  # nohup
    peak_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    os.write(report, b"%d %d" % (os.getpid(), peak_bytes))
    os.write(report, b" %d" % _replaced(words, environment, cwd))


def _replaced(words: list[bytes], environment: dict[bytes, bytes], cwd: bytes) -> int:
    """Never returns where the program was found; else the number of the error."""
    worst = 2
    try:
        if cwd:
            os.chdir(cwd)
    except OSError as problem:
        return problem.errno or worst
    for program in candidates(words[0], environment):
        try:
            os.execve(program, words, environment)
        except OSError as problem:
            if problem.errno == errno.ENOEXEC:
                return _by_a_shell(program, words, environment)
            if problem.errno not in _NOT_FOUND and worst == 2:
                worst = problem.errno or worst
    return worst


def candidates(program: bytes, environment: Mapping[bytes, bytes]) -> list[bytes]:
    """The files that a program may be. An empty folder of PATH is the current one."""
    if b"/" in program:
        return [program]
    return [folder + b"/" + program if folder else program for folder in _path(environment)]


def _by_a_shell(program: bytes, words: list[bytes], environment: dict[bytes, bytes]) -> int:
    """A script without `#!`, as every shell runs it; a program for another machine is none."""
    try:
        if is_script(program):
            os.execve(_SHELL, [_SHELL, program, *words[1:]], environment)
    except OSError as problem:
        return problem.errno or errno.ENOEXEC
    return errno.ENOEXEC


def is_script(program: bytes) -> bool:
    """Text, by the test of bash: no byte 0 in its first line."""
    with open(program, "rb") as file:
        return b"\0" not in file.read(80).partition(b"\n")[0]


def _path(environment: Mapping[bytes, bytes]) -> list[bytes]:
    path = environment.get(b"PATH")
    return (os.fsencode(os.defpath) if path is None else path).split(b":")


def _packed(words: Sequence[str], environment: Mapping[str, str], cwd: str | None, *, own_group: bool) -> bytes:
    head = [str(len(words)), str(int(own_group)), cwd or ""]
    variables = [f"{name}={value}" for name, value in environment.items()]
    return _NEXT.join(map(os.fsencode, [*head, *words, *variables]))


def _unpacked(order: bytes) -> tuple[list[bytes], dict[bytes, bytes], bytes, bool]:
    count, own_group, cwd, *rest = order.split(_NEXT)
    pairs = (one.partition(b"=") for one in rest[int(count) :])
    return rest[: int(count)], {name: value for name, _, value in pairs}, cwd, own_group == b"1"
