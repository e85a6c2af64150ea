"""Print a saved log again, at its own pace: `python -m assay.recording.replay LOG SPEED`.

The child of `assay run --replay`: everything between it and the summary is what a real run goes through.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable

from assay.core.dates import moment


def replay(
    log: str, speed: float, write: Callable[[bytes], object], wait: Callable[[float], None] = time.sleep
) -> None:
    """Lines come as far apart as their dates are, divided by `speed`; at 0 all at once. Undated ones follow at once."""
    last_t: float | None = None
    with open(log, "rb") as file:
        if speed == 0:
            while block := file.read(1 << 20):
                write(block)
            return
        for line in file:
            t = moment(line.decode("utf-8", "replace")[:4000])
            if t is not None:
                if last_t is not None and t > last_t:
                    wait((t - last_t) / speed)
                last_t = t
            write(line)


def _write(content: bytes) -> None:
    while content:
        content = content[os.write(1, content) :]


if __name__ == "__main__":
    try:
        replay(sys.argv[1], float(sys.argv[2]), _write)
    except (BrokenPipeError, KeyboardInterrupt):
        sys.exit(141)
