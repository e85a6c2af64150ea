"""Differences no larger than those between repeats, and differences that are."""

from __future__ import annotations

from pathlib import Path

from judged import Pages, codes, examples, judged, left_alone
from logs import cerebras, groq, mnist, page

RAISED: dict[str, Pages] = {
    "half a point of accuracy": page(
        "# Graphcore",
        "10 epochs:",
        mnist(10, accuracy=98.05),
        "20 epochs:",
        mnist(20, accuracy=98.51),
        "Doubling the epochs improved the accuracy.",
    ),
    "a difference in words": page(
        "# Graphcore", "Reducing the learning rate resulted in a slight improvement of the accuracy (0.05%)."
    ),
    "repeats on the page": page(
        "# Graphcore",
        "Default settings, three times:",
        mnist(10, accuracy=97.13),
        mnist(10, accuracy=98.58, job=2),
        mnist(10, accuracy=97.9, job=3),
        "With 20 epochs:",
        mnist(20, accuracy=98.43, job=4),
        "The accuracy increased with more epochs.",
    ),
    "a rate within a third of a per cent": page(
        "# Cerebras",
        "Learning rate 0.01:",
        cerebras(1024, 4850.1),
        "Learning rate 0.001:",
        cerebras(1024, 4858.3, start="2024-04-03 09:00:00"),
        "The smaller learning rate was faster: 4858 instead of 4850 samples/sec.",
    ),
    "a table of accuracies": "# Graphcore\n\n| learning rate | accuracy |\n|---|---|\n| 0.05 | 98.06% |\n| 0.06 | 97.90% |\n\nA learning rate of 0.06 made the accuracy worse.\n",
    "more accurate": page(
        "# Graphcore", "10 epochs:", mnist(10), "20 epochs:", mnist(20, accuracy=98.4), "With 20 it is more accurate."
    ),
    "a tuned winner": page(
        "# Graphcore",
        "Batch size 8: accuracy 98.06%",
        "Batch size 16: accuracy 98.48%",
        "A batch size of 16 gives a better accuracy than 8.",
    ),
}

NOT_RAISED: dict[str, Pages] = {
    "who cannot conclude": page(
        "# Graphcore",
        "10 epochs:",
        mnist(10),
        "20 epochs:",
        mnist(20, accuracy=98.4),
        "We cannot conclude that more epochs improve the accuracy.",
    ),
    "runs told apart by a setting that no log prints": page(
        "# Graphcore",
        "## learning rate 0.03",
        mnist(10, accuracy=98.58),
        "## learning rate 0.3",
        mnist(10, accuracy=60.1, job=2),
        "## Results",
        "With a learning rate of 0.3 the accuracy dropped by 38.48 points.",
    ),
    "a large drop": page(
        "# Graphcore",
        "10 epochs:",
        mnist(10, accuracy=97.67),
        "20 epochs:",
        mnist(20, accuracy=80.49),
        "The accuracy dropped with 20 epochs.",
    ),
    "called what it is": page(
        "# Graphcore",
        "10 epochs:",
        mnist(10, accuracy=98.05),
        "20 epochs:",
        mnist(20, accuracy=98.25),
        "There is no significant difference in accuracy.",
    ),
    "a rate that rose by two thirds": page(
        "# Cerebras",
        "Batch size 512:",
        cerebras(512, 2920, 7.125),
        "Batch size 1024:",
        cerebras(1024, 4850),
        "The larger batch has a higher throughput.",
    ),
    "a deterministic chip": page(
        "# Groq",
        "Sequence length 128:",
        groq(),
        "Sequence length 256:",
        groq(245, 12364, 23391.20),
        "The longer sequence lowers the on-chip IPS.",
    ),
    "one accuracy": page("# Graphcore", mnist(10, accuracy=98.05), "The accuracy of 98.05% is good."),
    "it stayed the same": page(
        "# Graphcore",
        "10 epochs:",
        mnist(10, accuracy=98.05),
        "20 epochs:",
        mnist(20, accuracy=98.15),
        "The accuracy stayed about the same.",
    ),
    "time, not accuracy": page(
        "# Graphcore",
        "10 epochs:",
        mnist(10, accuracy=98.05),
        "20 epochs:",
        mnist(20, accuracy=98.15),
        "With 20 epochs the training took twice as long.",
    ),
    "a wish to improve": page(
        "# Graphcore", mnist(10, accuracy=98.05), "With more epochs the accuracy could perhaps be improved by 0.5%."
    ),
}


@examples(RAISED)
def test_a_difference_inside_the_noise_is_doubted(tmp_path: Path, pages: Pages) -> None:
    assert "within-noise" in codes(tmp_path, pages)


@examples(NOT_RAISED)
def test_a_difference_beyond_it_or_none_is_left_alone(tmp_path: Path, pages: Pages) -> None:
    left_alone(tmp_path, pages, "within-noise")


def test_the_spread_of_one_model_is_not_held_against_another(tmp_path: Path) -> None:
    def said(folder: str, model: str) -> str:
        sentence = f"Reducing the learning rate improved the accuracy of {model} slightly (0.4%)."
        found = judged(tmp_path / folder, page("# Graphcore", sentence))
        return " ".join(one.message for one in found if one.code == "within-noise")

    assert "31 runs of the MNIST tutorial" in said("a", "MNIST")
    other = said("b", "BERT")
    assert "MNIST" not in other and "one run each" in other
