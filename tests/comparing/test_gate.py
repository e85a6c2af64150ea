"""Runs held against a baseline: failed only beyond noise, passed only where worse is ruled out, else undecided."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from making import run

from assay.comparing.comparison import Wish, compare
from assay.comparing.gate import SIDE, Gate, check_figures, gate, settings_within, sided
from assay.comparing.margins import limit
from assay.errors import UndecidedError, UsageError
from assay.model.summary import Summary
from assay.views.gate import gate_lines


def checked(now: Sequence[Summary], baseline: Sequence[Summary], *limits: str) -> Gate:
    both, asked = sided(now, baseline), [limit(text) for text in limits]
    check_figures(asked, both)
    columns = list(dict.fromkeys(str(one.figure) for one in asked))
    found = compare(both, lambda summary: (), Wish(by=[*settings_within(both), SIDE], columns=columns))
    return gate(found, asked)


def rates(*values: float, batch: int | None = None, **fields: object) -> list[Summary]:
    return [run(batch, samples_per_s_own=value, **fields) for value in values]


BASE = (100.0, 100.4, 99.6, 100.2, 99.8)


@pytest.mark.parametrize(
    ("factor", "outcome", "code"),
    [(0.90, "failed", 1), (1.0, "passed", 0), (0.98, "undecided", 3), (1.1, "passed", 0)],
)
def test_a_loss_of_more_than_two_per_cent_fails_and_one_at_the_limit_is_left_open(
    factor: float, outcome: str, code: int
) -> None:
    found = checked(rates(*(factor * value for value in BASE)), rates(*BASE), "samples_per_s_avg -2%")
    assert (found.outcome, found.exit_code) == (outcome, code)


def test_every_line_quotes_the_estimate_and_its_interval() -> None:
    found = checked(rates(*(0.9 * value for value in BASE)), rates(*BASE), "samples_per_s_avg -2%")
    line, rate = gate_lines(found)
    assert line.startswith("Failed: average throughput is 10 % less than the baseline (95 % interval 9.")
    assert "which is down by more than 2 % (p = " in line
    assert "at most 1 in 20" in rate


def test_more_is_too_much_where_the_limit_says_so() -> None:
    slow, fast = [run(wall_s=value * 1.2) for value in BASE], [run(wall_s=value) for value in BASE]
    assert checked(slow, fast, "wall_s +5%").outcome == "failed"
    assert checked(fast, slow, "wall_s +5%").outcome == "passed"


def test_an_accuracy_may_fall_by_points() -> None:
    before, after = ([run(accuracy=mean + off) for off in (0.001, -0.001, 0.0005)] for mean in (0.93, 0.90))
    assert checked(after, before, "accuracy -1%").outcome == "failed"
    assert checked(after, before, "accuracy -5%").outcome == "passed"
    assert checked(after, before, "accuracy -5").outcome == "passed"


@pytest.mark.parametrize(("now", "then"), [([90.0], [100.0]), ([90.0, 90.0], [100.0, 100.0])])
def test_without_any_spread_nothing_is_decided(now: list[float], then: list[float]) -> None:
    found = checked(rates(*now), rates(*then), "samples_per_s_avg -2%")
    assert found.exit_code == 3
    assert "cannot be judged" in next(iter(gate_lines(found)))


def test_a_figure_that_never_varies_and_is_the_same_passes() -> None:
    assert checked(rates(100.0, 100.0), rates(100.0, 100.0), "samples_per_s_avg -2%").outcome == "passed"


def test_settings_are_held_against_their_own_baseline() -> None:
    now = rates(*BASE, batch=8) + rates(*(180 + value / 100 for value in BASE), batch=16)
    then = rates(*BASE, batch=8) + rates(*(200 + value / 100 for value in BASE), batch=16)
    found = checked(now, then, "samples_per_s_avg -2%")
    assert {check.settings: check.outcome for check in found.checks} == {
        "batch_size 8": "passed",
        "batch_size 16": "failed",
    }
    assert found.exit_code == 1


def test_a_setting_that_only_one_side_has_is_said_and_not_checked() -> None:
    found = checked(rates(*BASE, batch=8) + rates(*BASE, batch=16), rates(*BASE, batch=8), "samples_per_s_avg -2%")
    assert [check.settings for check in found.checks] == ["batch_size 8"]
    assert found.notes == ["Only one side has runs with batch_size 16: not checked"]


def test_what_differs_between_the_sides_alone_is_what_is_checked() -> None:
    now, then = rates(*BASE, settings={"lr": 0.1}), rates(*BASE, settings={"lr": 0.2})
    assert checked(now, then, "samples_per_s_avg -2%").outcome == "passed"


def test_no_common_settings_cannot_be_decided() -> None:
    now = rates(*BASE, batch=8) + rates(*BASE, batch=16)
    then = rates(*BASE, batch=32) + rates(*BASE, batch=64)
    with pytest.raises(UndecidedError):
        checked(now, then, "samples_per_s_avg -2%")


def test_a_baseline_of_another_machine_is_warned_of() -> None:
    found = checked(rates(*BASE, host="here"), rates(*BASE, host="there"), "samples_per_s_avg -2%")
    assert any("another machine (there, these on here)" in line for line in gate_lines(found))


def test_an_unknown_figure_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UsageError) as told:
        checked(rates(*BASE), rates(*BASE), "acuracy -2%", "sample_per_s -2%")
    assert "acuracy" in told.value.message
    with pytest.raises(UsageError) as told:
        checked(rates(*BASE), rates(*BASE), "sample_per_s -2%")
    assert told.value.hint == "did you mean `samples_per_s`?"


@pytest.mark.parametrize("text", ["samples_per_s", "samples_per_s 2%", "-2%", "samples_per_s -2 percent"])
def test_a_limit_without_a_figure_a_direction_or_a_size_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not a limit"):
        limit(text)


@pytest.mark.parametrize("figures", [1, 3])
def test_a_change_at_the_limit_is_rarely_failed_and_rarely_passed(figures: int) -> None:
    """Of three figures all at their limits, hardly ever one is failed."""
    draw, failed, passed = random.Random(figures), 0, 0
    names = ("samples_per_s_own", "tokens_per_s", "requests_per_s")[:figures]
    for _ in range(150):
        now = [run(**{name: 98 * (1 + draw.gauss(0, 0.01)) for name in names}) for _ in range(4)]
        then = [run(**{name: 100 * (1 + draw.gauss(0, 0.01)) for name in names}) for _ in range(4)]
        found = checked(now, then, *(f"{name} -2%" for name in names))
        failed += found.outcome == "failed"
        passed += found.outcome == "passed"
    assert failed / 150 <= 0.09
    assert passed / 150 <= 0.09
