"""A run far slower than its kind, and runs with a reason to be slower."""

from __future__ import annotations

from pathlib import Path

from judged import Pages, codes, examples, left_alone
from logs import cerebras, mnist, page, sambanova

RAISED: dict[str, Pages] = {
    "2.4 times slower": page(
        "# Graphcore",
        mnist(10),
        mnist(10, accuracy=98.4, job=2, per_epoch_s=10.8),
        mnist(10, accuracy=97.9, job=3, per_epoch_s=26.2),
    ),
    "taken for an effect": page(
        "# Graphcore",
        "Default:",
        mnist(10, graph_s=20),
        "Again:",
        mnist(10, accuracy=98.3, job=2),
        "Again:",
        mnist(10, accuracy=98.22, job=4, per_epoch_s=11.0),
        "Again:",
        mnist(10, accuracy=97.7, job=3, per_epoch_s=24.0),
        "The last one was slower.",
    ),
    "three logs": {
        "a_bs1024.log": cerebras(1024, 4850),
        "b_bs1024.log": cerebras(1024, 4841, 7.09, start="2024-04-03 09:00:00"),
        "c_bs1024.log": cerebras(1024, 2010, 7.1, start="2024-04-04 09:00:00"),
    },
    "1.47 times slower than runs that agree": page(
        "# Graphcore",
        mnist(10),
        mnist(10, accuracy=98.4, job=2, per_epoch_s=10.8),
        mnist(10, accuracy=97.9, job=3, per_epoch_s=16.0),
    ),
    "a third slower than three that agree": {
        "a_bs1024.log": cerebras(1024, 4850),
        "b_bs1024.log": cerebras(1024, 4841, 7.09, start="2024-04-03 09:00:00"),
        "c_bs1024.log": cerebras(1024, 4866, 7.1, start="2024-04-04 09:00:00"),
        "d_bs1024.log": cerebras(1024, 3640, 7.11, start="2024-04-05 09:00:00"),
    },
    "a rate that wanders by half": {
        "bert.log": cerebras(1024, rates=[4850, 3200, 4700, 3100, 4800, 3900, 3000, 4850, 3300, 4600])
    },
    "a rate that wanders": {
        "bert.log": cerebras(1024, rates=[4850, 2100, 4700, 1500, 4800, 3900, 1800, 4850, 2200, 4600])
    },
    "one of four trainers": page(
        "# SambaNova",
        sambanova(16, 452.1, 8.25),
        sambanova(16, 449.0, 8.26),
        sambanova(16, 455.5, 8.24),
        sambanova(16, 1103.0, 8.27),
    ),
}

NOT_RAISED: dict[str, Pages] = {
    "another batch size": page(
        "# Cerebras", cerebras(512, 2920, 7.125), cerebras(1024, 4850), cerebras(2048, 6720, 7.15)
    ),
    "five per cent": {
        "a_bs1024.log": cerebras(1024, 4850),
        "b_bs1024.log": cerebras(1024, 4841, 7.09),
        "c_bs1024.log": cerebras(1024, 4600, 7.1),
    },
    "a third slower than runs that scatter as widely": {
        "a_bs1024.log": cerebras(1024, 4850),
        "b_bs1024.log": cerebras(1024, 4300, 7.09, start="2024-04-03 09:00:00"),
        "c_bs1024.log": cerebras(1024, 3300, 7.1, start="2024-04-04 09:00:00"),
    },
    "a rate with some noise": {
        "bert.log": cerebras(1024, rates=[4850, 4300, 4700, 4100, 4800, 4400, 4200, 4850, 4000, 4600])
    },
    "a rate that rises": {
        "bert.log": cerebras(1024, rates=[4000, 4100, 4200, 4300, 4400, 4500, 4600, 4700, 4800, 4900])
    },
    "one run": {"bert.log": cerebras(1024, 1112)},
    "the compile was in the bar": page(
        "# Graphcore",
        mnist(10, graph_s=21, per_epoch_s=10.9),
        mnist(10, graph_s=0, per_epoch_s=8.5, accuracy=97.9),
        mnist(10, graph_s=0, per_epoch_s=8.6, accuracy=98.2),
    ),
    "a slow first report": {"bert.log": cerebras(1024, rates=[3900] + [4850] * 9)},
    "a steady rate": {"bert.log": cerebras(1024, rates=[4930, 4897, 4877, 4852, 4841, 4850, 4848, 4855, 4867, 4850])},
    "two systems": page("# Both", "## Cerebras", cerebras(1024, 4850), "## Graphcore", mnist(10)),
    "fewer tasks": page("# SambaNova", sambanova(16, 452.1, 8.25), sambanova(8, 449.0, 8.31), sambanova(32, 479, 8.22)),
}


@examples(RAISED)
def test_a_run_far_slower_than_its_kind_is_named(tmp_path: Path, pages: Pages) -> None:
    assert "contended" in codes(tmp_path, pages)


@examples(NOT_RAISED)
def test_a_run_with_a_reason_is_left_alone(tmp_path: Path, pages: Pages) -> None:
    left_alone(tmp_path, pages, "contended")
