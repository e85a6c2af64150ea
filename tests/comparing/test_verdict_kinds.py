"""Every verdict is a value that says of what kind it is, and its sentence quotes the estimate and the interval."""

from __future__ import annotations

import re

import pytest
from making import compared, run

from assay.comparing.verdict import Verdict
from assay.views.answer import answers
from assay.views.comparison import figure_lines
from assay.views.comparison_files import as_dict


def judged(*groups: list[float], name: str = "samples_per_s", **fields: object) -> Verdict:
    made = [run(8 * 2**place, **{name: value}, **fields) for place, one in enumerate(groups) for value in one]
    return compared(made).verdicts[0]


def listed_under_a_drift() -> Verdict:
    made = [
        run(8 if place < 4 else 16, samples_per_s=100 + 3 * place + (place % 2), id=f"20261101T10{place:02d}00.000-a",
            started=f"2026-11-01T10:{place:02d}:00Z")
        for place in range(8)
    ]  # fmt: skip
    return compared(made).verdicts[0]


KINDS = {
    "different": lambda: judged([100, 101, 99], [150, 151, 149]),
    "not-shown": lambda: judged([100, 110, 90], [105, 114, 96]),
    "drift": listed_under_a_drift,
    "once": lambda: judged([100], [120]),
    "identical": lambda: judged([100, 100], [120, 120]),
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_quotes_its_estimate_and_its_interval(kind: str) -> None:
    found = KINDS[kind]()
    assert found.kind == kind
    assert found.text.startswith(f"{found.estimate.value:.2f} × the throughput")
    shown = re.search(r"95 % interval (\S+)–(\S+),", found.text)
    assert (shown is None) == (found.estimate.low is None) == (kind in ("once", "identical"))
    if shown is not None:
        assert float(shown[1]) == pytest.approx(found.estimate.low, abs=0.006)
        assert found.assumptions


def test_an_interval_that_says_nothing_is_not_printed_as_figures() -> None:
    made = [run(size, samples_per_s=rate) for size, rate in [(8, 10), (8, 9000), (16, 700), (16, 710)]]
    found = compared(made)
    assert "95 % interval wider than a factor of 100" in found.verdicts[0].text
    (rate,) = [one for one in found.columns if one.name == "samples_per_s"]
    assert [figure_lines(found, group, rate)[1] for group in found.groups] == ["", "644.2–771.5"]


def test_the_answer_begins_with_the_metric_that_the_question_names() -> None:
    figures = [(8, 100, 0.5), (8, 101, 0.51), (16, 150, 0.9), (16, 151, 0.91)]
    found = compared([run(size, samples_per_s=rate, loss=loss) for size, rate, loss in figures])
    assert [text.split()[0] for text in answers(found)] == ["Throughput", "Loss"]
    assert [text.split()[0] for text in answers(found, "Which has the lower loss?")] == ["Loss", "Throughput"]


def test_a_difference_that_is_not_shown_is_never_called_equal() -> None:
    text = KINDS["not-shown"]().text
    assert "could be noise" in text or "within the noise" in text
    assert not re.search(r"\b(equal|same|no difference)\b", text)


def test_json_carries_what_the_sentence_used() -> None:
    found = compared([run(b, samples_per_s=v) for b, v in [(8, 100), (8, 110), (8, 90), (16, 120)]])
    (one,) = as_dict(found)["verdicts"]
    assert one["kind"] == "not-shown"
    assert one["assumed"] is True
    assert "a single run scatters like the repeats beside it" in one["assumptions"]
    assert one["estimate"] == {"scale": "ratio", "value": one["ratio"], "low": one["ratio_low"],
                               "high": one["ratio_high"], "level": 0.95}  # fmt: skip
    assert one["means"] == [120, 100]
    assert (one["comparisons"], one["spread_of"]) == (1, "")
    assert one["repeats_needed"] is None or f"About {one['repeats_needed']} runs" in one["verdict"]
    (best,) = [best for best in as_dict(found)["best"] if best["figure"] == "samples_per_s"]
    assert best["once"] == "16"


def test_no_interval_of_an_accuracy_passes_what_is_possible() -> None:
    found = compared([run(b, accuracy=v) for b, v in [(8, 0.999), (8, 0.93), (8, 0.99), (16, 0.02), (16, 0.3)]])
    for group in found.groups:
        spread = found.spread(group, "accuracy")
        assert 0 < spread.low < spread.mean < spread.high < 1
    (one,) = found.verdicts
    assert -1 <= one.difference.low < one.difference.delta < one.difference.high <= 1


def test_a_significant_ratio_is_never_shown_with_an_interval_that_ends_at_1() -> None:
    found = judged([100.0, 100.1, 99.9, 100.05, 99.95], [100.4, 100.3, 100.5, 100.35, 100.45])
    assert found.different
    low = re.search(r"interval (\S+)–", found.text)[1]
    assert float(low) > 1
