"""The sentence for each kind of difference, and when something is called best."""

from __future__ import annotations

import json
import random
import re

import pytest
from making import compared, run, verdict

from assay.views.comparison_files import TABLE_NOTE, as_dict, as_markdown


def rates(batch: int, *values: float) -> list[dict]:
    return [run(batch, samples_per_s=value) for value in values]


def accuracies(batch: int, *values: float, **fields) -> list[dict]:
    return [run(batch, accuracy=value, **fields) for value in values]


def test_a_clear_difference_is_a_ratio_with_its_interval_and_counts() -> None:
    found = compared(rates(512, 2924.5, 2931.6, 2912.5) + rates(2048, 6727.9, 6717.1, 6731.5))
    text = verdict(found, "samples_per_s", "2,048")
    assert re.fullmatch(r"2\.30 × the throughput \(95 % interval 2\.2\d–2\.3\d, n = 3 \+ 3\); the difference .*", text)
    assert found.verdicts[0].different is True


def test_a_small_difference_is_inside_the_spread() -> None:
    found = compared(accuracies(8, 0.9858, 0.9713, 0.9843) + accuracies(16, 0.9829, 0.9760, 0.9870))
    text = verdict(found, "accuracy", "16")
    assert re.fullmatch(
        r"0\.15 points of accuracy more \(95 % interval -\d\.\d\d to \d\.\d\d, n = 3 \+ 3\), which is within the noise "
        r"\(runs vary by 0\.6\d points\)",
        text,
    )
    assert found.verdicts[0].different is False


def test_one_run_each_cannot_tell() -> None:
    text = verdict(compared(rates(8, 100.0) + rates(16, 120.0)), "samples_per_s", "16")
    assert text == (
        "1.20 × the throughput from one run each; chance could explain it only if runs vary by more than 6.6 %"
    )


def test_one_run_each_is_judged_by_a_spread_that_is_known_from_elsewhere() -> None:
    graphcore = {"system": "graphcore", "data": "MNIST"}
    near = compared(accuracies(8, 0.9713, **graphcore) + accuracies(16, 0.9858, **graphcore))
    text = verdict(near, "accuracy", "16")
    assert re.match(
        r"1\.45 points of accuracy more \(95 % interval -\d\.\d\d to \d\.\d\d, n = 1 \+ 1, by the spread of", text
    )
    assert re.search(r"could be noise \(runs vary by 0\.\d\d points\)\. About \d+ runs of each would show", text)
    diverged = compared(accuracies(8, 0.0980, **graphcore) + accuracies(16, 0.9858, **graphcore))
    assert "MNIST" not in verdict(diverged, "accuracy", "16")  # the table does not hold for a run that diverged


def test_one_run_each_borrows_the_spread_of_groups_that_were_repeated() -> None:
    found = compared(rates(8, 100.0) + rates(16, 150.0) + rates(32, 200.0, 202.0, 198.0))
    text = verdict(found, "samples_per_s", "16")
    assert "n = 1 + 1, by the spread of the groups that were repeated" in text


def test_a_difference_beyond_the_spread_that_few_runs_cannot_tell_says_how_many_would() -> None:
    found = compared(rates(8, 100.0, 110.0) + rates(16, 118.0, 130.0))
    text = verdict(found, "samples_per_s", "16")
    assert re.search(r"n = 2 \+ 2\), but that could be noise \(runs vary by 6\.\d %\)\. About \d+ runs of each", text)


def test_identical_repeats_say_nothing() -> None:
    found = compared([run(batch, loss=loss) for batch, loss in [(8, 7.125), (8, 7.125), (16, 7.078), (16, 7.078)]])
    assert "identical to the last digit" in verdict(found, "loss", "16")
    assert [best.winner for best in found.bests] == [None]


