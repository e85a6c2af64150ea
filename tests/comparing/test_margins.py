"""Shown to be no different by more than a margin: a verdict of its own beside a difference that is not shown."""

from __future__ import annotations

import random

import pytest
from making import compared, run

from assay.comparing.comparison import Comparison
from assay.comparing.margins import limit, margin
from assay.comparing.verdict import Verdict
from assay.errors import UsageError


def within(*groups: list[float], size: str = "2%", name: str = "samples_per_s") -> Comparison:
    made = [run(8 * 2**place, **{name: value}) for place, one in enumerate(groups) for value in one]
    return compared(made, margins=[margin(size)])


def first(found: Comparison) -> Verdict:
    return found.verdicts[0]


def test_groups_that_lie_close_are_shown_to_differ_by_less_than_the_margin() -> None:
    one = first(within([100, 100.3, 99.7, 100.1], [100.2, 99.9, 100.4, 100.0]))
    assert (one.kind, one.different) == ("equivalent", False)
    assert "; shown to be less than 2 % apart (p = " in one.text


def test_what_is_significant_and_small_is_called_both() -> None:
    one = first(within([100, 100.1, 99.9, 100.05], [100.8, 100.9, 100.7, 100.85]))
    assert (one.kind, one.different) == ("equivalent", True)
    assert "significantly different, but shown to be less than 2 % apart" in one.text


def test_few_scattering_runs_show_neither_a_difference_nor_that_there_is_none() -> None:
    one = first(within([100, 104, 97], [101, 98, 103]))
    assert (one.kind, one.same, one.different) == ("not-shown", False, False)


def test_one_run_is_never_shown_to_be_the_same() -> None:
    assert first(within([100, 100.1, 99.9, 100.05], [100.0])).p_same is None


@pytest.mark.parametrize(
    ("name", "values", "size", "words"),
    [
        ("accuracy", ([0.93, 0.931, 0.929, 0.930], [0.9302, 0.9298, 0.931, 0.929]), "1%", "less than 1 point apart"),
        ("loss", ([2.0, 2.001, 1.999, 2.0], [2.001, 2.0, 2.002, 1.999]), "loss 0.05", "less than 0.05 apart"),
        ("loss", ([2.0, 2.001, 1.999, 2.0], [2.001, 2.0, 2.002, 1.999]), "1%", "less than 1 % apart"),
    ],
)
def test_a_margin_is_in_points_of_an_accuracy_and_in_the_unit_of_a_loss(
    name: str, values: tuple[list[float], list[float]], size: str, words: str
) -> None:
    one = first(within(*values, size=size, name=name))
    assert one.kind == "equivalent"
    assert words in one.text


@pytest.mark.parametrize("groups", [2, 4])
def test_groups_that_differ_by_the_margin_are_rarely_shown_to_be_within_it(groups: int) -> None:
    """The first differs from all others by exactly 2 %: the worst case."""
    draw, wrong = random.Random(groups), 0
    for _ in range(300):
        means = [102.0] + [100.0] * (groups - 1)
        found = within(*([draw.gauss(mean, 0.7) for _ in range(4)] for mean in means))
        wrong += any(one.same for one in found.verdicts)
    assert wrong / 300 <= 0.08


@pytest.mark.parametrize("text", ["", "2 % less", "-2%", "0%", "150%", "two"])
def test_what_is_no_margin_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        margin(text)


def test_a_margin_of_a_figure_that_is_not_compared_suggests_one() -> None:
    with pytest.raises(UsageError) as told:
        within([100, 101], [100, 102], size="sample_per_s 2%")
    assert told.value.hint == "did you mean `samples_per_s`?"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("samples_per_s_avg -2%", (-0.02, True)), ("loss +0.05", (0.05, False)), ("wall_s + 5 %", (0.05, True))],
)
def test_a_limit_has_a_figure_a_direction_and_a_size(text: str, expected: tuple[float, bool]) -> None:
    found = limit(text)
    assert (found.value, found.relative) == (pytest.approx(expected[0]), expected[1])
