"""The same words and logs, however a page sets them: underlined headings, other prompts and fences, repeats."""

from __future__ import annotations

from typing import Any

import pytest
from reading import one, summaries

LOG = """\
batch size = 256, learning rate = 0.1, epochs = 2
epoch   1: train_loss=1.5169 val_acc=0.6285
epoch   2: train_loss=1.1472 val_acc=0.6983
Accuracy on test set: 79.02%
max memory allocated: 5808.5 MiB
train time: 16.7s
"""


def test_a_row_of_settings_in_words_is_what_ran() -> None:
    assert one(LOG)["params"] == {"batch_size": 256, "lr": 0.1, "epochs": 2}


def test_the_last_lines_of_a_script_are_read() -> None:
    found = one(LOG)
    assert (found["train_s"], found["gpu_mem_bytes_max"]) == (16.7, 5808.5 * 1024**2)


def test_the_mnist_example_keeps_both_losses_apart_and_counts_its_epochs() -> None:
    log = "".join(
        f"Train Epoch: {n} [60000/60000 (100%)]\tLoss: 0.{9 - n}03316\n\n"
        f"Test set: Average loss: 0.{8 - n}665, Accuracy: 7465/10000 (74.65%)\n\n"
        for n in (1, 2)
    )
    found = one(log + "Total time: 37.4 s\n")
    assert (found["loss"], found["test_loss"], found["wall_s"]) == (0.703316, 0.6665, 37.4)
    assert found["params"] == {"epochs": 2}


@pytest.mark.parametrize("sign", ["$ ", "% ", "> "])
def test_a_session_is_parted_at_its_prompts(sign: str) -> None:
    session = "".join(f"{sign}python train.py --bs={size}\n{LOG.replace('256', str(size))}" for size in (64, 256))
    found = summaries(f"# Sizes\n\nBoth of them:\n\n```\n{session}```\n", "page.md")
    assert [run["claims"]["batch_size"] for run in found] == [64, 256]


def test_a_quotation_is_no_command() -> None:
    (found,) = summaries(f"# Sizes\n\n> the course says so\n\n```\n{LOG}```\n", "page.md")
    assert "command" not in found


@pytest.mark.parametrize("page", [
    "## batch_size: 256\n\n```\n{log}```\n", "Batch size 256\n--------------\n\n{log}",
    "batch_size: 256\n===============\n\n{log}",
    "# Mine\n\nI ran it with a batch size of 256.\n\n~~~\n{log}~~~\n",
])  # fmt: skip
def test_a_claim_is_read_in_every_kind_of_heading(page: str) -> None:
    (found,) = summaries(page.format(log=LOG), "page.md")
    assert found["claims"]["batch_size"] == 256


def test_what_is_said_above_two_logs_of_the_same_is_said_of_both() -> None:
    first, second = summaries(f"# Mine\n\nHere it is using 4 tasks.\n\n```\n{LOG}```\n\n```\n{LOG}```\n", "page.md")
    assert first["claims"] == second["claims"] == {"num_tasks": 4}


def test_what_is_said_above_a_log_is_not_said_of_another_with_other_settings() -> None:
    other = LOG.replace("256", "64")
    _, second = summaries(f"# Mine\n\nHere it is using 4 tasks.\n\n```\n{LOG}```\n\n```\n{other}```\n", "page.md")
    assert "claims" not in second


def _serving(concurrency: int) -> str:
    return (
        "============ Serving Benchmark Result ============\nSuccessful requests:                     200\n"
        f"Maximum request concurrency:             {concurrency}\nBenchmark duration (s):                  70.72\n"
        "Request throughput (req/s):              2.83\nOutput token throughput (tok/s):         361.97\n"
        "==================================================\n"
    )


@pytest.mark.parametrize(("said", "claims"), [
    ("This is at a concurrency of 4.", {"concurrency": 4}),
    ("I set the request rate to 8 and the input length to 512.", {"request_rate": 8, "input_len": 512}),
])  # fmt: skip
def test_settings_of_servers_are_claims_too(said: str, claims: dict[str, Any]) -> None:
    (found,) = summaries(f"# Serving\n\n{said}\n\n```\n{_serving(4)}```\n", "page.md")
    assert found["claims"] == claims


def test_a_torchtitan_log_shows_the_batch_of_one_device_where_it_tells_no_other() -> None:
    head = "[rank0]:2025-03-11 10:02:01 - root - INFO - Training starts at step 1, with local batch size 2, "
    steps = "".join(
        f"[rank0]:2025-03-11 10:02:1{n} - root - INFO - step: {n}00  loss: 11.0705  memory:  2.42GiB(31.20%)  tps: 376\n"
        for n in (1, 2)
    )
    assert one(head + "sequence length 128, total steps 1000\n" + steps)["params"] == {
        "batch_size": 2, "seq_len": 128, "max_steps": 1000,
    }  # fmt: skip


def test_settings_below_a_titled_rule_are_the_programs_own() -> None:
    printed = (
        "Step: 199 / 199 - LR: 2.00e-03 - total loss: 7.480: 99%|█████████▉| 199/200 [00:04<00:00, 45.40it/s, "
        "throughput: 748.2 samples/sec]\n"
        "---------------------------------\n-------- Training Metrics -------\n"
        "global_batch_size: 16\ndevice_iterations: 1\nTraining time: 4.405 secs\n---------------------------------\n"
    )
    page = f"{printed}\nThe training was over before I could fetch a cup of coffee from the machine.\n"
    (found,) = summaries(page, "notes.txt")
    assert found["params"]["batch_size"] == 16
    assert "claims" not in found
