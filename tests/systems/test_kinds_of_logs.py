"""Logs as people keep them: several runs in one, results above their bars, rare formats, ways to fail."""

from pathlib import Path

from reading import holds, json_summaries, one, summaries

BLOCKS = "██████████"


def bert_tiny(batch: int, steps: int = 120, seconds: float = 2.5, compiled: float = 88.5) -> str:
    rate = batch * steps / seconds
    return (
        "Using config: demo_tiny_128\n"
        "Data loaded in 7.25 secs\n"
        "Embedding  --> IPU 0\n"
        "[10:01:02.003] [poptorch:cpp] [warning] [DISPATCHER] Type coerced from Long to Int for tensor id 6\n"
        f"Graph compilation: 100%|{BLOCKS}| 100/100 [01:20<00:00]\n"
        f"Compiled/Loaded model in {compiled} secs\n"
        f"Step: {steps - 1} / {steps - 1} - LR: 3.00e-03 - total loss: 7.10 - mlm_loss: 6.70:  99%|{BLOCKS}| "
        f"{steps - 1}/{steps} [00:03<00:00, 45.20it/s, throughput: {rate} samples/sec]\n"
        f"global_batch_size: {batch}\ndevice_iterations: 1\ntraining_steps: {steps}\nTraining time: {seconds} secs\n"
    )


def test_a_finished_training_and_the_next_in_one_log_are_two_runs() -> None:
    first, second, third = summaries(bert_tiny(4) + bert_tiny(24, compiled=95.0) + "\n\n" + bert_tiny(48))
    holds(
        first, {"status": "completed", "samples_per_s": 192.0, "params": {"batch_size": 4}, "phases": {"compile": 88.5}}
    )
    holds(second, {"samples_per_s": 1152.0, "params": {"batch_size": 24}, "phases": {"compile": 95.0}})
    holds(third, {"params": {"batch_size": 48, "lr": 0.003}, "train_s": 2.5})


RESULT_FIRST = (
    "Accuracy on test set: {accuracy}%\n\n"
    f"Graph compilation: 100%|{BLOCKS}| 100/100 [00:19<00:00]\n"
    f"Epochs: 100%|{BLOCKS}| {{epochs}}/{{epochs}} [01:31<00:00,  9.10s/it]\n"
    f"Graph compilation: 100%|{BLOCKS}| 100/100 [00:13<00:00]\n"
)


def test_bars_below_a_result_that_was_buffered_are_of_the_same_run() -> None:
    page = "Default:\n```\n{}```\n\nEpochs set to 25:\n```\n{}```\n".format(
        RESULT_FIRST.format(accuracy="97.91", epochs=10), RESULT_FIRST.format(accuracy="98.33", epochs=25)
    )
    first, second = summaries(page, "page.md")
    holds(first, {"accuracy": 0.9791, "params": {"epochs": 10}, "phases": {"train": 91, "compile": 32}})
    holds(second, {"accuracy": 0.9833, "params": {"epochs": 25}, "claims": {"epochs": 25}})


def test_two_buffered_results_in_one_log_are_two_runs() -> None:
    first, second = summaries(
        RESULT_FIRST.format(accuracy=97.0, epochs=4) + RESULT_FIRST.format(accuracy=96.0, epochs=6)
    )
    assert (first["accuracy"], first["params"]["epochs"]) == (0.97, 4)
    assert (second["accuracy"], second["params"]["epochs"]) == (0.96, 6)


def test_a_bar_that_a_warning_was_printed_over_still_tells_the_batch() -> None:
    log = (
        "Epochs:   0%|          | 0/10 [00:00<?,[04:40:02.011] [poptorch:cpp] [warning] Type coerced\n"
        "/usr/lib/python3.8/site-packages/tqdm/std.py:580: TqdmWarning: clamping frac to range [0, 1]\n"
        "  colour=colour) | Accuracy: 96.50% :  12%|█▏        | 9/75 [00:02<00:17, 15.07it/s]\n"
        "[04:41:20.655] [poptorch::python] [critical] poptorch.poptorch_core.UnrecoverableError: sync of device 1 timed out\n"
        "Traceback (most recent call last):\n"
        '  File "mnist_poptorch.py", line 279, in <module>\n'
        "poptorch.poptorch_core.UnrecoverableError: Fabric error: link is down, IPUoF Server unreachable\n"
    )
    holds(one(log), {"status": "failed", "error": "fabric-fault", "params": {"epochs": 10, "batch_size": 16}})


