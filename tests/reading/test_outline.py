"""Runs that a page gives in tables, lists, labels and sentences, in the forms that people use."""

from __future__ import annotations

from typing import Any

import pytest
from reading import summaries

#: a page, and what its runs hold: name to figures and settings
PAGES: dict[str, tuple[str, dict[str, dict[str, float | str]]]] = {
    "a list below the heading that names the figure": (
        "# Insert 1000 rows\n\n- Sqlite: 10 ms\n- Postgres: 45 ms\n",
        {"Sqlite": {"insert_1000_rows_ms": 10}, "Postgres": {"insert_1000_rows_ms": 45}},
    ),
    "items below an item": (
        "## Models\n\n- Model A\n  - Accuracy: 91.2%\n  - Latency: 12 ms\n- Model B\n  - Accuracy: 93%\n",
        {"Model A": {"accuracy": 0.912, "latency_ms": 12}, "Model B": {"accuracy": 0.93}},
    ),
    "a heading that is a figure": (
        "### Benchmark: quick\n\nTime of try 0: 2.11s\n\n#### Avg exec time: 2.06s\n\n### Benchmark: slow\n\n"
        "#### Avg exec time: 7.49s\n",
        {"Benchmark: quick": {"avg_exec_time_s": 2.06}, "Benchmark: slow": {"avg_exec_time_s": 7.49}},
    ),
    "a log of labels": (
        "# Search\n\n```\nfind (cold):\n  Run 1: 0.53s\n  Median: 0.54s\n\nfast (warm):\n  Run 1: 0.03s\n  Median: 0.01s\n```\n",
        {"find (cold)": {"median_s": 0.54}, "fast (warm)": {"run_1_s": 0.03, "median_s": 0.01}},
    ),
    "rows without a head": (
        "# Queues\n\n```\nring-a     223 ms      4.48 MB/s\nring-b     211 ms      4.73 MB/s\n```\n",
        {"ring-a": {"bandwidth_mb_per_s": 4.48}, "ring-b": {"bandwidth_mb_per_s": 4.73}},
    ),
    "heads in two levels": (
        "# Runs\n\n```\n        early           late\n       acc   loss      acc   loss\n 1   0.81   1.02     0.71   1.29\n"
        " 2   0.83   1.12     0.75   1.39\n```\n",
        {"1": {"early_loss": 1.02}, "2": {"late_loss": 1.39}},
    ),
    "a report with empty cells": (
        "# Report\n\n```\n              precision    recall  f1-score   support\n\n         neg       0.91      0.88      0.89       120\n"
        "         pos       0.85      0.90      0.87       110\n\n    accuracy                           0.88       230\n```\n",
        {"neg": {"precision": 0.91}, "accuracy": {"f1_score": 0.88}},
    ),
    "boxes of names and values": (
        "# PPO\n\n| rollout/    |     |\n|    ep_rew_mean | 195.2 |\n|    fps | 1021 |\n",
        {"PPO": {"ep_rew_mean": 195.2, "fps": 1021}},
    ),
    "an interval with its middle": (
        "# Pool\n\npool/checkout           time:   [12.3 ns 12.5 ns 12.7 ns]\n",
        {"pool/checkout": {"time_ns": 12.5}},
    ),
    "a change": ("## Notes\n\n- Startup: 120 ms → 80 ms\n", {"Notes": {"startup_before_ms": 120, "startup_ms": 80}}),
    "tables with the same labels": (
        "# A\n\n| n | time |\n|---|---|\n| 1 | 2 s |\n| 2 | 1 s |\n\n# B\n\n| n | time |\n|---|---|\n| 1 | 4 s |\n| 2 | 3 s |\n",
        {"A: n=1": {}, "B: n=2": {}},
    ),
    "columns that are settings": (
        "| | batch size 16 | batch size 128 |\n|---|---|---|\n| Loss | 0.5 | 0.4 |\n",
        {"batch size 16": {"loss": 0.5, "batch_size": 16}, "batch size 128": {"loss": 0.4, "batch_size": 128}},
    ),
}


@pytest.mark.parametrize("case", PAGES)
def test_a_page_gives_its_runs(case: str) -> None:
    page, expected = PAGES[case]
    found = {str(run.get("name")): _facts(run) for run in summaries(page, "page.md")}
    for name, facts in expected.items():
        assert name in found, found
        for key, value in facts.items():
            assert found[name].get(key) == pytest.approx(value), (name, key, found[name])


def test_what_is_planned_or_compared_is_no_figure_of_a_run() -> None:
    page = "# Notes\n\nWe expect an accuracy of 99 % with more data. It is 3.2 % slower than before.\n"
    assert summaries(page, "page.md") == []


def test_a_sentence_that_repeats_a_table_adds_no_run() -> None:
    page = "| model | accuracy |\n|---|---|\n| A | 0.912 |\n| B | 0.871 |\n\nModel A reached an accuracy of 91.2 %.\n"
    assert len(summaries(page, "page.md")) == 2


def _facts(run: dict[str, Any]) -> dict[str, Any]:
    return {**run, **(run.get("metrics") or {}), **(run.get("claims") or {})}