def test_many_comparisons_are_corrected_for() -> None:
    draw = random.Random(8)
    groups = [(batch, [draw.gauss(100, 1) for _ in range(5)]) for batch in range(8, 8 + 30)]
    found = compared([one for batch, values in groups for one in rates(batch, *values)])
    assert {one.comparisons for one in found.verdicts} == {30 * 29 // 2}
    assert sum(bool(one.difference.different) for one in found.verdicts) >= 1
    assert not any(one.different for one in found.verdicts)
    told = [one.text for one in found.verdicts if one.difference.different]
    assert all("not significant after correcting for 435 comparisons" in text for text in told)


def test_seconds_of_unequal_work_are_not_compared() -> None:
    found = compared([run(8, wall_s=10.0, samples=1000), run(16, wall_s=15.0, samples=2000)], columns=["wall_s"])
    assert verdict(found, "wall_s", "16") == "not compared: 2,000 against 1,000 samples"
    assert found.bests == []


def test_seconds_of_commands_that_tell_no_work_are_compared() -> None:
    found = compared([run(wall_s=t, name=n) for n, t in [("a", 1.0), ("a", 1.1), ("b", 3.0), ("b", 3.1)]])
    assert verdict(found, "wall_s", "b").startswith("2.91 × the time (95 % interval")


def test_best_is_named_only_if_it_differs_significantly_from_all_others() -> None:
    clear = compared(rates(8, 100, 101, 99) + rates(16, 150, 151, 149) + rates(32, 200, 201, 199))
    assert clear.winner("samples_per_s") == "32"
    close = compared(rates(8, 100, 101, 99) + rates(16, 198, 203, 199) + rates(32, 200, 201, 199))
    assert close.winner("samples_per_s") is None
    (best,) = [best for best in close.bests if best.figure.name == "samples_per_s"]
    assert set(best.tied) == {"16", "32"}


def test_a_single_run_is_never_best() -> None:
    found = compared(rates(8, 100, 101, 99) + rates(16, 500))
    (best,) = [best for best in found.bests if best.figure.name == "samples_per_s"]
    assert (best.winner, best.once) == (None, "16")


def test_nothing_is_significant_where_a_setting_was_run_once() -> None:
    once = [one for batch in range(20) for one in rates(100 + batch, 50 - batch)]
    for others in (rates(16, 50), once, once + rates(9, 99, 100, 98)):
        found = compared(rates(8, 100, 101, 99) + others)
        assert found.winner("samples_per_s") is None
        assert not any(one.different and min(one.n) == 1 for one in found.verdicts)
        for one in json.loads(json.dumps(as_dict(found)))["verdicts"]:
            assert min(one["n"]) > 1 or (one["p"], one["p_corrected"], one["different"]) == (None, None, False)
        text = as_markdown(found).replace(TABLE_NOTE, "")
        assert not re.search(r"(?<!no )(?<!not )significant", text), text
        assert "so this could be chance" in text


def test_a_single_run_borrows_a_spread_in_proportion_to_its_size() -> None:
    found = compared(rates(8, 100, 101, 99) + rates(16, 1000))
    text = verdict(found, "samples_per_s", "16")
    assert re.fullmatch(
        r"10\.00 × .* interval 9\.5\d–10\.5\d, n = 1 \+ 3, with the noise of the 3 runs assumed for both\).*", text
    )


def test_outcomes_of_unequal_samples_are_not_compared_because_other_runs_tell_no_samples() -> None:
    told = [run(8, loss=7.1, samples=512), run(16, loss=7.0, samples=1024)]
    silent = run(32, loss=6.0, system="cuda")
    found = compared([*told, silent])
    assert verdict(found, "loss", "cpu · batch_size 16") == "not compared: 1,024 against 512 samples"
    assert [best for best in found.bests if best.figure.name == "loss"] == []
    assert "not compared" not in verdict(compared([*told, silent], axis="end"), "loss", "cpu · batch_size 16")


def test_the_lowest_loss_is_best() -> None:
    found = compared(
        [run(b, loss=value) for b, value in [(8, 1.0), (8, 1.01), (8, 1.02), (16, 2.0), (16, 2.01), (16, 2.02)]]
    )
    assert found.winner("loss") == "8"
    assert verdict(found, "loss", "16").startswith("loss higher by 1.000 (95 % interval 0.9")


def test_noise_alone_is_rarely_called_a_difference_or_a_best() -> None:
    draw, different, best = random.Random(5), 0, 0
    for _ in range(400):
        samples = [[draw.gauss(100, 3) for _ in range(4)] for _ in range(4)]
        found = compared([one for batch, values in enumerate(samples, 8) for one in rates(batch, *values)])
        different += any(one.different for one in found.verdicts)
        best += found.winner("samples_per_s") is not None
    assert different / 400 <= 0.06
    assert best / 400 <= 0.06


def test_rates_of_one_kind_are_compared_where_all_runs_know_it() -> None:
    first = run(8, samples_per_s=50.0, samples_per_s_avg=90.0, samples_per_s_own=100.0)
    second = run(16, samples_per_s=60.0, samples_per_s_avg=95.0)
    found = compared([first, second])
    assert [group.sample("samples_per_s") for group in found.groups] == [(90.0,), (95.0,)]
    mixed = compared([first, run(16, samples_per_s_avg=95.0), run(32, samples_per_s=70.0, samples_per_s_own=99.0)])
    assert any("not all rates are averages" in note for note in mixed.notes)


@pytest.mark.parametrize("name", ["f1", "metrics.f1"])
def test_any_figure_of_a_run_can_be_a_column(name: str) -> None:
    found = compared([run(8, metrics={"f1": 0.5}), run(16, metrics={"f1": 0.75})], columns=[name])
    assert [found.spread(group, name).mean for group in found.groups] == [0.5, 0.75]


def test_of_two_single_runs_with_one_result_none_leads() -> None:
    found = compared([run(b, accuracy=0.7747) for b in (16, 128)])
    (best,) = [one for one in found.bests if one.figure.name == "accuracy"]
    assert (best.winner, best.once, sorted(best.tied)) == (None, None, ["128", "16"])


def test_best_does_not_depend_on_the_baseline() -> None:
    draw = random.Random(11)
    for _ in range(60):
        summaries = [one for batch in (8, 16, 32, 64) for one in rates(batch, *(draw.gauss(100, 3) for _ in range(3)))]
        winners = {compared(summaries, baseline=str(batch)).winner("samples_per_s") for batch in (8, 16, 32, 64)}
        assert len(winners) == 1


def test_what_the_verdicts_call_chance_is_not_called_the_best() -> None:
    draw, chances = random.Random(13), 0
    for _ in range(100):
        found = compared([one for batch in (8, 16, 32) for one in rates(batch, *(draw.gauss(50, 2) for _ in "ab"))])
        best = found.winner("samples_per_s")
        for one in found.verdicts:
            if one.figure.name == "samples_per_s" and best in (one.group, one.baseline):
                chances += 1
                assert one.different
    assert chances


def test_three_runs_each_of_six_groups_tell_a_difference_by_the_spread_of_all() -> None:
    draw, seen = random.Random(17), 0
    for _ in range(100):
        means = (103, 100, 100, 100, 100, 100)
        made = enumerate(means, 1)
        found = compared([one for place, mean in made for one in rates(place, *(draw.gauss(mean, 1) for _ in "abc"))])
        seen += sum(bool(one.different) for one in found.verdicts)
    assert seen / 500 > 0.5  # by the two groups alone it would be a quarter


def test_a_drift_between_groups_that_ran_one_after_the_other_is_not_significant() -> None:
    draw, wrong, plain = random.Random(19), 0, 0
    for _ in range(100):
        made = []
        for place in range(8):
            value = 100 + place + draw.gauss(0, 1)  # the machine warms up, and nothing else
            when = {"id": f"20261101T10{place:02d}00.000-a", "started": f"2026-11-01T10:{place:02d}:00Z"}
            made.append(run(8 if place < 4 else 16, samples_per_s=value, **when))
        found = compared(made).verdicts[0]
        wrong += bool(found.different)
        plain += found.drift
    assert wrong <= 10
    assert plain >= 50
    assert "a steady drift of the machine could explain it" in next(
        one.text for one in compared(made).verdicts if one.drift
    )


def test_losses_of_two_systems_are_not_compared_unless_both_train_one_model() -> None:
    fields = {"loss": 7.1}, {"loss": 1.5}
    apart = [run(512, system="cerebras", **fields[0]) for _ in "ab"] + [run(8, system="graphcore", **fields[1])]
    found = compared(apart, baseline="cerebras · 512")
    assert verdict(found, "loss", "graphcore · batch_size 8").startswith("not compared: graphcore against cerebras")
    one_model = [
        run(8, system=name, model="mnist", loss=value) for name in ("cpu", "graphcore") for value in (0.31, 0.3, 0.29)
    ]
    assert "not compared" not in verdict(compared(one_model, baseline="cpu"), "loss", "graphcore")


def test_one_script_on_a_cpu_and_on_a_gpu_does_one_task() -> None:
    runs = [run(8, system=name, loss=value) for name in ("cpu", "cuda") for value in (0.31, 0.3, 0.29)]
    assert "not compared" not in verdict(compared(runs, baseline="cpu"), "loss", "cuda")


def test_no_interval_of_a_loss_that_was_never_negative_goes_below_zero() -> None:
    found = compared([run(32, steps=9, loss=loss) for loss in (0.01, 0.3, 0.9)] + [run(64, steps=9, loss=-0.1)] * 1)
    spread = found.spread(found.groups[0], "loss")
    assert spread is not None and spread.low == 0.0 and spread.high is not None and spread.high > 1
