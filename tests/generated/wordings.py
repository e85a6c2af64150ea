"""The sentences: many ways in which students and researchers say the same thing, by voice.

Fields: `{fig}` what the figure is of, `{val}` its value, `{w}` "with a batch size of 16", `{run}` "batch size 16", `{a}` and
`{b}` two runs, `{va}` `{vb}` their figures, `{f}` a factor ("1.5x", "1.5 times"), `{p}` a percentage, `{n}` a count,
`{more}` `{less}` "larger batches" "smaller batches", `{set}` "batch size", `{best}` "the fastest", `{comp}` "faster".
"""

from __future__ import annotations

from .voices import VOICES, Table, adorned, filled, of_work, pick
from .wordings_changes import (
    COMPARED,
    EFFECT,
    EFFECT_REVERSED,
    FACTOR,
    FROM_TO,
    NO_EFFECT,
    NOISE_ADMITTED,
    NOISE_CLAIMED,
    PERCENT,
    RANKING,
    TOTAL,
)
from .wordings_lists import (
    BUDGET_FALSE,
    BUDGET_TRUE,
    DIFFERENCE,
    LINEAR_FALSE,
    LINEAR_TRUE,
    LISTED,
    MULTIPLE,
    NOISE_SPEED_ADMITTED,
    NOISE_SPEED_CLAIMED,
    ORDINALS,
)
from .wordings_results import AVERAGE, FAILED_TRUE, RESULT_HERE, RESULT_OF, SET_HERE

__all__ = [
    "AVERAGE",
    "BUDGET_FALSE",
    "BUDGET_TRUE",
    "COMPARED",
    "DIFFERENCE",
    "EFFECT",
    "EFFECT_REVERSED",
    "FACTOR",
    "FAILED_TRUE",
    "FROM_TO",
    "LINEAR_FALSE",
    "LINEAR_TRUE",
    "LISTED",
    "MULTIPLE",
    "NOISE_ADMITTED",
    "NOISE_CLAIMED",
    "NOISE_SPEED_ADMITTED",
    "NOISE_SPEED_CLAIMED",
    "NO_EFFECT",
    "ORDINALS",
    "PERCENT",
    "RANKING",
    "RESULT_HERE",
    "RESULT_OF",
    "SET_HERE",
    "TOTAL",
    "VOICES",
    "Table",
    "adorned",
    "filled",
    "of_work",
    "pick",
]
