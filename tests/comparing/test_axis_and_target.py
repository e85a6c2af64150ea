"""Results at an equal budget, and what a target took."""

from __future__ import annotations

import math
import random
import re

import pytest
from making import compared, losses, run, verdict

from assay.comparing.target import parse_target
from assay.errors import UsageError
from assay.views.comparison import reached_words


def pair() -> tuple[list[dict], dict]:
    """Ten steps each: the larger batch has seen four times the data, and falls half as fast for a sample."""
    small = run(8, loss=1.0, steps=10, samples=80, train_s=10.0)
    large = run(32, loss=0.5, steps=10, samples=320, train_s=10.0)
    curves = {
        small.id: losses([10 - 0.9 * step for step in range(1, 11)], batch=8),
        large.id: losses([10 - 0.95 * step for step in range(1, 11)], batch=32),
    }
    return [small, large], curves


def values(found, name: str = "loss") -> list[list[float]]:
    return [list(group.sample(name)) for group in found.groups]


def test_losses_are_read_at_equal_samples_and_the_reason_is_said() -> None:
    summaries, curves = pair()
    found = compared(summaries, curves)
    assert values(found) == [[1.0], [pytest.approx(10 - 0.95 * 2.5)]]
    assert (found.axis.name, found.axis.limit, found.axis.equal) == ("samples", 80, False)
    assert "at equal steps a larger batch would have seen more data" in found.axis.why
    assert "0.5" not in verdict(found, "loss", "32")


def test_the_axis_can_be_chosen() -> None:
    summaries, curves = pair()
    assert values(compared(summaries, curves, axis="steps")) == [[1.0], [0.5]]
    assert values(compared(summaries, curves, axis="end")) == [[1.0], [0.5]]
    half = [summaries[0].replace(train_s=5.0, loss=5.5), summaries[1]]
    assert values(compared(half, curves, axis="seconds")) == [[5.5], [pytest.approx(10 - 0.95 * 5)]]
    with pytest.raises(UsageError, match="no run reports its energy"):
        compared(summaries, curves, axis="energy")


def test_energy_is_an_axis_where_a_counter_was_read() -> None:
    summaries, curves = pair()
    summaries = [one.replace(energy_j=10.0 * watts) for one, watts in zip(summaries, (10, 40), strict=True)]
    for summary, watts in zip(summaries, (10, 40), strict=True):
        counted = [
            {"kind": "sample", "from": "probe:gpu", "gpu": 0, "at_s": float(second), "energy_j": float(second * watts)}
            for second in range(1, 11)
        ]
        events = curves[summary.id] + counted
        curves[summary.id] = sorted(events, key=lambda event: event["at_s"])
    found = compared(summaries, curves, axis="energy")
    assert found.axis.limit == 100
    assert values(found) == [[1.0], [pytest.approx(10 - 0.95 * 2.5)]]


def test_an_outcome_that_is_only_known_at_an_unequal_end_is_left_out_and_said_to_be() -> None:
    summaries, curves = pair()
    found = compared([one.replace(accuracy=0.9) for one in summaries], curves)
    assert values(found, "accuracy") == [[0.9], []]
    assert any(note.startswith("accuracy at 80 samples is unknown for 1 of 2 runs") for note in found.notes)


def test_equal_epochs_are_an_equal_budget_even_if_a_last_batch_was_dropped() -> None:
    summaries = [run(b, accuracy=0.9, samples=s, settings={"epochs": 20}) for b, s in [(16, 26880), (128, 25600)]]
    found = compared(summaries)
    assert found.axis.equal
    assert found.axis.why == "equal samples: every run made 20 epochs"


def test_a_run_that_stopped_early_is_not_said_to_have_made_its_epochs() -> None:
    summaries = [run(b, accuracy=0.9, samples=100, epochs=0.5, settings={"epochs": 2}) for b in (16, 128)]
    assert compared(summaries).axis.why == "equal samples: every run made 0.5 epochs"


def test_one_epoch_is_reported_as_one() -> None:
    summaries = [run(batch, accuracy=0.9, samples=1280, settings={"epochs": 1}) for batch in (16, 128)]
    assert compared(summaries).axis.why == "equal samples: every run made 1 epoch"


def test_the_loss_of_the_first_batch_of_an_epoch_is_not_the_loss_of_the_epoch() -> None:
    whole = [run(16, loss=0.9, samples=640, epochs=1)]
    early = [run(128, loss=2.3, samples=0, epochs=1, val_loss=1.1)]
    found = compared(whole + early)
    assert found.axis.why.endswith("a training loss that was last printed early in it is left out")
    assert values(found, "loss") == [[0.9], []]
    assert values(found, "val_loss") == [[], [1.1]]


def test_claimed_epochs_are_no_equal_budget() -> None:
    summaries = [run(b, accuracy=0.9, samples=s, claims={"epochs": 20}) for b, s in [(16, 26880), (128, 5600)]]
    assert not compared(summaries).axis.equal


def test_speeds_need_no_axis() -> None:
    assert "only speeds" in compared([run(8, samples_per_s=1.0), run(16, samples_per_s=2.0)]).axis.why


