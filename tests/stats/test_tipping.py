"""What one run each can carry, against experiments whose scatter is known."""

from __future__ import annotations

import random

import pytest

from assay.stats.once import reach, tipping
from assay.stats.within import Within


def test_two_runs_1_3_times_apart_need_a_scatter_of_9_percent() -> None:
    assert tipping(0.26236, 2) == pytest.approx(0.26236 / 2**0.5 / 1.959964, rel=1e-4)


@pytest.mark.parametrize("groups", [2, 4, 6])
def test_runs_that_scatter_as_they_do_rarely_need_to_scatter_more(groups: int) -> None:
    draw, wrong = random.Random(groups), 0
    for _ in range(1000):
        runs = [draw.gauss(0, 0.05) for _ in range(groups)]
        wrong += tipping(max(runs) - min(runs), groups) > 0.05
    assert 0.03 <= wrong / 1000 <= 0.07


def test_what_steps_tell_of_two_runs_adds_up() -> None:
    many = [Within(error=0.003, blocks=1000), Within(error=0.004, blocks=1000)]
    assert reach(many) == pytest.approx(1.96 * 0.005, rel=0.01)
    few = [Within(error=0.003, blocks=6), Within(error=0.004, blocks=6)]
    assert reach(few) > 1.1 * reach(many)
    assert reach([Within(error=0.0, blocks=5)] * 2) == 0.0
