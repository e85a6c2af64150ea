"""Statistics judged by simulation: drawn from known distributions with fixed seeds, so that a wrong formula shows."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as some

from assay.stats import (
    MOST_REPEATS,
    describe,
    difference,
    holm,
    pooled_sd,
    power,
    ratio,
    repeats_needed,
)

ROUNDS = 2000


def pairs(seed: int, *, n: tuple[int, int], means: tuple[float, float], sds: tuple[float, float]) -> Iterator:
    """`ROUNDS` pairs of samples."""
    draw = random.Random(seed)
    for _ in range(ROUNDS):
        yield tuple([draw.gauss(mean, sd) for _ in range(count)] for count, mean, sd in zip(n, means, sds, strict=True))


def share(found: Iterator[bool]) -> float:
    return sum(found) / ROUNDS


@pytest.mark.parametrize("n", [(2, 2), (3, 3), (6, 6), (2, 10), (3, 10), (5, 10), (1, 5)])
@pytest.mark.parametrize("sd", [0.02, 5.0])
def test_no_difference_is_called_different_in_at_most_6_per_cent(n: tuple[int, int], sd: float) -> None:
    assert share(difference(a, b).different for a, b in pairs(1, n=n, means=(50, 50), sds=(sd, sd))) <= 0.06


@pytest.mark.parametrize("n", [(3, 3), (6, 6), (10, 10)])
@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: rng.lognormvariate(0, 0.5),  # skewed, as times on a shared machine are
        lambda rng: 100 + rng.expovariate(1),
        lambda rng: rng.gauss(0, 10 if rng.random() < 0.1 else 1),  # now and then an outlier
    ],
    ids=["lognormal", "exponential", "outliers"],
)
def test_skew_and_outliers_do_not_make_differences(draw: Callable[[random.Random], float], n: tuple[int, int]) -> None:
    rng = random.Random(11)
    tests = (difference([draw(rng) for _ in range(n[0])], [draw(rng) for _ in range(n[1])]) for _ in range(ROUNDS))
    assert share(test.different for test in tests) <= 0.06


def test_unequal_spreads_do_not_make_differences() -> None:
    assert share(difference(a, b).different for a, b in pairs(2, n=(4, 12), means=(9, 9), sds=(3, 0.5))) <= 0.06


def test_two_standard_deviations_are_seen_with_six_runs_each() -> None:
    seen = share(difference(a, b).different for a, b in pairs(3, n=(6, 6), means=(12, 10), sds=(1, 1)))
    assert seen >= 0.82
    assert seen == pytest.approx(power(2, 1, 6), abs=0.03)


@pytest.mark.parametrize("n", [2, 5, 20])
def test_the_interval_of_a_mean_covers_it(n: int) -> None:
    covered = 0
    for sample, _ in pairs(4, n=(n, 1), means=(7, 0), sds=(2, 1)):
        spread = describe(sample)
        covered += spread.low <= 7 <= spread.high
    assert 0.93 <= covered / ROUNDS <= 0.97


@pytest.mark.parametrize(("n", "sds"), [((6, 6), (1, 1)), ((5, 8), (2, 0.5)), ((4, 20), (1, 3)), ((1, 6), (1, 1))])
def test_the_interval_of_a_difference_covers_it(n: tuple[int, int], sds: tuple[float, float]) -> None:
    covered = 0
    for a, b in pairs(5, n=n, means=(12, 10), sds=sds):
        found = difference(a, b)
        covered += found.low <= 2 <= found.high
    assert 0.93 <= covered / ROUNDS <= 0.97


@pytest.mark.parametrize(
    ("n", "means", "sds"),
    [((6, 6), (2.3, 1), (0.1, 0.02)), ((5, 5), (1, 1), (0.05, 0.05)), ((6, 6), (1.5, 1), (0.45, 0.3)),
     ((1, 6), (2, 1), (0.1, 0.05))],
)  # fmt: skip
def test_the_interval_of_a_ratio_covers_it(n: tuple, means: tuple, sds: tuple) -> None:
    covered = 0
    for a, b in pairs(6, n=n, means=means, sds=sds):
        found = ratio(a, b)
        covered += found.low is None or found.low <= means[0] / means[1] <= found.high
    assert 0.93 <= covered / ROUNDS <= 0.97


def test_a_ratio_excludes_1_exactly_where_the_difference_is_significant() -> None:
    for a, b in pairs(7, n=(3, 4), means=(11, 10), sds=(0.7, 0.4)):
        interval = ratio(a, b)
        assert (not interval.low <= 1 <= interval.high) == (interval.p < 0.05)
        assert interval.low > 0


def test_many_comparisons_rarely_make_a_difference_out_of_nothing() -> None:
    draw, wrong = random.Random(8), 0
    for _ in range(600):
        groups = [[draw.gauss(5, 1) for _ in range(5)] for _ in range(7)]
        corrected = holm([difference(group, groups[0]).p for group in groups[1:]])
        wrong += any(p is not None and p < 0.05 for p in corrected)
    assert wrong / 600 <= 0.06


def test_holm_agrees_with_a_case_worked_by_hand() -> None:
    assert holm([0.01, None, 0.04, 0.03, 0.005]) == [pytest.approx(0.03), None, 0.06, 0.06, pytest.approx(0.02)]
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_the_number_of_repeats_gives_the_power_that_was_asked() -> None:
    certain = (1.0, 100_000)  # a spread that is known
    needed = repeats_needed(1.0, certain)
    assert needed == 17  # as Cohen's table says for d = 1, 80 %, two-sided
    seen = share(difference(a, b).different for a, b in pairs(9, n=(needed, needed), means=(6, 5), sds=(1, 1)))
    assert 0.77 <= seen <= 0.84
    assert repeats_needed(100.0, certain) == 2
    assert repeats_needed(1e-6, certain) is None
    assert repeats_needed(0.0, certain) is None
    assert power(1.0, 1.0, MOST_REPEATS) == pytest.approx(1.0)


def test_the_number_of_repeats_is_enough_though_a_few_runs_tell_the_spread() -> None:
    reached = []
    for a, b in itertools.islice(pairs(11, n=(3, 3), means=(5, 5), sds=(1, 1)), 300):
        needed = repeats_needed(1.0, pooled_sd([a, b])) or MOST_REPEATS
        reached.append(power(1.0, 1.0, needed))
    assert 0.8 <= sum(reached) / len(reached) <= 0.95


def test_welch_agrees_with_scipy() -> None:
    from scipy.stats import ttest_ind

    a, b = [12.1, 11.8, 12.9, 12.0], [10.0, 10.4, 9.1, 10.2, 10.9]
    theirs = ttest_ind(a, b, equal_var=False)
    ours = difference(a, b)
    assert ours.p == pytest.approx(theirs.pvalue)
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs.confidence_interval()))


def test_one_run_each_tells_nothing() -> None:
    found = difference([3.0], [2.0])
    assert (found.delta, found.low, found.p, found.different) == (1.0, None, None, None)
    assert ratio([3.0], [2.0]).value == 1.5
    assert ratio([3.0], [2.0]).low is None
    spread = describe([3.0])
    assert (spread.n, spread.mean, spread.sd, spread.low) == (1, 3.0, None, None)


def test_a_single_run_beside_repeats_is_said_to_borrow_their_spread() -> None:
    assert difference([30.0], [10.0, 10.1, 9.9]).assumed
    assert difference([30.0], [10.0, 10.1, 9.9]).different
    assert not difference([10.15], [10.0, 10.1, 9.9]).different
    assert not difference([10.0, 9.0], [1.0, 1.1]).assumed


def test_two_single_runs_are_judged_by_a_spread_known_from_elsewhere() -> None:
    known = (0.53, 30)
    assert difference([98.58], [97.13], known=known).different is False
    assert difference([98.58], [90.0], known=known).different is True
    assert difference([98.58], [97.13], known=known).assumed
    wrong = share(
        difference(a, b, known=(1.0, 400)).different for a, b in pairs(10, n=(1, 1), means=(5, 5), sds=(1, 1))
    )
    assert wrong <= 0.06


def test_repeats_that_are_all_the_same_tell_nothing() -> None:
    assert difference([0.1, 0.1, 0.1], [0.2, 0.2, 0.2]).different is None
    assert describe([0.1, 0.1, 0.1]).sd == 0.0
    assert difference([0.1, 0.1, 0.1], [0.2, 0.21, 0.2]).different is True


def test_a_ratio_over_what_may_be_zero_has_no_interval() -> None:
    found = ratio([1.0, 1.1, 0.9], [-0.1, 0.2, 0.05])
    assert found.low is None
    assert found.p is not None
    assert math.isnan(ratio([1.0, 2.0], [0.0, 0.0]).value)


def test_nothing_on_one_side_has_a_ratio_of_exactly_nothing() -> None:
    found = ratio([0.0, 0.0], [4096.0, 8192.0])
    assert (found.value, found.low, found.high) in ((0.0, 0.0, 0.0), (0.0, None, None))
    assert ratio([0.0, 0.0, 0.0], [10.0, 10.1, 9.9]).p < 0.001


@pytest.mark.parametrize("size", [1e-160, 1e-300, 1e150, 1e300])
def test_figures_of_any_size_are_compared_alike(size: float) -> None:
    found = ratio([3 * size, 3.1 * size], [1 * size, 1.05 * size])
    plain = ratio([3, 3.1], [1, 1.05])
    assert found.value == pytest.approx(plain.value)


@given(
    some.lists(
        some.floats(allow_nan=False, allow_infinity=False, min_value=-1e307, max_value=1e307), min_size=1, max_size=4
    ),
    some.lists(
        some.floats(allow_nan=False, allow_infinity=False, min_value=-1e307, max_value=1e307), min_size=1, max_size=4
    ),
)
def test_no_figures_whatever_stop_a_comparison(a: list[float], b: list[float]) -> None:
    assert math.isfinite(difference(a, b).delta) and describe(a).n == len(a)
    found = ratio(a, b)
    assert found.low is None or found.high is None or found.low <= found.high


def test_the_spread_of_several_groups_is_pooled_by_their_degrees_of_freedom() -> None:
    assert pooled_sd([[1.0], [2.0]]) is None
    sd, freedom = pooled_sd([[1.0, 3.0], [5.0], [0.0, 0.0, 3.0]])
    assert freedom == 3
    assert sd == pytest.approx(math.sqrt((2 + 6) / 3))
