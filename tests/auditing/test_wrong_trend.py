"""How a figure went from epoch to epoch: what the log shows, and what it does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from judged import judged

LOG = """# Small network

```
Epoch 1/5 | train loss 1.6312 | val loss 1.3120 | val acc 52.41%
Epoch 2/5 | train loss 1.0921 | val loss 1.0077 | val acc 64.30%
Epoch 3/5 | train loss 0.8434 | val loss 0.8812 | val acc 69.12%
Epoch 4/5 | train loss 0.6905 | val loss 0.7810 | val acc 73.05%
Epoch 5/5 | train loss 0.5810 | val loss 0.8243 | val acc 72.66%
```

"""
FALSE = (
    "The training loss rose in the last epoch.",
    "After the fourth epoch the validation loss still went down.",
    "The validation loss fell in every epoch.",
    "The best validation accuracy came in epoch 5.",
    "The validation accuracy kept falling.",
    "The validation accuracy was 71.05 % after epoch 3.",
    "The validation accuracy climbed from 52.41 % to 78.66 %.",
    "The lowest validation loss was in epoch 2.",
)
#: the value of an epoch is quoted, and the epoch of the best one ranked
CODES = {
    "The best validation accuracy came in epoch 5.": "wrong-ranking",
    "The lowest validation loss was in epoch 2.": "wrong-ranking",
    "The validation accuracy was 71.05 % after epoch 3.": "misquoted-figure",
    "The validation accuracy climbed from 52.41 % to 78.66 %.": "misquoted-figure",
}
TRUE = (
    "The training loss fell in every epoch.",
    "After the fourth epoch the validation loss went up again.",
    "The validation loss fell until the fourth epoch.",
    "The best validation accuracy came in epoch 4.",
    "The training loss kept falling.",
    "The last epoch shows a training loss of 0.581.",
    "The validation accuracy was 69.12 % after epoch 3.",
    "The validation accuracy climbed from 52.4 % to 72.7 %.",
    "I would expect that the training loss rises in the last epoch.",
    "The validation loss did not fall in every epoch.",
    "With more data the validation loss would have kept falling.",
    "The loss is better with a larger batch in every epoch.",
    "The training loss improved after the third epoch.",
    "The validation accuracy improved steadily.",
    "We saved a checkpoint after every epoch in which the validation loss fell.",
    "The accuracy of the last epoch is a bit lower than that of epoch 4.",
    "In the tutorial the validation accuracy was 80.05 % after epoch 3.",
    "From the fourth to the last epoch the validation loss rose by 0.21.",
    "In my second run the validation loss fell in every epoch.",
    "The gap between training and validation loss kept growing.",
    "The validation loss stopped improving after epoch 4.",
)


@pytest.mark.parametrize("sentence", FALSE)
def test_a_curve_that_went_otherwise_is_named_with_its_lines(tmp_path: Path, sentence: str) -> None:
    (finding,) = [one for one in judged(tmp_path, {"page.md": f"{LOG}{sentence}\n"}) if one.severity != "note"]
    assert finding.code == CODES.get(sentence, "wrong-trend")
    assert finding.severity == "wrong"
    assert all(place.line in range(4, 9) for place in finding.evidence[1:])


@pytest.mark.parametrize("sentence", TRUE)
def test_what_the_curve_did_is_left_alone(tmp_path: Path, sentence: str) -> None:
    found = judged(tmp_path, {"page.md": f"{LOG}{sentence}\n"})
    assert [one for one in found if one.severity != "note"] == []


def test_of_two_runs_one_that_bears_it_out_is_enough(tmp_path: Path) -> None:
    falling = "```\nepoch=1 val_loss=0.9\nepoch=2 val_loss=0.7\nepoch=3 val_loss=0.5\n```\n"
    rising = "```\nepoch=1 val_loss=0.9\nepoch=2 val_loss=1.1\nepoch=3 val_loss=1.4\n```\n"
    page = f"# Two runs\n\nlr 0.1\n\n{falling}\nlr 0.5\n\n{rising}\nThe validation loss fell in every epoch.\n"
    assert [one.code for one in judged(tmp_path, {"page.md": page}) if one.code == "wrong-trend"] == []


def test_a_figure_that_was_reached_on_the_way_is_no_setting_of_the_run(tmp_path: Path) -> None:
    page = f"{LOG}The highest validation accuracy, 73.05 %, was reached after four epochs.\n"
    assert [one for one in judged(tmp_path, {"page.md": page}) if one.severity == "wrong"] == []
