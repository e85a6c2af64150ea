"""What happens when Assay itself is killed with -9.

A small forked process holds one end of a pipe. When the other end closes without a goodbye, the recorder is dead: the
guard saves what the command has already printed, gives the terminal its modes back, and ends the command (TERM, then
KILL after the grace), because a program that no one watches must not go on holding a machine. Until then it sleeps.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NoReturn

from assay.errors import RunError
from assay.model.event import End, Error, decode, now
from assay.probes.tree import HAVE_PROC, alive, birth, descendants
from assay.recording.modes import Modes
from assay.recording.pump import Pump
from assay.recording.stopping import GRACE_S, send
from assay.recording.streams import payload
from assay.store.layout import RunDir
from assay.store.writer import EventWriter


class Guard:
    """The recorder's side: sends the guard what it must know, and dismisses it."""

    def __init__(self, pid: int, lifeline: int) -> None:
        self.pid = pid
        self.lifeline = lifeline
        self._unsaid, self._lock = b"", threading.Lock()
        os.set_blocking(lifeline, False)  # a guard that was stopped must stop no one else

    def tell(self, *words: object) -> None:
        """If the pipe is full, this message goes out with the next one."""
        with self._lock, suppress(OSError):
            self._unsaid += " ".join(map(str, words)).encode() + b"\n"
            self._unsaid = self._unsaid[os.write(self.lifeline, self._unsaid) :]

    def dismiss(self) -> None:
        self.tell("done")
        os.close(self.lifeline)


def start_guard(run: RunDir, pumps: list[Pump], node: tuple[str, int] | None = None, mark: bytes = b"") -> Guard:
    """Fork it before the child is started, so that no moment is unguarded. `mark` is in the environment of the command
    alone, if several recorders of one run are on this host."""
    read_end, write_end = os.pipe()
    try:
        pid = os.fork()
    except OSError as problem:
        raise RunError(f"no process can be started here: {problem.strerror}", "check the limits: ulimit -a") from None
    if pid == 0:
        try:
            _guard(run, pumps, read_end, node, mark)
        except BaseException:  # whatever goes wrong in here must not become a second recorder
            os._exit(1)
    os.close(read_end)
    return Guard(pid, write_end)


def _guard(run: RunDir, pumps: list[Pump], lifeline: int, node: tuple[str, int] | None, mark: bytes) -> NoReturn:
    os.setsid()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGTSTP, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    terminals = [(os.dup(pump.real_terminal), pump.terminal.saved) for pump in pumps if pump.terminal is not None]
    recorded = [pump.fd for pump in pumps]
    packets = {pump.fd for pump in pumps if pump.packets}
    close_all_but({lifeline, *(fd for fd, _ in terminals), *recorded})
    told = _listen(lifeline, recorded)
    told.mark = mark
    steps: tuple[Callable[[], None], ...] = (
        lambda: send(_tree(run, told), signal.SIGTERM),
        lambda: _give_back(terminals),
        lambda: _note(run, told.end, node),
        lambda: _save(run, recorded, packets, time.monotonic() + GRACE_S, lambda: not _tree(run, told)),
        lambda: send(_tree(run, told), signal.SIGKILL),
        lambda: _save(run, recorded, packets, time.monotonic() + 1, lambda: True),
    )
    for step in steps:
        with suppress(Exception):  # a record that cannot be written must not keep the command alive
            step()
    os._exit(0)


@dataclass
class Told:
    """What the recorder has said: its command, what it adopted since (and when that was born), how the run ended."""

    child: int | None = None
    adopted: dict[int, float] = field(default_factory=dict)
    end: End | None = None
    mark: bytes = b""


def _listen(lifeline: int, recorded: list[int]) -> Told:
    """Until the lifeline is cut. Never returns when we are dismissed."""
    told = Told()
    said = b""
    while content := os.read(lifeline, 4096):
        *lines, said = (said + content).split(b"\n")
        for line in lines:
            word, _, value = line.partition(b" ")
            if word == b"done":
                os._exit(0)
            elif word == b"child":
                told.child = int(value)
            elif word == b"adopted":
                named = (one.partition(b":") for one in value.split())
                told.adopted = {int(pid): float(since) for pid, _, since in named}
            elif word == b"ended":
                end = decode(value)
                told.end = end if isinstance(end, End) else None
            elif word == b"close" and int(value) in recorded:
                os.close(int(value))
                recorded.remove(int(value))
    return told


def _give_back(terminals: list[tuple[int, Modes | None]]) -> None:
    for fd, modes in terminals:
        if modes is not None:
            modes.put_on(fd)


def _note(run: RunDir, end: End | None, node: tuple[str, int] | None) -> None:
    writer = EventWriter(run.events, lambda text: None, node)
    if end is not None:  # the recorder was killed over its last words: how the run ended is known
        writer.write(now(end))
        return
    message = "assay was killed; the command was ended with it"
    error = Error(source="guard", code="interrupted", message=message, hint="start the run again")
    writer.write(now(error))


def _tree(run: RunDir, told: Told) -> list[int]:
    """All that belongs to the run: what descends from it, and what carries the run in its environment."""
    roots = [pid for pid, since in told.adopted.items() if birth(pid) == since]
    found = [pid for pid in descendants(roots + ([told.child] if told.child else [])) if alive(pid)]
    return found + [pid for pid in marked(run, told.mark) if pid not in found and pid != os.getpid()]


def marked(run: RunDir, also: bytes = b"") -> Iterable[int]:
    """Processes whose parents are gone can no longer be found by descent, but inherited ASSAY_RUN; and what else must
    be in their environment."""
    if not HAVE_PROC:
        return
    mark = b"ASSAY_RUN=" + os.fsencode(run.path) + b"\0"
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with suppress(OSError), open(f"/proc/{entry}/environ", "rb") as file:
                content = file.read()
                if mark in content and also in content and alive(int(entry)):
                    yield int(entry)


def _save(run: RunDir, recorded: list[int], packets: set[int], until_s: float, done: Callable[[], bool]) -> None:
    """Append what the command still prints to output.log; where that cannot be, let it print all the same."""
    log: int | None = None
    with suppress(OSError):
        log = os.open(run.output_log, os.O_WRONLY | os.O_APPEND)
    while time.monotonic() < until_s:
        ready = select.select(recorded, [], [], 0.05)[0]
        for fd in ready:
            try:
                content = os.read(fd, 1 << 20)
            except OSError:
                content = b""
            if not content:
                recorded.remove(fd)
            elif log is not None:
                with suppress(OSError):
                    os.write(log, payload(content, packets=fd in packets))
        if not ready and done():
            break


def close_all_but(kept: set[int]) -> None:
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        if fd not in kept:
            os.dup2(null, fd)
    last = max(kept | {2})
    for fd in range(3, last):
        if fd not in kept:
            with suppress(OSError):
                os.close(fd)
    os.closerange(last + 1, 65536 if sys.platform == "linux" else 4096)
