"""How well one run knows its own mean rate: a block bootstrap over its steps, since steps resemble those before them.

It resamples blocks of neighbouring intervals, wrapped round at the end. For a mean, the spread of all such resamples
follows from the blocks themselves, so none is drawn: the answer is that of endlessly many, and always the same.
Another run may differ by more, since it has another placement, another neighbour, another day: this is the least.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

#: with fewer blocks than these, nothing is said
_FEWEST_BLOCKS = 5


@dataclass(frozen=True, kw_only=True)
class Within:
    """`error` is the standard error of the rate as a share of it, known from so many `blocks`."""

    error: float
    blocks: int


def within(counts: Sequence[float], seconds: Sequence[float]) -> Within | None:
    """Of all counts over all seconds; None where there are too few intervals to tell."""
    size = len(counts)
    if size < 2 * _FEWEST_BLOCKS or sum(counts) <= 0 or sum(seconds) <= 0:
        return None
    # by how much each interval moves the logarithm of the rate
    moves = [size * (count / sum(counts) - one / sum(seconds)) for count, one in zip(counts, seconds, strict=True)]
    length = min(_length(moves), size // _FEWEST_BLOCKS)
    sums = [0.0, *accumulate([*moves, *moves[:length]])]
    square = sum((sums[at + length] - sums[at]) ** 2 for at in range(size)) / (size * length * length)
    # blocks of a series hold less of its spread than the series does
    error = math.sqrt(square * length / (size - length))
    return Within(error=error, blocks=size // length)


def _length(moves: Sequence[float]) -> int:
    """Of a block, by how far an interval resembles the one before: Carlstein's rule, never below the cube root."""
    squares = sum(one * one for one in moves)
    following = sum(a * b for a, b in pairwise(moves)) / squares if squares else 0.0
    following = min(0.9, max(0.0, following))
    longer = math.pow(math.sqrt(6) * following / (1 - following * following), 2 / 3)
    return math.ceil(max(1.0, longer) * math.pow(len(moves), 1 / 3))
