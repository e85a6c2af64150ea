"""Pages as a student hands them in, and the same pages with one lie at a time."""

from __future__ import annotations

from pathlib import Path

import pytest
from judged import judged

PAGE = """\
# Lab 3: batch size on the CPU

I trained the small CNN on CIFAR-10 with three batch sizes on one node of our cluster (2 × EPYC 7543, no GPU).
Each run is 3 epochs of 50,000 images; learning rate 0.05 throughout.

## Batch size 32

    $ python train.py --batch-size 32 --epochs 3
    Epoch 1/3 train loss 1.6412 test acc 0.4871 (41.2 s)
    Epoch 2/3 train loss 1.3105 test acc 0.5512 (40.8 s)
    Epoch 3/3 train loss 1.1577 test acc 0.5920 (41.0 s)
    Total time: 123.0 s
    Peak memory: 912 MiB

## Batch size 128

    $ python train.py --batch-size 128 --epochs 3
    Epoch 1/3 train loss 1.8021 test acc 0.4302 (28.9 s)
    Epoch 2/3 train loss 1.4960 test acc 0.5019 (28.7 s)
    Epoch 3/3 train loss 1.3522 test acc 0.5390 (28.6 s)
    Total time: 86.2 s
    Peak memory: 1043 MiB

## Batch size 512

    $ python train.py --batch-size 512 --epochs 3
    Epoch 1/3 train loss 2.0511 test acc 0.3305 (25.1 s)
    Epoch 2/3 train loss 1.7894 test acc 0.4051 (24.9 s)
    Epoch 3/3 train loss 1.6630 test acc 0.4480 (25.0 s)
    Total time: 75.0 s
    Peak memory: 1398 MiB

## What I conclude

| batch | time (s) | accuracy | speed-up |
|------:|---------:|---------:|---------:|
| 32    | 123.0    | 59.2 %   | 1.00     |
| 128   | 86.2     | 53.9 %   | 1.43     |
| 512   | 75.0     | 44.8 %   | 1.64     |

Going from 32 to 512 saves 39 % of the time, but the test accuracy falls by 14.4 points after the same three epochs.
Batch 128 took 1.4 minutes. Memory grows by about half, from 912 MiB to 1.37 GiB.
The largest batch processes 2,000 images per second, the smallest about 1,220.
With one run each I cannot say how much of the difference between 128 and 512 is noise.
"""


def test_nothing_is_said_against_what_the_logs_show(tmp_path: Path) -> None:
    assert judged(tmp_path, PAGE) == []


@pytest.mark.parametrize(
    ("said", "lie", "code"),
    [
        ("saves 39 %", "saves 49 %", "wrong-arithmetic"),
        ("falls by 14.4 points", "falls by 4.4 points", "wrong-arithmetic"),
        ("Batch 128 took 1.4 minutes", "Batch 128 took 2.4 minutes", "misquoted-figure"),
        ("53.9 %   | 1.43", "53.9 %   | 1.63", "wrong-arithmetic"),
        ("Memory grows by about half", "Memory doubles", "wrong-arithmetic"),
        ("| 44.8 %", "| 48.4 %", "misquoted-figure"),
    ],
)
def test_each_lie_is_found_and_nothing_else(tmp_path: Path, said: str, lie: str, code: str) -> None:
    assert said in PAGE
    assert [(one.severity, one.code) for one in judged(tmp_path, PAGE.replace(said, lie))] == [("wrong", code)]


def test_a_heading_that_counts_devices_gives_no_batch_size(tmp_path: Path) -> None:
    log = "```\n$ python train.py\nstep 1 loss 2.5\nstep 2 loss 2.25\n```\n\n"
    page = f"# One against two\n\nOne GPU and two at the same batch of 64.\n\n**1 GPU**\n\n{log}**2 GPUs**\n\n{log}"
    assert [one for one in judged(tmp_path, page) if "batch_size = 2" in one.message] == []
