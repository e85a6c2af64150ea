"""Values that are named near a log and that no run was said to have; and plain claims in other words."""

from __future__ import annotations

from pathlib import Path

import pytest
from judged import judged
from logs import cerebras, mnist, page, sambanova

CODE = "setting-not-in-effect"
_EPOCHS = ("# Graphcore", mnist(10, 150, 98.05))
_BATCH = ("# Cerebras", cerebras(1024, 4855))
_TASKS = ("# SambaNova", sambanova(16, 452.0))

NOT_CLAIMED = (
    (_EPOCHS, "> Task: Run the MNIST example with 50 epochs and batch size 32, and report what you observe."),
    (_EPOCHS, "The homework asks for batch size 32, but I used the default of 8."),
    (_EPOCHS, "At epoch 5 the accuracy was still low."),
    (_EPOCHS, "After 3 epochs the loss stops falling."),
    (_EPOCHS, "Epoch 1 of 10 took 23 seconds because of the compile."),
    (_EPOCHS, "Epochs 1-5 are slower than epochs 6-10."),
    (_EPOCHS, "Only the first 2 epochs are shown in the screenshot."),
    (_EPOCHS, "A batch size of 32 failed with out of memory."),
    (_EPOCHS, "Others in the class used 100 epochs."),
    (_EPOCHS, "Unlike my colleague, who used 40 epochs, I used 10."),
    (_EPOCHS, "The lecture showed a run with 20 epochs."),
    (_EPOCHS, "Last week on the GPU I trained with batch size 256 for 5 epochs."),
    (_EPOCHS, "I wanted to train 50 epochs but did not have the time."),
    (_EPOCHS, "I should have used 20 epochs."),
    (_EPOCHS, "I forgot to change the batch size to 16, so this is with 8."),
    (_EPOCHS, "Try epochs = 20 next."),
    (_EPOCHS, "Instead of 20 epochs, this run has 10."),
    (_EPOCHS, "To change the batch size one passes `--batch-size 16`."),
    (_EPOCHS, "I set epochs = 20 in the script but it still ran 10."),
    (_BATCH, "Default batch size is 256."),
    (_BATCH, "I asked for batch size 2048, but the log says the effective batch size is 1024."),
    (_TASKS, "32 tasks fail on one node."),
    (_TASKS, "The batch size per task is 256."),
)

CLAIMED = (
    (_EPOCHS, "Epochs: 20"),
    (_EPOCHS, "num_epochs=20"),
    (_EPOCHS, "Batch size: 32"),
    (_EPOCHS, "For the second experiment I bumped the epochs up to 20."),
    (_EPOCHS, "Number of epochs was increased to 20 here."),
    (_EPOCHS, "Settings: lr 0.05, 20 epochs, batch 8"),
    (_EPOCHS, "After 20 epochs I stopped."),
    (_BATCH, "BS=512"),
    (_BATCH, "This is with a batch of 512."),
)


@pytest.mark.parametrize(("around", "sentence"), NOT_CLAIMED)
@pytest.mark.parametrize("above", [True, False], ids=["above", "below"])
def test_what_was_not_said_of_the_run_is_not_held_against_it(
    tmp_path: Path, around: tuple[str, str], sentence: str, above: bool
) -> None:
    title, log = around
    found = judged(tmp_path, page(title, sentence, log) if above else page(title, log, sentence))
    assert [one for one in found if one.code == CODE] == []


@pytest.mark.parametrize(("around", "sentence"), CLAIMED)
def test_a_claim_in_other_words_is_held_against_the_log(tmp_path: Path, around: tuple[str, str], sentence: str) -> None:
    title, log = around
    found = [one for one in judged(tmp_path, page(title, sentence, log)) if one.code == CODE]
    assert [one.severity for one in found] == ["wrong"]
    assert found[0].evidence[0].line == 3


def test_who_saw_that_a_setting_had_no_effect_is_not_called_wrong(tmp_path: Path) -> None:
    text = page(*_EPOCHS[:1], "I set the number of epochs to 20.", _EPOCHS[1], "The change had no effect: 10 ran.")
    assert [(one.code, one.severity) for one in judged(tmp_path, text)] == [(CODE, "note")]


def test_an_introduction_to_several_logs_is_about_the_one_that_it_fits(tmp_path: Path) -> None:
    longer = mnist(20, 150, 98.45, command="python mnist_poptorch.py --epochs 20")
    text = page("# Graphcore", "I ran two experiments: first the default, then 20 epochs.", _EPOCHS[1], longer)
    assert [one for one in judged(tmp_path, text) if one.code == CODE] == []
