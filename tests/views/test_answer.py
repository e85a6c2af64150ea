"""The answer of a comparison, in sentences that a person would say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from assay.comparing.comparison import Wish, compare
from assay.model.summary import Summary
from assay.views.answer import answers


def said(figures: Mapping[int, Sequence[float]], name: str = "accuracy") -> list[str]:
    """Of runs of several batch sizes that differ in one figure."""
    summaries = [
        Summary.of({"id": f"{batch}-{at}", "name": f"bs{batch}", "status": "completed", "system": "cpu",
                    "params": {"batch_size": batch}, "steps": 100, "samples": 6400, name: value})
        for batch, values in figures.items()
        for at, value in enumerate(values)
    ]  # fmt: skip
    return answers(compare(summaries, lambda summary: (), Wish()))


@pytest.mark.parametrize(
    ("figures", "words"),
    [
        (
            {8: [0.928, 0.930, 0.932], 256: [0.20, 0.21, 0.22]},
            ["is highest with batch_size 8: 93.00 %, against 21.00 % with 256 (72.00 points more, 95 % interval ",
             "). The difference is significant."],
        ),
        (
            {8: [0.928, 0.930, 0.932], 16: [0.80, 0.81, 0.82], 256: [0.20, 0.21, 0.22]},
            ["against 81.00 % with 16 (12.00 points more, 95 % interval ",
             "). Its difference from every other is significant."],
        ),
        (
            {8: [0.92, 0.93, 0.94], 16: [0.88, 0.90, 0.95], 256: [0.20, 0.21, 0.22]},
            ["is significantly lower with batch_size 256 (21.00 %). ",
             "93.00 % with 8 and 91.0 % with 16 may differ by chance alone.",
             " runs of each would show it."],
        ),
        (
            {8: [0.92, 0.93, 0.94], 16: [0.91, 0.93, 0.95]},
            ["shows no significant difference: 93.00 % with batch_size 8 and 93.0 % with 16 (no difference, 95 %"],
        ),
        (
            {8: [0.92, 0.92], 16: [0.93, 0.93]},
            ["cannot be judged: 93 % with batch_size 16 and 92 % with 8. The repeats are identical to the last digit"],
        ),
        (
            {8: [0.92, 0.92], 16: [0.92, 0.92], 32: [0.93, 0.93]},
            ["cannot be judged: 93 % with batch_size 32, 92 % with 8 and 92 % with 16. The repeats are identical"],
        ),
        (
            {8: [0.92], 16: [0.93]},
            ["is highest with batch_size 16: 93 %, against 92 % with 8. The first was run once, so chance could"],
        ),
    ],
)  # fmt: skip
def test_the_answer_says_what_is_certain_and_what_may_be_chance(
    figures: dict[int, list[float]], words: list[str]
) -> None:
    (sentence,) = said(figures)
    assert sentence.startswith("Accuracy")
    assert all(one in sentence for one in words), sentence


def test_a_rate_comes_with_its_unit_and_factor() -> None:
    (sentence,) = said({8: [100.0, 101.0, 99.0], 64: [250.0, 252.0, 248.0]}, "samples_per_s_own")
    assert sentence == (
        "Throughput is highest with batch_size 64: 250.0 samples/s, against 100.0 samples/s with 8 "
        "(2.50 ×, 95 % interval 2.45–2.55). The difference is significant."
    )


def test_runs_of_one_setting_have_no_answer() -> None:
    assert said({8: [0.92, 0.93]}) == []


def test_where_two_settings_vary_both_are_named() -> None:
    summaries = [
        Summary.of({"id": f"{batch}-{lr}-{at}", "name": "t", "status": "completed", "system": "cpu", "steps": 100,
                    "params": {"batch_size": batch, "lr": lr}, "samples": 6400, "accuracy": 0.5 + lr + 0.001 * at})
        for batch in (8, 16) for lr in (0.1, 0.2) for at in range(3)
    ]  # fmt: skip
    (sentence,) = answers(compare(summaries, lambda summary: (), Wish()))
    assert "with batch_size 8 and lr 0.2" in sentence
    assert "·" not in sentence


def test_a_group_without_the_setting_is_called_so() -> None:
    values = ({"claims": {"lr": 0.1}}, {"claims": {}})
    summaries = [
        Summary(id=f"{at}{n}", name="x", status="completed", loss=0.5 + at / 10 + n / 1000, **given)
        for at, given in enumerate(values)
        for n in range(3)
    ]
    (sentence,) = answers(compare(summaries, lambda summary: (), Wish()))
    assert "with lr 0.1: 0.5010, against 0.6010 with no lr given" in sentence
