"""Carry the child's output to where it was going and into the record, byte for byte, as fast as it comes."""

from __future__ import annotations

import errno
import os
import select
import time

from assay.run.reading import OutputReader
from assay.run.streams import Output
from assay.store.writer import Appender

_CHUNK_BYTES = 1 << 20
#: no finer dating of output than this
_DATED_EVERY_S = 0.01


class Record:
    """output.log and output.times: what was printed, and when. The reader behind it is told, too."""

    def __init__(self, log: Appender, times: Appender, reader: OutputReader) -> None:
        self._log, self._times, self._reader = log, times, reader
        self._dated_s = 0.0

    def keep(self, content: memoryview) -> None:
        now_s = time.monotonic()
        if now_s - self._dated_s >= _DATED_EVERY_S:
            self._dated_s = now_s
            self._times.append(b"%d %.6f\n" % (self._log.size, now_s))
            self._reader.mark(self._log.size, round(time.time(), 6), round(now_s, 6))
        self._log.append(content)


class Pump:
    """One output of the child. `copy` moves what is there; `open` turns False at its end."""

    def __init__(self, output: Output, record: Record | None) -> None:
        self.fd = output.read_fd
        self.open = True
        self.refused = False  # whoever read our output has gone: the child should learn it too
        self._to = output.write_fd
        self._record = record if output.recorded else None
        self._buffer = memoryview(bytearray(_CHUNK_BYTES))

    def copy(self) -> None:
        try:
            count = os.readv(self.fd, [self._buffer])
        except OSError:  # a pseudo-terminal ends with EIO
            count = 0
        if count == 0:
            self.open = False
            return
        content = self._buffer[:count]
        if self._record is not None:
            self._record.keep(content)
        if self._to is not None:
            self._pass_on(content)

    def drain(self) -> None:
        """What is there already, without waiting for more."""
        while self.open and select.select([self.fd], [], [], 0)[0]:
            self.copy()

    def close(self) -> None:
        self.open = False
        os.close(self.fd)

    def _pass_on(self, content: memoryview) -> None:
        assert self._to is not None
        while content:
            try:
                content = content[os.write(self._to, content) :]
            except BlockingIOError:  # someone shares our stdout and made it non-blocking
                select.select([], [self._to], [])
            except OSError as problem:
                self.refused = problem.errno == errno.EPIPE
                self._to = None
                return
