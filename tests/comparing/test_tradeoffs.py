"""Groups over several figures at once, and settings over several workloads."""

from __future__ import annotations

import math
import random

import pytest
from making import compared, run

from assay.comparing.models.base import Model
from assay.model.summary import Summary

OFF = (-0.004, 0.0, 0.004)


def runs(batch: int, rate: float, accuracy: float, memory: float) -> list[Summary]:
    """Three of one batch size, a little apart."""
    return [
        run(
            batch, samples_per_s=rate * (1 + off), accuracy=accuracy + off, memory_bytes_max=memory * (1 - off), steps=9
        )
        for off in OFF
    ]


def tradeoff(*made: list[Summary]) -> list[Model]:
    return [one for one in compared([one for some in made for one in some]).models if one.kind == "tradeoff"]


def test_a_group_that_another_beats_all_round_is_out() -> None:
    (found,) = tradeoff(runs(8, 100, 0.90, 2e9), runs(16, 90, 0.80, 3e9), runs(32, 200, 0.90, 4e9))
    assert found.figures["pareto"] == ["8", "32"]
    assert found.says == [
        "the choice is between 8 and 32: none of them is shown to be worse all round",
        "16 is out: 8 is better in throughput, accuracy and peak memory",
    ]


def test_a_difference_that_is_not_shown_puts_no_group_out() -> None:
    """Twice the rate, and an accuracy that may be lower: nobody is out, and nobody shown to be better elsewhere."""
    assert tradeoff(runs(8, 100, 0.901, 2e9), runs(16, 200, 0.900, 2e9)) == []
    assert tradeoff(runs(8, 100, 0.901, 2e9), runs(16, 100.1, 0.900, 2e9)) == []


def test_two_groups_that_are_each_better_at_something_are_both_named() -> None:
    (found,) = tradeoff(runs(8, 100, 0.90, 2e9), runs(16, 200, 0.90, 4e9))
    assert found.says == ["neither is best at everything: 8 is better in peak memory, 16 in throughput"]


def test_one_that_is_as_good_in_everything_is_named() -> None:
    (found,) = tradeoff(runs(8, 100, 0.80, 2e9), runs(16, 200, 0.90, 1e9))
    assert found.says == ["16 is at least as good as every other in all of them"]


def workloads(draw: random.Random, truth: dict[str, float], n: int, sd: float) -> list[Summary]:
    return [
        run(settings={"compiled": value}, model=model, samples_per_s=base * math.exp(draw.gauss(0, sd)) * factor)
        for base, (model, gain) in zip((50.0, 900.0, 4000.0), truth.items(), strict=True)
        for value, factor in (("no", 1.0), ("yes", gain))
        for _ in range(n)
    ]


def overall(made: list[Summary]) -> Model:
    (found,) = [one for one in compared(made).models if one.kind == "overall"]
    return found


TRUTH = {"bert": 1.1, "gpt": 1.3, "vit": 1.6}


def test_a_setting_over_several_models_has_a_geometric_mean_of_ratios() -> None:
    found = overall(workloads(random.Random(1), TRUTH, 3, 0.02))
    yes = found.figures["values"]["yes"]
    assert yes["mean_ratio"] == pytest.approx(1.1 ** (1 / 3) * 1.3 ** (1 / 3) * 1.6 ** (1 / 3), rel=0.03)
    assert yes["low"] < yes["mean_ratio"] < yes["high"]
    assert found.says[0].startswith("compiled yes has 1.3")
    assert "geometric mean over 3 values of model, 95 % interval 1." in found.says[0]


def test_the_interval_of_a_mean_ratio_holds_the_truth() -> None:
    draw, held = random.Random(2), 0
    truth = math.exp(math.fsum(map(math.log, TRUTH.values())) / 3)
    for _ in range(100):
        yes = overall(workloads(draw, TRUTH, 2, 0.05)).figures["values"]["yes"]
        held += yes["low"] <= truth <= yes["high"]
    assert 0.90 <= held / 100 <= 1.0


def test_one_run_each_gives_a_mean_ratio_without_an_interval() -> None:
    found = overall(workloads(random.Random(3), TRUTH, 1, 0.02))
    assert found.figures["values"]["yes"]["low"] is None
    assert "one run each, so no interval" in found.says[0]


def test_a_workload_that_lacks_a_setting_gives_no_mean_over_all() -> None:
    made = workloads(random.Random(4), TRUTH, 2, 0.02)[:-2]
    assert not [one for one in compared(made).models if one.kind == "overall"]
