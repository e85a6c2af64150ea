"""A GPU that slowed itself down, and one that did not, or only for a moment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from judged import Told, of_runs, recorded, steps_at

from assay.model.finding import DOUBTFUL, NOTE


def samples(count: int, throttle: dict[int, list[str]], *, gpu: int = 0, used: bool = True) -> list[Told]:
    """A sample a second; `throttle` gives the reasons of some."""
    found: list[Told] = []
    for at_s in range(count):
        facts: dict[str, Any] = {"gpu": gpu, "gpu_util_pct": 97 if used else 0, "sm_mhz": 1980, "temp_c": 61}
        if used:
            facts["gpu_mem_bytes"] = 8 << 30
        if at_s in throttle:
            facts["throttle"] = throttle[at_s]
        found.append({"kind": "sample", "from": "probe:gpu", "at_s": float(at_s), **facts})
    return found


HOT, SOFT, BRAKE, CAP = ["thermal (hardware)"], ["thermal (software)"], ["power brake"], ["power cap"]
RAISED = {
    "hot for half of the time": (samples(40, dict.fromkeys(range(20, 40), HOT)), DOUBTFUL),
    "hot twice in forty": (samples(40, {10: HOT, 11: HOT}), DOUBTFUL),
    "software thermal": (samples(20, dict.fromkeys(range(5, 9), SOFT)), DOUBTFUL),
    "a power brake": (samples(30, dict.fromkeys(range(30), BRAKE)), DOUBTFUL),
    "held by its power limit": (samples(30, dict.fromkeys(range(3, 30), CAP)), NOTE),
    "hot and at its limit": (samples(30, dict.fromkeys(range(3, 30), CAP + HOT)), DOUBTFUL),
    "the second of two devices": (samples(30, {}) + samples(30, dict.fromkeys(range(9), HOT), gpu=1), DOUBTFUL),
}
NOT_RAISED = {
    "never": samples(40, {}),
    "one sample": samples(40, {7: HOT}),
    "a power limit that was touched": samples(40, dict.fromkeys((3, 4, 30), CAP)),
    "a device that did not work": samples(30, {}) + samples(30, dict.fromkeys(range(30), HOT), gpu=1, used=False),
    "no device": [],
    "two of a thousand": samples(1000, {400: HOT, 600: HOT}),
}


@pytest.mark.parametrize(("events", "severity"), RAISED.values(), ids=RAISED)
def test_a_gpu_that_slowed_down_is_named(tmp_path: Path, events: list[Told], severity: str) -> None:
    found = [one for one in judged(tmp_path, events) if one.code == "throttled"]
    assert [one.severity for one in found] == [severity]
    assert "samples" in found[0].evidence[0].text


@pytest.mark.parametrize("events", NOT_RAISED.values(), ids=NOT_RAISED)
def test_a_gpu_that_kept_its_speed_is_left_alone(tmp_path: Path, events: list[Told]) -> None:
    assert "throttled" not in {one.code for one in judged(tmp_path, events)}


def judged(folder: Path, events: list[Told]) -> list[Any]:
    trained = steps_at([1.0 + n / 2 for n in range(50)])
    return of_runs(recorded(folder, "gpu-run", sorted([*trained, *events], key=lambda one: one["at_s"])))
