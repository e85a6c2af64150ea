"""ezpz and wordplay, which print their figures behind a bar.

     99%|█████████▉| 99/100 [00:13<00:00, 12.82it/s][2024-04-02 01:59:54][INFO][trainer:837] - step=100 loss=2.4075
        dt=55.9236 dtf=4.5000 dtb=48.7769 sps=143.0523 mtps=2.3438 mfu=4.7081 train_loss=4.2922 val_loss=4.2905

The trap: `mtps` are millions, `mfu` is in per cent and -100 where there is none yet, `sps` counts batches and not
samples, and `train_loss` is that of an evaluation before the first step.
"""

from __future__ import annotations

import re

from assay.readers.told import Dialect, Form

_STEP = re.compile(r"\bsps=[\d.]+ mtps=[\d.]+")

FORMS: tuple[Form, ...] = ()
DIALECTS = (
    Dialect(
        "mtps=",
        _STEP,
        {
            "mtps": ("tokens_per_s", 1e6),
            "mfu": ("mfu", 0.01),
            "sps": ("batches_per_s", 1.0),
            "dt": ("step_ms", 1.0),
            "train_loss": ("eval_train_loss", 1.0),
        },
    ),
)
