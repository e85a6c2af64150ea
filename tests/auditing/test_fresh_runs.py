"""Runs that were recorded here: the measurement itself is judged, and runs of a folder against each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from judged import Told, of_runs, recorded, steps_at

from assay.model.finding import Finding

STEADY = [2.0 + 0.1 * n for n in range(1, 101)]


def phase(name: str, begin_s: float, end_s: float) -> list[Told]:
    mark: Told = {"kind": "phase", "name": name}
    return [{**mark, "at_s": begin_s, "edge": "begin"}, {**mark, "at_s": end_s, "edge": "end"}]


def training(times: list[float], **more: Any) -> list[Told]:
    begin, end = phase("train", 2.0, times[-1])
    return [begin, *steps_at(times, **more), end]


def ordered(*groups: list[Told]) -> list[Told]:
    return sorted((event for group in groups for event in group), key=lambda one: one["at_s"])


def said(found: list[Finding], code: str) -> list[str]:
    return [one.message for one in found if one.code == code]


def test_a_plain_good_run_is_left_alone(tmp_path: Path) -> None:
    told: Told = {"kind": "param", "at_s": 0.5, "batch_size": 32}
    asked = {"params": {"batch_size": 32}}
    assert of_runs(recorded(tmp_path, "good", ordered([told], training(STEADY)), asked=asked)) == []


COMPILING = {
    "the first of many": training([8.0 + 0.1 * n for n in range(100)]),
    "told every twentieth step": [
        *phase("train", 2.0, 20.0),
        *(
            {"kind": "metric", "at_s": 8.0 + n, "step": 20 * n, "samples": 640 * n, "loss": 2.0 / n}
            for n in range(1, 12)
        ),
    ],
    "ten times as long": training([4.0 + 0.2 * n for n in range(20)]),
    "half a minute": training([32.0 + 0.5 * n for n in range(20)]),
    "a second": training([3.0 + 0.02 * n for n in range(400)]),
}
NOT_COMPILING = {
    "even steps": training(STEADY),
    "a phase tells of it": ordered(phase("compile", 2.0, 8.0), training([8.1 + 0.1 * n for n in range(100)])),
    "a warm-up is marked": ordered(phase("warmup", 2.0, 8.0), training([8.1 + 0.1 * n for n in range(100)])),
    "a first step three times as long": training([2.3 + 0.1 * n for n in range(100)]),
    "a few milliseconds": training([2.05 + 0.001 * n for n in range(100)]),
    "no beginning is told": steps_at([8.0 + 0.1 * n for n in range(100)]),
}


@pytest.mark.parametrize("events", COMPILING.values(), ids=COMPILING)
def test_a_first_step_with_a_compile_in_it_is_noted(tmp_path: Path, events: list[Told]) -> None:
    (message,) = said(of_runs(recorded(tmp_path, "run", ordered(events), wall_s=60.0)), "time-covers-more")
    assert "a compile inside?" in message


@pytest.mark.parametrize("events", NOT_COMPILING.values(), ids=NOT_COMPILING)
def test_a_first_step_like_the_others_is_left_alone(tmp_path: Path, events: list[Told]) -> None:
    assert said(of_runs(recorded(tmp_path, "run", ordered(events), wall_s=60.0)), "time-covers-more") == []


def wandering(slow: dict[int, float], every_s: float = 0.1, count: int = 100) -> list[Told]:
    times, at_s = [], 2.0
    for n in range(count):
        at_s += slow.get(n, every_s)
        times.append(at_s)
    return training(times)


WANDERS = {
    "one long pause": wandering({50: 8.0}),
    "every fifth": wandering(dict.fromkeys(range(0, 100, 5), 0.5)),
    "slow at the end": wandering(dict.fromkeys(range(80, 100), 0.4)),
    "twelve steps": wandering({6: 9.0}, 1.0, 12),
    "two pauses": wandering({20: 2.0, 70: 3.0}),
    "half as slow again, now and then": wandering({n: 0.16 for n in range(100) if n // 17 % 2}),
}
STAYS = {
    "steady": wandering({}),
    "one late step": wandering({50: 0.4}),
    "a warm-up": wandering(dict.fromkeys(range(35), 0.16)),
    "a checkpoint": ordered(wandering({50: 8.0}), phase("checkpoint", 7.2, 14.5)),
    "an evaluation": ordered(wandering({50: 8.0}), phase("eval", 7.2, 14.5)),
    "milliseconds": wandering({50: 0.05, 51: 0.05}, 0.001),
    "six steps": wandering({3: 9.0}, 1.0, 6),
    "all told at once": wandering(dict.fromkeys(range(100), 0.0)),
}


@pytest.mark.parametrize("events", WANDERS.values(), ids=WANDERS)
def test_a_rate_that_wanders_is_noted(tmp_path: Path, events: list[Told]) -> None:
    (message,) = said(of_runs(recorded(tmp_path, "run", events, wall_s=60.0)), "contended")
    assert "the rate is uneven" in message


@pytest.mark.parametrize("events", STAYS.values(), ids=STAYS)
def test_a_rate_with_its_reasons_is_left_alone(tmp_path: Path, events: list[Told]) -> None:
    assert said(of_runs(recorded(tmp_path, "run", events, wall_s=60.0)), "contended") == []


def test_a_run_beside_another_is_doubted(tmp_path: Path) -> None:
    beat: Told = {"kind": "beat", "from": "launcher", "at_s": 5.0, "beside": ["other-20260101"]}
    (found,) = of_runs(recorded(tmp_path, "run", ordered(training(STEADY), [beat])))
    assert (found.code, found.severity, found.evidence[0].text) == (
        "contended",
        "doubtful",
        "also active: other-20260101",
    )


USED = {
    "on the command line": {"command": ["python", "t.py", "--lr", "0.5"]},
    "under another spelling": {"command": ["python", "t.py", "--learning-rate=0.5"]},
    "in the environment": {"set_environment": {"LR": "0.5"}},
    "read by the script": {"script": {"path": "t.py", "text": "lr = float(os.environ['LR'])\n"}},
    "only its value": {"command": ["./train", "0.5"]},
}


@pytest.mark.parametrize("asked", USED.values(), ids=USED)
def test_a_setting_that_reaches_the_program_is_left_alone(tmp_path: Path, asked: dict[str, Any]) -> None:
    run = recorded(tmp_path, "run", training(STEADY), asked={"params": {"lr": 0.5}, **asked})
    assert said(of_runs(run), "setting-not-in-effect") == []


@pytest.mark.parametrize("name", ["lr", "dropout", "hidden_size", "optimizer", "num_workers"])
def test_a_setting_that_nothing_knows_is_doubted(tmp_path: Path, name: str) -> None:
    script = {"path": "t.py", "text": "import sys\nprint(sys.argv)\n"}
    run = recorded(tmp_path, "run", training(STEADY), asked={"params": {name: 0.5}, "script": script})
    (found,) = [one for one in of_runs(run) if one.code == "setting-not-in-effect"]
    assert found.severity == "doubtful"


def test_a_setting_that_the_program_contradicts_is_wrong(tmp_path: Path) -> None:
    told: Told = {"kind": "param", "at_s": 0.5, "batch_size": 32}
    run = recorded(tmp_path, "run", ordered([told], training(STEADY)), asked={"params": {"batch_size": 64}})
    (found,) = of_runs(run)
    assert (found.code, found.severity) == ("setting-not-in-effect", "wrong")
    assert found.message == "batch_size = 64 is claimed, and batch_size = 32 is what ran"


def test_repeats_of_one_seed_are_noted_over_a_folder(tmp_path: Path) -> None:
    told: Told = {"kind": "param", "at_s": 0.5, "batch_size": 32}
    runs = [recorded(tmp_path, f"r{n}", ordered([told], training(STEADY)), wall_s=30.0 + n) for n in range(3)]
    assert [one.code for one in of_runs(*runs)] == ["single-seed"]


def test_repeats_of_three_seeds_are_left_alone(tmp_path: Path) -> None:
    told: Told = {"kind": "param", "at_s": 0.5, "batch_size": 32}
    runs = [
        recorded(tmp_path, f"r{n}", ordered([told], training(STEADY, loss=2.0 + n / 100)), wall_s=30.0 + n)
        for n in range(3)
    ]
    assert of_runs(*runs) == []


def test_a_run_slower_than_its_repeats_is_doubted(tmp_path: Path) -> None:
    told: Told = {"kind": "param", "at_s": 0.5, "batch_size": 32}
    paces = [0.1, 0.101, 0.26]
    runs = [
        recorded(
            tmp_path,
            f"r{n}",
            ordered([told], training([2.0 + pace * step for step in range(1, 101)], loss=2.0 + n / 100)),
        )
        for n, pace in enumerate(paces)
    ]
    (found,) = of_runs(*runs)
    assert (found.code, found.run) == ("contended", "r2")


CHECKSUMS = {"in step": ("1a2b", "1a2b", False), "apart": ("1a2b", "9f00", True)}


@pytest.mark.parametrize(("a", "b", "apart"), CHECKSUMS.values(), ids=CHECKSUMS)
def test_replicas_that_differ_are_found_by_their_parameters(tmp_path: Path, a: str, b: str, apart: bool) -> None:
    sums: list[Told] = [
        {"kind": "metric", "at_s": 12.5, "rank": rank, "step": 100, "parameters_checksum": text}
        for rank, text in enumerate((a, b))
    ]
    found = of_runs(recorded(tmp_path, "run", ordered(training(STEADY), sums)))
    assert [one.code for one in found] == (["unsynced-replicas"] if apart else [])


def test_a_loss_that_is_not_a_number_is_wrong(tmp_path: Path) -> None:
    events = training(STEADY)
    for event in events[40:-1]:
        event["loss"] = float("nan")
    (found,) = of_runs(recorded(tmp_path, "run", events))
    assert (found.code, found.severity) == ("diverged", "wrong")
    assert "step 40" in found.message


def three(folder: Path, unit_s: float) -> list[Finding]:
    """Three runs of one setting, of which the last takes three times as long."""
    told: Told = {"kind": "param", "at_s": 0.5, "batch_size": 32}
    paths = [
        recorded(folder, f"r{n}", ordered([told], training([2.0 + pace * unit_s * s for s in range(1, 101)])))
        for n, pace in enumerate((1.0, 1.02, 3.0))
    ]
    return of_runs(*paths)


def test_a_run_far_slower_than_its_repeats_is_doubted_with_its_rate(tmp_path: Path) -> None:
    (found,) = [one for one in three(tmp_path, 0.1) if one.code == "contended"]
    assert "slower than each of 2 other runs" in found.message
    assert "a second, and" in found.evidence[0].text


def test_a_run_that_lost_some_milliseconds_is_left_alone(tmp_path: Path) -> None:
    assert said(three(tmp_path, 0.0001), "contended") == []


def test_a_loss_that_became_no_number_is_shown_by_the_record_and_not_by_another_line(tmp_path: Path) -> None:
    lost: Told = {"kind": "metric", "at_s": 9.0, "step": 21, "samples": 672, "loss": float("nan")}
    path = recorded(tmp_path, "lost", ordered(training(STEADY[:20]), [lost]), output="batch_size=32\n")
    (found,) = [one for one in of_runs(path) if one.code == "diverged"]
    assert found.evidence[0].text == "the program's own record: loss nan at step 21"