def test_an_image_training_under_poprun_ends_with_how_long_it_took() -> None:
    log = "".join(
        f"[1,0]<stdout>:[INFO] Epoch {epoch}/4\n[1,0]<stdout>:[INFO] loss: {6.5 - epoch / 2},\n"
        f"[1,0]<stdout>:[INFO] throughput: {9000.5 + epoch} samples/sec\n"
        for epoch in range(1, 5)
    )
    log += "[1,0]<stdout>:[INFO] Finished training. Time: 2023-05-04 10:08:31.220418. It took: 0:03:21.250000\n"
    log += "10:08:36.117 2210455 POPRUN [I] mpirun (PID 2210990) terminated with exit code 0\n"
    holds(
        one(log),
        {"status": "completed", "train_s": 201.25, "samples_per_s": 9004.5, "params": {"epochs": 4}, "loss": 4.5},
    )


def test_a_tensorflow_log_has_its_checkpoint_and_its_seconds() -> None:
    log = (
        "INFO:root:Finished sending initial weights\n"
        "INFO:tensorflow:global step 200: loss = 8.25 (2.5 steps/sec)\n"
        "INFO:tensorflow:global step 500: loss = 7.5 (2.5 steps/sec)\n"
        "INFO:root:Training complete. Completed 64000 sample(s) in 200.4 seconds\n"
        "INFO:tensorflow:Saved checkpoint for global step 500 in 41.25 seconds: model_dir/model.ckpt-500\n"
    )
    holds(one(log), {"train_s": 200.4, "steps": 500, "params": {"batch_size": 128}, "phases": {"checkpoint": 41.25}})


def test_training_begins_when_the_weights_are_there_where_nothing_else_says_so() -> None:
    log = (
        "2023-06-20 09:30:00,000 INFO:   Finished sending initial weights\n"
        "2023-06-20 09:35:00,000 INFO:   | Train Device=xla:0, Step=10, Loss=8.5, Rate=2.0 samples/sec, GlobalRate=2.0 samples/sec\n"
        "2023-06-20 09:40:00,000 INFO:   | Train Device=xla:0, Step=20, Loss=8.1, Rate=2.0 samples/sec, GlobalRate=2.0 samples/sec\n"
    )
    assert one(log)["phases"]["train"] == 600


def test_a_diff_of_two_logs_gives_each_its_batch() -> None:
    def side(mark: str, batch: int) -> str:
        steps = "".join(
            f"{mark} 2024-06-03 12:12:{n:02d},000 INFO:   | Train Device=CSX, Step={n}, Loss=7.{n}, Rate=9.0 samples/sec, "
            "GlobalRate=9.0 samples/sec\n"
            for n in (10, 20)
        )
        return f"{steps}{mark} 2024-06-03 12:13:00,000 INFO:   Processed {20 * batch} sample(s) in {20 * batch / 9} seconds.\n"

    text = (
        "1c1\n< 2024-06-03 12:00:10,110 INFO:   Effective batch size is 48.\n---\n"
        "> 2024-06-03 12:44:31,909 INFO:   Effective batch size is 96.\n5,9c5,9\n"
    )
    found = summaries(text + side("<", 48) + "---\n" + side(">", 96))
    assert [summary["params"]["batch_size"] for summary in found] == [48, 96]


def test_an_editor_may_break_a_step_at_its_comma() -> None:
    log = "".join(
        f"2025-03-04 20:2{n}:30,719 INFO:   | Train Device=CSX, Step={n}00, Loss=6.7{n},\n"
        f"\tRate=51{n}.5 samples/sec, GlobalRate=510.25 samples/sec\n"
        for n in (3, 4)
    )
    holds(one(log), {"samples_per_s": 514.5, "samples_per_s_avg": 510.25, "loss": 6.74})


def test_a_measured_performance_and_a_generated_text_are_complete() -> None:
    measured = (
        "Measuring peformance with world size:  6\n"
        "e2e_latency: 31.5 seconds, throughput: 1610.25 samples/s, measured over 40 iterations.\n"
        "total duration: 31.5 s\n"
    )
    holds(one(measured), {"system": "sambanova", "status": "completed", "samples_per_s": 1610.25})
    generated = (
        "Log ID initialized to: [me][python][77] at /var/log/sambaflow/runtime/sn.log\nlatencies\n"
        "    time to first token 0.5s\n    Total Latency 2.125s\nthroughputs\n"
        "    tokens/second excluding first token 6.5\n    tokens/second overall 6.1\n"
    )
    holds(one(generated), {"system": "sambanova", "tokens_per_s": 6.1, "latency_ms": 2125})


def test_results_without_their_braces_are_results() -> None:
    page = "ntasks 5  \n'final_loss': 8.31, 'training_samples_per_second': 1410.5\n\nntasks 10  \n'final_loss': 8.29, 'training_samples_per_second': 2811.25\n"
    found = summaries(
        f"## RDU\n\nI changed the tasks of the launcher, and this is the end of each log.\n\n{page}", "page.md"
    )
    assert [(s["loss"], s["samples_per_s"]) for s in found] == [(8.31, 1410.5), (8.29, 2811.25)]


