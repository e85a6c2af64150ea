"""Where the lines of a long log stand: its line ends are counted once, however many ask for however many lines."""

from __future__ import annotations

import threading
import time
from bisect import bisect_left

from assay.store.files import kept_file, try_open
from assay.store.layout import RunDir

#: so many bytes between two marks
STEP = 1 << 20


class Places:
    """`marks[k]` is the number of line ends before byte `k * STEP`. May be asked from any thread."""

    def __init__(self, run: RunDir) -> None:
        self._run = run
        self._lock = threading.Lock()
        self.marks = [0]

    @property
    def share(self) -> float:
        """Of the log, how much is counted."""
        kept = kept_file(self._run.path, self._run.output_log.name)
        return min(1.0, len(self.marks) * STEP / kept.size_bytes) if kept and kept.size_bytes else 1.0

    def before(self, ends: int, patience_s: float) -> tuple[int, int] | None:
        """(a byte before the `ends`-th line end, line ends before that byte); None where they are not counted yet."""
        if not self._count(ends, time.monotonic() + patience_s):
            return None
        at = max(0, bisect_left(self.marks, ends) - 1)
        return at * STEP, self.marks[at]

    def _count(self, ends: int, until_s: float) -> bool:
        if not self._lock.acquire(timeout=max(0.0, until_s - time.monotonic())):
            return False  # someone else counts
        try:
            file = try_open(self._run.path, self._run.output_log.name)
            if file is None:
                return True
            with file:
                file.seek(0, 2)
                if file.tell() < (len(self.marks) - 1) * STEP:
                    self.marks = [0]  # it is another log by now
                file.seek((len(self.marks) - 1) * STEP)
                while self.marks[-1] < ends:
                    block = file.read(STEP)
                    if len(block) < STEP:
                        return True
                    self.marks.append(self.marks[-1] + block.count(b"\n"))
                    if time.monotonic() > until_s:
                        return False
            return True
        finally:
            self._lock.release()
