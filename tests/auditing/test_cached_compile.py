"""Durations compared where one of them skipped its compile."""

from __future__ import annotations

from pathlib import Path

from judged import Pages, codes, examples, left_alone
from logs import cerebras, groq, launcher, mnist, page, sambanova

RAISED: dict[str, Pages] = {
    "the pef was there": page(
        "# SambaNova",
        "16 tasks:",
        launcher(780, 30451),
        "8 tasks:",
        launcher(None, 30452),
        "The change resulted in a dramatic reduction in duration.",
    ),
    "a graph of an earlier run": page(
        "# Graphcore",
        "First run:",
        mnist(10, graph_s=21),
        "Second run:",
        mnist(10, graph_s=0, per_epoch_s=8.5, accuracy=97.9),
        "The second run was faster: 1:25 instead of 1:49.",
    ),
    "a wafer's compile": page(
        "# Cerebras",
        "First:",
        cerebras(1024, compile_s=870),
        "Second:",
        cerebras(1024, start="2024-04-02 12:00:00", cached=True, loss=7.09),
        "The second run took 8 minutes in total while the first took 23 minutes.",
    ),
    "a report beside its logs": {
        "report.md": page("# SambaNova", "With 8 tasks the job was much faster."),
        "tasks16/BertLarge.out": launcher(781, 30451),
        "tasks8/BertLarge.out": launcher(None, 30452),
    },
    "a build in the cache": page(
        "# Groq",
        "Dummy input:",
        groq(),
        "Custom input:",
        groq(ips=18100, cached=True),
        "The second run finished much faster than the first one.",
    ),
}

NOT_RAISED: dict[str, Pages] = {
    "both compiled": page(
        "# SambaNova",
        "16 tasks:",
        launcher(819, 30451),
        "8 tasks:",
        launcher(793, 30452),
        "Both took about the same time.",
    ),
    "both were cached": page(
        "# Graphcore", mnist(10, graph_s=0), mnist(10, graph_s=0, per_epoch_s=8.4), "The second run was faster."
    ),
    "accuracy is compared, not time": page(
        "# Graphcore",
        mnist(10, graph_s=21, accuracy=90.1),
        mnist(20, graph_s=0, accuracy=98.2),
        "Twenty epochs gave the better accuracy.",
    ),
    "pure training seconds": page(
        "# Cerebras",
        "Batch size 512:",
        cerebras(512, 2920, compile_s=870),
        "Batch size 1024:",
        cerebras(1024, cached=True),
        "The larger batch needed 211 seconds of training, the smaller one 175.",
    ),
    "a single run": page("# Graphcore", mnist(10, graph_s=0), "It took 1:49."),
    "rates are compared": page(
        "# Cerebras",
        "Batch size 512:",
        cerebras(512, 2920, compile_s=870),
        "Batch size 1024:",
        cerebras(1024, cached=True),
        "The rate rose from 2920 to 4850 samples/sec.",
    ),
    "the author knows": page(
        "# Graphcore",
        mnist(10, graph_s=21),
        mnist(10, graph_s=0, per_epoch_s=8.5),
        "The second run was faster only because the compiled graph was cached.",
    ),
    "training logs of two task counts": page(
        "# SambaNova", sambanova(16, duration=488), sambanova(8, 450.0, 8.308, duration=486), "Both took the same time."
    ),
}


@examples(RAISED)
def test_a_compile_that_was_skipped_is_named(tmp_path: Path, pages: Pages) -> None:
    assert "cached-compile" in codes(tmp_path, pages)


@examples(NOT_RAISED)
def test_durations_of_equal_standing_are_left_alone(tmp_path: Path, pages: Pages) -> None:
    left_alone(tmp_path, pages, "cached-compile")
