"""Where the warm-up of a run ends, by runs of which it is known."""

from __future__ import annotations

import importlib.util
import math
import random
import sys
from pathlib import Path
from types import ModuleType

import pytest

from assay.stats.steady import steady
from assay.stats.welch import t_point
from assay.stats.within import within

BENCH = Path(__file__).resolve().parents[2] / "bench" / "warmups.py"


def _warmups() -> ModuleType:
    spec = importlib.util.spec_from_file_location("warmups", BENCH)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["warmups"] = module
    spec.loader.exec_module(module)
    return module


WARMUPS = _warmups()


@pytest.mark.parametrize("name", WARMUPS.SHAPES)
def test_the_steady_part_of_nine_in_ten_runs_is_found_within_5_percent(name: str) -> None:
    assert WARMUPS.found_share(20, name, 100) >= 0.9


def test_a_first_step_that_compiles_is_warm_up() -> None:
    found = steady([30.0] + [0.1, 0.101, 0.099, 0.1] * 25)
    assert found is not None and found.begin == 1 and found.change > 0


def test_a_run_that_never_gets_steady_says_how_it_moves() -> None:
    rising = steady([math.exp(-0.01 * place) for place in range(60)])
    assert rising is not None and (rising.begin, rising.moves) == (None, "rises")
    assert rising.change == pytest.approx(math.exp(0.4) - 1, abs=0.05)
    falling = steady([math.exp(0.01 * place) for place in range(60)])
    assert falling is not None and (falling.begin, falling.moves) == (None, "falls")


def test_lines_that_were_held_back_make_no_steady_part() -> None:
    """A stall, then seven reports at once, then as before: as a log of a CS-3 has it."""
    found = steady([26.7, 26.6, 26.7, 26.5] * 2 + [26.7, 185.0] + [3.7] * 7 + [6.3, 26.7, 26.6])
    assert found is not None and found.begin is None


def test_pauses_in_single_steps_are_no_change_of_the_rate() -> None:
    draw = random.Random(5)
    seconds = [0.1 * math.exp(draw.gauss(0, 0.01)) * (20 if place % 25 == 24 else 1) for place in range(200)]
    found = steady(seconds)
    assert found is not None and found.begin == 0


def test_few_steps_or_equal_steps_say_what_they_can() -> None:
    assert steady([0.1] * 11) is None
    assert steady([0.1, 0.0] * 20) is None
    same = steady([0.1] * 50)
    assert same is not None and (same.begin, same.change) == (0, 0.0)


@pytest.mark.parametrize("following", [0.0, 0.5])
def test_the_interval_within_a_run_holds_its_true_rate(following: float) -> None:
    draw, held = random.Random(f"{following}"), 0
    for _ in range(100):
        noise = [math.exp(0.1 * off) for off in _following(draw, 120, following)]
        found = within([1.0] * len(noise), noise)
        assert found is not None
        off = math.log(len(noise) / sum(noise)) + 0.1**2 / 2  # the mean of what is drawn
        held += abs(off) <= t_point(found.blocks - 1) * found.error
    assert held >= 85


def _following(draw: random.Random, n: int, following: float) -> list[float]:
    values = [draw.gauss(0, 1)]
    while len(values) < n:
        values.append(following * values[-1] + draw.gauss(0, math.sqrt(1 - following**2)))
    return values


def test_steps_that_resemble_each_other_tell_less() -> None:
    draw = random.Random(8)
    free, bound = (within([1.0] * 200, [2 + 0.1 * off for off in _following(draw, 200, by)]) for by in (0.0, 0.8))
    assert free is not None and bound is not None
    assert bound.error > 1.7 * free.error and bound.blocks < free.blocks
    assert within([1.0] * 5, [0.1] * 5) is None
