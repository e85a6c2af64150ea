"""What a sentence claims: of which quantity, how surely, of whose run."""

from __future__ import annotations

import pytest

from assay.language import modality
from assay.language.claims import Value, only_settings, said, said_in


def values(text: str) -> dict[str, float]:
    return {one.name: one.number.value for sentence in said_in(text) for one in sentence.values if not one.denied}


VALUES = [
    ("after 10 epochs the test accuracy is 97.1 %", {"epochs": 10, "accuracy": 97.1}),
    (
        "with a batch size of 1k and lr=1e-3 we got 1,405 samples/s",
        {"batch_size": 1000, "lr": 0.001, "samples_per_s": 1405},
    ),
    ("the learning rate was 10^-3", {"lr": 0.001}),
    ("a batch of 2^10 was used", {"batch_size": 1024}),
    ("batch size 512 epochs 10", {"batch_size": 512, "epochs": 10}),
    ("It took 3 min 20 s.", {"time": 200}),
    (
        "1. Learning rate = 0.03, epoch = 10 ---> test data accuracy 96.62%",
        {"lr": 0.03, "epochs": 10, "accuracy": 96.62},
    ),
    ("It processed 1,024,000 samples in 211.2 s", {"samples": 1024000, "time": 211.2}),
    ("The completion time (with the profiler of Question 2) is ~7954.38 seconds", {"time": 7954.38}),
    ("3 batch sizes were tried", {}),
    ("At epoch 5 it was still low", {}),
    ("the CS-3 and GPT-2", {}),
]


@pytest.mark.parametrize(("text", "wanted"), VALUES, ids=[one[0] for one in VALUES])
def test_a_number_belongs_to_its_term(text: str, wanted: dict[str, float]) -> None:
    assert values(text) == pytest.approx(wanted)


def the(text: str, name: str) -> Value:
    return next(one for sentence in said_in(text) for one in sentence.values if one.name == name)


def test_a_batch_of_each_device_is_not_that_of_the_run() -> None:
    assert the("each of 4 GPUs had a batch size of 16", "batch_size").scope == "device"


def test_where_it_came_from_is_kept() -> None:
    changed = the("I increased the number of epochs from 10 to 20", "epochs")
    assert (changed.number.value, changed.was and changed.was.value) == (20, 10)


def test_figures_of_train_and_test_are_kept_apart() -> None:
    assert the("The training accuracy is 99.1 %", "accuracy").split == "train"
    assert the("we reached 97 % accuracy on the test set", "accuracy").split == "test"


MEANT = [
    ("I used a batch size of 8.", modality.DONE),
    ("The homework asks for batch size 32.", modality.OTHERS),
    ("Next time I would use 40 epochs.", modality.SUPPOSED),
    ("The default batch size is 64.", modality.DEFAULT),
    ("I used the default batch size of 64.", modality.DONE),
    ("What happens with 100 epochs?", modality.ASKED),
    ("Last week I ran 30 epochs.", modality.EARLIER),
    ("On my laptop the batch size was 4.", modality.ELSEWHERE),
    ("I set epochs = 20 but it had no effect.", modality.ADMITTED),
]


@pytest.mark.parametrize(("text", "meant"), MEANT, ids=[one[0] for one in MEANT])
def test_how_a_sentence_is_meant(text: str, meant: str) -> None:
    assert said(text).modality == meant


def test_only_the_clause_about_others_is_about_others() -> None:
    found = said("The homework asks for batch size 32, but I used a batch size of 8.").values
    assert [(one.number.value, one.modality) for one in found] == [(32, modality.OTHERS), (8, modality.DONE)]


@pytest.mark.parametrize("text", ["Epochs: 20", "BS=512, lr = 0.1", "* batch size: 64"])
def test_a_line_of_settings_alone(text: str) -> None:
    assert only_settings(text)


@pytest.mark.parametrize("text", ["Epoch 3: loss 0.4", "We used BS=512", "accuracy: 0.9", "20"])
def test_a_line_of_more_than_settings(text: str) -> None:
    assert not only_settings(text)


CHANGED = [
    ("Batch 8 took **12.5 s** longer than batch 4.", ("time", "difference", 12.5, 1)),
    ("16 tasks was 28 seconds faster than 4 tasks.", ("time", "difference", 28.0, -1)),
    ("lr=0.1 vs lr=0.01: +3.2 points", ("accuracy", "points", 3.2, 1)),
    ("The training time drops by 16 percent from batch 16 to bs=32.", ("time", "percent", 16.0, -1)),
]


@pytest.mark.parametrize(("text", "change"), CHANGED, ids=[one[0] for one in CHANGED])
def test_a_difference_with_its_size(text: str, change: tuple[str, str, float, int]) -> None:
    (found,) = said(text).changes
    assert (found.name, found.kind, found.value, found.direction) == change


@pytest.mark.parametrize("text", ["The p99 of TTFT is 5.8 to 7.5 ms above", "Es ist 2 bis 3 % schneller"])
def test_a_range_of_differences_is_no_single_one(text: str) -> None:
    assert not said(text).changes


@pytest.mark.parametrize("text", ["Speed and triplet loss of both", "It trains with quadruplet loss"])
def test_a_loss_over_triplets_is_no_factor(text: str) -> None:
    assert not said(text).changes


def test_the_larger_batch_is_one_of_two() -> None:
    (found,) = said("The larger batch was faster than bs=8.").comparisons
    assert [(one.name, one.extreme, one.relative) for one in found.of] == [("batch_size", 1, True)]
    assert found.than[0].readings == (8,)


def test_no_difference_between_two_is_a_comparison() -> None:
    (found,) = said("There is no difference in throughput between batch 8 and batch 4.").comparisons
    assert (found.name, found.sign, found.of[0].readings, found.than[0].readings) == ("rate", 0, (8,), (4,))
