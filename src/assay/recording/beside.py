"""The process that reads the output beside the recorder, so that nothing that is printed can reach the recorder.

It follows output.log and writes what it reads to a separate events file. The recorder only reports how far the
output has come, and at the end asks it to finish. A line that keeps it busy for too long is given up; whatever else
happens in here, the command, its output and its signals go on without a pause.
"""

from __future__ import annotations

import json
import mmap
import os
import resource
import select
import signal
import struct
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

from assay.bundle import BUNDLE
from assay.model.event import Event
from assay.recording.guard import close_all_but
from assay.recording.signals import Signals
from assay.recording.stopping import send
from assay.store.layout import RunDir
from assay.store.writer import EventWriter

if TYPE_CHECKING:
    from assay.recording.reading import OutputReader, Report

#: seconds of computing for one line, at most twice this; once a few have used it up, the next get less
_LINE_S, _NEXT_LINE_S = 0.1, 0.01
_FEW = 8
#: what reading may take beyond what it has at its start
_MEMORY_BYTES = 1 << 30
#: a machine that is busy with other things gets this many times the budget, on the clock
_PATIENCE = 4
_LAST_WORDS_S = 2.0
_LOOK_AGAIN_S = 0.5
#: a command that prints all the time does not wake it all the time
_TOLD_EVERY_S = 0.1
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


class Reading:
    """The recorder's side: nothing in it waits before `finish`."""

    def __init__(self, pid: int, tell: int, answers: int, progress: mmap.mmap) -> None:
        self.pid = pid
        self.cpu_s = 0.0  # of the process, once it has ended
        self._tell, self._answers, self._progress = tell, answers, progress
        self._untold = b""
        self._tell_again_s = 0.0
        self._gone = pid < 0

    def mark(self, offset: int, t: float, mono_s: float) -> None:
        """What comes from this offset on came at this moment."""
        self._untold += b"mark %d %.6f %.6f\n" % (offset, t, mono_s)
        if mono_s >= self._tell_again_s:
            self.tell()

    def patience_s(self) -> float | None:
        """When the next message is due; None if there is nothing to send."""
        return max(0.0, self._tell_again_s - time.monotonic()) if self._untold and not self._gone else None

    def tell(self) -> None:
        self._say(b"")
        self._tell_again_s = time.monotonic() + _TOLD_EVERY_S

    def ended(self, usage: resource.struct_rusage) -> None:
        """The process has ended; too early, if it was not asked to finish."""
        self.cpu_s, self._gone = usage.ru_utime + usage.ru_stime, True

    def finish(self, size_bytes: int, budget_s: float, signals: Signals) -> Report:
        """Have the rest read in so many seconds of computing; what was not read, and what went wrong.

        A signal during this time ends only the reading; how the command ended is already known.
        """
        said, stopped = b"{}", False
        if size_bytes:
            self._wake()
            self._say(b"finish %.3f\n" % budget_s, wait_s=_LAST_WORDS_S)
            said, stopped = self._listen(time.monotonic() + _PATIENCE * budget_s + _LAST_WORDS_S, signals)
        if not self._gone:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)  # it has said all it had to say, or never will
            with suppress(ChildProcessError):
                self.ended(os.wait4(self.pid, 0)[2])
        for fd in (self._tell, self._answers):
            os.close(fd)
        try:
            report: Report = json.loads(said)
        except ValueError:
            report = {"failed": "no process could be started for it" if self.pid < 0 else "it was stopped, or killed"}
        BUNDLE.learned.update(report.pop("modules", {}))
        if "failed" in report:
            read = int(struct.unpack("Q", self._progress[:8])[0])
            report["unread_bytes"] = max(0, size_bytes - read)
        return {**report, "stopped": stopped}

    def _wake(self) -> None:
        """It may have been stopped."""
        send([] if self._gone else [self.pid], signal.SIGCONT)

    def _listen(self, until_s: float, signals: Signals) -> tuple[bytes, bool]:
        said, stopped = b"", False
        while (left_s := until_s - time.monotonic()) > 0:
            self._wake()
            ready = select.select([self._answers, *signals.fds], [], [], min(left_s, _LOOK_AGAIN_S))[0]
            if self._answers in ready:
                content = os.read(self._answers, 1 << 16)
                if not content:
                    break
                said += content
            elif ready and self._is_asked_to_end(signals) and not stopped:
                stopped = True
                self._say(b"stop\n")
                until_s = min(until_s, time.monotonic() + _LAST_WORDS_S)
        return said, stopped

    @staticmethod
    def _is_asked_to_end(signals: Signals) -> bool:
        numbers = [number for number, _ in signals.read()]
        if signal.SIGTSTP in numbers:
            os.kill(os.getpid(), signal.SIGSTOP)
        return any(number in _ENDING for number in numbers)

    def _say(self, words: bytes, wait_s: float = 0.0) -> None:
        """If it cannot be notified now, the next notification covers it."""
        self._untold += words
        with suppress(OSError):  # it is gone, or busy
            if wait_s:
                select.select([], [self._tell], [], wait_s)
            self._untold = self._untold[os.write(self._tell, self._untold) :]