def test_a_job_that_was_refused_after_its_compile_has_failed() -> None:
    log = (
        "Model:  BertLarge\nCOMPILE START AT 0\nCOMPILE END AT 511\nRUN\n"
        "sbatch: error: Batch job submission failed: Requested node configuration is not available\nDuration:  512\n"
    )
    holds(one(log), {"status": "failed", "error": "impossible-request", "phases": {"compile": 511}})


def test_a_flag_that_was_refused_and_its_traceback_are_one_failure() -> None:
    log = (
        "transformers_hook.py: error: unrecognized arguments: --cahce\n"
        "Traceback (most recent call last):\n"
        '  File "sambaflow/samba/abexit.py", line 90, in sambaflow.samba.abexit.SambaAtexit.run_with_abexit\n'
        "SystemExit: 2\n"
        "srun: error: rdu-d: tasks 0-5: Exited with exit code 2\n"
    )
    holds(one(log), {"system": "sambanova", "status": "failed", "error": "bad-flag", "params": {"num_tasks": 6}})


COMPILER = (
    '[2024-11-05 10:14:33] [info]\tTimer: "Groq Compiler" finished in 27.25s\n\nCompilation statistics:\n'
    "  On-chip compute latency: 0.25 milliseconds\n  Throughput ignoring IO: 4000.5 executions/sec\n"
    "  Throughput with serialized IO and compute: 3900.5 executions/sec\nGroq Compiler exited\n"
)


def test_what_the_groq_compiler_reckons_is_read() -> None:
    summary = one("Running Groq Compiler...\n" + COMPILER)
    holds(summary, {"status": "completed", "on_chip_latency_ms": 0.25, "on_chip_inferences_per_s": 4000.5})
    holds(summary, {"phases": {"compile": 27.25}})


def test_a_build_state_is_known_by_its_content_whatever_it_is_called(tmp_path: Path) -> None:
    file = tmp_path / "cache_of_my_net.yml"
    file.write_text(
        "build_status: successful_build\nconfig:\n  build_name: net\nexpected_input_shapes:\n  x: !!python/tuple\n"
        "  - 3\n  - 64\n  - 64\ngroqflow_version: 4.2.1\ninfo:\n  deterministic_compute_latency: 0.0005\n"
        "  measured_latency: 0.002\n  measured_throughput: 500.5\n"
    )
    (summary,) = json_summaries(file, tmp_path / "runs")
    holds(summary, {"status": "completed", "device": "groq", "params": {"batch_size": 3}, "latency_ms": 2.0})
    holds(summary, {"inferences_per_s": 500.5, "on_chip_latency_ms": 0.5})


def test_a_table_cut_by_a_narrow_terminal_keeps_its_cells() -> None:
    head = "| Source | Accuracy | end-to-end latency (ms) | end-to-end IPS | on-chip latency (ms) | on-chip IPS |"
    rows = [
        "|  cpu   |  70.25%  |           3.50          |     285.71     |          --          |      --     |",
        "|  groq  |  70.25%  |           0.50          |    2000.00     |         0.40         |   2500.00   |",
    ]
    rule = "+--------+----------+-------------------------+----------------+----------------------+-------------+"
    said = "- Input shape of model \"net\" changed from {'input_ids': (1, 128)} to {'input_ids': (2, 96)} since the last time."
    lines = ['Building "net"', said, rule, head, rule, *rows, rule]
    cut = "\n".join(line[at : at + 72] for line in lines for at in range(0, len(line), 72))
    groq = next(summary for summary in summaries(cut + "\n") if summary["device"] == "groq")
    holds(
        groq,
        {"on_chip_latency_ms": 0.4, "on_chip_inferences_per_s": 2500.0, "params": {"batch_size": 2, "seq_len": 96}},
    )


def test_a_log_pasted_into_a_notebook_as_a_string_is_a_log(tmp_path: Path) -> None:
    source = "'''\\nCOMPILE END AT 431\\nRUN\\nSHELL=/bin/bash\\nSubmitted batch job 4118\\nDuration:  431\\n'''"
    file = tmp_path / "notes.ipynb"
    file.write_text(
        '{"cells": [{"cell_type": "markdown", "source": ["# RDU"]}, {"cell_type": "code", "source": ["'
        + source
        + '"], "outputs": []}]}'
    )
    (summary,) = json_summaries(file, tmp_path / "runs")
    holds(summary, {"system": "sambanova", "status": "completed", "phases": {"compile": 431}})
