"""Repeats that are copies of each other, and repeats that are not."""

from __future__ import annotations

from pathlib import Path

from judged import Pages, codes, examples, left_alone
from logs import cerebras, groq, mnist, page, sambanova

RAISED: dict[str, Pages] = {
    "two runs with one curve": page(
        "# Cerebras", cerebras(2048, 6720, 7.14844), cerebras(2048, 6731, 7.14844, start="2024-04-03 09:00:00")
    ),
    "five accuracies of one seed": {
        f"mnist_{n}.log": mnist(10, accuracy=98.27, job=n, per_epoch_s=10.2 + n / 10) for n in range(5)
    },
    "three identical losses": page(
        "# Cerebras",
        "I ran it three times to see the spread.",
        cerebras(1024, 4850),
        cerebras(1024, 4861, start="2024-04-03 09:00:00"),
        cerebras(1024, 4839, start="2024-04-04 09:00:00"),
    ),
    "identical accuracy over four runs": page(
        "# Graphcore",
        "Four repeats with default settings:",
        mnist(10, accuracy=98.13),
        mnist(10, accuracy=98.13, job=2, per_epoch_s=10.8),
        mnist(10, accuracy=98.13, job=3, per_epoch_s=11.0),
        mnist(10, accuracy=98.13, job=4, per_epoch_s=10.7),
        "The spread is zero, so training is very stable.",
    ),
    "three logs of one setting": {
        "rep1_bs512.log": cerebras(512, 2920, 7.12345),
        "rep2_bs512.log": cerebras(512, 2911, 7.12345, start="2024-04-03 09:00:00"),
        "rep3_bs512.log": cerebras(512, 2931, 7.12345, start="2024-04-04 09:00:00"),
    },
    "trainers with one seed": page(
        "# SambaNova",
        "Repeat 1",
        sambanova(16, 452.1, 8.252981),
        "Repeat 2",
        sambanova(16, 449.7, 8.252981),
        "Repeat 3",
        sambanova(16, 455.3, 8.252981),
        "The loss has no variance.",
    ),
}

NOT_RAISED: dict[str, Pages] = {
    "repeats that differ": page(
        "# Graphcore",
        "Three repeats:",
        mnist(10, accuracy=98.13),
        mnist(10, accuracy=97.43, job=2),
        mnist(10, accuracy=98.4, job=3),
    ),
    "one loss under two settings": page(
        "# Cerebras", "Batch size 512:", cerebras(512, 2920, 7.125), "Batch size 1024:", cerebras(1024, 4850, 7.125)
    ),
    "a data set that is scored": page("# Groq", "Three repeats:", groq(450, 18000), groq(455, 17900), groq(449, 18100)),
    "two accuracies that agree": page(
        "# Graphcore", mnist(10, accuracy=98.13), mnist(10, accuracy=98.13, job=2, per_epoch_s=11.3)
    ),
    "one run": page("# Cerebras", "I ran this three times, and show one.", cerebras(1024)),
    "failures": page(
        "# Graphcore",
        mnist(10, accuracy=None, reached=2),
        mnist(10, accuracy=None, reached=2),
        mnist(10, accuracy=None, reached=2),
    ),
}


@examples(RAISED)
def test_identical_repeats_are_named(tmp_path: Path, pages: Pages) -> None:
    assert "single-seed" in codes(tmp_path, pages)


@examples(NOT_RAISED)
def test_repeats_that_differ_are_left_alone(tmp_path: Path, pages: Pages) -> None:
    left_alone(tmp_path, pages, "single-seed")
