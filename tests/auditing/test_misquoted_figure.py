"""Figures quoted otherwise than the log shows them, and the ways of quoting that are right: each lie with its twin."""

from __future__ import annotations

from pathlib import Path

import pytest
from judged import judged
from logs import cerebras, mnist, page

SCRIPT = (
    "```\n$ python train.py\nepoch 1 loss 0.4127 test accuracy 0.855\nepoch 2 loss 0.3102 test accuracy 0.893\n"
    "epoch 3 loss 0.2514 test accuracy 0.912\nTraining time: 214.6 s\n```"
)
LIES = {
    "digits turned round": ("The network reached a test accuracy of 92.1 %.", "misquoted-figure"),
    "a loss that is not there": ("The final loss was 0.1446.", "misquoted-figure"),
    "a fraction": ("The test accuracy is 0.921 in the end.", "misquoted-figure"),
}
HONEST = [
    "The network reached a test accuracy of 91.2 %.",
    "The network reached about 91 % test accuracy.",
    "The test accuracy is 0.912 in the end.",
    "The final loss was 0.25.",
    "The paper reports an accuracy of 99.1 %.",
    "I hoped to reach an accuracy of 95 %.",
    "On my laptop it took 20 minutes.",
    "An accuracy of more than 90 % is good enough.",
    "The training accuracy was not printed.",
]


@pytest.mark.parametrize(("sentence", "code"), LIES.values(), ids=list(LIES))
def test_a_figure_that_the_log_shows_otherwise_is_wrong(tmp_path: Path, sentence: str, code: str) -> None:
    found = judged(tmp_path, page("# Training", SCRIPT, sentence))
    assert [(one.code, one.severity) for one in found if one.severity != "note"] == [(code, "wrong")]


@pytest.mark.parametrize("sentence", HONEST)
def test_a_figure_as_the_log_has_it_is_left_alone(tmp_path: Path, sentence: str) -> None:
    assert [one for one in judged(tmp_path, page("# Training", SCRIPT, sentence)) if one.severity != "note"] == []


def test_the_run_is_found_by_the_setting_that_the_sentence_names(tmp_path: Path) -> None:
    logs = ("10 epochs:", mnist(10, accuracy=97.11), "20 epochs:", mnist(20, accuracy=98.31, job=2))
    wrong = judged(tmp_path, page("# Graphcore", *logs, "With 20 epochs the accuracy is 97.81 %."))
    assert [one.severity for one in wrong if one.code == "misquoted-figure"] == ["wrong"]
    right = judged(tmp_path, page("# Graphcore", *logs, "With 20 epochs the accuracy is 98.31 %."))
    assert [one for one in right if one.code == "misquoted-figure"] == []


TIMED = {
    "The training took 211.1 minutes.": [("mislabelled-unit", "wrong")],
    "It took 112.1 s.": [("misquoted-figure", "wrong")],
    "It took 3.5 minutes.": [],
    "It took 211 s.": [],
    "It took 3 min 31 s.": [],
}


@pytest.mark.parametrize(("sentence", "wanted"), TIMED.items(), ids=list(TIMED))
def test_a_time_is_held_against_the_log_in_any_unit(
    tmp_path: Path, sentence: str, wanted: list[tuple[str, str]]
) -> None:
    found = judged(tmp_path, page("# Cerebras", "Batch size 1024:", cerebras(1024), sentence))
    assert [(one.code, one.severity) for one in found if one.severity != "note"] == wanted


def test_a_sentence_that_looks_back_is_not_held_against_a_log_below_it(tmp_path: Path) -> None:
    back, forth = (f"{whose} run took 1.4 seconds." for whose in ("That", "My"))
    assert judged(tmp_path, page("# Training", back, SCRIPT)) == []
    assert [one.code for one in judged(tmp_path, page("# Training", forth, SCRIPT))] == ["misquoted-figure"]
    assert [one.code for one in judged(tmp_path, page("# Training", SCRIPT, back))] == ["misquoted-figure"]
