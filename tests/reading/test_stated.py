"""Settings that people state, and what only looks like one."""

import pytest

from assay.reading.stated import is_only, settings_in, settings_of_command, settings_of_name

SAID = {
    "batch size of 512": {"batch_size": 512},
    "512 batch size": {"batch_size": 512},
    "lr 0.01, with 20 epochs": {"lr": 0.01, "epochs": 20},
    "from 10 to 20 epochs": {"epochs": 20},
    "I trained for 20 epochs with a batch size of 8 and a learning rate of 0.03.": {
        "epochs": 20,
        "batch_size": 8,
        "lr": 0.03,
    },
    "batch sizes of 8, 16 and 32": {},
    "I would use a batch size of 64": {},
    "a batch size of 16 on each of 4 GPUs, per GPU": {},
    "the CS-2 took 5 minutes": {},
}


@pytest.mark.parametrize("text", SAID)
def test_a_sentence_states_its_settings(text: str) -> None:
    assert {one.name: one.value for one in settings_in(text)} == SAID[text]


def test_a_line_of_settings_alone_is_known_from_a_sentence() -> None:
    assert is_only("Epochs: 20, batch size: 64")
    assert not is_only("Epochs: 20 gave an accuracy of 3")


def test_commands_and_file_names_state_settings() -> None:
    command = settings_of_command("python train.py --batch-size 512 --lr=0.1 epochs=10")
    assert {one.name: one.value for one in command} == {"batch_size": 512, "lr": 0.1, "epochs": 10}
    name = settings_of_name("mnist_b12_e20_lr0.01.txt")
    assert {one.name: one.value for one in name} == {"batch_size": 12, "epochs": 20, "lr": 0.01}