def start_reading(run: RunDir, node: tuple[str, int] | None, *, replaying: bool) -> Reading:
    """Fork it before a thread is started in here. Where there is no process left for it, the output is not read."""
    told, tell = os.pipe()
    answers, answer = os.pipe()
    progress = mmap.mmap(-1, 8)
    try:
        pid = os.fork()
    except OSError:
        pid = -1
    if pid == 0:
        try:
            _read_beside(run, node, told, answer, progress, replaying=replaying)
        except BaseException as problem:  # whatever goes wrong in here must not become a second recorder
            with suppress(OSError):
                os.write(answer, json.dumps({"failed": _trace(problem)}).encode("ascii"))
        finally:
            os._exit(1)
    for fd in (told, answer):
        os.close(fd)
    os.set_blocking(tell, False)
    return Reading(pid, tell, answers, progress)


def _read_beside(
    run: RunDir, node: tuple[str, int] | None, told: int, answer: int, progress: mmap.mmap, *, replaying: bool
) -> NoReturn:
    os.setsid()
    for number in (*_ENDING, signal.SIGTSTP, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    _die_with_the_recorder()
    close_all_but({told, answer})
    _limit_memory()
    log = os.open(run.output_log, os.O_RDONLY | os.O_CLOEXEC)  # now: the folder may be removed while the command runs
    select.select([told], [], [])  # a command that prints nothing pays for nothing beyond this
    from assay.recording.reading import OutputReader

    reader = OutputReader(log, _Writer(run, node), replaying=replaying)
    _give_up_long_lines(reader)
    commands = _Commands(told, reader)
    while commands.budget_s is None:
        commands.wait(reader.patience_s())
        if commands.budget_s is None and reader.patience_s() == 0:
            reader.turn()
            progress[:8] = struct.pack("Q", reader.read_bytes)
    reader.finish(commands.budget_s, commands.stopped)
    os.write(answer, json.dumps(_report(reader)).encode("ascii"))
    os._exit(0)


def _trace(problem: BaseException) -> str:
    import traceback

    return "".join(traceback.format_exception(problem))[-4000:]


def _report(reader: OutputReader) -> Report:
    repeated = reader.stream.repeated if reader.stream is not None else 0
    return {
        "unread_bytes": reader.unread_bytes,
        "unread_lines": reader.unread_lines,
        "repeated_lines": repeated,
        "events_left_out": reader.thinning.left_out,
        "events_kept": reader.thinning.kept,
        "problems": reader.faults[:16],
        "modules": BUNDLE.missing(),
    }


class _Commands:
    """What the recorder says, as it comes."""

    def __init__(self, fd: int, reader: OutputReader) -> None:
        self._fd, self._reader = fd, reader
        self._rest = b""
        self.budget_s: float | None = None
        self._stopped = False

    def wait(self, patience_s: float | None) -> None:
        if not select.select([self._fd], [], [], patience_s)[0]:
            return
        content = os.read(self._fd, 1 << 16)
        if not content:
            os._exit(0)  # the recorder is gone, and with it the command
        *lines, self._rest = (self._rest + content).split(b"\n")
        for line in lines:
            word, *values = line.split()
            if word == b"mark":
                self._reader.mark(int(values[0]), float(values[1]), float(values[2]))
            elif word == b"finish":
                self.budget_s = float(values[0])
            elif word == b"stop":
                self._stopped = True

    def stopped(self) -> bool:
        self.wait(0)
        return self._stopped


class _Writer:
    """A separate events file, made when there is something to write."""

    def __init__(self, run: RunDir, node: tuple[str, int] | None) -> None:
        self._run, self._node = run, node
        self._file: EventWriter | None = None

    def __call__(self, events: Sequence[Event]) -> int:
        try:
            if self._file is None:
                self._file = EventWriter(self._run.events, lambda text: None, self._node)
            return self._file.write_all(events)
        except OSError:  # the run's folder is gone, or full: the recorder reports that
            return 0


def _give_up_long_lines(reader: OutputReader) -> None:
    """A clock of computing time that interrupts a line it has met before: a search in text can be ended by a signal."""
    seen = -1

    def tick(number: int, frame: object) -> None:
        nonlocal seen
        if reader.stream is None:
            return
        from assay.readers.asking import TooLong  # it is loaded by now, with the first line

        asking = reader.stream.splitter.ask
        if asking.reader is None:
            return
        if asking.count == seen:
            if asking.lines_given_up == _FEW:
                signal.setitimer(signal.ITIMER_PROF, _NEXT_LINE_S, _NEXT_LINE_S)
            raise TooLong
        seen = asking.count

    signal.signal(signal.SIGPROF, tick)
    signal.setitimer(signal.ITIMER_PROF, _LINE_S, _LINE_S)


def _limit_memory() -> None:
    with suppress(OSError, ValueError, IndexError):
        with open("/proc/self/statm") as file:
            most = int(file.read().split()[0]) * resource.getpagesize() + _MEMORY_BYTES
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (most if hard < 0 else min(most, hard), hard))


def _die_with_the_recorder() -> None:
    """Even in the middle of a line."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, int(signal.SIGKILL), 0, 0, 0)  # PR_SET_PDEATHSIG
