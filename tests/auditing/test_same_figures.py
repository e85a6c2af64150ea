"""One set of figures under two settings, and figures that may well agree."""

from __future__ import annotations

from pathlib import Path

from judged import Pages, codes, examples, judged, left_alone
from logs import cerebras, groq, mnist, page

RAISED: dict[str, Pages] = {
    "a row of rates": "# Cerebras\n\n| batch | time (s) | samples/s |\n|---|---|---|\n| 512 | 174.83 | 2928.46 |\n"
    "| 4096 | 174.83 | 2928.46 |\n",
    "a profile pasted twice": page(
        "# Profile",
        "## Batch size 32",
        "Average CPU usage: 389.76%. Average memory usage: 4459.34 MB.",
        "## Batch size 256",
        "Average CPU usage: 389.76%. Average memory usage: 4459.34 MB.",
    ),
    "rows of a table": "# Graphcore\n\n| epochs | accuracy | seconds |\n|---|---|---|\n| 10 | 97.13% | 109.41 |\n| 20 | 98.58% | 211.92 |\n| 40 | 98.58% | 211.92 |\n",
    "a log under two headings": page(
        "# Cerebras", "## Batch size 512", cerebras(512, 2920, 7.125), "## Batch size 2048", cerebras(512, 2920, 7.125)
    ),
    "two files of one log": {
        "mnist_e10.log": mnist(10, accuracy=98.41, per_epoch_s=10.87),
        "mnist_e40.log": mnist(10, accuracy=98.41, per_epoch_s=10.87),
    },
    "a chip's table twice": page(
        "# Groq",
        "## max sequence length 128",
        groq(451.69, 15121.15),
        "## max sequence length 256",
        groq(451.69, 15121.15),
    ),
}

NOT_RAISED: dict[str, Pages] = {
    "constants of the optimizer": "# Cerebras\n\n| batch | optimizer eps | weight decay |\n|---|---|---|\n"
    "| 512 | 0.001 | 0.01 |\n| 1024 | 0.001 | 0.01 |\n",
    "an accuracy alone": page(
        "# Groq", "## Dummy input", groq(450.11, 18001.5), "## Custom input", groq(455.91, 17725.9)
    ),
    "round figures": page(
        "# Profile",
        "## Batch size 32",
        "Average CPU usage: 100%. The run took 60 seconds.",
        "## Batch size 256",
        "Average CPU usage: 100%. The run took 48 seconds.",
    ),
    "a table that repeats the log": "# Cerebras\n\n| batch size | loss | rate |\n|---|---|---|\n| 1024 | 7.07812 | 4850.00 |\n\n"
    + page("Batch size 1024:", cerebras(1024, 4850, 7.07812)),
    "one setting, told twice": page(
        "# Graphcore", "10 epochs:", mnist(10, accuracy=98.41), "# Summary", "With 10 epochs I got 98.41%."
    ),
    "a loss of eight bits": page(
        "# Cerebras", "Batch size 512:", cerebras(512, 2920, 7.125), "Batch size 1024:", cerebras(1024, 4850, 7.125)
    ),
    "different figures": page(
        "# Profile",
        "## Batch size 32",
        "Average CPU usage: 389.76%. Average memory usage: 4459.34 MB.",
        "## Batch size 256",
        "Average CPU usage: 280.11%. Average memory usage: 7268.72 MB.",
    ),
    "seconds to a tenth, and the rate that follows from them": "# LR\n\n"
    + "".join(
        f"## lr {lr}\n\n```\nlr=0.00{n} batch_size=32\nepoch 1/1 loss {loss}\nTraining took 62.4 s\n"
        "Throughput: 576.8 samples/s\n```\n\n"
        for n, (lr, loss) in enumerate([("0.001", 0.41), ("0.002", 0.43)], 1)
    ),
    "an empty table": "# Plan\n\n| epochs | accuracy | seconds |\n|---|---|---|\n| 10 | - | - |\n| 20 | - | - |\n",
}


@examples(RAISED)
def test_figures_under_two_settings_are_named(tmp_path: Path, pages: Pages) -> None:
    assert "same-figures" in codes(tmp_path, pages)


@examples(NOT_RAISED)
def test_figures_that_may_agree_are_left_alone(tmp_path: Path, pages: Pages) -> None:
    left_alone(tmp_path, pages, "same-figures")


def test_two_rows_of_a_profile_are_named_once(tmp_path: Path) -> None:
    rows = "| 32 | 389.76 | 2742.31 | 7928.14 |\n| 256 | 389.76 | 2742.31 | 7928.14 |\n"
    text = "# psrecord\n\n| batch size | CPU % | Memory (MB) | Time (s) |\n|---|---|---|---|\n" + rows
    found = [one for one in judged(tmp_path, text) if one.code == "same-figures"]
    assert [one.severity for one in found] == ["wrong"]
    assert {place.line for place in found[0].evidence} == {5, 6}
