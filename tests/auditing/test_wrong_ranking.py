"""Bests, comparisons and effects that the page's own figures contradict, each beside what they do show."""

from __future__ import annotations

from pathlib import Path

import pytest
from judged import judged
from logs import cerebras, page

LOGS = (
    "Batch size 512:",
    cerebras(512, 2920),
    "Batch size 2048:",
    cerebras(2048, 6720, 7.15, start="2024-04-03 09:00:00"),
)
LIES = [
    "The throughput was highest with batch size 512.",
    "Batch size 512 has the best throughput.",
    "A batch size of 512 has a higher throughput than a batch size of 2048.",
    "Larger batches give a lower throughput.",
    "Changing the batch size made no difference to the throughput.",
]
HONEST = [
    "The throughput was highest with batch size 2048.",
    "Batch size 2048 has the best throughput.",
    "A batch size of 2048 has a higher throughput than a batch size of 512.",
    "Larger batches give a higher throughput.",
    "I expected batch size 512 to have the best throughput.",
    "In the paper a batch size of 512 was the fastest.",
    "Was a batch size of 512 the fastest?",
    "Batch size 512 was not the fastest.",
    "The largest batch size was 2048.",
]


@pytest.mark.parametrize("sentence", LIES)
def test_a_ranking_that_the_figures_contradict_is_wrong(tmp_path: Path, sentence: str) -> None:
    found = judged(tmp_path, page("# Cerebras", *LOGS, sentence))
    assert [(one.code, one.severity) for one in found if one.severity == "wrong"] == [("wrong-ranking", "wrong")]


@pytest.mark.parametrize("sentence", HONEST)
def test_a_ranking_that_holds_is_left_alone(tmp_path: Path, sentence: str) -> None:
    found = judged(tmp_path, page("# Cerebras", *LOGS, sentence))
    assert [one.message for one in found if one.severity == "wrong"] == []
