"""Accuracies, whose intervals may not pass 0 or 1, and repeats that end when an interval is narrow: what they hold."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

from assay.comparing.figures import figure
from assay.comparing.groups import Group
from assay.comparing.judged import scale_of
from assay.comparing.pairs import Pairs
from assay.comparing.rows import Row
from assay.model.summary import Summary
from assay.stats import LOG, Estimate, describe_on, difference
from assay.stats.enough import FIRST_LOOK, gain, half_width, half_width_between

COUNTS = (2, 3, 5, 10)
#: scatter of a run over the width that is asked for
SCATTERS = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0)
_MOST_RUNS = 400


def _share(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))


def logits(draw: random.Random, middle: float) -> float:
    """Scattering evenly on the logit: near 1 as little as accuracies do."""
    return _share(math.log(middle / (1 - middle)) + draw.gauss(0, 0.3))


def evenly(draw: random.Random, middle: float) -> float:
    """Scattering by a tenth of the way to 1, as it is."""
    return draw.gauss(middle, (1 - middle) / 10)


def images(draw: random.Random, middle: float) -> float:
    """So many of 1,000 test images: all a run differs by is which ones it knows."""
    return round(min(1000.0, max(0.0, draw.gauss(1000 * middle, math.sqrt(1000 * middle * (1 - middle)))))) / 1000


SHAPES: dict[str, Callable[[random.Random, float], float]] = {
    "even on the logit": logits,
    "normal": evenly,
    "of 1,000 images": images,
}
#: of the groups: two that are equal, and one that is not
MIDDLES = (0.99, 0.97, 0.97)


def bounded(experiments: int, shape: str, n: int) -> tuple[float, float, bool]:
    """Shares of the intervals of means and of differences that hold the truth, and whether all were possible."""
    draw, make = random.Random(f"{shape} {n}"), SHAPES[shape]
    of_means, of_pairs, possible = [], [], True
    summary, one = Summary.of({"id": "a", "name": "a", "status": "completed", "system": "cpu"}), figure("accuracy")
    for _ in range(experiments):
        samples = [[make(draw, middle) for _ in range(n)] for middle in MIDDLES]
        groups = [
            Group(key=(place,), label="", rows=[Row(summary=summary, settings={}, figures={"accuracy": value})
                                               for value in values])
            for place, values in enumerate(samples)
        ]  # fmt: skip
        pairs = Pairs(figure=one, groups=groups)
        for values, middle in zip(samples, MIDDLES, strict=True):
            spread = describe_on(scale_of(one, [values]), values)
            assert spread.low is not None and spread.high is not None
            of_means.append(spread.low <= middle <= spread.high)
            possible &= spread.low >= 0 and spread.high <= 1
        for i, j in ((0, 1), (0, 2), (1, 2)):
            found = pairs.judged(groups[i], groups[j]).difference
            if found.low is not None and found.high is not None:
                of_pairs.append(found.low <= MIDDLES[i] - MIDDLES[j] <= found.high)
                possible &= found.low >= -1 and found.high <= 1
    return sum(of_means) / len(of_means), sum(of_pairs) / len(of_pairs), possible


def until(experiments: int, scatter: float, wanted: float = 0.01) -> tuple[float, float, float]:
    """The share that holds the truth, the share that got as narrow as asked for, and the mean number of runs."""
    draw, held, narrow, runs = random.Random(f"until {scatter}"), 0, 0, 0
    for _ in range(experiments):
        logs = [draw.gauss(0, scatter * wanted) for _ in range(FIRST_LOOK)]
        while (half := half_width(LOG, list(map(math.exp, logs)), relative=True) or 0.0) > wanted:
            if len(logs) == _MOST_RUNS:
                break
            logs.append(draw.gauss(0, scatter * wanted))
        held += abs(math.fsum(logs) / len(logs)) <= math.log1p(half)
        narrow += half <= wanted
        runs += len(logs)
    return held / experiments, narrow / experiments, runs / experiments


def until_apart(experiments: int, scatter: float, wanted: float = 0.01) -> tuple[float, float]:
    """Of two settings, the second scattering twice as widely: the share that holds the truth, and the mean of runs."""
    draw, held, runs = random.Random(f"apart {scatter}"), 0, 0
    sds = scatter * wanted, 2 * scatter * wanted
    for _ in range(experiments):
        a, b = ([math.exp(draw.gauss(0, sd)) for _ in range(FIRST_LOOK)] for sd in sds)
        while True:
            found = difference(list(map(math.log, a)), list(map(math.log, b)))
            estimate = Estimate(delta=found.delta, error=found.error or 0.0, freedom=found.freedom)
            half = half_width_between(LOG, [estimate], 1.0, relative=True)
            if half <= wanted or len(a) + len(b) >= _MOST_RUNS:
                break
            more, sd = (a, sds[0]) if gain(LOG, a) > gain(LOG, b) else (b, sds[1])
            more.append(math.exp(draw.gauss(0, sd)))
        held += abs(found.delta) <= math.log1p(half)
        runs += len(a) + len(b)
    return held / experiments, runs / experiments
