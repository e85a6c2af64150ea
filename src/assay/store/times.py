"""When each part of a recorded output came, by output.times."""

from __future__ import annotations

import re

from assay.store.files import try_read
from assay.store.layout import RunDir

_MARK = re.compile(rb"(?m)^([0-9]{1,18}) ([0-9]{1,18}(?:\.[0-9]{1,18})?)$")


def arrivals(run: RunDir) -> list[tuple[int, float]]:
    """(offset, the recorder's monotonic clock) of each part, in order."""
    content = try_read(run.path, run.output_times.name) or b""
    return [(int(offset), float(mono)) for offset, mono in _MARK.findall(content)]
