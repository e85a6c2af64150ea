"""A claimed setting that never took effect, and settings that did."""

from __future__ import annotations

from pathlib import Path

import pytest
from judged import Pages, codes, examples, left_alone
from logs import cerebras, mnist, page, sambanova


def coded(words: str, code: str, log: str, language: str = "python") -> str:
    """A page that shows code between its words and its log."""
    return page("# Graphcore", words) + f"\n```{language}\n{code}\n```\n\n" + page(log)


RAISED: dict[str, Pages] = {
    "epochs of an edited constant": page(
        "# Graphcore", "I changed the number of epochs to 50 at the top of the script.", mnist(10)
    ),
    "epochs as an assignment": page(
        "## MNIST on the IPU", "learning_rate = 0.01", "epochs = 30", mnist(10, accuracy=98.3)
    ),
    "a batch size that the bar gives away": page(
        "# Graphcore MNIST", "Here is the run with a batch size of 16:", mnist(10, 150)
    ),
    "a batch size that the log prints": page("# Cerebras", "## Batch size 2048", cerebras(512, 2920)),
    "the name of a log": {"mnist_epochs40_bs8.log": mnist(10, 150)},
    "the name of a cerebras log": {"bert_large_bs2048.log": cerebras(1024)},
    "an arrow": page("# Graphcore", "epochs: 10 -> 20", mnist(10)),
    "a number before its word in a name": {"mnist_20_epochs.log": mnist(10)},
    "a number that touches its word in a name": {"mnist-20epochs.out": mnist(10)},
    "an excerpt of code": coded("I changed the script:", "lr = 0.03\nepochs = 20", mnist(10)),
    "a table of settings": "# Graphcore\n\n| parameter | value |\n|---|---|\n| lr | 0.03 |\n| epochs | 20 |\n\n```\n"
    + mnist(10)
    + "```\n",
    "a table of one run": "# Graphcore\n\n| lr | epochs | batch size |\n|---|---|---|\n| 0.03 | 20 | 8 |\n\n```\n"
    + mnist(10)
    + "```\n",
    "clumsy words": page("# Graphcore", "Epochs number is changed to 20.", mnist(10)),
    "tasks that the samples give away": page("# SambaNova", "With --ntasks 32 I got:", sambanova(16)),
    "two headings over two runs": page(
        "# Graphcore", "## 10 epochs", mnist(10), "## 20 epochs", mnist(10, accuracy=98.4)
    ),
}

NOT_RAISED: dict[str, Pages] = {
    "what introduces the next run": page(
        "# Graphcore", "Default settings:", mnist(10), "With 20 epochs:", mnist(20, accuracy=98.3, job=5)
    ),
    "an arrow": page("# Graphcore", "epochs: 10 -> 20", mnist(20)),
    "an excerpt of the default code": coded("The script has these defaults:", "lr = 0.03\nepochs = 10", mnist(20)),
    "an excerpt, and words that come first": coded("I ran 20 epochs of this script:", "epochs = 10", mnist(20)),
    "the same in a fence of no language": coded("I ran 20 epochs of this script:", "epochs = 10", mnist(20), ""),
    "a diff": coded("I changed it:", "-epochs = 10\n+epochs = 20", mnist(20), "diff"),
    "a whole script": coded("The script:", "epochs = 10\n" + "import torch\n" * 20, mnist(20)),
    "the result of the run above": "# Graphcore\n\n```\n" + mnist(10) + "```\n\n| lr | epochs | accuracy |\n"
    "|---|---|---|\n| 0.03 | 10 | 98.05 |\n\n```\n" + mnist(20, accuracy=98.3, job=2) + "```\n",
    "the settings of the run above": "# Graphcore\n\n```\n" + mnist(10) + "```\n\n| lr | epochs |\n"
    "|---|---|\n| 0.03 | 10 |\n\nThen the second:\n\n```\n" + mnist(20, accuracy=98.3, job=2) + "```\n",
    "an arrow in a sentence": page("# Cerebras", "This time batch size 1024 → 512.", cerebras(512, 2920)),
    "arrows over several runs": page("# Cerebras", "Batch size: 512 -> 1024 -> 2048", cerebras(2048, 6720)),
    "a number before another word": {"run_20_epochs.log": mnist(10), "hw20_epochs10.log": mnist(10, job=2)},
    "a plan": page("# Graphcore", mnist(10), "In the next experiment I will set the epochs to 40."),
    "the claim is what ran": page("# Graphcore", "I ran it with 20 epochs.", mnist(20)),
    "a plan for another day": page(
        "# Graphcore", mnist(10), "Next time I would like to try 50 epochs and a batch size of 32."
    ),
    "from and to": page("# Graphcore", "I changed the epochs from 10 to 20.", mnist(20)),
    "the batch size of the test set": page("# Graphcore", "batch_size = 8", "test_batch_size = 80", mnist(10, 150)),
    "a log that breaks off": page(
        "# Graphcore", "I used 20 epochs, but my session was closed.", mnist(20, accuracy=None, reached=7)
    ),
    "what the paper did": page(
        "# Cerebras",
        "The authors of BERT trained for 40 epochs with a batch size of 256.",
        "## My run with 1024",
        cerebras(1024),
    ),
    "instead of": page("# Cerebras", "I used a batch size of 512 instead of 1024.", cerebras(512, 2920)),
    "two runs, each as said": page(
        "# Cerebras", "Batch size 512:", cerebras(512, 2920), "Batch size 1024:", cerebras(1024)
    ),
    "a date in a file name": {"run_2024-04-20_16.log": mnist(10, 150)},
    "a default that is named": page("# Graphcore", "The default is 10 epochs. I set it to 30.", mnist(30)),
    "no epochs were run at all": page(
        "# Graphcore", "I set epochs = 30 but got an error.", "RuntimeError: Failed to acquire 1 IPU(s)\n"
    ),
    "the suspicion is the author's own": page(
        "# Graphcore", "I edited epochs to 30, but as the log shows only 10 epochs were run.", mnist(10)
    ),
}