def test_a_target_is_reached_at_the_first_logged_moment_at_or_beyond_it() -> None:
    summaries, curves = pair()
    found = compared(summaries, curves, target=parse_target("loss=5.5"))
    small, large = found.reached
    assert {axis: list(sample) for axis, sample in small.spent.items()} == {
        "steps": [5],
        "samples": [40],
        "seconds": [5],
    }
    assert list(large.spent["samples"]) == [5 * 32]
    assert (small.count, small.of) == (1, 1)


def test_seconds_to_a_target_are_of_training_only_where_a_run_says_when_it_began() -> None:
    summaries, curves = pair()
    summaries[1] = summaries[1].replace(phases={"train": 10.0})
    silent, told = compared(summaries, curves, target=parse_target("loss=5.5")).reached
    assert "5.00 s of training (its start is estimated)" in list(reached_words(silent))
    assert "5.00 s of training" in list(reached_words(told))


def test_a_run_that_never_got_there_spoils_the_mean_of_its_group() -> None:
    summaries, curves = pair()
    late = run(8, loss=9.0, steps=10, samples=80, train_s=10.0)
    found = compared(
        [*summaries, late], {**curves, late.id: losses([9.0] * 10, batch=8)}, target=parse_target("loss=5.5")
    )
    assert [(one.count, one.of) for one in found.reached] == [(1, 2), (1, 1)]
    (model,) = [model for model in found.models if model.kind == "convergence"]
    assert not model.holds
    assert "No model: not every run reached it (8 in 1 of 2)" in model.says


def test_a_run_that_tells_no_curve_is_not_said_to_have_failed_the_target() -> None:
    summaries, curves = pair()
    silent = run(8, loss=1.0, steps=10, samples=80, train_s=10.0)
    once = run(8, loss=1.0, steps=10, samples=80, train_s=10.0)
    found = compared(
        [*summaries, silent, once],
        {**curves, once.id: losses([1.0], batch=8, every=10)},
        target=parse_target("loss=5.5"),
    )
    assert [(one.count, one.of, one.unknown) for one in found.reached] == [(1, 1, 2), (1, 1, 0)]


def test_a_larger_batch_that_needs_more_samples_is_said_to() -> None:
    summaries, curves = [], {}
    for batch, slow in ((8, 1.0), (64, 0.9)):
        for repeat in range(3):
            one = run(batch, loss=1.0, steps=10, samples=10 * batch, train_s=10.0)
            summaries.append(one)
            curves[one.id] = losses([10 - (slow + 0.01 * repeat) * step for step in range(1, 101)], batch=batch)
    found = compared(summaries, curves)
    (model,) = [model for model in found.models if model.kind == "convergence"]
    assert model.holds
    assert model.says[-1] == "a larger batch needs more samples here, which takes away part of what faster steps gain"


def test_an_interval_without_1_that_many_comparisons_explain_is_called_that() -> None:
    """Steps to the target at batch 8: 20, 24, 28; one size needs more samples by itself, but not as one of four."""
    steps_to = {8: (20, 24, 28), 16: (16, 18, 20), 32: (6, 7, 8), 64: (3, 3, 4), 128: (2, 2, 3)}
    summaries, curves = [], {}
    for batch, counts in steps_to.items():
        for count in counts:
            one = run(batch, loss=1.0, steps=40, samples=40 * batch, train_s=10.0)
            summaries.append(one)
            curves[one.id] = losses([9.0] * (count - 1) + [5.0] * (41 - count), batch=batch)
    found = compared(summaries, curves, target=parse_target("loss=5.5"))
    (model,) = [model for model in found.models if model.kind == "convergence"]
    for text in model.says[:4]:
        interval = re.search(r"interval ([\d.]+)–", text)
        without_1 = interval is not None and float(interval[1]) > 1
        assert without_1 != text.endswith("which could be noise"), text
    assert any("not significant after correcting for 4 comparisons" in text for text in model.says), model.says


@pytest.mark.parametrize(
    ("text", "name", "value", "below"),
    [
        ("loss=7.5", "loss", 7.5, True),
        ("accuracy=97%", "accuracy", 0.97, False),
        ("accuracy>=97", "accuracy", 0.97, False),
        ("perplexity<=20", "perplexity", 20.0, True),
        ("accuracy = 0.97", "accuracy", 0.97, False),
    ],
)
def test_a_target_is_understood_in_the_ways_people_write_it(text: str, name: str, value: float, below: bool) -> None:
    target = parse_target(text)
    assert (target.name, target.value, target.below) == (name, value, below)


@pytest.mark.parametrize("text", ["loss", "loss=", "=3", "loss=abc", "banana=20"])
def test_a_target_that_means_nothing_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_target(text)


def test_a_noisier_small_batch_is_not_taken_for_one_that_learns_from_fewer_samples() -> None:
    draw, said = random.Random(1), 0
    for _ in range(25):
        runs, events = [], {}
        for batch in (32, 128):
            for _ in range(4):
                made = run(batch, loss=1.2, samples=20480, steps=20480 // batch)
                noise = 1 / math.sqrt(batch)
                curve = [
                    2 * math.exp(-step * batch / 10240) + 1 + draw.gauss(0, noise) for step in range(20480 // batch)
                ]
                runs, events = [*runs, made], {**events, made.id: losses(curve, batch=batch)}
        (found,) = [one for one in compared(runs, events).models if one.kind == "convergence"]
        said += any("a larger batch needs more samples here" in text for text in found.says)
    assert said <= 4
