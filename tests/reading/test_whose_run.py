"""Which run of a page a log, a table and a sentence are of."""

from __future__ import annotations

from reading import summaries

RESULT = """```
============ Serving Benchmark Result ============
Successful requests:                     100
Maximum request concurrency:             {concurrency}
Benchmark duration (s):                  {seconds}
Output token throughput (tok/s):         {rate}
==================================================
```
"""
BENCHMARKS = "".join(
    RESULT.format(concurrency=concurrency, seconds=seconds, rate=rate)
    for concurrency, seconds, rate in ((8, 31.84, 402.1), (64, 7.03, 1820.4))
)


def test_logs_of_one_line_of_figures_in_two_fences_are_two_runs() -> None:
    block = "```\nlr={lr} batch_size=128\n[8/8] train_loss={loss} test_acc=0.77\n```\n\n"
    page = "# Study\n\n" + block.format(lr=0.1, loss=0.62) + "And slower:\n\n" + block.format(lr=0.01, loss=0.89)
    assert [(run["params"]["lr"], run["loss"]) for run in summaries(page, "page.md")] == [(0.1, 0.62), (0.01, 0.89)]


def test_blocks_indented_by_four_spaces_are_separate_runs() -> None:
    block = "    Epoch 10/10 - 14s - loss: {loss} - accuracy: 0.8460\n    Total time: {seconds} s\n\n"
    page = "# Images\n\nSmall:\n\n" + block.format(loss=0.4411, seconds=143.8)
    page += "Large:\n\n" + block.format(loss=0.2982, seconds=481.5)
    assert [(run["loss"], run["wall_s"]) for run in summaries(page, "page.md")] == [(0.4411, 143.8), (0.2982, 481.5)]


def test_a_table_that_sums_up_the_logs_below_it_adds_no_runs() -> None:
    table = "| concurrency | output tok/s |\n|---|---|\n| 8 | 402.1 |\n| 64 | 1820.4 |\n\n"
    assert len(summaries(f"# Serving\n\n{table}{BENCHMARKS}", "page.md")) == 2


def test_a_list_of_figures_below_a_benchmark_is_no_table() -> None:
    page = f"# Serving\n\n{BENCHMARKS}\n* 3.1 requests/s, 805 output tokens/s\n* 0.41 s TTFT, 1.9 s in the tail\n"
    assert len(summaries(page, "page.md")) == 2


def test_what_a_summary_says_of_a_later_run_is_not_claimed_of_the_first() -> None:
    page = f"# Serving\n\nThe run with 64 concurrent requests reaches 1820 tokens/s.\n\nOutput:\n\n{BENCHMARKS}"
    assert summaries(page, "page.md")[0].get("claims", {}).get("concurrency") is None


def test_the_number_in_the_name_of_a_machine_is_no_batch_size() -> None:
    log = "```\nepoch 1/2 loss 0.5\nepoch 2/2 loss 0.4\n```\n"
    (run,) = summaries(f"# Batches\n\nWe tried batch sizes of 2, 4 and 8.\n\n## Our CS-2\n\n{log}", "page.md")
    assert "batch_size" not in run.get("claims", {})


def test_a_training_after_one_that_failed_or_began_anew_is_another_run() -> None:
    epoch = "Train Epoch: {n} [0/60000 (0%)]\tLoss: {loss}\nTrain Epoch: {n} [60000/60000 (100%)]\tLoss: {loss}\n"
    training = "".join(epoch.format(n=n, loss=round(0.9 / n, 3)) for n in (1, 2, 3))
    assert len(summaries(training + training, "train.log")) == 2
    failed = "OOM when allocating tensor with shape[512,64,112,112] and type float\n"
    runs = summaries(f"$ python fit.py --batch-size 2048\nEpoch 1/5\n{failed}", "train.log")
    assert [run["status"] for run in runs] == ["failed"]
