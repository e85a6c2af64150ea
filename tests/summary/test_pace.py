"""What a summary says of a run's warm-up, from the steps and samples that it reports."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from pathlib import Path

import pytest
from making import compared, run

from assay.model.pace import Pace
from assay.model.summary import Summary
from assay.store.layout import RunDir
from assay.summary.build import summarise
from assay.summary.counts import Counts
from assay.summary.pace import pace
from assay.summary.phases import Mark
from assay.views.words import pace_words


def counts(seconds: Iterable[float], each: float = 1.0) -> Counts:
    found, at_s = Counts(), 0.0
    found.add(at_s, each)
    for place, one in enumerate(seconds, 2):
        at_s += one
        found.add(at_s, each * place)
    return found


def slow_then_steady(slow: int, n: int = 200, factor: float = 2.0) -> list[float]:
    draw = random.Random(3)
    return [0.5 * (factor if place < slow else 1.0) * (1 + 0.01 * draw.gauss(0, 1)) for place in range(n)]


def written(path: Path, seconds: Iterable[float]) -> Summary:
    """Of a run that reports 32 samples a step."""
    (path / "events").mkdir()
    (path / "run.json").write_text(json.dumps({"v": 1, "id": "1", "name": "one", "how": "parsed"}))
    lines, at_s = [], 0.0
    for step, one in enumerate(seconds, 1):
        at_s += one
        lines.append({"v": 1, "kind": "metric", "from": "self", "t": 1000.0 + at_s, "mono_s": at_s, "step": step,
                      "samples": 32 * step})  # fmt: skip
    (path / "events" / "a-1-1.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return summarise(RunDir(path))


def test_the_warm_up_is_left_out_of_the_steady_rate_and_reported(tmp_path: Path) -> None:
    summary = written(tmp_path, slow_then_steady(40))
    assert summary.pace is not None and summary.pace.steady
    assert summary.pace.from_step == pytest.approx(40, abs=2)
    assert summary.pace.left_out_share == pytest.approx(1 / 3, abs=0.02)
    assert summary.pace.change == pytest.approx(1.0, abs=0.05)
    assert summary.samples_per_s_steady == pytest.approx(64, rel=0.01)
    assert summary.pace.error is not None and 0 < summary.pace.error < 0.01
    said = pace_words(summary) or ""
    assert said.startswith("steady from step 4") and said.endswith(
        "(33 % of training) were 50 % slower and count as warm-up"
    )
    assert Summary.trusted(json.loads(json.dumps(summary.as_json()))).pace == summary.pace


def test_a_rate_that_rises_to_the_end_has_no_steady_part(tmp_path: Path) -> None:
    summary = written(tmp_path, [0.5 * 0.99**place for place in range(60)])
    assert summary.pace is not None and summary.pace.steady is False
    assert summary.samples_per_s_steady is None
    assert pace_words(summary) == "never steady: it rises by 49 % through the run"


def test_evaluations_between_steps_are_no_change_of_the_rate() -> None:
    seconds = [9.0 if place in (5, 11, 17) else 0.5 for place in range(60)]
    marks, at_s = [], 0.0
    for one in seconds:
        at_s += one
        if one == 9.0:
            marks += [Mark(at_s=at_s - 8.0, name="eval", begin=True), Mark(at_s=at_s - 0.1, name="eval", begin=False)]
    found = pace(counts(seconds), marks, None)
    assert found is not None and found[0].left_out_share == 0.0


def test_lines_that_arrive_in_bursts_say_nothing_of_the_rate() -> None:
    assert pace(counts([3.0 if place % 10 == 0 else 0.002 for place in range(5)] * 20), [], None) is None
    assert pace(counts([0.5] * 5), [], None) is None


def test_a_clock_of_whole_seconds_makes_no_levels() -> None:
    moments = Counts()
    for place in range(2000):
        moments.add(float(int(0.3 * place)), place + 1.0)
    found = pace(moments, [], None)
    assert found is not None and found[0].steady and found[0].left_out_share == 0.0
    assert found[1] == pytest.approx(1 / 0.3, rel=0.02)


def test_a_run_of_a_million_steps_is_kept_in_a_thousand_moments() -> None:
    many = counts(0.5 for _ in range(100_000))
    assert len(many.moments) <= 1025 and many.moments[-1][1] == 100_001
    many.add(60_000.0, 3.0)
    assert many.restarted and pace(many, [], None) is None


def paced(batch: int, rate: float, *, steady: bool = True, share: float = 0.2) -> Summary:
    pace = Pace(steady=steady, left_out_share=share) if steady else Pace(steady=False, moves="rises", change=0.2)
    fields = {"samples_per_s_steady": rate} if steady else {}
    return run(batch, samples_per_s_own=rate / 2, pace=pace.as_json(), **fields)


def test_the_steady_parts_are_compared_where_all_runs_have_one() -> None:
    found = compared([paced(8, 100.0), paced(8, 101.0, share=0.3), paced(16, 150.0), paced(16, 151.0)])
    assert [one.sample("samples_per_s").mean for one in found.groups] == [100.5, 150.5]
    assert [one.sample("step_ms").mean for one in found.groups] == pytest.approx([79.6, 106.3], rel=0.001)
    (note,) = [note for note in found.notes if "warm-up" in note]
    assert "the first 20 to 30 % of the training is warm-up and is left out" in note


def test_averages_are_compared_where_a_run_was_never_steady() -> None:
    found = compared([paced(8, 100.0), paced(16, 150.0, steady=False)])
    assert [one.sample("samples_per_s").mean for one in found.groups] == [50.0, 75.0]
    (note,) = [note for note in found.notes if "never got steady" in note]
    assert "it rises by 20 %" in note and "Averages of whole runs are compared" in note


def test_no_average_is_claimed_where_the_last_rates_are_compared() -> None:
    pace = Pace(steady=False, moves="rises", change=0.2).as_json()
    found = compared([run(batch, samples_per_s=rate, pace=pace) for batch, rate in ((8, 100.0), (16, 150.0))])
    notes = " ".join(found.notes)
    assert "the last rate that each run printed" in notes and "it rises by 20 %" in notes
    assert "Averages of whole runs" not in notes
