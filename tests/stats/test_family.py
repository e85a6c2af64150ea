"""All pairs of several groups, judged together."""

from __future__ import annotations

import math
import random

import pytest

from assay.stats.family import family
from assay.stats.ranges import p_of_range

ROUNDS = 300


def wrong_share(n: int, k: int, *, rounds: bool = False, widest: float = 1.0, seed: int = 1) -> float:
    """How often some pair of groups that are all equal is called different."""
    draw, wrong = random.Random(seed), 0
    for _ in range(ROUNDS):
        shocks = [draw.gauss(0, 3) if rounds else 0.0 for _ in range(n)]
        sds = [1 + (widest - 1) * place / (k - 1) for place in range(k)]
        samples = [[shock + draw.gauss(0, sd) for shock in shocks] for sd in sds]
        found = family(samples, rounds=[list(range(n))] * k if rounds else None)
        assert found is not None
        wrong += any(found.pair(i, j).p_family < 0.05 for i in range(k) for j in range(i))
    return wrong / ROUNDS


@pytest.mark.parametrize(("n", "k"), [(2, 4), (3, 3), (3, 6), (5, 4)])
def test_equal_groups_are_rarely_called_different(n: int, k: int) -> None:
    assert wrong_share(n, k) <= 0.08
    assert wrong_share(n, k, rounds=True) <= 0.08


def test_a_group_that_scatters_twice_as_widely_makes_few_differences() -> None:
    assert wrong_share(5, 4, widest=2.0) <= 0.09


def test_shocks_of_whole_rounds_do_not_hide_a_difference() -> None:
    draw, plain, seen = random.Random(3), 0, 0
    for _ in range(100):
        shocks = [draw.gauss(0, 5) for _ in range(4)]
        samples = [[mean + shock + draw.gauss(0, 1) for shock in shocks] for mean in (0, 0, 4)]
        whole, parted = family(samples), family(samples, rounds=[list(range(4))] * 3)
        assert whole and parted
        plain += whole.pair(0, 2).p_family < 0.05
        seen += parted.pair(0, 2).p_family < 0.05
    assert seen > 80
    assert plain < 30


def test_the_interval_of_a_pair_covers_its_difference() -> None:
    draw, covered = random.Random(4), 0
    for _ in range(1000):
        found = family([[draw.gauss(mean, 1) for _ in range(3)] for mean in (0, 1, 5)])
        assert found is not None
        covered += (pair := found.pair(2, 1)).low <= 4 <= pair.high
    assert 0.93 <= covered / 1000 <= 0.97


def test_a_pair_is_the_same_from_both_sides() -> None:
    found = family([[1.0, 1.1, 0.9], [2.0, 2.2, 2.1], [1.5, 1.4]])
    assert found is not None
    there, back = found.pair(0, 1), found.pair(1, 0)
    assert (there.delta, there.low, there.p, there.p_family) == (-back.delta, -back.high, back.p, back.p_family)


def test_groups_of_one_run_borrow_the_spread_of_the_others() -> None:
    found = family([[1.0], [9.0], [5.0, 5.1, 4.9]])
    assert found is not None and found.freedom == 2
    assert found.pair(0, 1).p_family < 0.05
    assert family([[1.0], [9.0], [5.0]]) is None


def test_identical_repeats_tell_nothing() -> None:
    assert family([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]) is None
    assert family([[1e9, 1e9], [2e9, 2e9]], rounds=[[0, 1], [0, 1]]) is None


@pytest.mark.parametrize(("groups", "freedom"), [(2, 4), (3, 6), (6, 10), (4, 30), (10, 90)])
def test_the_range_of_equal_groups_agrees_with_scipy(groups: int, freedom: int) -> None:
    from scipy.stats import studentized_range

    for t in (0.5, 2.0, 3.5, 6.0):
        theirs = float(studentized_range.sf(t * math.sqrt(2), groups, freedom))
        assert p_of_range(t, [groups], freedom) == pytest.approx(theirs, abs=1e-6)


def test_two_sets_of_equal_groups_are_between_one_and_all() -> None:
    apart = p_of_range(3.0, [3, 3], 12)
    assert p_of_range(3.0, [3], 12) < apart < p_of_range(3.0, [6], 12)


def test_time_taken_off_leaves_what_a_drift_does_not_explain() -> None:
    rising = [[1.0, 2.1, 3.0], [4.1, 5.0, 6.0]]
    found = family(rising, order=[[0, 1, 2], [3, 4, 5]])
    assert found is not None
    assert found.pair(1, 0).p_family > 0.05
    jump = family([[1.0, 2.1, 3.0], [14.1, 15.0, 16.0]], order=[[0, 1, 2], [3, 4, 5]])
    assert jump is not None and jump.pair(1, 0).p_family < 0.05
