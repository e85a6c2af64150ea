"""Models of behaviour: right where the data carry them, refused where not."""

from __future__ import annotations

import random

import pytest
from making import compared, run

from assay.comparing.models.line import fit

SEEDS = {512: (175.070, 175.797, 174.646), 1024: (210.762, 211.257, 210.627), 2048: (304.403, 304.895, 304.240)}


def timed(times: dict[int, tuple[float, ...]], **fields) -> list[dict]:
    """Runs of 1,000 steps; the seconds of a run are the milliseconds of a step."""
    return [
        run(batch, steps=1000, samples=1000 * batch, train_s=seconds, **fields)
        for batch, repeats in times.items()
        for seconds in repeats
    ]


def model(found, kind: str):
    (only,) = [one for one in found.models if one.kind == kind]
    return only


def test_a_bent_line_gives_no_model_but_its_cost_per_sample() -> None:
    found = model(compared(timed(SEEDS)), "batch")
    assert not found.holds
    assert found.says[0] == "No straight-line model: it misses by up to 2.3 %, more than noise explains (p < 0.001)"
    assert "The cost per sample rises with the batch size: 0.070, then 0.091 ms" in found.says[1]
    assert len(found.says) == 2  # a line that is refused carries no extrapolation
    assert "fixed_ms" not in found.figures


def test_a_true_line_gives_its_costs_and_the_batch_that_reaches_80_per_cent() -> None:
    draw = random.Random(1)
    times = {b: tuple((20 + 0.05 * b) * draw.gauss(1, 0.003) for _ in range(4)) for b in (64, 256, 1024, 4096)}
    found = model(compared(timed(times)), "batch")
    assert found.holds
    assert found.figures["ms_per_sample"] == pytest.approx(0.05, rel=0.02)
    assert abs(found.figures["fixed_ms"] - 20) <= 2 * found.figures["fixed_ms_half"]
    assert found.figures["batch_at_80_pct"] == pytest.approx(1600, rel=0.1)
    assert found.figures["top_samples_per_s"] == pytest.approx(20000, rel=0.02)
    assert found.valid == (64, 4096)
    low, high = found.figures["extrapolation"]["low_ms"], found.figures["extrapolation"]["high_ms"]
    assert low <= 20 + 0.05 * 8192 <= high


def test_a_line_is_rarely_refused_where_it_is_true() -> None:
    draw, refused = random.Random(2), 0
    for _ in range(300):
        times = {b: tuple((50 + 0.1 * b) * draw.gauss(1, 0.02) for _ in range(3)) for b in (100, 400, 700, 1000)}
        refused += not model(compared(timed(times)), "batch").holds
    assert refused / 300 <= 0.10


def test_two_batch_sizes_always_lie_on_a_line() -> None:
    found = model(compared(timed({8: (1.0, 1.1), 16: (2.0, 2.1)})), "batch")
    assert (found.holds, found.says) == (False, ["No model yet: any two batch sizes lie on a line; run a third"])


def test_a_line_without_repeats_is_called_untested() -> None:
    found = model(compared(timed({8: (10.8,), 16: (11.6,), 32: (13.2,), 64: (16.4,)})), "batch")
    assert found.holds
    assert "untested" in found.says[0]


def test_three_batch_sizes_without_repeats_carry_no_line() -> None:
    found = model(compared(timed({512: (174.6,), 1024: (211.3,), 2048: (304.9,)})), "batch")
    assert not found.holds
    assert "three batch sizes without repeats" in found.says[0]
    assert "0.072, then 0.091 ms" in found.says[1]


def test_a_bent_line_without_repeats_is_refused() -> None:
    found = model(compared(timed({8: (10.0,), 16: (11.0,), 32: (20.0,), 64: (80.0,)})), "batch")
    assert not found.holds
    assert "no repeats to judge that by" in found.says[0]


def test_runs_of_two_systems_make_no_line() -> None:
    found = compared(timed({8: (1.0,), 16: (2.0,)}) + timed({32: (3.0,)}, system="cuda"))
    assert [(one.title, one.holds) for one in found.models if one.kind == "batch"] == [
        ("step time against batch size (system cpu)", False)
    ]


def test_utilisation_needs_the_work_of_a_sample_and_the_peak() -> None:
    known = {"metrics": {"flops_per_sample": 2e9}, "settings": {"peak_flops": 1e12}}
    found = model(
        compared([run(8, samples_per_s=100.0, **known), run(16, samples_per_s=200.0, **known)]), "utilisation"
    )
    assert found.figures == {"8": pytest.approx(0.2), "16": pytest.approx(0.4)}
    assert compared([run(8, samples_per_s=100.0), run(16, samples_per_s=2.0)]).models[1:] == []
    wrong = model(compared([run(8, samples_per_s=900.0, **known)]), "utilisation")
    assert not wrong.holds


