"""Runs with a known warm-up: shapes of the rate, noise that follows itself, and pauses that nobody marked."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence

from assay.stats.steady import NEAR, steady
from assay.stats.welch import t_point
from assay.stats.within import within

#: the logarithm of the time of each step without its noise, and the step from which it is steady (None: never)
Shape = Callable[[random.Random, int], tuple[list[float], int | None]]
#: of a step; how far it resembles the one before; how many were logged
NOISE_SD, FOLLOWING, LENGTHS = 0.02, 0.5, (100, 400)
#: of the run: how near to the true step is found
WITHIN = 0.05


def step(draw: random.Random, n: int) -> tuple[list[float], int]:
    """Slower or faster by a tenth to a half, for up to half of the run."""
    size, at = draw.choice((-1, 1)) * draw.uniform(0.1, 0.6), int(n * draw.uniform(0.05, 0.5))
    return [size * (place < at) for place in range(n)], at


def fade(draw: random.Random, n: int) -> tuple[list[float], int]:
    """Exponential: steady from where the time of a step is `NEAR` to the later one."""
    size, pace = draw.uniform(0.3, 1.5), n * draw.uniform(0.01, 0.08)
    return [math.log1p(size * math.exp(-place / pace)) for place in range(n)], math.ceil(pace * math.log(size / NEAR))


def first(draw: random.Random, n: int) -> tuple[list[float], int]:
    """The first steps take 3 to 30 times as long."""
    slow, size = draw.randint(1, n // 20), math.log(draw.uniform(3, 30))
    return [size * (place < slow) for place in range(n)], slow


def twice(draw: random.Random, n: int) -> tuple[list[float], int]:
    at = int(n * draw.uniform(0.15, 0.4))
    return [0.5 if place < n // 10 else 0.15 * (place < at) for place in range(n)], at


def none(draw: random.Random, n: int) -> tuple[list[float], int]:
    return [0.0] * n, 0


def rising(draw: random.Random, n: int) -> tuple[list[float], None]:
    """The rate rises by a tenth to a half all through the run."""
    size = draw.uniform(0.1, 0.4)
    return [size * (1 - place / n) for place in range(n)], None


def late(draw: random.Random, n: int) -> tuple[list[float], None]:
    """Throttled in its last fifth."""
    size, at = draw.uniform(0.1, 0.5), int(0.8 * n)
    return [size * (place >= at) for place in range(n)], None


SHAPES: dict[str, Shape] = {
    "a step": step, "fading": fade, "slow first steps": first, "two steps": twice, "no warm-up": none,
    "rising to the end": rising, "throttled late": late,
}  # fmt: skip


def noise(draw: random.Random, n: int, sd: float = NOISE_SD, following: float = FOLLOWING) -> Iterator[float]:
    """Each step resembles the last, and one in fifty has a pause in it."""
    off = draw.gauss(0, 1)
    for _ in range(n):
        yield sd * off + (draw.uniform(0.5, 2) if draw.random() < 0.02 else 0.0)
        off = following * off + draw.gauss(0, math.sqrt(1 - following**2))


def run(draw: random.Random, shape: Shape, n: int) -> tuple[Sequence[float], int | None]:
    """The seconds of each step, and from which one on it is truly steady."""
    levels, truth = shape(draw, n)
    return [math.exp(level + off) for level, off in zip(levels, noise(draw, n), strict=True)], truth


def found_share(experiments: int, name: str, n: int) -> float:
    """How often the steady part is found within 5 % of the run; of runs without a warm-up, that none is left out."""
    right = 0
    for seed in range(experiments):
        seconds, truth = run(random.Random(f"{name} {n} {seed}"), SHAPES[name], n)
        answer = steady(seconds)
        begin = answer.begin if answer else None
        if begin is None or truth is None:
            right += begin is None and truth is None
        else:
            right += abs(begin - truth) <= (WITHIN if truth else 0.02) * n
    return right / experiments


def held_share(experiments: int, n: int, following: float) -> float:
    """How often the interval that a run's steps give holds its true rate."""
    held, sd = 0, 0.1
    for seed in range(experiments):
        draw, seconds = random.Random(f"held {n} {following} {seed}"), []
        off = draw.gauss(0, 1)
        for _ in range(n):
            seconds.append(math.exp(sd * off))
            off = following * off + draw.gauss(0, math.sqrt(1 - following**2))
        found = within([1.0] * n, seconds)
        assert found is not None
        held += abs(math.log(n / sum(seconds)) + sd**2 / 2) <= t_point(found.blocks - 1) * found.error
    return held / experiments
