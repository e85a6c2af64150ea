"""Two sources that say opposite things of one change, and sources that do not."""

from __future__ import annotations

from pathlib import Path

from judged import Pages, codes, examples, left_alone
from logs import page

RAISED: dict[str, Pages] = {
    "throughput up and down": {
        "ann.md": page("# Cerebras", "Increasing the batch size increased the throughput."),
        "bob.md": page("# Cerebras", "Increasing the batch size decreased the throughput."),
    },
    "epochs and accuracy": {
        "ann.md": page("# Graphcore", "Increasing the number of epochs improved the accuracy."),
        "bob.md": page("# Graphcore", "More epochs lowered the accuracy."),
    },
    "a learning rate": {
        "ann.md": page("# Graphcore MNIST", "A lower learning rate increased the accuracy."),
        "bob.md": page("# Graphcore MNIST", "Reducing the learning rate decreased the accuracy."),
    },
    "tasks and throughput": {
        "ann.md": page("# SambaNova", "Reducing the number of tasks from 16 to 8 halved the throughput."),
        "bob.md": page("# SambaNova", "With fewer tasks the throughput increased."),
    },
    "a batch and time": {
        "ann.md": page("# Cerebras", "A larger batch size resulted in a longer training time."),
        "bob.md": page("# Cerebras", "A larger batch size resulted in a shorter training time."),
    },
}

NOT_RAISED: dict[str, Pages] = {
    "faster by one measure and longer by another": page(
        "# Cerebras", "A larger batch is faster per sample.", "A larger batch takes longer for 1000 steps."
    ),
    "a speed and a duration": page(
        "# Cerebras", "Increasing the batch size makes the run longer.", "A larger batch size is faster."
    ),
    "two systems": {
        "ann.md": page("# Cerebras", "Increasing the batch size increased the throughput."),
        "bob.md": page("# Graphcore", "Increasing the batch size decreased the throughput."),
    },
    "two quantities": {
        "ann.md": page("# Cerebras", "Increasing the batch size increased the throughput."),
        "bob.md": page(
            "# Cerebras", "Increasing the batch size increased the training time and decreased the accuracy."
        ),
    },
    "the same, the other way round": {
        "ann.md": page("# Cerebras", "A larger batch size gave a higher throughput."),
        "bob.md": page("# Cerebras", "A smaller batch size gave a lower throughput."),
    },
    "agreement": {
        "ann.md": page("# Graphcore", "Increasing the epochs improved the accuracy."),
        "bob.md": page("# Graphcore", "With more epochs the accuracy increased."),
    },
    "an expectation": {
        "ann.md": page("# Cerebras", "Increasing the batch size increased the throughput."),
        "bob.md": page("# Cerebras", "I expected that increasing the batch size would decrease the throughput."),
    },
    "a question": {
        "ann.md": page("# Graphcore", "Increasing the epochs improved the accuracy."),
        "bob.md": page("# Graphcore", "Would more epochs lower the accuracy?"),
    },
    "a denial": {
        "ann.md": page("# Graphcore", "Increasing the epochs improved the accuracy."),
        "bob.md": page("# Graphcore", "Increasing the epochs did not decrease the accuracy."),
    },
}


@examples(RAISED)
def test_opposite_claims_are_named(tmp_path: Path, pages: Pages) -> None:
    assert "conflicting-claims" in codes(tmp_path, pages)


@examples(NOT_RAISED)
def test_claims_that_agree_are_left_alone(tmp_path: Path, pages: Pages) -> None:
    left_alone(tmp_path, pages, "conflicting-claims")
