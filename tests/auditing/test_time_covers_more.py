"""Seconds that hold more than training, and seconds that do not."""

from __future__ import annotations

from pathlib import Path

from judged import Pages, codes, examples, left_alone
from logs import cerebras, launcher, mnist, page, sambanova

RAISED: dict[str, Pages] = {
    "checkpoint and teardown": {"bert.log": cerebras(1024, 4047.95, processed_s=336.37)},
    "queue and compile": {
        "dit.log": cerebras(
            1168, 875.0, steps=400, losses=[0.9, 0.7, 0.5, 0.4, 0.3, 0.3, 0.2, 0.2, 0.2, 0.18], processed_s=4754.5
        )
    },
    "a tenth more": {"course.log": cerebras(1024, 1112.94, processed_s=1025.6)},
    "minutes by the clock": page(
        "# Cerebras", "Training took 25 minutes with a batch size of 1024.", cerebras(1024, compile_s=900, queue_s=120)
    ),
    "a compile taken for the run": page(
        "# SambaNova", "16 tasks: the training took 819 seconds.", launcher(819, 30451, 819)
    ),
    "a saved checkpoint of ten minutes": {
        "gptj.log": cerebras(
            66,
            19.8,
            steps=200,
            losses=[10, 9.9, 9.5, 9, 8.9, 8.8, 8.7, 8.6, 8.5, 8.375],
            checkpoint_s=640,
            processed_s=1316.02,
        )
    },
}

NOT_RAISED: dict[str, Pages] = {
    "the compile called a compile": page(
        "# SambaNova", launcher(812, 30451), "Compiling took 812 s, training 452 s.", sambanova(16, 452.0)
    ),
    "training longer": page(
        "# Graphcore", mnist(10, 150, 96.0), mnist(20, 150, 98.6), "Training longer improved the accuracy."
    ),
    "exactly the training": {"bert.log": cerebras(1024)},
    "one per cent more": {"bert.log": cerebras(1024, 4850, processed_s=1024000 / 4850 * 1.01)},
    "the author says what it covers": page(
        "# Cerebras",
        "The whole job took 25 minutes including the queue and the compile; training itself took 211 seconds.",
        cerebras(1024, compile_s=900, queue_s=120),
    ),
    "training seconds in prose": page("# Cerebras", "Training took 211 seconds.", cerebras(1024, compile_s=900)),
    "a log that stops": {
        "llama.log": cerebras(99, 20.45, steps=100, losses=[8, 7.9, 7.8, 7.7, 7.6, 7.5, 7.4, 7.3, 7.2, 7.1], end=False)
    },
    "the result of a trainer": {"samba.log": sambanova(16)},
    "a bar of epochs": {"mnist.log": mnist(10)},
    "a long queue in a log with right seconds": {"bert.log": cerebras(512, 2920, queue_s=3613)},
}


@examples(RAISED)
def test_seconds_that_cover_more_are_named(tmp_path: Path, pages: Pages) -> None:
    assert "time-covers-more" in codes(tmp_path, pages)


@examples(NOT_RAISED)
def test_seconds_of_training_are_left_alone(tmp_path: Path, pages: Pages) -> None:
    left_alone(tmp_path, pages, "time-covers-more")
