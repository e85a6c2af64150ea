"""Small pages as people write them: what is honest is left alone, and the plain lie beside it is found."""

from __future__ import annotations

from pathlib import Path

import pytest
from judged import codes, judged, left_alone


def epochs(accuracy: float, rate: float = 910.0, seconds: float = 60.0) -> str:
    rows = "".join(f"epoch {n} loss {0.9 - 0.2 * n:.4f} {rate + n:.1f} samples/s\n" for n in (1, 2, 3))
    return f"```\n{rows}test accuracy {accuracy}\ntook {seconds} s\n```\n\n"


TWO = "Batch size 32:\n\n" + epochs(0.912, 910.0, 61.3) + "Batch size 128:\n\n" + epochs(0.905, 2093.0, 26.7)
SEFF = (
    "```\nJob ID: 7712\nCluster: c1\nState: COMPLETED (exit code 0)\nNodes: 1\nCores per node: 8\n"
    "CPU Utilized: 05:40:48\nCPU Efficiency: 71.00% of 08:00:00 core-walltime\nJob Wall-clock time: 01:00:00\n"
    "Memory Utilized: 6.10 GB\nMemory Efficiency: 19.06% of 32.00 GB\n```\n\n"
)
LAYERS = (
    "```\n| model | size | params | backend | ngl | test | t/s |\n| --- | ---: | ---: | --- | --: | --: | --: |\n"
    "| llama 8B Q4_0 | 4.33 GiB | 8.03 B | CUDA | 20 | tg128 | 31.20 ± 0.11 |\n"
    "| llama 8B Q4_0 | 4.33 GiB | 8.03 B | CUDA | 99 | tg128 | 88.42 ± 0.30 |\n```\n\n"
)
TITAN = "".join(
    f"[rank0]:2025-02-11 09:1{n}:22,118 - root - INFO - step: {10 * n}  loss:  {9 - n / 2:.4f}  memory: 61.40GiB(77.6%)"
    f"  tps: {7210 + n:,}  tflops: 369.15  mfu: 41.20%\n"
    for n in range(1, 5)
)
IPU = (
    "```\nEpochs: 100%|██████████| 10/10 [01:48<00:00, 10.81s/it]\n"
    "Loss: 1.4727 | Accuracy: 99.46% :  62%|██████    | 93/150 [00:05<00:03, 17.29it/s]\n"
    "Accuracy on test set: 98.02%\n```\n"
)
TIMED = "```\n" + "".join(f"epoch {n} loss {4 - n / 4:.4f} time {61 + n / 10:.1f}s\n" for n in (1, 2, 3)) + "```\n\n"
HONEST = {
    "a factor after multiplies": TWO + "Going from 32 to 128 multiplies the throughput by about 2.3.",
    "another pair stayed the same": "Batch size 32:\n\n" + epochs(0.912, 910.0, 60.3) + "Batch size 64:\n\n"
    + epochs(0.905, 1790.0, 61.7)
    + "Batch 64 is almost twice as fast in samples/s as 32, while the time stayed nearly the same: 61.7 s and 60.3 s.",
    "a figure of a named person": "Alice got 98.9 % with 20 epochs last term. This is our run:\n\n" + IPU,
    "the rate of all devices": f"# 8 x H100\n\n```\n{TITAN}```\n\nAcross all 8 GPUs we process some 58k tokens/s.",
    "the efficiency of a job": SEFF + "The job reached a CPU efficiency of 71 % and a memory efficiency of 19 %.",
    "all layers on the GPU": LAYERS + "Generation is fastest with 99 layers on the GPU.",
    "one run far from two repeats": "lr 0.1\n\n" + epochs(0.912) + "lr 0.1, again\n\n" + epochs(0.9131, 911.0, 60.2)
    + "lr 0.5\n\n" + epochs(0.871, 912.0, 60.1) + "The lower learning rate gives the better accuracy.",
    "an equal log of another worker count": "num_workers 2\n\n```\nepoch 1 loss 3.75\nepoch 2 loss 3.5\nepoch 3 loss 3.25\n"
    "```\n\nnum_workers 4\n\n```\nepoch 1 loss 3.75\nepoch 2 loss 3.5\nepoch 3 loss 3.25\n```\n",
}  # fmt: skip
LIES = {
    "a factor after multiplies": (TWO + "Going from 32 to 128 multiplies the throughput by 4.", "wrong-arithmetic"),
    "an edited script that ran as before": (
        "I edited `epochs` in the script to 25 and ran it:\n\n" + IPU,
        "setting-not-in-effect",
    ),
    "the efficiency of a job": (SEFF + "The job reached a CPU efficiency of 91 %.", "misquoted-figure"),
    "layers on the GPU": (LAYERS + "Generation is fastest with 20 layers on the GPU.", "wrong-ranking"),
    "one run among two repeats": (
        "lr 0.1\n\n" + epochs(0.912) + "lr 0.1, again\n\n" + epochs(0.9087, 911.0, 60.2) + "lr 0.5\n\n"
        + epochs(0.9124, 912.0, 60.1) + "The higher learning rate gives the better accuracy.",
        "within-noise",
    ),
    "a short log pasted twice": ("lr = 0.1\n\n" + TIMED + "lr = 0.3\n\n" + TIMED, "same-figures"),
}  # fmt: skip


@pytest.mark.parametrize("page", HONEST.values(), ids=HONEST)
def test_an_honest_page_is_left_alone(tmp_path: Path, page: str) -> None:
    left_alone(tmp_path, page, "misquoted-figure")


@pytest.mark.parametrize(("page", "code"), LIES.values(), ids=LIES)
def test_a_plain_lie_is_found(tmp_path: Path, page: str, code: str) -> None:
    assert code in codes(tmp_path, page), judged(tmp_path, page)
