"""Carry the child's output to where it was going and into the record, byte for byte, as fast as it comes.

Nothing here ever waits: what cannot be passed on now is kept, and the child is read again once it is gone. So a reader
that pauses holds up the one stream it reads, as it would without us, and neither the other one nor a signal.
"""

from __future__ import annotations

import errno
import os
import selectors
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from assay.recording.keys import Keys
from assay.recording.sink import Sink
from assay.recording.streams import Output, packet_mode
from assay.recording.terminal import Terminal
from assay.store.writer import Appender

if TYPE_CHECKING:
    from assay.recording.plain import Pipe

_CHUNK_BYTES = 1 << 20
#: no finer dating of output than this
DATED_EVERY_S = 0.01
_MODES_CHANGED = 64  # TIOCPKT_IOCTL


class Record:
    """output.log and output.times: what was printed, and when. The reading process is notified."""

    def __init__(self, log: Appender, times: Appender, mark: Callable[[int, float, float], None]) -> None:
        self._log, self._times, self._mark = log, times, mark
        self._dated_s = 0.0

    def keep(self, content: memoryview) -> None:
        now_s = time.monotonic()
        if now_s - self._dated_s >= DATED_EVERY_S:
            self._dated_s = now_s
            self._times.append(b"%d %.6f\n" % (self._log.size, now_s))
            self._mark(self._log.size, round(time.time(), 6), round(now_s, 6))
        self._log.append(content)


class Pump:
    """One output of the child, between its end of the stream and where the stream goes."""

    def __init__(self, output: Output, record: Record, warn: Callable[[str], None]) -> None:
        self.fd = output.read_fd
        self.terminal = Terminal(output) if output.is_terminal else None
        self.keys: Keys | None = None  # for what reads them from this terminal
        self.open = True  # the child may still print
        self.failed = False  # something was lost on its way
        self.refused = False  # the reader of our output has gone: the child should notice
        self.moved_s = 0.0  # when the reader last took something
        self._record, self._warn = record, warn
        self._given_fd = output.write_fd
        self._sink = None if output.write_fd is None else Sink(output.write_fd)
        self._drained_bytes = 0
        self.packets = output.is_terminal and packet_mode(self.fd)
        self._buffer = memoryview(bytearray(_CHUNK_BYTES))
        self._pending = self._buffer[:0]
        self._selector: selectors.BaseSelector | None = None

    def join(self, selector: selectors.BaseSelector) -> None:
        self._selector = selector
        selector.register(self.fd, selectors.EVENT_READ, self)

    def turn(self) -> None:
        """Something can be read, or what is pending can be written."""
        if self._pending:
            self._pass_on(self._pending)
        else:
            self._read()

    @property
    def real_terminal(self) -> int:
        assert self._given_fd is not None
        return self._given_fd

    @property
    def relayed(self) -> bool:
        """Whether a thread writes for us, so that no selector sees when it is done."""
        return self._sink is not None and self._sink.relayed

    def drain(self) -> bool:
        """Pass on what has been printed already, as far as that can be done now. Whether there is more of it."""
        while self._pending or (self.open and self._drained_bytes < _CHUNK_BYTES):  # a pipe holds no more
            if self._pending:
                self._pass_on(self._pending)
                if self._pending:
                    return True
            elif not _readable(self.fd):
                break
            else:
                self._drained_bytes += self._read()
        self._leave()
        return self._sink is not None and not self._sink.is_through()

    def give_up(self) -> None:
        """Wait for the reader no longer: the rest goes into the record alone."""
        self._leave()
        self._sink, self._pending = None, self._pending[:0]
        self.drain()
        self._warn(
            "the end of the output is in the record alone: what reads it had paused when the run was asked to end"
        )

    def hand_over(self) -> Pipe:
        """Hand what is not yet delivered to the fallback loop."""
        from assay.recording.plain import Pipe  # seldom needed, and not worth its time at every start

        return Pipe(self.fd, self._sink, self.packets, bytes(self._pending))

    def close(self) -> None:
        """Let go of our end, so that the child meets a closed pipe as it would without us."""
        self._leave()
        if self.open:
            self.open = False
            os.close(self.fd)

    def _read(self) -> int:
        """How many bytes came."""
        try:
            count = os.readv(self.fd, [self._buffer])
        except BlockingIOError:
            return 0
        except OSError:  # a pseudo-terminal ends with EIO
            count = 0
        if count == 0:
            self.open = False
            self._leave()
            return 0
        content = self._buffer[:count]
        if self.packets:
            if content[0]:
                if content[0] & _MODES_CHANGED and self.terminal is not None:
                    self.terminal.follow()
                    if self.keys is not None and self._selector is not None:
                        self.keys.attend(self._selector)
                return 0
            content = content[1:]
        self._record.keep(content)
        if self._sink is not None:
            self._pass_on(content)
        return count

    def _pass_on(self, content: memoryview) -> None:
        """As much as can be written now; the rest waits, and with it the child."""
        had = bool(self._pending)
        try:
            while content and self._sink is not None:
                content = content[self._sink.write(content) :]
                self.moved_s = time.monotonic()
        except BlockingIOError:
            pass
        except OSError as problem:
            self._fail(problem)
            content = content[:0]
        self._pending = content
        if bool(content) != had and self.open:
            self._watch(writing=bool(content))

    def _fail(self, problem: OSError) -> None:
        self._sink = None
        if self.terminal is not None:
            return  # the terminal is gone, the command need not be
        self.refused = True
        if problem.errno != errno.EPIPE:
            self.failed = True
            self._warn(f"cannot pass the output on: {problem.strerror}; the command sees a closed pipe")

    def _watch(self, *, writing: bool) -> None:
        """Wait until one side can read or write."""
        if self._selector is None:
            return
        self._leave()
        if not writing:
            self._selector.register(self.fd, selectors.EVENT_READ, self)
        elif self._sink is not None and self._sink.waits:
            self._selector.register(self._sink.fd, selectors.EVENT_WRITE, self)

    def _leave(self) -> None:
        if self._selector is not None:
            for key in [key for key in self._selector.get_map().values() if key.data is self]:
                self._selector.unregister(key.fd)


def _readable(fd: int) -> bool:
    with selectors.DefaultSelector() as waiting:
        waiting.register(fd, selectors.EVENT_READ)
        return bool(waiting.select(0))
