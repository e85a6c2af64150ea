"""The pages that the project was made from: everything that is wrong in them, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.auditing.audit import judge, load
from assay.model.finding import Finding

SEEDS = Path(__file__).parents[1] / "seeds"


def findings(page: int) -> list[Finding]:
    cases, problems = load([str(SEEDS / f"page_{page:03}.md")], SEEDS)
    assert not problems
    return judge(cases)


def of(page: int, code: str) -> list[str]:
    return [one.message for one in findings(page) if one.code == code]


def lines(page: int, code: str) -> set[int]:
    return {place.line for one in findings(page) if one.code == code for place in one.evidence}


@pytest.mark.parametrize(("page", "claimed"), [(0, [50]), (1, [4, 14])])
def test_epochs_that_were_claimed_and_never_ran(page: int, claimed: list[int]) -> None:
    assert of(page, "setting-not-in-effect") == [
        f"epochs = {n} is claimed, and epochs = 10 is what ran" for n in claimed
    ]


def test_claims_of_the_third_page_rest_on_pictures() -> None:
    said = " ".join(place.text for one in findings(2) if one.code == "no-evidence" for place in one.evidence)
    assert "number of epochs from 10 to 20" in said
    assert "learning rate from 0.03 to 0.02" in said


def test_small_gains_are_inside_the_noise() -> None:
    messages = of(2, "within-noise")
    assert [message.split(" is within")[0] for message in messages] == ["a difference of 0.7%", "a difference of 0.05%"]
    assert "31 runs" in messages[0]


def test_identical_runs_are_not_a_comparison_of_epochs() -> None:
    assert of(1, "within-noise") == [
        "a difference of 1.45 points is within the noise: runs with the same settings in effect differ by 1.45 points"
    ]


def test_the_best_batch_size_was_picked_at_unequal_samples() -> None:
    (message,) = of(2, "unequal-budget")
    assert "saw 4 times the samples" in message


@pytest.mark.parametrize(
    ("page", "code", "hint"),
    [(3, "stale-checkpoint", "fresh"), (1, "env-after-srun", "before srun"), (1, "impossible-request", "--nodes 2")],
)
def test_failures_are_explained(page: int, code: str, hint: str) -> None:
    (finding,) = [one for one in findings(page) if one.code == code]
    assert (finding.severity, hint in finding.hint) == ("note", True)


def test_two_batch_sizes_carry_one_set_of_figures() -> None:
    assert of(4, "same-figures") == [
        "batch_size = 32 and batch_size = 256 have the same figures (CPU load 389.76 %, memory 4,459.34 MiB)"
    ]


def test_a_percentage_is_confirmed_only_where_the_sentence_names_its_runs() -> None:
    assert of(4, "wrong-arithmetic") == []


ALLOWED = [
    {"setting-not-in-effect", "no-evidence"},
    {"setting-not-in-effect", "no-evidence", "within-noise", "no-device", "env-after-srun", "impossible-request"},
    {"no-evidence", "within-noise", "unequal-budget"},
    {"stale-checkpoint"},
    {"same-figures", "no-evidence"},
]


@pytest.mark.parametrize("page", range(5))
def test_nothing_else_is_said(page: int) -> None:
    assert {one.code for one in findings(page)} == ALLOWED[page]


@pytest.mark.parametrize("page", range(5))
def test_every_finding_shows_its_lines(page: int) -> None:
    text = (SEEDS / f"page_{page:03}.md").read_text().splitlines()
    for finding in findings(page):
        assert finding.evidence and finding.hint
        assert all(1 <= place.line <= len(text) for place in finding.evidence)
