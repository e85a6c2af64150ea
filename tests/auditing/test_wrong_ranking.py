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
    "The batch size has no effect on the throughput.",
    "The throughput does not depend on the batch size.",
    "There is no difference in throughput between batch size 512 and batch size 2048.",
    "Compared to batch size 2048, batch size 512 has a higher throughput.",
    "The smaller batch has a higher throughput than batch size 2048.",
    "When the batch size is increased, the throughput decreases.",
    "The throughput grows linearly with the batch size.",
    "The throughput is proportional to the batch size.",
]
HONEST = [
    "Compared to batch size 512, batch size 2048 has a higher throughput.",
    "The larger batch has a higher throughput than batch size 512.",
    "When the batch size is increased, the throughput increases.",
    "The throughput grows less than linearly with the batch size.",
    "It is far from linear scaling in the batch size.",
    "With perfect scaling the throughput would be proportional to the batch size.",
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
