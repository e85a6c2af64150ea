"""Figures of several runs in one sentence, each held against its own log; settings that are said of all runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from judged import judged
from logs import cerebras, page

LOGS = (
    "Batch size 512:",
    cerebras(512, 2920, 7.6),
    "Batch size 2048:",
    cerebras(2048, 6720, 7.15, start="2024-04-03 09:00:00"),
)
MISQUOTED = [
    "The throughput is 6720 samples/s for batch size 512 and 2920 samples/s for batch size 2048.",
    "For batch sizes 512 and 2048 the throughput was 2920 samples/s and 5110 samples/s, respectively.",
    "Batch size 512: 2920 samples/s, batch size 2048: 5110 samples/s (throughput).",
    "The throughput went from 2920 samples/s to 5110 samples/s, going from batch size 512 to batch size 2048.",
]
HONEST = [
    "The throughput is 2920 samples/s for batch size 512 and 6720 samples/s for batch size 2048.",
    "For batch sizes 512 and 2048 the throughput was 2920 samples/s and 6720 samples/s, respectively.",
    "Batch size 512: 2920 samples/s, batch size 2048: 6720 samples/s (throughput).",
    "The throughput went from 2920 samples/s to 6720 samples/s, going from batch size 512 to batch size 2048.",
]
UNSEEN = ["With batch size 1024, the throughput was 5110 samples/s."]
COMMON = [
    ("All runs were done with a batch size of 64.", True),
    ("All runs were done with a batch size of 512.", False),
    ("Next time I would do all runs with a batch size of 64.", False),
]


def _new(tmp_path: Path, sentence: str) -> set[tuple[str, str]]:
    return {(one.code, one.severity) for one in judged(tmp_path, page("# Cerebras", *LOGS, sentence))}


@pytest.mark.parametrize("sentence", MISQUOTED)
def test_a_figure_that_is_not_of_its_run_is_found(tmp_path: Path, sentence: str) -> None:
    assert ("misquoted-figure", "wrong") in _new(tmp_path, sentence)


@pytest.mark.parametrize("sentence", HONEST)
def test_figures_of_their_runs_are_left_alone(tmp_path: Path, sentence: str) -> None:
    assert "misquoted-figure" not in {code for code, _ in _new(tmp_path, sentence)}


@pytest.mark.parametrize("sentence", UNSEEN)
def test_a_figure_of_a_run_that_nobody_ran_is_doubtful(tmp_path: Path, sentence: str) -> None:
    assert ("no-evidence", "doubtful") in _new(tmp_path, sentence)


@pytest.mark.parametrize(("sentence", "is_wrong"), COMMON)
def test_a_setting_of_all_runs_is_held_against_every_log(tmp_path: Path, sentence: str, is_wrong: bool) -> None:
    assert (("setting-not-in-effect", "wrong") in _new(tmp_path, sentence)) == is_wrong
