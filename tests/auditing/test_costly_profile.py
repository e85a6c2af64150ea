"""Measuring that took a noticeable share of the machine, and measuring that did not."""

from __future__ import annotations

from pathlib import Path

import pytest
from judged import of_runs, recorded, steps_at

#: (seconds of wall clock, CPU seconds of the command, our own)
RAISED = {
    "a tenth of a minute": (60.0, 58.0, 6.0),
    "an idle command": (30.0, 0.2, 2.4),
    "a short one": (4.0, 4.0, 1.2),
    "as much as the command": (10.0, 10.0, 10.0),
    "a long one": (3600.0, 3500.0, 250.0),
}
NOT_RAISED = {
    "starting up": (3.1, 1.1, 0.19),
    "starting up on a busy machine": (2.1, 0.02, 0.62),
    "a hundredth": (60.0, 58.0, 0.6),
    "many cores at work": (60.0, 900.0, 6.0),
    "nothing measured": (60.0, 58.0, 0.0),
    "over in no time": (0.4, 0.3, 0.25),
    "five in a hundred of a minute": (60.0, 60.0, 3.0),
}


@pytest.mark.parametrize("cost", RAISED.values(), ids=RAISED)
def test_a_costly_measurement_is_noted(tmp_path: Path, cost: tuple[float, float, float]) -> None:
    assert "costly-profile" in codes_of(tmp_path, cost)


@pytest.mark.parametrize("cost", NOT_RAISED.values(), ids=NOT_RAISED)
def test_a_cheap_measurement_is_left_alone(tmp_path: Path, cost: tuple[float, float, float]) -> None:
    assert "costly-profile" not in codes_of(tmp_path, cost)


def codes_of(folder: Path, cost: tuple[float, float, float]) -> set[str]:
    wall_s, cpu_s, own_cpu_s = cost
    events = steps_at([wall_s * n / 100 for n in range(1, 100)])
    told = {"cpu_s": cpu_s, "own_cpu_s": own_cpu_s}
    return {one.code for one in of_runs(recorded(folder, "run", events, wall_s=wall_s, cost=told))}
