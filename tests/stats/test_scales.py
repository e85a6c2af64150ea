"""Differences on a scale of their own, and back: shares stay between 0 and 1, and the intervals hold the truth."""

from __future__ import annotations

import math
import random

import pytest

from assay.stats import LOG, LOGIT, Estimate, describe_on, difference, mean


def share(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))


def estimate(draw: random.Random, n: int, middles: tuple[float, float], sd: float) -> Estimate:
    a, b = ([draw.gauss(middle, sd) for _ in range(n)] for middle in middles)
    found = difference(a, b)
    return Estimate(
        delta=found.delta, error=found.error or 0, freedom=found.freedom, second=mean(b), share=found.share,
        bounded=True,
    )  # fmt: skip


@pytest.mark.parametrize("middles", [(2.0, 2.0), (4.6, 2.6), (0.0, -3.0)])
@pytest.mark.parametrize("n", [3, 10])
def test_intervals_of_differences_of_shares_hold_the_truth(n: int, middles: tuple[float, float]) -> None:
    draw, truth, held = random.Random(f"{n} {middles}"), share(middles[0]) - share(middles[1]), 0
    for _ in range(400):
        low, high = estimate(draw, n, middles, 0.4).ends()
        assert -1 <= low < high <= 1
        held += low <= truth <= high
    assert 0.92 <= held / 400 <= 0.985


def test_the_chance_at_an_end_of_the_interval_is_what_the_interval_leaves() -> None:
    draw = random.Random(3)
    for _ in range(50):
        one = estimate(draw, 4, (3.0, 2.5), 0.3)
        low, high = one.ends()
        assert one.above(low) == pytest.approx(0.025, abs=1e-6)
        assert one.below(high) == pytest.approx(0.025, abs=1e-6)
        assert one.above(-1.0) == 0.0


@pytest.mark.parametrize(("scale", "ends"), [(LOG, (0.0, math.inf)), (LOGIT, (0.0, 1.0))])
def test_an_interval_of_a_middle_never_passes_an_end(scale: object, ends: tuple[float, float]) -> None:
    found = describe_on(scale, [0.9, 0.999, 0.2])
    assert ends[0] < found.low < found.mean < found.high < ends[1]


def test_a_share_of_exactly_1_is_shown_as_it_is_and_its_interval_ends_at_1() -> None:
    values = [1.0, 0.9, 1.0]
    scale = LOGIT.fitting([values])
    assert scale.is_plain
    found = describe_on(scale, values)
    assert (found.mean, found.high) == (pytest.approx(2.9 / 3), 1.0)
    assert LOGIT.fitting([[1.2, 0.9]]).high == math.inf  # that is no share, whatever it is called