@examples(RAISED)
def test_a_setting_that_did_not_take_effect_is_found(tmp_path: Path, pages: Pages) -> None:
    assert "setting-not-in-effect" in codes(tmp_path, pages)


@examples(NOT_RAISED)
def test_a_setting_that_was_in_effect_is_left_alone(tmp_path: Path, pages: Pages) -> None:
    left_alone(tmp_path, pages, "setting-not-in-effect")


#: an honest program each: the value that was claimed is the one that ran
POPULAR = {
    "nanogpt.log": """$ python train.py config/train_shakespeare_char.py --batch_size=8 --max_iters=20
Overriding config with config/train_shakespeare_char.py:
batch_size = 64
block_size = 256
max_iters = 5000
Overriding: batch_size = 8
Overriding: max_iters = 20
step 0: train loss 4.2874, val loss 4.2823
iter 0: loss 4.2654, time 25230.61ms, mfu -100.00%
iter 20: loss 2.8301, time 1230.61ms, mfu 1.00%
""",
    "trainer.log": """$ python run_glue.py --per_device_train_batch_size 4 --num_train_epochs 1
***** Running training *****
  Num Epochs = 1
  Total train batch size (w. parallel, distributed & accumulation) = 4
{'loss': 0.5123, 'learning_rate': 0.0, 'epoch': 1.0}
***** Running Evaluation *****
  Num examples = 408
  Batch size = 8
{'eval_loss': 0.48, 'eval_accuracy': 0.77, 'epoch': 1.0}
""",
    "evaluation.log": """$ python run_glue.py --batch_size 4 --epochs 1
{'loss': 0.5123, 'learning_rate': 0.0, 'epoch': 1.0}
***** Running Evaluation *****
  Num examples = 408
  Batch size = 8
{'eval_loss': 0.48, 'eval_accuracy': 0.77, 'epoch': 1.0}
""",
    "lightning.log": """$ python train.py --epochs 2 --batch_size 32
Epoch 0/1 100/100 0:00:02 45.1it/s v_num: 0 train_loss: 0.512
Epoch 1/1 100/100 0:00:02 45.1it/s v_num: 0 train_loss: 0.412
epochs: 1
""",
}


@pytest.mark.parametrize("name", POPULAR)
def test_a_setting_printed_twice_of_the_evaluation_or_from_zero_accuses_nobody(tmp_path: Path, name: str) -> None:
    assert "setting-not-in-effect" not in codes(tmp_path, {name: POPULAR[name]})