def test_a_total_of_seconds_is_training_only_where_it_agrees_with_known_training() -> None:
    told = timed({512: (175.0, 175.2), 1024: (210.0, 210.2)}, system="cerebras")
    agrees = run(512, samples=512000, system="cerebras", metrics={"reported_s": 175.8})
    covers_more = run(512, samples=512000, system="cerebras", metrics={"reported_s": 1900.0})
    found = compared([*told, agrees, covers_more])
    assert [len(group.sample("step_ms")) for group in found.groups] == [3, 2]
    assert any(note.startswith("1 run reports only a total time") for note in found.notes)


def test_a_batch_size_is_inferred_from_the_samples_only_where_all_others_made_the_same_steps() -> None:
    silent = run(samples=1024000, system="cerebras", metrics={"reported_s": 210.5})
    found = compared([*timed({512: (175.0,), 1024: (210.0,)}, system="cerebras"), silent])
    assert [(group.label, group.marks, len(group.rows)) for group in found.groups] == [
        ("512", "", 1),
        ("1,024", "~", 2),
    ]
    other = run(256, steps=77, samples=77 * 256, train_s=9.0, system="cerebras")
    found = compared([*timed({512: (175.0,), 1024: (210.0,)}, system="cerebras"), other, silent])
    assert [group.label for group in found.groups] == ["256", "512", "1,024", "–"]


def test_shares_of_time_go_to_the_innermost_and_sum_to_one() -> None:
    first = run(
        8,
        wall_s=100.0,
        phases={"compile": 60.0, "train": 30.0},
        phase_shares={"compile": 0.6, "train": 0.3, "other": 0.1},
    )
    second = run(16, wall_s=200.0, phases={"queue": 50.0, "train": 100.0})
    nested = run(32, wall_s=10.0, phases={"program": 9.0, "train": 8.0})
    found = compared([first, second, nested])
    assert [one.group for one in found.shares] == ["8", "16"]
    for one in found.shares:
        assert sum(one.shares.values()) == pytest.approx(1)
    assert found.shares[1].shares == {"queue": 0.25, "train": 0.5, "other": pytest.approx(0.25)}
    assert found.shares[0].sentence == "1m 40s, of which 30.0 s training"


def test_the_wait_for_a_scheduler_is_no_share_of_the_wall_time() -> None:
    waited = run(8, wall_s=100.0, queue_s=900.0, phases={"queue": 900.0, "train": 60.0})
    only_waited = run(16, wall_s=100.0, queue_s=20.0, phases={"queue": 20.0})
    found = compared([waited, only_waited])
    assert [one.group for one in found.shares] == ["8"]
    assert found.shares[0].shares == {"train": 0.6, "other": pytest.approx(0.4)}


def test_no_top_throughput_is_given_where_a_smaller_batch_may_be_as_fast() -> None:
    times = {8: (0.98, 0.96, 0.97), 16: (1.95, 1.90, 1.96), 32: (4.1, 3.7, 3.9)}
    found = model(compared(timed(times)), "batch")
    assert found.holds
    assert found.says[1].startswith("The fixed cost per step is too small to measure here")
    assert found.figures["top_samples_per_s"] is None
    assert found.figures["batch_at_80_pct"] is None


def test_each_combination_of_the_other_settings_has_its_line() -> None:
    runs = []
    for width, fixed in ((128, 1.0), (512, 9.0)):
        for batch in (8, 16, 32):
            for off in (0.99, 1.0, 1.01):
                step_s = (fixed + 0.1 * batch) / 1000 * off
                runs.append(run(batch, settings={"width": width}, train_s=100 * step_s, steps=100, samples=100 * batch))
    found = [one for one in compared(runs).models if one.kind == "batch"]
    assert [one.title for one in found] == [f"step time against batch size (width {width})" for width in (128, 512)]
    assert all(one.holds for one in found)
    assert [round(one.figures["fixed_ms"], 1) for one in found] == [1.0, 9.0]


def test_the_interval_of_a_slope_covers_it_where_times_scatter_in_proportion() -> None:
    draw, covered = random.Random(4), 0
    for _ in range(500):
        line = fit([(x, (2 + 0.1 * x) * draw.gauss(1, 0.03)) for x in (8, 32, 128, 512) for _ in range(3)])
        assert line is not None
        covered += abs(line.c - 0.1) <= line.c_half
    assert 0.92 <= covered / 500 <= 0.98


def test_repeats_that_agree_to_the_last_digit_do_not_refuse_a_line() -> None:
    times = {8: (2.800, 2.801, 2.800), 16: (3.603, 3.602, 3.603), 32: (5.200, 5.200, 5.201), 64: (8.4, 8.4, 8.4)}
    assert model(compared(timed(times)), "batch").holds
