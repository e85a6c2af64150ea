"""A true sentence and its lying twin over the same logs: the one is left alone, the other is found."""

from __future__ import annotations

from pathlib import Path

import pytest
from judged import Pages, judged


def _log(name: str, value: int, seconds: float, accuracy: float, rate: float) -> str:
    epochs = value if name == "epochs" else 4
    settings = {"batch_size": 64, "epochs": epochs, "lr": 0.001, name: value}
    lines = "".join(f"Epoch {n}/{epochs} | train loss {0.9 / n:.4f}\n" for n in range(1, epochs + 1))
    told = ", ".join(f"{key}={one}" for key, one in settings.items())
    return (
        f"```\nNamespace({told})\n{lines}Training took {seconds} s\ntest_acc = {accuracy}\n"
        f"Throughput: {rate} samples/s\n```\n"
    )


def _two(name: str, few: tuple[int, float, float, float], many: tuple[int, float, float, float], title: str) -> str:
    runs = [f"## {title.format(one[0])}\n\n{_log(name, *one)}\n" for one in (few, many)]
    return "# MNIST\n\n" + "".join(runs) + "## Discussion\n\n"


EPOCHS = _two("epochs", (2, 46.0, 0.9312, 2609.0), (10, 230.0, 0.9741, 2608.0), "{} epochs")
BATCHES = _two("batch_size", (384, 168.0, 0.9312, 1428.0), (1536, 120.0, 0.9231, 2000.0), "Batch size {}")
RDU = "### RDU\n\n| tasks | Duration (s) |\n|------|-----|\n| 4 | 698 |\n| 12 | {} |\n| 24 | 711 |\n\n"
ONE_LOG = "```\nCOMPILE END AT 702\nRUN\nSubmitted batch job 45118\nDuration:  702\n```\n"
TWINS = [
    (EPOCHS, "The training time went from 46 s (2 epochs) to 230 s (10 epochs).", "to 230 s", "to 320 s"),
    (EPOCHS, "The accuracy changed from 93.12 % to 97.41 % when the epochs changed from 2 to 10.", "97.41", "99.41"),
    (EPOCHS, "The time changed from 46 s to 230 s when I changed the epochs to 10.", "230 s", "250 s"),
    (EPOCHS, "More epochs take longer (230 s against 46 s).", "46 s", "57 s"),
    (EPOCHS, "I ran each of them twice because the time was noisy; 10 epochs took 230 s.", "230 s", "203 s"),
    (BATCHES, "The smaller batch takes longer for its steps (168 s against 120 s).", "120 s", "138 s"),
    (BATCHES, "Compared to a batch size of 384, a batch size of 1536 saves 29 % of the time.", "29 %", "59 %"),
    (BATCHES, "The time is decreased by 29 % when changing batch 384 to batch 1536.", "29 %", "59 %"),
    (BATCHES, "The batch size of 1536 has the better throughput, so I would use it.", "1536", "384"),
    (BATCHES, "The throughput is 1428 samples/s for batch size 384 and 2000 samples/s for batch size 1536, as the log shows.",
     "2000", "2900"),
]  # fmt: skip
#: each of them true of no run in particular
SILENT = [
    "The node has 64 cores.",
    "The machine is a node with 128 cores and 512 GB of memory.",
    "I ran the experiment twice.",
    "Every setting was run twice with the same seed.",
    "Each experiment was done three times because the time varies.",
    "It asked for 20 s of my time the first time and 30 s of my time the second time.",
]


def _accused(folder: Path, page: Pages) -> list[str]:
    return [f"{one.severity} {one.code}: {one.message}" for one in judged(folder, page) if one.severity != "note"]


@pytest.mark.parametrize(("page", "sentence", "right", "wrong"), TWINS, ids=[one[1] for one in TWINS])
def test_the_true_sentence_is_left_alone_and_its_twin_is_found(
    tmp_path: Path, page: str, sentence: str, right: str, wrong: str
) -> None:
    assert sentence.count(right) == 1
    assert _accused(tmp_path, page + sentence + "\n") == []
    assert _accused(tmp_path, page + sentence.replace(right, wrong) + "\n") != []


@pytest.mark.parametrize("sentence", SILENT)
@pytest.mark.parametrize("page", [EPOCHS, BATCHES], ids=["epochs", "batches"])
def test_a_sentence_about_something_else_accuses_nobody(tmp_path: Path, page: str, sentence: str) -> None:
    assert _accused(tmp_path, page + sentence + "\n") == []


def test_a_log_that_belongs_to_one_row_of_three_contradicts_none(tmp_path: Path) -> None:
    """Which row it is of is not said; that none of its own has a log here is all that can be said of the others."""
    found = {one.code for one in judged(tmp_path, RDU.format(702) + ONE_LOG)}
    assert "misquoted-figure" not in found


WRAPPED = """I repeated nothing. The smaller batch is the more accurate one, and a batch size of 384 took 48 s
longer than the run with the larger batch. Going from a batch of 384 to
1536 the throughput rose from 1428 samples/s to {}
samples/s, as the logs show.
"""


def test_a_sentence_over_several_lines_is_read_as_one(tmp_path: Path) -> None:
    assert _accused(tmp_path, BATCHES + WRAPPED.format(2000)) == []


def test_what_is_wrong_in_a_wrapped_sentence_is_shown_at_the_line_it_begins_on(tmp_path: Path) -> None:
    found = [one for one in judged(tmp_path, BATCHES + WRAPPED.format(3000)) if one.severity != "note"]
    begins = (
        (BATCHES + WRAPPED)
        .splitlines()
        .index("longer than the run with the larger batch. Going from a batch of 384 to")
    )
    assert [one.evidence[0].line for one in found] == [begins + 1]
    assert found[0].evidence[0].text.startswith("Going from a batch of 384 to 1536")


def test_separate_statements_on_consecutive_lines_are_not_joined(tmp_path: Path) -> None:
    lines = "With a batch size of 384, the training took 168 s\nand with a batch size of 1536 it took {} s\n"
    assert _accused(tmp_path, BATCHES + lines.format(120)) == []
    assert _accused(tmp_path, BATCHES + lines.format(210)) != []


SESSION = """LR study
========

> python train.py --bs=64 --epochs=3 --lr={lr}
args: {{'batch_size': 64, 'epochs': 3, 'lr': {lr}}}
[1/3] loss: 1.1588 - val accuracy: 0.7534
[3/3] loss: 0.5048 - val accuracy: 0.8703
Test accuracy: 0.8733
Training took 11.2 s

Throughput: 3223.5 samples/s

The training took {seconds} s with a learning rate of 0.01.
"""


def test_what_a_command_prints_below_it_is_its_log_where_nothing_is_fenced(tmp_path: Path) -> None:
    assert _accused(tmp_path, {"page.txt": SESSION.format(lr=0.01, seconds=11.2)}) == []
    assert _accused(tmp_path, {"page.txt": SESSION.format(lr=0.01, seconds=17.2)}) != []
