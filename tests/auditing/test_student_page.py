"""A page about two runs, sentence by sentence: true ones, their lying twins, and what is of something else."""

from __future__ import annotations

from pathlib import Path

import pytest
from judged import judged


def _run(tasks: int, loss: float, seconds: float, rate: float, memory: float, accuracy: float) -> str:
    epochs = "".join(
        f"epoch {n}/3 loss {loss + 0.1 * (3 - n):.4f} acc {accuracy - 0.01 * (3 - n):.4f}\n" for n in (1, 2, 3)
    )
    return (
        f"## {tasks} tasks\n\n```\n$ python finetune.py --ntasks {tasks} --lr 2e-5 --epochs 3\nnum_tasks: {tasks}\n"
        f"learning rate: 2e-05\nepochs: 3\n{epochs}eval accuracy: {accuracy:.4f}\nthroughput: {rate} samples/s\n"
        f"peak memory: {memory} MiB\ntotal time: {seconds} s\n```\n\n"
    )


PAGE = (
    "# Fine-tuning\n\n"
    + _run(2, 0.3121, 612.4, 98.1, 4120.0, 0.8812)
    + _run(8, 0.3307, 171.9, 349.3, 15890.0, 0.8790)
    + "## What I think\n\n"
)
#: a true sentence, and what is exchanged in its twin
TWINS = [
    ("With eight tasks the fine-tuning is done in 171.9 s.", "171.9", "197.1"),
    ("Two tasks need 612.4 s, eight need 171.9 s.", "171.9", "217.9"),
    ("8 tasks are 3.56 times as fast as 2 tasks.", "3.56", "4.56"),
    ("Using 8 tasks instead of 2 makes it 3.6x faster.", "3.6x", "5.6x"),
    ("Throughput goes up from 98.1 to 349.3 samples/s.", "349.3", "394.3"),
    ("The throughput with 8 tasks is 349 samples per second.", "349", "439"),
    ("We see 98 samples/s for 2 tasks and 349 samples/s for 8 tasks.", "98", "89"),
    ("The accuracy hardly changes: 88.1 % against 87.9 %.", "87.9", "89.7"),
    ("Accuracy is 88.1% for ntasks=2, and 87.9% for ntasks=8.", "87.9", "78.9"),
    ("The eval accuracy for 2 tasks is 0.8812.", "0.8812", "0.8912"),
    ("8 tasks need almost four times the memory of 2 tasks.", "four", "two"),
    ("The run with 2 tasks is the slowest.", "slowest", "fastest"),
    ("2 tasks give the best accuracy.", "best accuracy", "lowest accuracy"),
    ("More tasks are faster.", "faster", "slower"),
    ("More tasks need more memory.", "more memory", "less memory"),
    ("Both runs together took 784.3 s.", "784.3", "884.3"),
    ("The two runs took about 13 minutes in all.", "13 minutes", "23 minutes"),
    ("All runs used a learning rate of 2e-5.", "2e-5", "2e-4"),
    ("All runs were trained for three epochs.", "three epochs", "five epochs"),
    ("The final loss is 0.3121 with 2 tasks and 0.3307 with 8 tasks.", "0.3307", "0.3703"),
    ("The loss is lower with 2 tasks than with 8 tasks.", "lower", "higher"),
    ("Training is 440.5 s shorter with 8 tasks than with 2 tasks.", "440.5", "340.5"),
    ("8 tasks cut the time by 72 %.", "72 %", "27 %"),
    ("Time drops by 72% from 2 tasks to 8 tasks.", "72%", "52%"),
    ("The throughput rises by 256 % going from 2 to 8 tasks.", "256 %", "156 %"),
    ("With 8 tasks the time is 171.9 seconds.", "seconds", "minutes"),
    ("The peak memory of the run with 8 tasks is 15890 MiB.", "15890 MiB", "15890 GiB"),
    ("The larger run reached 349.3 samples/s; the smaller one 98.1 samples/s.", "349.3", "394.3"),
    ("612.4 s / 171.9 s = 3.56", "3.56", "3.96"),
    ("The second run took 171.9 s.", "171.9", "191.9"),
    ("The first run took 612.4 s and the second one 171.9 s.", "171.9", "191.9"),
    (
        "| ntasks | time (s) | accuracy |\n|---|---|---|\n| 2 | 612.4 | 88.1 % |\n| 8 | 171.9 | 87.9 % |",
        "171.9",
        "177.9",
    ),
    (
        "| | 2 tasks | 8 tasks |\n|---|---|---|\n| time (s) | 612.4 | 171.9 |\n| throughput (samples/s) | 98.1 | 349.3 |",
        "349.3",
        "343.9",
    ),
]
#: true, and of nothing that a log here shows
SILENT = [
    "I first tried it with one task, but that job timed out after an hour.",
    "My laptop would need 2 hours for this.",
    "The documentation recommends a learning rate of 5e-5.",
    "The queue took 40 minutes.",
    "Setting up the environment took 25 minutes.",
    "I looked at the first 100 lines of the log.",
    "The dataset has 3,668 pairs, of which 408 are for evaluation.",
    "BERT-base has 110 million parameters and 12 layers.",
    "Each node has 2 sockets with 32 cores each.",
    "With perfect scaling, 8 tasks would be 4 times as fast as 2.",
    "The scaling is not perfect: 3.6 instead of 4.",
    "I expected 150 s for 8 tasks.",
    "One epoch with 8 tasks takes about 57 s.",
    "Loading the tokenizer took 12 s in both runs.",
    "If I had 16 tasks, I would expect 90 s.",
    "The paper reports 88.9 % accuracy.",
    "There was a warning after 20 s, which I ignored.",
    "On average, the runs needed 392 s.",
    "Neither run reached 90 %.",
    "Evaluation runs at batch size 8.",
    "I repeated the 8-task run and got 172.4 s, so it is stable.",
    "The GPU has 80 GB of memory, of which we used 15.9 GB at most.",
    "Compiling took 35 s before the first step.",
    "After epoch 1 the accuracy was 0.8612 with 2 tasks.",
    "I used 4 workers for loading the data.",
]


def _accused(folder: Path, sentence: str) -> list[str]:
    found = judged(folder, f"{PAGE}{sentence}\n")
    return [f"{one.severity} {one.code}: {one.message}" for one in found if one.severity != "note"]


@pytest.mark.parametrize(("sentence", "right", "wrong"), TWINS)
def test_a_true_sentence_is_left_alone_and_its_twin_is_found(
    tmp_path: Path, sentence: str, right: str, wrong: str
) -> None:
    assert _accused(tmp_path, sentence) == []
    assert _accused(tmp_path, sentence.replace(right, wrong, 1)) != []


@pytest.mark.parametrize("sentence", SILENT)
def test_figures_of_something_else_accuse_nobody(tmp_path: Path, sentence: str) -> None:
    assert _accused(tmp_path, sentence) == []
