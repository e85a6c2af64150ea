"""What people write around their results: lists of rows, tables of many shapes, notes below a log, quoted errors."""

from reading import holds, one, summaries

BLOCKS = "██████████"
MNIST = (
    "Epochs:   0%|          | 0/10 [00:00<?,[13:20:48.097] [poptorch:cpp] [warning] Type coerced\n"
    "  0%|          | 0/150 [00:00<?, ?it/s]\n"
    f"Epochs: 100%|{BLOCKS}| 10/10 [01:29<00:00,  8.90s/it]\n"
    "Accuracy on test set: 97.95%\n"
)


def test_rows_that_were_copied_as_words_are_two_devices_each() -> None:
    page = (
        "### LPU\n\nI copied the two rows of each table.\n\nSequence length 64\n"
        "- cpu: end-to-end latency 1.50 ms, 666.67 IPS\n"
        "- groq: end-to-end latency 0.05 ms, 20000.50 IPS, on-chip latency 0.02 ms, on-chip IPS 50000.25\n\n"
        "Sequence length 192\n"
        "- cpu: end-to-end latency 3.00 ms, 333.33 IPS\n"
        "- groq: end-to-end latency 0.08 ms, 12500.50 IPS, on-chip latency 0.04 ms, on-chip IPS 25000.25\n"
    )
    found = summaries(page, "page.md")
    assert [(s["device"], s["claims"]["seq_len"]) for s in found] == [
        ("cpu", 64), ("groq", 64), ("cpu", 192), ("groq", 192),
    ]  # fmt: skip
    holds(found[1], {"latency_ms": 0.05, "inferences_per_s": 20000.5, "on_chip_latency_ms": 0.02})
    holds(found[3], {"on_chip_inferences_per_s": 25000.25})


def test_a_setting_before_an_arrow_belongs_to_the_line_after_it() -> None:
    lines = "".join(
        f"bs {batch} -> | Train Device=CSX, Step=400, Loss=7.5, Rate={batch * 3}.5 samples/sec, GlobalRate=9.0 samples/sec\n"
        for batch in (48, 96)
    )
    assert [s["claims"] for s in summaries(f"last lines\n\n{lines}", "lines.txt")] == [
        {"batch_size": 48}, {"batch_size": 96},
    ]  # fmt: skip


def test_settings_noted_in_comments_below_a_log_are_claims() -> None:
    noted = "\n// what I changed in the script:\n//   learning_rate = 0.04\n//   epochs = 25\n"
    holds(one(MNIST + noted), {"claims": {"lr": 0.04, "epochs": 25}, "params": {"epochs": 10}})


def test_a_setting_in_the_summary_of_a_fold_is_a_claim() -> None:
    page = f"<details>\n<summary>epochs=12, batch_size=32</summary>\n\nThis is what I got.\n\n```\n{MNIST}```\n</details>\n"
    holds(one(page, "page.md"), {"claims": {"epochs": 12, "batch_size": 32}})


def test_an_error_quoted_in_a_sentence_is_not_a_second_failure() -> None:
    page = (
        "My first try ended with `RuntimeError: Failed to acquire 2 IPU(s)`, since I had forgotten srun (log below).\n\n"
        "```\n(env) me@ipu-login:~/mnist$ python mnist_poptorch.py\nTraceback (most recent call last):\n"
        '  File "mnist_poptorch.py", line 270, in <module>\n'
        "poptorch.poptorch_core.Error: 'poptorch_cpp_error': Failed to acquire 2 IPU(s)\n```\n"
    )
    holds(one(page, "page.md"), {"status": "failed", "error": "no-device"})


def test_a_table_gives_steps_and_training_seconds_of_its_rows() -> None:
    page = (
        "# BERT-large on the CS-2\n\nEach run did 700 steps.\n\n"
        "| batch | Training time [s] | Samples/s | Final loss |\n|---|---|---|---|\n"
        "| 128 | 91.25 | 981.9 | 7.31 |\n| 640 | 140.50 | 3188.6 | 7.12 |\n"
    )
    found = summaries(page, "page.md")
    assert [(s["steps"], s["train_s"], s["claims"]["batch_size"]) for s in found] == [
        (700, 91.25, 128),
        (700, 140.5, 640),
    ]


def test_the_rate_of_the_log_comes_before_one_that_was_worked_out() -> None:
    page = (
        "# GPT on a CS-3\n\n| Batch | Mean of Rate (samples/sec) | GlobalRate (samples/sec) | Total seconds | "
        "Throughput (samples/sec) | Loss |\n|---|---|---|---|---|---|\n| 48 | 71.5 | 71.25 | 1,905 | 7.56 | 7.1 |\n"
        "| 80 | 72.5 | 72.25 | 2,005 | 11.97 | 7.0 |\n"
    )
    holds(summaries(page, "page.md")[0], {"samples_per_s": 71.5, "samples_per_s_avg": 71.25, "loss": 7.1})


def test_a_table_of_settings_and_minutes_tells_of_runs() -> None:
    page = "## Cerebras\n\n| batch size | time, min |\n| --- | --- |\n| 96 | 1.6 |\n| 160 | 2.4 |\n"
    assert [s["claims"] for s in summaries(page, "page.md")] == [{"batch_size": 96}, {"batch_size": 160}]


def test_a_column_a_run_may_name_its_setting_in_its_head() -> None:
    page = (
        '### Profiling\n\n`psrecord "python train.py" --log run.log`\n\n|  | batch size 24 | batch size 96 |\n|---|---|---|\n'
        "| Average CPU usage | 311.20 % | 254.75 % |\n| Average memory usage | 2048.00 MB | 3072.00 MB |\n"
    )
    found = summaries(page, "page.md")
    assert [(s["claims"]["batch_size"], s["cpu_pct_mean"]) for s in found] == [(24, 311.2), (96, 254.75)]
    assert found[0]["rss_bytes_mean"] == 2048 * 1024**2


def test_lists_of_averages_are_a_run_a_heading_though_their_figures_repeat() -> None:
    page = "## Training\n\n" + "".join(
        f'#### {title}\n\n```sh\npsrecord "python train.py -n {count}" --log run.log\n```\n\n'
        f"1. Completion time: **~{seconds}** seconds\n2. Average CPU usage: **{cpu}%**\n3. Average memory usage: **1024.00** MB\n\n"
        for title, count, seconds, cpu in (("One process", 1, 900.5, 210.25), ("Two workers", 2, 510.5, 290.5),
                                           ("Three workers", 3, 510.5, 290.5))
    )  # fmt: skip
    assert [(s["system"], s["cpu_pct_mean"]) for s in summaries(page, "page.md")] == [
        ("psrecord", 210.25), ("psrecord", 290.5), ("psrecord", 290.5),
    ]  # fmt: skip
