"""Spreads and runs that a page states, repeats that it shows, columns of speed-ups, budgets: each with a twin."""

from __future__ import annotations

import random
import statistics
from pathlib import Path

import pytest
from judged import Pages, codes, examples, left_alone
from logs import cerebras, mnist, page

from assay.auditing.case import Case, Sentence
from assay.auditing.scatter import shown_apart
from assay.language.scatter import CI, SD, SEM, Scatter, repeats_in, scatters_in


def stated(first: str, second: str, runs: str, gain: str) -> str:
    return page(
        "# MNIST",
        f"Batch size 8 reaches an accuracy of {first} and batch size 16 of {second} ({runs}).",
        f"The larger batch improved the accuracy by {gain} points.",
    )


DOUBTED: dict[str, Pages] = {
    "a gain within the standard deviations of ten runs": stated("97.20 ± 0.40 %", "97.40 ± 0.40 %", "n = 10", "0.20"),
    "a gain within the standard errors": stated("97.20 ± 0.20 %", "97.40 ± 0.20 %", "mean ± sem, n = 10", "0.20"),
    "a gain within the confidence intervals": stated("97.20 ± 0.3 %", "97.40 ± 0.3 %", "± is the 95% CI", "0.20"),
    "a gain within what three runs scatter": stated("97.2 +/- 0.5 %", "97.9 +/- 0.5 %", "3 runs each", "0.7"),
    "a gain within standard deviations in words": stated("97.20 % (std 0.30)", "97.30 % (std 0.28)", "n = 10", "0.10"),
    "ten repeats that lie among each other": page(
        "# Graphcore",
        *(mnist(10, accuracy=97.5 + 0.1 * place, job=place) for place in range(10)),
        *(mnist(20, accuracy=97.55 + 0.1 * place, job=20 + place) for place in range(10)),
        "20 epochs give a better accuracy than 10 epochs.",
    ),
}

BELIEVED: dict[str, Pages] = {
    "a gain beyond the standard deviations of ten runs": stated("97.20 ± 0.40 %", "97.85 ± 0.40 %", "n = 10", "0.65"),
    "a gain beyond the standard errors": stated("97.20 ± 0.10 %", "97.60 ± 0.10 %", "mean ± sem, n = 10", "0.40"),
    "a gain beyond the confidence intervals": stated("97.20 ± 0.1 %", "97.60 ± 0.1 %", "± is the 95% CI", "0.40"),
    "a gain beyond what ten runs scatter": stated("97.2 +/- 0.5 %", "97.9 +/- 0.5 %", "10 runs each", "0.7"),
    "a gain beyond standard deviations in words": stated("97.20 % (std 0.30)", "97.70 % (std 0.28)", "n = 10", "0.50"),
    "ten repeats that overlap and are told apart": page(
        "# Graphcore",
        *(mnist(10, accuracy=97.5 + 0.1 * place, job=place) for place in range(10)),
        *(mnist(20, accuracy=98.0 + 0.1 * place, job=20 + place) for place in range(10)),
        "20 epochs give a better accuracy than 10 epochs.",
    ),
}

TABLES = {
    "two models with a baseline each": (
        "| model | time (s) | speed-up |\n|---|---|---|\n| A | 100 | 1.0 |\n| A fused | 80 | 1.25 |\n| B | 200 | 1.0 |\n"
        "| B fused | 160 | {} |\n",
        "1.25",
        "1.9",
    ),
    "each row against the one before": (
        "| workers | time (s) | speed-up |\n|---|---|---|\n| 1 | 100 | 1.0 |\n| 2 | 50 | 2.0 |\n| 4 | 40 | {} |\n",
        "1.25",
        "1.6",
    ),
    "a speed-up in per cent": (
        "| setting | time (s) | speed-up |\n|---|---|---|\n| base | 100 | 1.0 |\n| fused | 80 | {} |\n",
        "25 %",
        "60 %",
    ),
}


@examples(DOUBTED)
def test_a_gain_that_the_page_s_own_spread_does_not_show_is_doubted(tmp_path: Path, pages: Pages) -> None:
    assert "within-noise" in codes(tmp_path, pages)


@examples(BELIEVED)
def test_a_gain_that_the_page_s_own_spread_shows_is_believed(tmp_path: Path, pages: Pages) -> None:
    left_alone(tmp_path, pages, "within-noise", also="same-figures")


@pytest.mark.parametrize("table", list(TABLES.values()), ids=list(TABLES))
def test_a_right_column_of_speed_ups_is_left_alone_and_a_wrong_one_found(
    tmp_path: Path, table: tuple[str, str, str]
) -> None:
    text, right, wrong = table
    head = "# Cerebras\n\n" + cerebras_fence()
    assert "wrong-arithmetic" not in codes(tmp_path, head + text.format(right))
    assert "wrong-arithmetic" in codes(tmp_path, head + text.format(wrong))


