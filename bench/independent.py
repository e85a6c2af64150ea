"""Our statistics beside those of scipy and statsmodels, on random sets: the largest disagreement of each.

    python bench/independent.py --sets 200

The two were written by others for others; where both answer a question that we answer, the figures must be the same.
"""

from __future__ import annotations

import argparse
import math
import random
from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np
from scipy import special, stats
from table import row

from assay.comparing.figures import figure
from assay.comparing.judged import p_within
from assay.comparing.margins import Amount
from assay.stats import LINEAR, LOG, LOGIT, Estimate, describe_on, difference, holm, mean, power
from assay.stats.family import family
from assay.stats.ranges import p_of_range

MOST = 1e-6


def sample(draw: random.Random, n: int, middle: float = 100.0, sd: float | None = None) -> list[float]:
    spread = draw.uniform(0.5, 5) if sd is None else sd
    return [draw.gauss(middle, spread) for _ in range(n)]


def welch(draw: random.Random) -> Iterator[float]:
    a, b = (sample(draw, draw.randint(4, 12), draw.uniform(98, 102)) for _ in "ab")
    ours, theirs = difference(a, b), stats.ttest_ind(a, b, equal_var=False)
    ends = theirs.confidence_interval(0.95)
    yield from (abs((ours.p or 0) - theirs.pvalue), abs((ours.low or 0) - ends.low), abs((ours.high or 0) - ends.high))


def holms(draw: random.Random) -> Iterator[float]:
    from statsmodels.stats.multitest import multipletests

    ps = [draw.random() ** 3 for _ in range(draw.randint(1, 20))]
    theirs = multipletests(ps, method="holm")[1]
    yield from (abs((ours or 0) - other) for ours, other in zip(holm(ps), theirs, strict=True))


def equivalence(draw: random.Random) -> Iterator[float]:
    from statsmodels.stats.weightstats import ttost_ind

    a, b = (sample(draw, draw.randint(4, 12), 100.0, 1.0) for _ in "ab")
    found, size = difference(a, b), draw.uniform(0.5, 3)
    estimate = Estimate(delta=found.delta, error=found.error or 0.0, freedom=found.freedom)
    ours = p_within(figure("loss"), LINEAR, [estimate], Amount(value=size, relative=False), 100.0)
    yield abs(ours - ttost_ind(a, b, -size, size, usevar="unequal")[0])


def least_squares(draw: random.Random) -> Iterator[float]:
    """Pairs of groups in rounds, under a drift, and with neither."""
    from statsmodels.regression.linear_model import OLS

    k, n = draw.randint(3, 6), 3
    samples = [sample(draw, n, draw.uniform(98, 102), 1.0) for _ in range(k)]
    groups = np.repeat(np.eye(k), n, axis=0)
    rounds = np.tile(np.eye(n)[:, 1:], (k, 1))
    times = [[float(place) for place in draw.sample(range(k * n), n)] for _ in range(k)]
    order = np.array(times).reshape(-1, 1)
    for more, options in (
        (np.empty((k * n, 0)), {}),
        (rounds, {"rounds": [list(range(n))] * k}),
        (order - order.mean(), {"order": times}),
    ):
        found = family(samples, **options)  # type: ignore[arg-type]
        if found is None or found.own:
            continue
        fit = OLS(np.concatenate(samples), np.hstack([groups, more])).fit()
        for i, j in combinations(range(k), 2):
            contrast = np.zeros(fit.params.shape)
            contrast[[i, j]] = 1, -1
            theirs, ours = fit.t_test(contrast), found.pair(i, j)
            yield abs(ours.p - float(theirs.pvalue))
            low, high = theirs.conf_int()[0]
            yield max(abs(ours.low - low), abs(ours.high - high))


def tukey(draw: random.Random) -> Iterator[float]:
    """Of the two groups that lie furthest apart, closed testing is Tukey's test of all."""
    k = draw.randint(3, 6)
    samples = [sample(draw, 3, draw.uniform(98, 102), 1.0) for _ in range(k)]
    found = family(samples)
    if found is None or found.own:
        return
    i, j = max(combinations(range(k), 2), key=lambda pair: abs(mean(samples[pair[0]]) - mean(samples[pair[1]])))
    yield abs(found.pair(i, j).p_family - float(stats.tukey_hsd(*samples).pvalue[i, j]))


def ranges(draw: random.Random) -> Iterator[float]:
    t, k, freedom = draw.uniform(0.5, 5), draw.randint(2, 8), draw.randint(2, 40)
    yield abs(p_of_range(t, [k], freedom) - float(stats.studentized_range.sf(math.sqrt(2) * t, k, freedom)))


def intervals(draw: random.Random) -> Iterator[float]:
    """Of middles on the logarithm and on the logit, relative to their size."""
    n = draw.randint(2, 12)
    for scale, values, to, back in (
        (LOG, [draw.lognormvariate(3, 0.3) for _ in range(n)], np.log, np.exp),
        (LOGIT, [draw.betavariate(20, 2) for _ in range(n)], special.logit, special.expit),
    ):
        ours, on = describe_on(scale, values), to(np.array(values))
        low, high = back(np.array(stats.t.interval(0.95, n - 1, loc=on.mean(), scale=stats.sem(on))))
        if ours.low is not None and ours.high is not None and low <= np.mean(values) <= high:
            yield max(abs(ours.low / low - 1), abs(ours.high / high - 1))


def powers(draw: random.Random) -> Iterator[float]:
    n, delta, sd = draw.randint(2, 30), draw.uniform(0.1, 3), draw.uniform(0.5, 2)
    freedom, shift = 2 * n * (n - 1) / (n + 1), delta / sd / math.sqrt(2 / n)
    limit = stats.t.ppf(0.975, freedom)
    theirs = stats.nct.sf(limit, freedom, shift) + stats.nct.cdf(-limit, freedom, shift)
    yield abs(power(delta, sd, n) - float(theirs))


CHECKS: dict[str, Callable[[random.Random], Iterator[float]]] = {
    "Welch's test and interval (scipy)": welch,
    "Holm's correction (statsmodels)": holms,
    "two one-sided tests (statsmodels)": equivalence,
    "pairs in rounds and under drift (statsmodels)": least_squares,
    "Tukey's test (scipy)": tukey,
    "the studentized range (scipy)": ranges,
    "intervals on log and logit (scipy)": intervals,
    "power (scipy)": powers,
}


def disagreement(name: str, sets: int) -> float:
    """The largest over so many random sets."""
    draw = random.Random(name)
    return max((off for _ in range(sets) for off in CHECKS[name](draw)), default=math.nan)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=200)
    sets = parser.parse_args().sets
    for name in CHECKS:
        try:
            worst = disagreement(name, sets)
        except ModuleNotFoundError as problem:
            row(f"beside {name}", f"not compared: {problem.name} is not installed", None)
            continue
        row(f"beside {name}", f"{sets} sets, at most {worst:.1g} apart", worst <= MOST)


if __name__ == "__main__":
    main()
