"""A rate that rests on a handful of steps, and rates that rest on enough."""

from __future__ import annotations

from pathlib import Path

import pytest
from judged import Told, codes, of_runs, recorded, steps_at
from logs import cerebras


def trained(times: list[float]) -> list[Told]:
    begin: Told = {"kind": "phase", "at_s": 0.5, "name": "train", "edge": "begin"}
    return [begin, *steps_at(times), {**begin, "at_s": times[-1], "edge": "end"}]


def every(seconds: float, count: int) -> list[float]:
    return [0.5 + seconds * (n + 1) for n in range(count)]


RAISED = {
    "three quick steps": trained(every(0.1, 3)),
    "ten steps in a second": trained(every(0.1, 10)),
    "nineteen": trained(every(0.05, 19)),
    "two long ones": trained(every(30.0, 2)),
    "without phases": steps_at(every(0.1, 6)),
    "four of a minute": steps_at(every(60.0, 4)),
}
NOT_RAISED = {
    "twenty": trained(every(0.05, 20)),
    "a thousand": trained(every(0.01, 1000)),
    "eight long ones": trained(every(30.0, 8)),
    "ten long ones without phases": steps_at(every(10.0, 10)),
    "no steps": [],
    "no rate": [{"kind": "metric", "at_s": 1.0, "step": 3, "loss": 1.0}],
}


@pytest.mark.parametrize("events", RAISED.values(), ids=RAISED)
def test_a_rate_from_few_steps_is_noted(tmp_path: Path, events: list[Told]) -> None:
    (found,) = [one for one in judged(tmp_path, events) if one.code == "too-few-steps"]
    assert " 0.00 s" not in found.message


@pytest.mark.parametrize("events", NOT_RAISED.values(), ids=NOT_RAISED)
def test_a_rate_from_enough_steps_is_left_alone(tmp_path: Path, events: list[Told]) -> None:
    assert "too-few-steps" not in {one.code for one in judged(tmp_path, events)}


def test_a_log_of_someone_else_is_not_judged_for_its_length(tmp_path: Path) -> None:
    assert "too-few-steps" not in codes(tmp_path, {"bert.log": cerebras(1024, steps=10)})


def judged(folder: Path, events: list[Told]) -> list:
    wall_s = max((one["at_s"] for one in events), default=1.0) + 1
    return of_runs(recorded(folder, "run", events, wall_s=wall_s))