def cerebras_fence() -> str:
    return f"```\n{cerebras(512, 2920)}```\n\n"


def sooner(*said: str) -> str:
    return page("# Cerebras", "Batch size 512:", cerebras(512, 2920), "Batch size 1024:", cerebras(1024, 4850), *said)


def test_a_run_that_is_called_faster_for_half_the_work_is_doubted(tmp_path: Path) -> None:
    claim = "The batch size of 512 finished faster than the batch size of 1024."
    assert "unequal-budget" in codes(tmp_path, sooner(claim))
    admitted = "The batch size of 512 finished faster than the batch size of 1024, since it saw half the samples."
    left_alone(tmp_path, sooner(admitted), "unequal-budget")


def test_a_thousand_steps_and_ten_more_are_as_many(tmp_path: Path) -> None:
    """So losses of unequal batches are compared at unequal samples, and those of one batch at equal ones."""
    claim = "The second run has the better model, as its loss is lower."
    unequal = page("# Cerebras", cerebras(512, 2920, 7.3), cerebras(1024, 4850, 7.0, steps=1010), claim)
    assert "unequal-budget" in codes(tmp_path, unequal)
    equal = page("# Cerebras", cerebras(512, 2920, 7.3), cerebras(512, 2925, 7.0, steps=1010), claim)
    assert "unequal-budget" not in codes(tmp_path, equal)


def test_a_page_that_states_ten_runs_is_not_called_one_run_each(tmp_path: Path) -> None:
    claim = "The accuracy improved by 0.85 points."
    assert "within-noise" in codes(tmp_path, page("# MNIST", claim))
    left_alone(tmp_path, page("# MNIST", "We ran each setting 10 times.", claim), "within-noise")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("97.2 ± 0.3 %", (97.2, 0.3, SD)),
        ("97.2 % +/- 0.3 %", (97.2, 0.3, SD)),
        ("97.2 (std 0.3)", (97.2, 0.3, SD)),
        ("97.2 % (sem = 0.1)", (97.2, 0.1, SEM)),
        ("97.2 ± 0.1 (standard error)", (97.2, 0.1, SEM)),
        ("97.2 ± 0.1 (95% CI)", (97.2, 0.1, CI)),
        ("97.2 (95% CI 96.9–97.5)", (97.2, 0.3, CI)),
        ("97.2 [95 % CI: 96.9, 97.5]", (97.2, 0.3, CI)),
    ],
)
def test_a_spread_is_read_as_what_it_is(text: str, found: tuple[float, float, str]) -> None:
    (one,) = scatters_in(text)
    assert (one.value, pytest.approx(one.off), one.kind) == found


def test_a_number_of_runs_is_read_and_a_factor_is_none() -> None:
    assert [repeats_in(text) for text in ("n = 10", "over 5 seeds", "I ran each three times.", "mean of 4 runs")] == [
        10, 5, 3, 4,
    ]  # fmt: skip
    assert repeats_in("It is 10 times faster.") is None
    assert repeats_in("10 times the rate") is None


def doubted(effect_sd: float, draw: random.Random, pages: int = 400) -> float:
    """Pages of ten repeats of two settings, told as mean ± sd; each claims the difference that it found."""
    wrong = 0
    for _ in range(pages):
        first, second = ([draw.gauss(97 + shift, 0.4) for _ in range(10)] for shift in (0.0, 0.4 * effect_sd))
        means, sds = ([f(one) for one in (first, second)] for f in (statistics.fmean, statistics.stdev))
        text = " and ".join(f"{mean:.3f} ± {sd:.3f} %" for mean, sd in zip(means, sds, strict=True))
        case = Case(name="page", sentences=[Sentence(source="page", line=1, text=f"{text} (n = 10)", paragraph=1)])
        wrong += not shown_apart(case, "page", abs(means[0] - means[1]))
    return wrong / pages


def test_ten_repeats_decide_as_a_t_test_does() -> None:
    """No difference: doubted in 19 of 20; a true one of two standard deviations: in hardly any."""
    draw = random.Random(5)
    assert 0.92 <= doubted(0.0, draw) <= 0.98
    assert doubted(2.0, draw) <= 0.03


def test_a_spread_without_a_number_of_runs_decides_nothing() -> None:
    case = Case(name="page", sentences=[Sentence(source="p", line=1, text="97.0 ± 0.3 and 97.5 ± 0.3", paragraph=1)])
    assert shown_apart(case, "p", 0.5) is None
    assert Scatter(value=1.0, off=0.1).kind == SD
