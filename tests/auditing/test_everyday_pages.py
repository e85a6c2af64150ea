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
TIMES = "".join(
    f'```\n$ /usr/bin/time -v python read_{name}.py\n\tCommand being timed: "python read_{name}.py"\n\tUser time (seconds): 41.20\n'
    f"\tSystem time (seconds): 6.02\n\tElapsed (wall clock) time (h:mm:ss or m:ss): {clock}\n"
    "\tMaximum resident set size (kbytes): 6211044\n\tExit status: 0\n```\n\n"
    for name, clock in (("pandas", "0:47.51"), ("polars", "0:05.78"))
)
CHIP = (
    "```\n| Source | Accuracy | end-to-end latency (ms) | end-to-end IPS | on-chip latency (ms) | on-chip IPS |\n"
    "|  cpu   |  77.47%  |           2.23          |     448.02     |          --          |      --     |\n"
    "|  groq  |  77.47%  |           0.06          |    17802.30    |         0.03         |   37576.72  |\n```\n\n"
)
CORES = (
    "```\nJobID            JobName      State    Elapsed     MaxRSS  AllocCPUS    CPUTime ExitCode\n"
    "------------ ------------ ---------- ---------- ---------- ---------- ---------- --------\n"
    "5512001          train_8   COMPLETED   04:10:00                     8 1-09:20:00      0:0\n"
    "5512002         train_16   COMPLETED   02:40:00                    16 1-18:40:00      0:0\n```\n\n"
)
OVERFIT = (
    "```\n"
    + "".join(
        f"epoch {n} train_loss {1 / n:.4f} val_loss {loss}\n"
        for n, loss in enumerate((0.8801, 0.6820, 0.7412, 0.8311), 1)
    )
    + "```\n\n"
)
MODELS = (
    "| model | top-1 (%) | img/s |\n|---|---|---|\n| ResNet-50 | 76.1 | 1120 |\n| ViT-B/16 | 81.1 | 412 |\n"
    "| ConvNeXt-T | 82.1 | 780 |\n\n"
)
ANSWERS = "".join(
    f"llama3 {size}\n\n```\ntotal duration: {total}s\nprompt eval count: 31 token(s)\nprompt eval rate: 200.4 tokens/s\n"
    f"eval count: 200 token(s)\neval rate: {rate} tokens/s\n```\n\n"
    for size, total, rate in (("3B", 4.8, 57.76), ("8B", 9.1, 26.79))
)
REPEATS = "| lr | run 1 | run 2 | run 3 | mean |\n|---|---|---|---|---|\n| 0.1 | 93.4 | 93.0 | 93.9 | {} |\n"
SERVED = (
    "```\n============ Serving Benchmark Result ============\nSuccessful requests:                     500\n"
    "Benchmark duration (s):                  122.70\nTotal generated tokens:                  64000\n"
    "Mean TTFT (ms):                          411.70\nMedian TTFT (ms):                        388.10\n"
    "P99 TTFT (ms):                           1202.90\n==================================================\n```\n\n"
)
STEPS = "".join(
    f"{name}:\n\n```\n"
    + "".join(f"iter {100 * n}: loss {4.4 - n / 5:.4f}, time {ms + n / 10:.2f}ms\n" for n in (1, 2, 3))
    + "```\n\n"
    for name, ms in (("Unfused", 182.0), ("Fused AdamW", 171.0))
)
PRECISION = "| precision | step time (ms) |\n|---|---|\n| fp32 | 412 |\n| bf16 | 171 |\n\n"
HOURS = "| job | hours |\n|---|---|\n| pretraining | 41.5 |\n| fine-tuning | 6.25 |\n| evaluation | 2.75 |\n\n"
HONEST = {
    "a run by its number": TWO + "The 128 run needed 26.7 s, and the 32 run 61.3 s.",
    "a run by its year": TWO + "The 2024 run needed 99 s.",
    "losses that differ": TWO + "The losses differ by 0.016.",
    "what was said before": TWO + "In the first version I wrote that 128 was four times as fast as 32.",
    "a bare number after with": TWO + "With batch size 128 the throughput is higher than with 32.",
    "a bound of a percentile": SERVED + "The p99 time to first token stays below 1.5 seconds.",
    "a step in the unit of the table": PRECISION + "With bf16 a step takes 171 ms.",
    "the step time of two logs": STEPS + "Fusing the optimizer reduces the step time by 6 %.",
    "the sum of a column": HOURS + "Altogether we needed 50.5 hours.",
    "the sum of some rows": HOURS + "In total we needed 47.75 hours.",
    "a paper that trains": epochs(0.612) + "I stopped at 3 although the paper trains for 200 epochs and gets 93 %.",
    "an earlier part": epochs(0.612) + "In part one I measured 1,100 samples/s with the old release.",
    "a title that names both": "# Reading: pandas vs polars\n\n" + TIMES + "polars is about 8 times faster on the wall clock.",
    "a batch that is larger": TWO + "The accuracy is lower (90.5 vs 91.2 %) since the batch is four times larger.",
    "each figure with its device": CHIP + "The latency on the CPU is 2.23 ms and on the chip 0.06 ms.",
    "a device behind each figure": CHIP + "We see a latency of 2.23 ms on the CPU and of 0.06 ms on the chip.",
    "cores of two jobs": CORES + "With 16 cores the job took 36 % less time than with 8.",
    "a loss that rose in the end": OVERFIT + "The training loss kept falling until the last epoch.",
    "a model with a dash and a slash": MODELS + "ConvNeXt-T reaches the highest accuracy, and ViT-B/16 is the slowest.",
    "a mean of repeats": REPEATS.format(93.4),
    "models by their size": ANSWERS + "The 8B model generates text 2.2 times slower than the 3B model.",
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
    "a run by its number": (TWO + "The 128 run needed 31.7 s.", "misquoted-figure"),
    "a bare number after with": (TWO + "With 32 the throughput is higher than with 128.", "wrong-ranking"),
    "a bound of a percentile": (SERVED + "The p99 time to first token stays below one second.", "misquoted-figure"),
    "a step in another unit": (PRECISION + "With bf16 a step takes 171 s.", "mislabelled-unit"),
    "the step time of two logs": (STEPS + "Fusing the optimizer reduces the step time by 16 %.", "wrong-arithmetic"),
    "the sum of a column": (HOURS + "Altogether we needed 40.5 hours.", "wrong-arithmetic"),
    "the loss of unequal batches": (
        "batch_size 32\n\n```\nstep 500 loss 2.61\nstep 1000 loss 2.31\n```\n\nbatch_size 256\n\n```\nstep 500 loss 2.51\nstep 1000 loss 2.11\n```\n\n"
        "The larger batch generalises better: its loss is lower at the end of training.",
        "unequal-budget",
    ),
    "each figure with its device": (CHIP + "The latency on the CPU is 2.23 s and on the chip 0.06 ms.", "mislabelled-unit"),
    "cores of two jobs": (CORES + "With 16 cores the job took half the time of the one with 8.", "wrong-arithmetic"),
    "a loss that rose in the end": (OVERFIT + "The validation loss kept falling until the last epoch.", "wrong-trend"),
    "a model with a dash and a slash": (MODELS + "ViT-B/16 reaches the highest accuracy.", "wrong-ranking"),
    "a mean of repeats": (REPEATS.format(94.4), "wrong-arithmetic"),
    "models by their size": (ANSWERS + "The 8B model generates text four times slower than the 3B model.", "wrong-arithmetic"),
    "programs by their names": (TIMES + "polars is 20 times faster than pandas.", "wrong-arithmetic"),
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


def test_the_number_of_a_page_is_no_setting(tmp_path: Path) -> None:
    assert "setting-not-in-effect" not in codes(tmp_path, {"08_epochs.md": epochs(0.912)})
