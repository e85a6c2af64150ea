"""The shapes of a kernel that are tried on the machine it first runs on; the fastest stays."""

from __future__ import annotations

import os
from typing import Any

import triton
import triton.language as tl

#: Triton's interpreter knows no instructions, and has no clock
COMPILED = tl.constexpr(os.environ.get("TRITON_INTERPRET") != "1")


def tried(*choices: tuple[dict[str, int], int] | tuple[dict[str, int], int, int]) -> Any:
    """A decorator that picks among (block sizes, warps[, most registers]), again for each value of its key.

    The number of rows belongs to a key: the last layer has fewer. Triton's interpreter takes the first choice.
    """
    if not COMPILED.value:
        choices = choices[:1]
    configs = [
        triton.Config(choice[0], num_warps=choice[1], maxnreg=choice[2] if len(choice) == 3 else None)
        for choice in choices
    ]
    return lambda key: triton.autotune(configs=configs, key=key)
