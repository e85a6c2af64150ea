"""torchtune's log on disk.

    Step 2 | loss:1.7055 lr:2e-05 tokens_per_second_per_gpu:1311.25 peak_memory_active:12.5 peak_memory_alloc:12.25

The trap: memory is in GiB, and does not say so.
"""

from __future__ import annotations

import re

from assay.readers.sizes import FACTORS, PEAK
from assay.readers.told import Dialect

_STEP = re.compile(r"Step \d+ \| .{0,400}tokens_per_second_per_gpu:")
_GIB = FACTORS["g"]

DIALECTS = (
    Dialect(
        "tokens_per_second_per_gpu:",
        _STEP,
        {"peak_memory_active": (PEAK, _GIB), "peak_memory_alloc": ("", 1.0), "peak_memory_reserved": ("", 1.0)},
    ),
)
