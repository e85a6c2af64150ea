"""DeepSpeed's own lines, which it prints beside those of the program that uses it.

    [2022-08-29 06:58:56,121] [INFO] [logging.py:68:log_dist] [Rank 0] step=20, skipped=17, lr=[5e-05], mom=[(0.9, …)]
    [2022-08-29 06:58:56,176] [INFO] [timer.py:198:stop] 0/20, RunningAvgSamplesPerSec=232.73, CurrSamplesPerSec=227.48,
        MemAllocated=0.36GB, MaxMemAllocated=15.06GB
    … epoch=0/micro_step=199/global_step=199, RunningAvgSamplesPerSec=58.73, …                            (since 2023)

The trap: its epoch is 0 unless someone tells it another, so it says nothing.
"""

from __future__ import annotations

import re

from assay.readers.told import Dialect, Form, Told
from assay.reading.reader import figure

_STEP = re.compile(r"step=(?P<step>\d+), skipped=(?P<skipped>\d+), lr=\[(?P<lr>[-+.\deE]+)")
_TIMER = re.compile(r"RunningAvgSamplesPerSec=|CurrSamplesPerSec=")


def _step(found: re.Match[str]) -> Told:
    return Told(facts={"step": int(found["step"]), "lr": figure(found["lr"]), "skipped_steps": int(found["skipped"])})


FORMS = (Form("skipped=", _STEP, _step),)
DIALECTS = (Dialect("SamplesPerSec=", _TIMER, {"epoch": ("", 1.0)}),)
