"""The critical batch size, from samples to a target: with an interval that holds the truth, or not at all."""

from __future__ import annotations

import math
import random

import pytest

from assay.comparing.models.critical import critical_batch


def spent(critical: float, sizes: tuple[int, ...], n: int, sd: float, draw: random.Random) -> dict[float, list[float]]:
    return {b: [1e5 * (1 + b / critical) * math.exp(draw.gauss(0, sd)) for _ in range(n)] for b in sizes}


def test_a_critical_batch_size_has_an_interval() -> None:
    found = critical_batch(spent(200, (32, 128, 512, 2048), 3, 0.03, random.Random(1)))
    assert found.figures["critical_batch"] == pytest.approx(200, rel=0.15)
    assert found.says[0].startswith("the critical batch size is ")
    assert "95 % interval" in found.says[0]


@pytest.mark.parametrize("sizes", [(32, 128, 512, 2048), (256, 512, 1024, 2048)])
def test_the_interval_of_a_critical_batch_size_holds_the_truth(sizes: tuple[int, ...]) -> None:
    draw, held = random.Random(2), 0
    told = [critical_batch(spent(400, sizes, 3, 0.05, draw)) for _ in range(400)]
    known = [one.figures for one in told if "critical_batch" in one.figures]
    for one in known:
        held += one["critical_batch_low"] <= 400 <= one["critical_batch_high"]
    assert len(known) > 300
    assert 0.92 <= held / len(known) <= 0.98


def test_where_samples_hardly_grow_only_a_lower_bound_is_given() -> None:
    found = critical_batch(spent(1e6, (32, 64, 128), 3, 0.03, random.Random(3)))
    assert found.says[0].startswith("the critical batch size is at least ")
    assert found.figures["critical_batch_high"] is None


def test_samples_that_the_law_does_not_fit_name_no_critical_batch() -> None:
    found = critical_batch({32: [1e5, 1.01e5], 64: [3e5, 3.01e5], 128: [1.2e5, 1.21e5], 256: [4e5, 4.01e5]})
    assert found.says[0].startswith("no critical batch size: the law of gradient noise misses by up to ")
    assert not found.figures


def test_two_batch_sizes_say_nothing_of_a_critical_one() -> None:
    assert not critical_batch({32: [1e5, 1.01e5], 64: [2e5, 2.01e5]}).says


def test_one_below_all_that_was_tried_is_said_so() -> None:
    needed = {size: [size * each for each in (99.0, 100.0, 101.0)] for size in (16.0, 32.0, 256.0)}
    (said,) = critical_batch(needed).says
    assert said.startswith("the critical batch size is below 16, the smallest that was tried")
