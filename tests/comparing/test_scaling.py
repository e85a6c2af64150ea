"""How runs scale over processes: the laws with their intervals, and up to where more of them pay."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable

import pytest
from making import compared, run

from assay.comparing.models.base import Model
from assay.comparing.models.laws import AMDAHL, GUSTAFSON, USL, Law, fitted
from assay.comparing.models.paying import steps_up
from assay.stats.linear import Quotient


def amdahl(serial: float) -> Callable[[float], float]:
    return lambda p: 100 * p / (1 + serial * (p - 1))


def gustafson(serial: float) -> Callable[[float], float]:
    return lambda p: 100 * (p - serial * (p - 1))


def universal(serial: float, agreeing: float) -> Callable[[float], float]:
    return lambda p: 100 * p / (1 + serial * (p - 1) + agreeing * p * (p - 1))


def drawn(
    rate: Callable[[float], float], counts: Iterable[int], n: int, sd: float, draw: random.Random
) -> dict[float, list[float]]:
    return {p: [rate(p) * math.exp(draw.gauss(0, sd)) for _ in range(n)] for p in counts}


def steady(rate: Callable[[float], float], counts: Iterable[int]) -> dict[float, list[float]]:
    """Three runs of each, a little apart."""
    return {p: [rate(p) * (1 + off) for off in (-0.002, 0.0, 0.002)] for p in counts}


def scaling(rates: dict[float, list[float]], per_step: Callable[[float], float] | None) -> Model:
    work = (lambda p: {"steps": 10, "samples": round(10 * per_step(p))}) if per_step else lambda p: {}
    runs = [
        run(settings={"num_procs": int(p)}, samples_per_s=rate, **work(p))
        for p, all_of in rates.items()
        for rate in all_of
    ]
    (only,) = [one for one in compared(runs).models if one.kind == "scaling"]
    return only


def strong(rates: dict[float, list[float]]) -> Model:
    return scaling(rates, lambda p: 64)


@pytest.mark.parametrize("counts", [(1, 2, 4, 8, 16), (2, 4, 8, 16), (4, 8, 16)])
def test_the_serial_share_is_the_same_wherever_the_series_begins(counts: tuple[int, ...]) -> None:
    found = strong(steady(amdahl(0.1), counts))
    assert found.holds and found.title == "strong scaling over processes"
    assert found.figures["serial_share"] == pytest.approx(0.1, abs=0.002)
    assert found.figures["serial_share_low"] < 0.1 < found.figures["serial_share_high"]
    assert found.figures["half_efficiency_at"] == pytest.approx(11, abs=0.3)
    assert any(text.startswith("efficiency falls to 50 % at 11 processes (") for text in found.says)


def test_efficiency_is_against_the_fewest_processes_that_were_run() -> None:
    found = strong(steady(amdahl(0.1), (1, 2, 4, 8, 16)))
    assert found.figures["efficiency"]["16"] == pytest.approx(0.4, abs=0.01)
    assert any(text.startswith("2 processes: 1.82 × the rate of 1 (95 % interval 1.8") for text in found.says)


def test_weak_and_strong_scaling_are_distinguished() -> None:
    found = scaling(steady(gustafson(0.05), (2, 4, 8)), lambda p: 64 * p)
    assert found.title == "weak scaling over processes"
    assert found.figures["serial_share"] == pytest.approx(0.05, abs=0.01)
    assert found.figures["law"] == "Gustafson's law"
    assert "more processes paid up to 8, the most that was tried" in found.says


def test_where_processes_slow_each_other_down_the_peak_has_an_interval() -> None:
    found = strong(steady(universal(0.03, 0.003), (1, 2, 4, 8, 16, 32)))
    assert found.figures["law"] == "the universal scaling law"
    assert found.figures["peak_at"] == pytest.approx(math.sqrt(0.97 / 0.003), rel=0.02)
    assert found.figures["peak_at_low"] < math.sqrt(0.97 / 0.003) < found.figures["peak_at_high"]
    assert any("throughput is highest at 18 processes (95 % interval " in text for text in found.says)


def test_no_law_is_named_where_the_work_of_a_step_is_unknown() -> None:
    found = scaling({1: [90.0], 2: [180.0], 4: [360.0]}, None)
    assert not found.holds
    assert found.figures["speed_up"]["4"] == pytest.approx(4)
    assert "neither Amdahl's nor Gustafson's law applies" in found.says[1]


def test_scaling_that_no_law_fits_is_refused_with_its_reason() -> None:
    found = strong({1: [100.0, 101.0], 2: [110.0, 111.0], 4: [390.0, 391.0], 8: [395.0, 396.0]})
    assert not found.holds and "serial_share" not in found.figures
    assert found.says[1].startswith("no serial share: Amdahl's law misses by up to ")


def test_two_numbers_of_processes_carry_no_law() -> None:
    found = strong(steady(amdahl(0.1), (1, 2)))
    assert not found.holds
    assert found.says[1] == "no serial share: two points fit any law; run a third"


def test_a_serial_share_that_may_be_zero_is_given_as_at_most() -> None:
    found = strong(steady(lambda p: 100 * p, (1, 2, 4, 8)))
    (said,) = [text for text in found.says if text.startswith("serial share")]
    assert said.startswith("serial share at most ")
    assert found.figures["serial_share_low"] == 0.0


@pytest.mark.parametrize(
    ("law", "rate", "truth", "counts", "asked"),
    [
        (AMDAHL, amdahl(0.05), 0.05, (1, 2, 4, 8), lambda one: one.serial),
        (AMDAHL, amdahl(0.05), 21.0, (4, 8, 16, 32), lambda one: one.half),
        (GUSTAFSON, gustafson(0.1), 0.1, (2, 4, 8, 16), lambda one: one.serial),
        (USL, universal(0.03, 0.001), 0.001, (1, 2, 4, 8, 16, 32), lambda one: one.agreeing),
        (USL, universal(0.03, 0.001), math.sqrt(970), (4, 8, 16, 32, 64), lambda one: one.peak),
    ],
)
def test_the_intervals_of_a_law_hold_the_truth(
    law: Law, rate: Callable[[float], float], truth: float, counts: tuple[int, ...], asked: Callable[..., Quotient]
) -> None:
    draw, held = random.Random(6), 0
    for _ in range(400):
        one = fitted(law, drawn(rate, counts, 3, 0.03, draw))
        assert one is not None
        found = asked(one)
        held += found.low is None or found.high is None or found.low <= truth <= found.high
    assert 0.92 <= held / 400 <= 0.98


def test_where_more_stops_paying_is_named_where_it_is_shown() -> None:
    found = strong(steady(universal(0.03, 0.003), (1, 2, 4, 8, 16, 32)))
    assert "more processes paid up to 8: each step gave at least half of what it added" in found.says
    (stop,) = [text for text in found.says if text.startswith("they stop paying from 8 to 16: +27 % throughput (95 %")]
    assert stop.endswith("for +100 % processes")
    assert [one["pays"] for one in found.figures["steps"]] == [True, True, True, False, False]


def test_one_run_each_does_not_show_where_more_stops_paying() -> None:
    found = strong({p: [amdahl(0.2)(p)] for p in (1, 2, 4, 8)})
    (said,) = [text for text in found.says if "pay" in text]
    assert said.startswith("whether processes still pay from 1 to 2 is not shown: +67 % throughput")
    assert said.endswith("repeat each at least twice")


def test_a_step_at_the_very_edge_of_paying_is_rarely_called_either() -> None:
    """Twice the processes for half again the rate, at every step: some step is called in at most 5 %."""
    draw, called = random.Random(7), 0
    for _ in range(600):
        steps = steps_up(drawn(lambda p: 100 * 1.5 ** math.log2(p), (1, 2, 4, 8), 3, 0.03, draw))
        called += any(step.pays is not None for step in steps)
    assert called / 600 <= 0.07
